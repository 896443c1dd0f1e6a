//! The check of requests.

use std::collections::HashMap;

use countersign::digest::{Algorithm, BodyHasher, Ha1, HashFunction, QopSet};
use countersign::server::{Arrival, Attempt, Authenticator, Realm, Refusal};
use countersign::{Channel, EntityBody, Target};
use getrandom::SysRng;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::boundary::{Basic, Octets, Values, algorithm, error, hash_name, latin1};
use crate::fork::Birthplace;

/// Checks requests to one realm. Make one for each realm of a program; threads may share it.
///
/// `algorithms` are offered in this order, by default `["SHA-256"]`. `basic` also takes passwords by Basic: `"https"` on
/// encrypted channels only, `"anywhere"` in the clear, too. `auth_int` also offers answers that cover
/// the body. `nonce_lifetime` is in seconds. `capacity` is how many nonces are remembered, in 48
/// bytes each. `domain` is the part of the site that a login is for, such as `"/files"`.
#[pyclass(frozen, subclass, module = "countersign_http")]
pub(crate) struct Server {
    authenticator: Box<Authenticator>,
    algorithms: Vec<Algorithm>,
    born: Birthplace,
}

/// What a server decided on a request.
#[pyclass(frozen, get_all, module = "countersign_http")]
pub(crate) struct Verdict {
    /// The user's name, or `None` if the request is refused.
    user: Option<String>,
    /// What `find` returned beside the HA1.
    account: Option<Py<PyAny>>,
    /// 200, or the status of the response that refuses the request.
    status: u16,
    /// The fields to add to the response. A name may occur more than once.
    headers: Vec<(String, String)>,
    /// `"granted"`, or why the request is refused, for the log: do not send it.
    reason: &'static str,
    /// Whether a limiter of wrong passwords should count it.
    is_guess: bool,
}

#[pymethods]
impl Verdict {
    /// Whether the request is granted.
    fn __bool__(&self) -> bool {
        self.user.is_some()
    }

    fn __repr__(&self) -> String {
        let Self { status, reason, .. } = self;
        format!("<Verdict {status}, {reason}>")
    }
}

/// What a store has of a user.
struct Account {
    ha1: HashMap<HashFunction, Ha1>,
    account: Option<Py<PyAny>>,
}

/// As many nonces take half a gigabyte, which is allocated at once.
const MAX_CAPACITY: usize = 10_000_000;

