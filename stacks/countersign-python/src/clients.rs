//! The accounts, and what is known of their servers.

use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign::client::{Account, AuthCache, Endpoint, Policy, Quirk};
use getrandom::SysRng;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::boundary::{Basic, Url, error, origin_text};
use crate::fork::Birthplace;

/// Accounts for origins, and what their servers asked for and accepted. Threads may share it.
///
/// `rfc2069` also answers challenges without qop; `require_proof` makes a response an error unless
/// its server proves that it knows the password; `auth_int` has answers cover the body where the
/// server offers that; `max_answers` is how many answers to one request a server may refuse.
#[pyclass(frozen, module = "countersign_http")]
pub(crate) struct Clients {
    known: Box<Mutex<Known>>,
    born: Birthplace,
}

/// What lies behind the lock.
pub(crate) struct Known {
    policy: Policy,
    cache: AuthCache,
    /// For a process that starts anew.
    given: Vec<Given>,
    /// For the first origin that is asked for.
    pending: Option<Login>,
}

#[derive(Clone)]
struct Login {
    account: Account,
    basic: Basic,
}

struct Given {
    endpoint: Endpoint,
    login: Login,
}

/// As many origins are remembered. Accounts are never forgotten.
const CAPACITY: usize = 100;

impl Known {
    fn cache(policy: Policy) -> PyResult<AuthCache> {
        AuthCache::new(CAPACITY, policy, &mut SysRng).map_err(error::<PyOSError>)
    }

    fn start_again(&mut self) -> PyResult<()> {
        self.cache = Self::cache(self.policy)?;
        let Self {
            cache,
            given,
            policy,
            ..
        } = self;
        for it in given {
            // Does not fail: it was added before.
            add(cache, *policy, &it.endpoint, &it.login)?;
        }
        Ok(())
    }

    fn give(&mut self, endpoint: Endpoint, login: Login) -> PyResult<()> {
        add(&mut self.cache, self.policy, &endpoint, &login)?;
        self.given.push(Given { endpoint, login });
        Ok(())
    }

    /// The cache, with the login for the first origin bound to `endpoint`.
    pub(crate) fn of(&mut self, endpoint: &Endpoint) -> PyResult<&mut AuthCache> {
        if let Some(login) = self.pending.take() {
            self.give(endpoint.clone(), login)?;
        }
        Ok(&mut self.cache)
    }

    /// The origins that have accounts.
    pub(crate) fn origins(&self) -> Vec<String> {
        let mut origins: Vec<String> = self
            .given
            .iter()
            .map(|it| origin_text(&it.endpoint))
            .collect();
        origins.dedup();
        origins
    }
}

fn add(cache: &mut AuthCache, policy: Policy, endpoint: &Endpoint, login: &Login) -> PyResult<()> {
    if login.basic == Basic::Anywhere {
        cache.set_policy(endpoint, policy.with_cleartext_basic());
    }
    cache
        .add_account(endpoint, login.account.clone())
        .map_err(error::<PyValueError>)
}

impl Clients {
    /// Takes the lock. No Python may run, and no object of Python be made, while it is held.
    pub(crate) fn lock(&self) -> PyResult<MutexGuard<'_, Known>> {
        let lock = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // Two processes with one seed would send the same nonce counts and cnonces.
        self.born.renewed(|| lock().start_again())?;
        Ok(lock())
    }
}

#[pymethods]
impl Clients {
    #[new]
    #[pyo3(signature = (*, rfc2069 = false, require_proof = false, auth_int = false, max_answers = 3))]
    fn new(rfc2069: bool, require_proof: bool, auth_int: bool, max_answers: i64) -> PyResult<Self> {
        let answers = u8::try_from(max_answers).ok().filter(|it| *it > 0);
        let answers =
            answers.ok_or_else(|| PyValueError::new_err("max_answers: expected 1 to 255"))?;
        let mut policy = Policy::new().with_max_answers(answers);
        if rfc2069 {
            policy = policy.with_quirk(Quirk::Rfc2069);
        }
        if require_proof {
            policy = policy.require_server_proof();
        }
        if auth_int {
            policy = policy.prefer_auth_int();
        }
        Ok(Self {
            known: Box::new(Mutex::new(Known {
                policy,
                cache: Known::cache(policy)?,
                given: Vec::new(),
                pending: None,
            })),
            born: Birthplace::here(),
        })
    }

    /// Adds an account for an origin such as `http://cam:8080`, or with `None` for the origin of the
    /// first exchange. It answers for `realm` only, or else for each realm of the origin, and by
    /// Digest only, unless `basic` is `"https"`, or `"anywhere"`, where others may read the password.
    #[pyo3(signature = (origin, username, password, *, realm = None, basic = Basic::Never), text_signature = "(self, origin, username, password, *, realm=None, basic=False)")]
    fn add_account(
        &self,
        origin: Option<&str>,
        username: &str,
        password: &str,
        realm: Option<&str>,
        basic: Basic,
    ) -> PyResult<()> {
        if username.contains(':') {
            return Err(PyValueError::new_err(
                "username: found a colon, which separates the name from the password: pass the two \
                 as two arguments",
            ));
        }
        let mut account = Account::new(username, password);
        if let Some(realm) = realm {
            account = account.for_realm(realm);
        }
        if basic != Basic::Never {
            account = account.with_basic();
        }
        let login = Login { account, basic };
        let endpoint = origin.map(Url::parse).transpose()?;
        let mut known = self.lock()?;
        match endpoint {
            Some(url) => known.give(url.endpoint, login),
            None => {
                // Whether it can be sent does not depend on where.
                let probe = Endpoint::proxy("https", "", 0);
                add(
                    &mut Known::cache(known.policy)?,
                    known.policy,
                    &probe,
                    &login,
                )?;
                known.pending = Some(login);
                Ok(())
            }
        }
    }

    /// Forgets what servers asked for, accepted and refused, and keeps the accounts.
    fn forget(&self) -> PyResult<()> {
        self.lock()?.start_again()
    }

    /// The origins that have an account, such as `http://cam:8080`.
    #[getter]
    fn origins(&self) -> PyResult<Vec<String>> {
        Ok(self.lock()?.origins())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("<Clients for {:?}>", self.lock()?.origins()))
    }
}
