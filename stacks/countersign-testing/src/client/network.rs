//! What a client under test sends its requests through.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{Request, Response};

use crate::message::{Reply, RequestTarget, shown};
use countersign::Challenger;

/// Answers one request.
pub(super) type Script = Box<dyn FnMut(&Request<Vec<u8>>) -> Response<Vec<u8>> + Send>;

/// The way to the server of a scenario. A client sends each of its requests by
/// [`send`](Self::send), where it would use a socket otherwise. Clones lead to the same server.
#[derive(Clone)]
pub struct Network(Arc<Mutex<State>>);

struct State {
    script: Script,
    challenger: Challenger,
    /// Requests since the client was called last.
    requests: usize,
    /// The credentials of all requests, in order.
    credentials: Vec<Vec<u8>>,
    messages: Vec<String>,
}

/// A client that sends more requests for one is answered with 200, so that it comes back.
pub(super) const MOST_REQUESTS: usize = 12;

impl Network {
    pub(super) fn new(challenger: Challenger) -> Self {
        Self(Arc::new(Mutex::new(State {
            script: Box::new(|_| Response::new(Vec::new())),
            challenger,
            requests: 0,
            credentials: Vec::new(),
            messages: Vec::new(),
        })))
    }

    /// Sends a request to the server, and returns its response.
    ///
    /// The request-target is taken from [`RequestTarget`] in the extensions, if the client passes
    /// that on, and otherwise from the URI.
    pub fn send<B: AsRef<[u8]>>(&self, request: Request<B>) -> Response<Vec<u8>> {
        let request = request.map(|body| body.as_ref().to_owned());
        let mut state = self.state();
        state.requests += 1;
        let field = state.challenger.credentials_field();
        let credentials = request.headers().get_all(field).iter();
        state
            .credentials
            .extend(credentials.map(|value| value.as_bytes().to_owned()));
        if state.requests > MOST_REQUESTS {
            return Response::new(Vec::new());
        }
        let response = (state.script)(&request);
        let line = shown(&request, &Reply::new(&response, state.challenger));
        state.messages.push(line);
        response
    }

    /// Continues after a client that panicked.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn play(&self, script: Script) {
        self.state().script = script;
    }

    /// Forgets what was sent before the next call of the client.
    pub(super) fn begin(&self) {
        let mut state = self.state();
        state.requests = 0;
        state.credentials.clear();
    }

    pub(super) fn requests(&self) -> usize {
        self.state().requests
    }

    pub(super) fn credentials(&self) -> Vec<Vec<u8>> {
        self.state().credentials.clone()
    }

    pub(super) fn take_messages(&self) -> Vec<String> {
        std::mem::take(&mut self.state().messages)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}

/// The request-target of a request, as the server sees it.
pub(super) fn target_of(request: &Request<Vec<u8>>) -> String {
    match request.extensions().get::<RequestTarget>() {
        Some(target) => target.0.clone(),
        None => request.uri().to_string(),
    }
}
