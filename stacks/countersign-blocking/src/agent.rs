//! Agents of ureq.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use countersign_tower::client::Credentials;
use countersign_tower::client::transport::MAX_DRAINED;
use ureq::config::ConfigBuilder;
use ureq::http::{Method, Request, Response};
use ureq::middleware::{Middleware, MiddlewareNext};
use ureq::typestate::AgentScope;
use ureq::{Agent, AsSendBody, Body, SendBody};

use crate::auth::{Auth, Error};
use crate::calls::Calls;
use crate::response::Library;

/// The reason why a request has no response that can be used, within [`ureq::Error::Other`].
///
/// ```no_run
/// use countersign_blocking::UreqError;
///
/// # fn get(agent: ureq::Agent) {
/// match agent.get("http://camera.local/").call() {
///     Ok(response) => println!("{}", response.status()),
///     Err(ureq::Error::Other(error)) => match error.downcast_ref() {
///         Some(UreqError::WrongCredentials(refused)) => println!("{}: ask again", refused.why),
///         _ => println!("{error}"),
///     },
///     Err(error) => println!("{error}"),
/// }
/// # }
/// ```
#[cfg_attr(docsrs, doc(cfg(feature = "ureq")))]
pub type UreqError = Error<ureq::Error, Response<Body>>;

#[cfg_attr(docsrs, doc(cfg(feature = "ureq")))]
impl<C: Credentials> Auth<C> {
    /// An agent of ureq that logs in. `configure` sets its limits of time, roots of TLS and the like;
    /// for none, it is `|config| config`.
    ///
    /// It follows as many redirects as its `max_redirects`. That and `http_status_as_error` are those
    /// of the agent: a setting of a single request does not count. A wrong password, and a 401 that
    /// cannot be answered, are always an error: a [`UreqError`] within [`ureq::Error::Other`].
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use countersign_blocking::{Account, Auth};
    ///
    /// # fn get() -> Result<(), Box<dyn std::error::Error>> {
    /// let auth = Auth::new("http://camera.local", Account::new("admin", "secret"))?;
    /// let agent = auth.agent(|config| config.timeout_global(Some(Duration::from_secs(10))));
    /// let mut picture = agent.get("http://camera.local/snapshot.jpg").call()?;
    /// let picture = picture.body_mut().read_to_vec()?;
    /// # let _ = picture;
    /// # Ok(())
    /// # }
    /// ```
    pub fn agent<F>(&self, configure: F) -> Agent
    where
        F: Fn(ConfigBuilder<AgentScope>) -> ConfigBuilder<AgentScope>,
    {
        let login = Login {
            auth: self.clone(),
            agent: configure(Agent::config_builder()).build().into(),
        };
        let config = configure(Agent::config_builder());
        config.middleware(login).build().into()
    }

    /// Logs in before a large body is sent or threads start: sends a GET by an
    /// [`agent`](Self::agent), and reads no body of its response. Requests to the same paths are then
    /// answered at once.
    ///
    /// Choose a URL whose GET does nothing, in the same realm. Returns whether the server let the
    /// account in. `false`: it asked for no login here, or it did not come to check it, with a status
    /// of 429 or above 499. A status such as 404 or 405 is fine.
    ///
    /// # Errors
    ///
    /// A [`UreqError`] within [`ureq::Error::Other`], if the password is wrong for example, or ureq's.
    pub fn log_in(&self, agent: &Agent, url: &str) -> Result<bool, ureq::Error> {
        let is_in = Arc::new(AtomicBool::new(false));
        let request = Request::get(url).extension(LogIn(Arc::clone(&is_in)));
        agent.run(request.body(()).map_err(ureq::Error::Http)?)?;
        Ok(is_in.load(Ordering::Relaxed))
    }
}

/// Marks a request that only logs in.
#[derive(Clone)]
struct LogIn(Arc<AtomicBool>);

/// The middleware of an agent.
struct Login<C> {
    auth: Auth<C>,
    /// Sends the requests: by the agent that it belongs to, a middleware can send only one.
    agent: Agent,
}

const UREQ: &Library<Response<Body>, ureq::Error> = &Library {
    drain: |response| {
        let body = response.into_body().into_reader();
        // A connection that is lost is no loss here.
        let _ = io::copy(&mut body.take(MAX_DRAINED as u64), &mut io::sink());
    },
    extend: |mut response, extensions| {
        response.extensions_mut().extend(extensions);
        response
    },
    is_lost: |error| matches!(error, ureq::Error::Io(_)),
};

impl<C: Credentials> Middleware for Login<C> {
    fn handle(
        &self,
        request: Request<SendBody<'_>>,
        _: MiddlewareNext<'_>,
    ) -> Result<Response<Body>, ureq::Error> {
        let (head, body) = request.into_parts();
        let log_in = head.extensions.get::<LogIn>().cloned();
        let mut bytes = Vec::new();
        body.into_reader().read_to_end(&mut bytes)?;
        let request = Request::from_parts(head, bytes);
        let config = self.agent.config();
        let max = config.max_redirects() as usize;
        let calls = Calls::new(
            |request| self.send(request),
            |response: &Response<Body>| (response.status(), response.headers()),
            UREQ,
        );
        let response = match log_in {
            Some(LogIn(is_in)) => {
                let got = self.auth.log_in_with(calls, request, max);
                is_in.store(got.map_err(told)?, Ordering::Relaxed);
                return Ok(Response::new(Body::builder().data([])));
            }
            None => match self.auth.send(calls, request, max) {
                Err(Error::TooManyRedirects(response)) if !config.max_redirects_will_error() => {
                    *response
                }
                sent => sent.map_err(told)?,
            },
        };
        let status = response.status();
        let is_error = status.is_client_error() || status.is_server_error();
        match is_error && config.http_status_as_error() {
            true => Err(ureq::Error::StatusCode(status.as_u16())),
            false => Ok(response),
        }
    }
}

/// An error in the form in which ureq has it.
fn told(error: UreqError) -> ureq::Error {
    match error {
        Error::Send(error) => error,
        Error::TooManyRedirects(_) => ureq::Error::TooManyRedirects,
        error => ureq::Error::Other(error.into()),
    }
}

impl<C> Login<C> {
    fn send(&self, request: Request<&[u8]>) -> Result<Response<Body>, ureq::Error> {
        let wants_body = matches!(
            *request.method(),
            Method::POST | Method::PUT | Method::PATCH
        );
        // As a slice a body has a length. As a reader it would be sent in chunks, which some devices
        // refuse.
        match wants_body || !request.body().is_empty() {
            true => self.agent.run(self.configured(request)),
            false => self.agent.run(self.configured(request.map(|_| ()))),
        }
    }

    fn configured<S: AsSendBody>(&self, request: Request<S>) -> Request<S> {
        let config = self.agent.configure_request(request).max_redirects(0);
        config.http_status_as_error(false).build()
    }
}