#[pymethods]
impl Server {
    #[new]
    #[pyo3(signature = (realm, *, algorithms = None, basic = Basic::Never, auth_int = false, nonce_lifetime = 300, capacity = 10_000, domain = None), text_signature = "(realm, *, algorithms=None, basic=False, auth_int=False, nonce_lifetime=300, capacity=10000, domain=None)")]
    fn new(
        realm: &str,
        algorithms: Option<&Bound<'_, PyAny>>,
        basic: Basic,
        auth_int: bool,
        nonce_lifetime: i64,
        capacity: i64,
        domain: Option<&str>,
    ) -> PyResult<Self> {
        let algorithms = match algorithms {
            None => vec![Algorithm::SHA_256],
            Some(names) if names.is_instance_of::<PyString>() => {
                return Err(PyTypeError::new_err(
                    "algorithms: expected a list such as [\"SHA-256\", \"MD5\"], not a str",
                ));
            }
            Some(names) => {
                let names = names.extract::<Vec<String>>()?;
                let parsed: PyResult<Vec<Algorithm>> =
                    names.iter().map(|name| algorithm(name)).collect();
                parsed?
            }
        };
        let lifetime = u32::try_from(nonce_lifetime).map_err(|_| {
            PyValueError::new_err("nonce_lifetime: expected 0 to 4294967295 seconds")
        })?;
        let capacity = usize::try_from(capacity).ok();
        let capacity = capacity
            .filter(|it| *it <= MAX_CAPACITY)
            .ok_or_else(|| PyValueError::new_err("capacity: expected 0 to 10000000 nonces"))?;
        let named = |what: &'static str| {
            move |why: countersign::InvalidText| PyValueError::new_err(format!("{what}: {why}"))
        };
        let mut settings = Realm::new(realm)
            .map_err(named("realm"))?
            .with_algorithms(&algorithms)
            .with_nonce_lifetime(lifetime);
        settings = match basic {
            Basic::Never => settings,
            Basic::Https => settings.with_basic(),
            Basic::Anywhere => settings.with_cleartext_basic(),
        };
        if algorithms.is_empty() && basic == Basic::Never {
            return Err(PyValueError::new_err(
                "algorithms: expected one at least, as basic is False",
            ));
        }
        if auth_int {
            settings = settings.with_qop(QopSet::BOTH);
        }
        if let Some(domain) = domain {
            settings = settings.with_domain(domain).map_err(named("domain"))?;
        }
        let authenticator = Authenticator::new(settings, capacity, &mut SysRng);
        Ok(Self {
            authenticator: Box::new(authenticator.map_err(error::<PyOSError>)?),
            algorithms,
            born: Birthplace::here(),
        })
    }

    /// The name of the realm.
    #[getter]
    fn realm(&self) -> &str {
        self.authenticator.realm().name()
    }

    /// The names of the algorithms that are offered.
    #[getter]
    fn algorithms(&self) -> Vec<&'static str> {
        self.algorithms.iter().map(|it| it.as_str()).collect()
    }

    /// What to store of a user in place of the password: hexadecimal digits, or one `NAME:DIGITS` for
    /// each hash function if the algorithms have several. Whoever reads it can log in to this realm.
    fn ha1(&self, username: &str, password: &str) -> PyResult<String> {
        if username.contains(':') {
            return Err(PyValueError::new_err(
                "username: found a colon, which no user name of Basic or Digest can hold",
            ));
        }
        let realm = self.authenticator.realm();
        let digits = |hash| realm.ha1(hash, username, password).as_hex().to_owned();
        Ok(match *self.hashes() {
            [hash] => digits(hash),
            ref several => {
                let parts = several
                    .iter()
                    .map(|&hash| format!("{}:{}", hash_name(hash), digits(hash)));
                parts.collect::<Vec<String>>().join(" ")
            }
        })
    }

    /// The user name of credentials that this server may grant, to be looked up before `check`; `None`
    /// if there is nobody to look up.
    #[pyo3(signature = (method, target, authorization, *, encrypted = false), text_signature = "(self, method, target, authorization, *, encrypted=False)")]
    fn claimed(
        &self,
        method: &str,
        target: Octets,
        authorization: Values,
        encrypted: bool,
    ) -> PyResult<Option<String>> {
        self.renewed()?;
        let target = Target::new(method, &target.0);
        let attempt = self
            .authenticator
            .begin(authorization.0.iter(), &target, arrival(encrypted));
        let Ok(attempt) = attempt else {
            return Ok(None);
        };
        Ok(attempt.claimed_user().name().map(str::to_owned))
    }

    /// Checks a request. `target` is the request-target as it arrived, `authorization` all values of
    /// that field. `find(name)` returns the HA1 that `ha1` made, or a pair of it and an account of
    /// your own, or `None` for an unknown user. `encrypted` says whether the connection is. `body` is
    /// needed where an answer covers it.
    #[pyo3(signature = (method, target, authorization, find, *, encrypted = false, body = None), text_signature = "(self, method, target, authorization, find, *, encrypted=False, body=None)")]
    #[expect(clippy::too_many_arguments, reason = "Python has names for them")]
    fn check(
        &self,
        py: Python<'_>,
        method: &str,
        target: Octets,
        authorization: Values,
        find: &Bound<'_, PyAny>,
        encrypted: bool,
        body: Option<&[u8]>,
    ) -> PyResult<Verdict> {
        self.renewed()?;
        let mut target = Target::new(method, &target.0);
        let begin = |target: &Target<'_>| -> Result<Option<HashFunction>, Refusal> {
            let attempt =
                self.authenticator
                    .begin(authorization.0.iter(), target, arrival(encrypted))?;
            Ok(attempt.required_body_hash_function())
        };
        if let Some(body) = body
            && let Ok(Some(hash)) = begin(&target)
        {
            let mut hasher = BodyHasher::new(hash);
            py.detach(|| hasher.update(body));
            target = target.with_body(EntityBody::Hashed(hasher.finish()));
        }
        let attempt = self
            .authenticator
            .begin(authorization.0.iter(), &target, arrival(encrypted));
        match attempt {
            Ok(attempt) => self.decide(py, attempt, find),
            Err(refusal) => Ok(refused(&refusal)),
        }
    }

    fn __repr__(&self) -> String {
        let (realm, algorithms) = (self.realm(), self.algorithms().join("', '"));
        format!("Server({realm:?}, algorithms=['{algorithms}'])")
    }
}

