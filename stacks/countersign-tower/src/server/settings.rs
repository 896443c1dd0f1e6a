//! What a layer and its services share.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use countersign::server::{Arrival, Attempt, Authenticator, Realm, Refusal, SharedStore};
use countersign::{Channel, Target, Timestamp};
use http::request::Parts;
use http::{HeaderValue, Uri};

use crate::server::claimed::Claimed;
use crate::server::event::Event;
use crate::server::limiter::Limiter;
use crate::server::users::StoreError;

type RealmOf = dyn Fn(&Parts) -> Option<Arc<Realm>> + Send + Sync;
type UriOf = dyn Fn(&Parts) -> &Uri + Send + Sync;
type Wait = dyn Fn(&Claimed<'_>) -> Option<Duration> + Send + Sync;
pub(super) type IsAbsent = Pin<Box<dyn Future<Output = Result<bool, StoreError>> + Send>>;
type SetIfAbsent = dyn Fn(String, Timestamp) -> IsAbsent + Send + Sync;
type OnEvent = dyn Fn(&Event<'_>) + Send + Sync;

/// The server, with its own memory of counts or a store that several machines share.
#[derive(Clone)]
pub(super) enum Server {
    Own(Arc<Authenticator>),
    Shared(Arc<Authenticator<SharedStore>>, Arc<SetIfAbsent>),
}

impl Server {
    pub(super) fn realm(&self) -> &Realm {
        match self {
            Self::Own(auth) => auth.realm(),
            Self::Shared(auth, _) => auth.realm(),
        }
    }

    pub(super) fn begin_as<'a>(
        &'a self,
        realm: &'a Realm,
        credentials: impl Iterator<Item = &'a HeaderValue>,
        target: &Target<'a>,
        arrival: Arrival<'a>,
    ) -> Result<Attempt<'a>, Refusal> {
        match self {
            Self::Own(auth) => auth.begin_as(realm, credentials, target, arrival),
            Self::Shared(auth, _) => auth.begin_as(realm, credentials, target, arrival),
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(auth) => auth.fmt(f),
            Self::Shared(auth, _) => auth.fmt(f),
        }
    }
}

pub(super) struct Settings<U, R> {
    pub(super) auth: Server,
    pub(super) users: Arc<U>,
    pub(super) channel: Channel,
    /// The wrapped service forwards requests to servers that are not trusted with the credentials.
    pub(super) is_gateway: bool,
    pub(super) realm: Arc<RealmOf>,
    pub(super) uri: Arc<UriOf>,
    /// The caller's limiter, instead of the next.
    pub(super) wait: Option<Arc<Wait>>,
    /// Asked before the check and told its result.
    pub(super) limiter: Option<Arc<Limiter>>,
    pub(super) on_event: Option<Arc<OnEvent>>,
    pub(super) read_body: R,
}

// Derived, it would require `U: Clone`.
impl<U, R: Clone> Clone for Settings<U, R> {
    fn clone(&self) -> Self {
        Self {
            auth: self.auth.clone(),
            users: Arc::clone(&self.users),
            channel: self.channel,
            is_gateway: self.is_gateway,
            realm: Arc::clone(&self.realm),
            uri: Arc::clone(&self.uri),
            wait: self.wait.clone(),
            limiter: self.limiter.clone(),
            on_event: self.on_event.clone(),
            read_body: self.read_body.clone(),
        }
    }
}
