//! One request and the answers it takes.

use countersign::client::{self, Endpoint, Error, Next};
use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use countersign::{EntityBody, Target};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::boundary::{Octets, Url, Values, error, hash_name, latin1, origin_text, own_error};
use crate::clients::Clients;
use crate::refusal::Refusal;

/// One request and the answers it takes. A redirect leads to another request.
///
/// `url` is absolute. `target` is the request-target as it is sent, by default the path and query of
/// `url`. `body` matters only where an answer covers it (`auth-int`): bytes, or `None` if it is not
/// at hand, and is passed to `hash_body` when `authorize` raises `BodyNeeded`.
#[pyclass(module = "countersign_http")]
pub(crate) struct Exchange {
    clients: Py<Clients>,
    endpoint: Endpoint,
    method: String,
    target: Vec<u8>,
    body: Body,
    inner: Box<client::Exchange>,
    refusal: Option<Refusal>,
}

enum Body {
    Known(Py<PyBytes>),
    /// Asked for if an answer covers it.
    Unknown,
    /// Asked for with `BodyNeeded`.
    Asked(HashFunction),
    Hashing(Box<BodyHasher>),
    Hashed(HexDigest),
}

/// A body that takes longer to hash is hashed without the interpreter's lock.
const LONG: usize = 1 << 16;

fn hash_of(py: Python<'_>, hash: HashFunction, body: &[u8]) -> HexDigest {
    let hashed = || {
        let mut hasher = BodyHasher::new(hash);
        hasher.update(body);
        hasher.finish()
    };
    match body.len() > LONG {
        true => py.detach(hashed),
        false => hashed(),
    }
}

impl Exchange {
    /// Calls the client, and returns the value, which is made into an object after the lock.
    fn answer(&mut self, body: EntityBody<'_>) -> PyResult<Result<Option<String>, Error>> {
        let target = Target::new(&self.method, &self.target).with_body(body);
        let mut known = self.clients.get().lock()?;
        let client = known.of(&self.endpoint)?.client(&self.endpoint);
        Ok(client
            .authorize(&mut self.inner, &target)
            .map(|field| field.for_new_request().map(latin1)))
    }
}

#[pymethods]
impl Exchange {
    #[new]
    #[pyo3(signature = (clients, method, url, *, target = None, body = None))]
    fn new(
        clients: Py<Clients>,
        method: String,
        url: &str,
        target: Option<Octets>,
        body: Option<Py<PyBytes>>,
    ) -> PyResult<Self> {
        let url = Url::parse(url)?;
        Ok(Self {
            clients,
            endpoint: url.endpoint,
            method,
            target: target.map_or_else(|| url.target.into_bytes(), |it| it.0),
            body: body.map_or(Body::Unknown, Body::Known),
            inner: Box::new(client::Exchange::new()),
            refusal: None,
        })
    }

    /// The value of `Authorization` for the next request, or `None`: then it has no such field. Call
    /// it once for each request that is sent.
    ///
    /// Raises `BodyNeeded` if the answer covers the body: pass it to `hash_body` and call again, or
    /// call again without, for an answer that does not cover it.
    fn authorize(&mut self, py: Python<'_>) -> PyResult<Option<String>> {
        let body = match &self.body {
            Body::Known(_) | Body::Unknown => EntityBody::Deferred,
            Body::Asked(_) => EntityBody::Unknown,
            Body::Hashing(hasher) => {
                let digest = hasher.as_ref().clone().finish();
                self.body = Body::Hashed(digest);
                EntityBody::Hashed(digest)
            }
            Body::Hashed(digest) => EntityBody::Hashed(*digest),
        };
        let is_refused = matches!(self.body, Body::Asked(_));
        match self.answer(body)? {
            Err(Error::BodyNeeded(hash)) => {
                if let Body::Known(body) = &self.body {
                    let digest = hash_of(py, hash, body.as_bytes(py));
                    let answer = self.answer(EntityBody::Hashed(digest))?;
                    return answer.map_err(|why| value_error(py, why));
                }
                self.body = Body::Asked(hash);
                if is_refused {
                    self.refusal = Some(Refusal::body_needed());
                }
                Err(value_error(py, Error::BodyNeeded(hash)))
            }
            answer => answer.map_err(|why| value_error(py, why)),
        }
    }

    /// Takes the next part of the body, after `authorize` raised `BodyNeeded`.
    fn hash_body(&mut self, py: Python<'_>, part: &[u8]) -> PyResult<()> {
        if let Body::Asked(hash) = self.body {
            self.body = Body::Hashing(Box::new(BodyHasher::new(hash)));
        }
        let Body::Hashing(hasher) = &mut self.body else {
            return Err(PyValueError::new_err(
                "the body is not asked for: authorize() raises BodyNeeded first",
            ));
        };
        match part.len() > LONG {
            true => py.detach(|| hasher.update(part)),
            false => hasher.update(part),
        }
        Ok(())
    }

    /// Takes the status of a response and all values of its `WWW-Authenticate` and
    /// `Authentication-Info`. Returns whether to send the request again, with what `authorize` then
    /// returns. Raises `ServerProofWrong` if the response is not to be trusted.
    #[pyo3(signature = (status, challenges = Values(Vec::new()), info = Values(Vec::new())), text_signature = "(self, status, challenges=(), info=())")]
    fn received(
        &mut self,
        py: Python<'_>,
        status: u16,
        challenges: Values,
        info: Values,
    ) -> PyResult<bool> {
        let fields = |name: &'static str| {
            let values = match name {
                "www-authenticate" => &challenges.0,
                _ => &info.0,
            };
            values.iter()
        };
        let tried = self.inner.answer().is_some();
        let (next, own) = {
            let mut known = self.clients.get().lock()?;
            let client = known.of(&self.endpoint)?.client(&self.endpoint);
            let next = client.received(&mut self.inner, status, fields, EntityBody::Unknown);
            // A login that waits for its turn is asked for in vain, too.
            let own = matches!(next, Ok(Next::Login(_))).then(|| known.origins());
            (next, own)
        };
        let next = next.map_err(|why| {
            let text = match why {
                Error::WrongProof => {
                    format!("{why} (rspauth): the response may be from somebody else")
                }
                why => why.to_string(),
            };
            own_error(py, "ServerProofWrong", text)
        })?;
        self.refusal = match next {
            Next::Done(_) => None,
            Next::Retry => {
                self.refusal = None;
                return Ok(true);
            }
            Next::Login(_) => {
                let asks = origin_text(&self.endpoint);
                Some(Refusal::other_origin(&asks, &own.unwrap_or_default()))
            }
            Next::GiveUp(why) => Some(Refusal::gave_up(&why, tried)),
        };
        Ok(false)
    }

    /// Why the last response is to be handed on although it asks for credentials, or `None`.
    #[getter]
    fn refusal<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.refusal.as_ref().map(|it| it.to_python(py)).transpose()
    }

    fn __repr__(&self) -> String {
        format!("<Exchange with {}>", origin_text(&self.endpoint))
    }
}

fn value_error(py: Python<'_>, why: Error) -> PyErr {
    match why {
        Error::BodyNeeded(hash) => {
            let text = format!("the answer covers the body, hashed by {}", hash_name(hash));
            own_error(py, "BodyNeeded", text)
        }
        why => error::<PyValueError>(why),
    }
}