impl Server {
    /// Draws new keys in a process that was forked: see `Birthplace`.
    fn renewed(&self) -> PyResult<()> {
        let void = || self.authenticator.void_nonces(&mut SysRng);
        self.born.renewed(void).map_err(error::<PyOSError>)
    }

    fn decide(
        &self,
        py: Python<'_>,
        attempt: Attempt<'_>,
        find: &Bound<'_, PyAny>,
    ) -> PyResult<Verdict> {
        let user = attempt.claimed_user();
        let account = match user.name() {
            Some(name) => self.account(&find.call1((name,))?)?,
            // Not UTF-8: no user of a store of Python.
            None => None,
        };
        let verified = attempt.verify_by(account, |account, hash| account.ha1.get(&hash));
        let granted = verified.and_then(|verified| self.authenticator.admit(verified));
        Ok(match granted {
            Ok(grant) => {
                let info = grant.authentication_info(EntityBody::Unknown);
                let headers = info.map(|value| (grant.info_field().to_owned(), latin1(&value)));
                let account = grant.account().account.as_ref();
                Verdict {
                    user: user.name().map(str::to_owned),
                    account: account.map(|it| it.clone_ref(py)),
                    status: 200,
                    headers: headers.into_iter().collect(),
                    reason: "granted",
                    is_guess: false,
                }
            }
            Err(refusal) => refused(&refusal),
        })
    }

    /// What `find` returned.
    fn account(&self, found: &Bound<'_, PyAny>) -> PyResult<Option<Account>> {
        if found.is_none() {
            return Ok(None);
        }
        let pair = found.cast::<PyTuple>().ok().filter(|it| it.len() == 2);
        let (ha1, account) = match pair {
            Some(pair) => (pair.get_item(0)?, Some(pair.get_item(1)?.unbind())),
            None => (found.clone(), None),
        };
        let Ok(text) = ha1.cast::<PyString>() else {
            if ha1.hasattr("__await__")? {
                // It would complain that nobody awaited it.
                if let Ok(close) = ha1.getattr("close") {
                    close.call0()?;
                }
                return Err(PyTypeError::new_err(
                    "find is async: await Server.acheck() in place of Server.check()",
                ));
            }
            let kind = ha1.get_type().name()?;
            return Err(PyTypeError::new_err(format!(
                "find: expected an HA1 as str, a pair of it and an account, or None, not {kind}"
            )));
        };
        let ha1 = self.parse_ha1(&text.to_cow()?)?;
        Ok(Some(Account { ha1, account }))
    }

    /// Parses what [`ha1`](Self::ha1) returns; digits alone are of the first hash function that has
    /// as many.
    fn parse_ha1(&self, text: &str) -> PyResult<HashMap<HashFunction, Ha1>> {
        let mut found = HashMap::new();
        for part in text.split_ascii_whitespace() {
            let (hashes, digits) = match part.split_once(':') {
                Some((name, digits)) => (vec![algorithm(name)?.hash_function()], digits),
                None => (self.hashes(), part),
            };
            let parsed = |hash| Some((hash, Ha1::from_hex(hash, digits).ok()?));
            let ha1 = hashes.into_iter().find_map(parsed);
            let Some((hash, ha1)) = ha1 else {
                found.clear();
                break;
            };
            found.insert(hash, ha1);
        }
        match found.is_empty() {
            // What was found may be a password.
            true => Err(PyValueError::new_err(
                "find: expected an HA1 as Server.ha1() makes it, in hexadecimal digits of an algorithm \
                 that is offered",
            )),
            false => Ok(found),
        }
    }

    /// The hash functions of the algorithms, each once; for Basic alone SHA-256.
    fn hashes(&self) -> Vec<HashFunction> {
        let mut hashes = Vec::new();
        for algorithm in &self.algorithms {
            let hash = algorithm.hash_function();
            if !hashes.contains(&hash) {
                hashes.push(hash);
            }
        }
        if hashes.is_empty() {
            hashes.push(HashFunction::Sha256);
        }
        hashes
    }
}

fn arrival(encrypted: bool) -> Arrival<'static> {
    Arrival::now(match encrypted {
        true => Channel::Encrypted,
        false => Channel::Cleartext,
    })
}

fn refused(refusal: &Refusal) -> Verdict {
    let fields = refusal.challenges.iter();
    Verdict {
        user: None,
        account: None,
        status: refusal.status,
        headers: fields
            .map(|value| (refusal.field.to_owned(), latin1(value)))
            .collect(),
        reason: refusal.reason.name(),
        is_guess: refusal.reason.is_guess(),
    }
}
