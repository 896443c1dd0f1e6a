//! What an auth class of httpx or requests needs of countersign.
use std::fmt::Display;
use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign::client::{self, AuthCache, Endpoint, LoginError, Next, Policy};
use countersign::{EntityBody, Scheme, Target};
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
            policy = policy.with_quirk(countersign::client::Quirk::Rfc2069);
        }
        let cache = AuthCache::new(100, policy, &mut getrandom::SysRng);
        Ok(Self(Mutex::new(cache.map_err(error::<PyOSError>)?)))
    }
}

/// A login that is asked for.
#[pyclass(frozen)]
struct Ask(client::Ask);

#[pymethods]
impl Ask {
    /// The bytes, to compare: as text, two realms that are not UTF-8 may look the same.
    #[getter]
    fn realm(&self) -> &[u8] {
        self.0.realm()
    }

    /// How the password will be sent: "Digest", or "Basic", which sends it as it is.
    #[getter]
    fn scheme(&self) -> &'static str {
        match self.0.scheme() {
            Scheme::Basic => "Basic",
            _ => "Digest",
        }
    }

    /// Who asks, as `http://example.com:80`.
    #[getter]
    fn endpoint(&self) -> String {
        self.0.endpoint().to_string()
    }

    /// Whether a name and password were refused there.
    #[getter]
    fn again(&self) -> bool {
        self.0.is_again()
    }
}

/// What to do after a response: "done" or "retry", or log in.
#[derive(IntoPyObject)]
enum Step {
    Word(&'static str),
    Login(Ask),
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
    /// A request to an origin. An IPv6 host comes without its brackets, as both libraries give it.
    /// Without a body it is not known, or not yet.
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
        let bracketed = host.contains(':').then(|| format!("[{host}]"));
        let host = bracketed.as_deref().unwrap_or(host);
        let endpoint = Endpoint::origin(scheme, host, port).map_err(error::<PyValueError>)?;
        Ok(Self {
            clients,
            endpoint,
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
        Ok(answer.map(AsRef::as_ref))
    }

    /// Takes the status and all fields of a response. Raises `GaveUp` if it is to be handed on
    /// although it asks for credentials, and `ValueError` if it is not to be trusted.
    fn received(&mut self, status: u16, fields: Vec<(Vec<u8>, Vec<u8>)>) -> PyResult<Step> {
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
            Next::Done(_) => Ok(Step::Word("done")),
            Next::Retry => Ok(Step::Word("retry")),
            Next::Login(ask) => Ok(Step::Login(Ask(ask))),
            Next::GiveUp(why) => Err(error::<GaveUp>(why)),
        }
    }

    /// Whether a login is still asked for.
    fn wants(&self, ask: &Ask) -> bool {
        self.clients
            .get()
            .lock()
            .client(&self.endpoint)
            .wants(&ask.0)
    }

    fn login(&self, ask: &Ask, name: &str, password: &str) -> PyResult<()> {
        let mut clients = self.clients.get().lock();
        let result = clients.client(&self.endpoint).login(&ask.0, name, password);
        match result {
            // The server asks for something else by now, and will say so again.
            Err(LoginError::Superseded) => Ok(()),
            result => result.map_err(error::<PyValueError>),
        }
    }
}

pyo3::create_exception!(countersign_py, GaveUp, PyException);

fn error<T: pyo3::PyTypeInfo>(why: impl Display) -> PyErr {
    PyErr::new::<T, _>(why.to_string())
}

#[pymodule]
mod countersign_py {
    #[pymodule_export]
    use super::{Ask, Clients, Exchange, GaveUp};
}
