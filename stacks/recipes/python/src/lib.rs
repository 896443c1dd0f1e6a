//! What an auth class of httpx or requests needs of countersign.
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign::client::{self, Account, AuthCache, Endpoint, Next, Policy, Quirk};
use countersign::{EntityBody, Target};
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::prelude::*;

/// The clients of all origins and proxies. Threads may share it.
#[pyclass(frozen)]
struct Clients(Mutex<AuthCache>);

impl Clients {
    /// No Python runs while it is locked, so nobody waits for this lock with the interpreter's held.
    fn lock(&self) -> MutexGuard<'_, AuthCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Clients {
    #[new]
    #[pyo3(signature = (*, cleartext_basic = false, rfc2069 = false))]
    fn new(cleartext_basic: bool, rfc2069: bool) -> PyResult<Self> {
        let mut policy = Policy::new();
        if cleartext_basic {
            policy = policy.with_cleartext_basic();
        }
        if rfc2069 {
            policy = policy.with_quirk(Quirk::Rfc2069);
        }
        let cache = AuthCache::new(100, policy, &mut getrandom::SysRng);
        Ok(Self(Mutex::new(cache.map_err(error::<PyOSError>)?)))
    }

    /// Gives an origin an account. It is for this realm alone, and answers Digest alone unless
    /// `basic`: other users of the origin may ask for it, too.
    #[pyo3(signature = (scheme, host, port, realm, name, password, *, basic = false))]
    #[expect(clippy::too_many_arguments, reason = "Python has names for them")]
    fn add_account(
        &self,
        scheme: &str,
        host: &str,
        port: Option<u16>,
        realm: &str,
        name: &str,
        password: &str,
        basic: bool,
    ) -> PyResult<()> {
        let account = Account::new(name, password).for_realm(realm);
        let account = if basic { account.with_basic() } else { account };
        let added = self
            .lock()
            .add_account(&origin(scheme, host, port)?, account);
        added.map_err(error::<PyValueError>)
    }
}

/// One request and the answers it takes.
#[pyclass]
struct Exchange {
    clients: Py<Clients>,
    endpoint: Endpoint,
    method: String,
    uri: Vec<u8>,
    body: Option<Vec<u8>>,
    exchange: client::Exchange,
}

#[pymethods]
impl Exchange {
    /// A request to an origin. Without a body it is not known, or not yet.
    #[new]
    #[pyo3(signature = (clients, scheme, host, port, method, uri, body = None))]
    fn new(
        clients: Py<Clients>,
        scheme: &str,
        host: &str,
        port: Option<u16>,
        method: String,
        uri: Vec<u8>,
        body: Option<Vec<u8>>,
    ) -> PyResult<Self> {
        Ok(Self {
            clients,
            endpoint: origin(scheme, host, port)?,
            method,
            uri,
            body,
            exchange: client::Exchange::new(),
        })
    }

    /// The value of `Authorization` for the next request.
    fn authorize(&mut self) -> PyResult<Option<&[u8]>> {
        let body = self
            .body
            .as_deref()
            .map_or(EntityBody::Unknown, EntityBody::Bytes);
        let target = Target::new(&self.method, &self.uri).with_body(body);
        let mut clients = self.clients.get().lock();
        let answer = clients
            .client(&self.endpoint)
            .authorize(&mut self.exchange, &target)
            .map_err(error::<PyValueError>)?;
        Ok(answer.for_new_request().map(AsRef::as_ref))
    }

    /// Takes the status and all fields of a response. Returns whether to send the request again.
    /// Raises `GaveUp` if the response is to be handed on although it asks for credentials, and
    /// `ValueError` if it is not to be trusted.
    fn received(&mut self, status: u16, fields: Vec<(Vec<u8>, Vec<u8>)>) -> PyResult<bool> {
        let field = |name: &'static str| {
            let named =
                move |(found, _): &&(Vec<u8>, _)| found.eq_ignore_ascii_case(name.as_bytes());
            fields.iter().filter(named).map(|(_, value)| value)
        };
        // Both libraries give bodies decoded, and not as they were sent.
        let body = EntityBody::Unknown;
        let mut clients = self.clients.get().lock();
        let next = clients
            .client(&self.endpoint)
            .received(&mut self.exchange, status, field, body)
            .map_err(error::<PyValueError>)?;
        match next {
            Next::Done(_) => Ok(false),
            Next::Retry => Ok(true),
            Next::Login(ask) => {
                let why = format!("no account for {}", ask.endpoint());
                Err(error::<GaveUp>(why))
            }
            Next::GiveUp(why) => Err(error::<GaveUp>(why)),
        }
    }
}

/// An IPv6 host comes without its brackets, as both libraries give it.
fn origin(scheme: &str, host: &str, port: Option<u16>) -> PyResult<Endpoint> {
    let bracketed = host.contains(':').then(|| format!("[{host}]"));
    let host = bracketed.as_deref().unwrap_or(host);
    Endpoint::origin(scheme, host, port).map_err(error::<PyValueError>)
}

pyo3::create_exception!(countersign_py, GaveUp, PyException);

fn error<T: pyo3::PyTypeInfo>(why: impl Display) -> PyErr {
    PyErr::new::<T, _>(why.to_string())
}

#[pymodule]
mod countersign_py {
    #[pymodule_export]
    use super::{Clients, Exchange, GaveUp};
}
