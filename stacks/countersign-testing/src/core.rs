//! The server that clients are tested with, and that a server's run is rehearsed with.

use std::sync::{Arc, Mutex, PoisonError};

use countersign::digest::{Ha1, User, userhash};
use countersign::server::{Arrival, Authenticator, Realm, Reason};
use countersign::{Challenger, Channel, EntityBody, FieldValue, Target};
use http::{HeaderName, HeaderValue, Request, Response, StatusCode};

use crate::clock::Clock;
use crate::message::target_of;

/// What every granted request is answered with.
const PAGE: &[u8] = b"hello";

/// A server of one user. Clones share its state.
#[derive(Clone)]
pub(crate) struct Core(Arc<Mutex<State>>);

struct State {
    auth: Authenticator,
    clock: Clock,
    channel: Channel,
    user: (String, String),
    /// Why requests with credentials were refused, in order.
    reasons: Vec<Reason>,
    granted: usize,
}

impl Core {
    pub(crate) fn new(realm: Realm, channel: Channel, clock: &Clock, user: [&str; 2]) -> Self {
        Self(Arc::new(Mutex::new(State {
            auth: Authenticator::from_fresh_seed(realm, 100, [1; 32]),
            clock: clock.clone(),
            channel,
            user: (user[0].to_owned(), user[1].to_owned()),
            reasons: Vec::new(),
            granted: 0,
        })))
    }

    pub(crate) fn serve(&self, request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
        self.state(|state| state.serve(request))
    }

    /// Why requests with credentials were refused.
    pub(crate) fn reasons(&self) -> Vec<Reason> {
        self.state(|state| state.reasons.clone())
    }

    pub(crate) fn granted(&self) -> usize {
        self.state(|state| state.granted)
    }

    fn state<T>(&self, with: impl FnOnce(&mut State) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn serve(&mut self, request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
        let (realm, (name, password)) = (self.auth.realm(), &self.user);
        let uri = match (realm.challenger(), request.uri().scheme_str()) {
            // On the request line there is the path alone.
            (Challenger::Origin, Some("http" | "https")) => {
                let path = request.uri().path_and_query();
                path.map_or_else(|| "/".to_owned(), ToString::to_string)
            }
            _ => target_of(request),
        };
        let target = Target::new(request.method().as_str(), &uri);
        let target = target.with_body(EntityBody::Bytes(request.body()));
        let arrival = Arrival::new(self.channel, self.clock.now());
        let field = realm.challenger().credentials_field();
        let values = request.headers().get_all(field);
        let verified = self
            .auth
            .begin(values.iter(), &target, arrival)
            .and_then(|attempt| {
                let hash = attempt.hash_function();
                let known = match attempt.claimed_user() {
                    User::Name(claimed) => claimed == **name,
                    User::Hash(claimed) => claimed == userhash(hash, &**name, realm.name()),
                    _ => false,
                };
                attempt.verify(known.then(|| Ha1::new(hash, &**name, realm.name(), &**password)))
            });
        match verified.and_then(|verified| self.auth.admit(verified)) {
            Ok(grant) => {
                self.granted += 1;
                let mut response = Response::new(PAGE.to_owned());
                let info = grant.authentication_info(EntityBody::Bytes(PAGE));
                append(&mut response, grant.info_field(), info.as_slice());
                response
            }
            Err(refusal) => {
                if refusal.reason != Reason::NoCredentials {
                    self.reasons.push(refusal.reason);
                }
                let mut response = Response::new(Vec::new());
                let status = StatusCode::from_u16(refusal.status);
                *response.status_mut() = status.unwrap_or(StatusCode::UNAUTHORIZED);
                append(&mut response, refusal.field, &refusal.challenges);
                response
            }
        }
    }
}

fn append(response: &mut Response<Vec<u8>>, field: &'static str, values: &[FieldValue]) {
    for value in values {
        // The realm and the user may have bytes that no header has.
        if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
            response
                .headers_mut()
                .append(HeaderName::from_static(field), value);
        }
    }
}
