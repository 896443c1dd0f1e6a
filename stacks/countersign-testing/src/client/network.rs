//! What a client under test sends its requests through.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::header::HOST;
use http::{Request, Response};

use crate::message::{Messages, Reply};
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
    requests: Vec<Request<Vec<u8>>>,
    most: usize,
    /// The credentials of all requests, in order: for which challenger, for which host, and what.
    credentials: Vec<(Challenger, String, Vec<u8>)>,
    account: [String; 2],
    prompts: usize,
    messages: Messages,
}

/// How many requests a client may send for one. Then it is answered with 200, so that it comes back.
const MOST_REQUESTS: usize = 12;

impl Network {
    pub(super) fn new(challenger: Challenger, account: [&str; 2], times: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            script: Box::new(|_| Response::new(Vec::new())),
            challenger,
            requests: Vec::new(),
            most: MOST_REQUESTS * times,
            credentials: Vec::new(),
            account: account.map(str::to_owned),
            prompts: 0,
            messages: Messages::default(),
        })))
    }

    /// The name and the password. A client that asks its user can call this in their place; then
    /// [`Scenario::Prompts`](super::Scenario::Prompts) counts how often it does.
    pub fn prompt(&self) -> [String; 2] {
        let mut state = self.state();
        state.prompts += 1;
        state.account.clone()
    }

    /// Sends a request to the server, and returns its response.
    ///
    /// The request-target is the URI; if that is `*`, it is taken from [`RequestTarget`](crate::RequestTarget) in the
    /// extensions, if the client passes that on.
    pub fn send<B: AsRef<[u8]>>(&self, request: Request<B>) -> Response<Vec<u8>> {
        let request = request.map(|body| body.as_ref().to_owned());
        let mut state = self.state();
        state.requests.push(request.clone());
        for challenger in [Challenger::Origin, Challenger::Proxy] {
            let values = request.headers().get_all(challenger.credentials_field());
            let sent = values.iter().map(|value| value.as_bytes().to_owned());
            let sent = sent.map(|value| (challenger, host_of(&request), value));
            state.credentials.extend(sent);
        }
        if state.requests.len() > state.most {
            return Response::new(Vec::new());
        }
        let response = (state.script)(&request);
        let reply = Reply::new(&response, state.challenger);
        state.messages.0.push((request, Some(reply)));
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
        state.requests.clear();
        state.credentials.clear();
    }

    pub(super) fn requests(&self) -> usize {
        self.state().requests.len()
    }

    /// The most requests that a call may send.
    pub(super) fn most(&self) -> usize {
        self.state().most
    }

    /// The requests of the last call.
    pub(super) fn sent(&self) -> Vec<Request<Vec<u8>>> {
        self.state().requests.clone()
    }

    /// The credentials for the challenger that is tested.
    pub(super) fn credentials(&self) -> Vec<Vec<u8>> {
        let state = self.state();
        let own = |it: &&(Challenger, _, _)| it.0 == state.challenger;
        let values = state.credentials.iter().filter(own);
        values.map(|(_, _, value)| value.clone()).collect()
    }

    /// Returns whether any credentials were sent to this host, or, without one, at all.
    pub(super) fn sent_credentials(&self, host: Option<&str>) -> bool {
        let state = self.state();
        let mut hosts = state.credentials.iter().map(|(_, to, _)| to);
        hosts.any(|to| host.is_none_or(|host| host == to))
    }

    pub(super) fn prompts(&self) -> usize {
        self.state().prompts
    }

    pub(super) fn take_messages(&self) -> Messages {
        std::mem::take(&mut self.state().messages)
    }
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network").finish_non_exhaustive()
    }
}

/// The host that a request is for, as far as it says, and its port unless that is the usual one.
pub(super) fn host_of(request: &Request<Vec<u8>>) -> String {
    let named = request
        .headers()
        .get(HOST)
        .and_then(|host| host.to_str().ok());
    let authority = request.uri().authority().map(|it| it.as_str());
    authority.or(named).unwrap_or_default().to_owned()
}
