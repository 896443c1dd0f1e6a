//! What a layer and its services share.

use std::sync::Arc;
use std::time::Duration;

use countersign::Channel;
use countersign::server::{Authenticator, Realm};
use http::Uri;
use http::request::Parts;

use crate::server::claimed::Claimed;
use crate::server::event::Event;
use crate::server::limiter::Limiter;

type RealmOf = dyn Fn(&Parts) -> Option<Arc<Realm>> + Send + Sync;
type UriOf = dyn Fn(&Parts) -> &Uri + Send + Sync;
type Wait = dyn Fn(&Claimed<'_>) -> Option<Duration> + Send + Sync;
type OnEvent = dyn Fn(&Event<'_>) + Send + Sync;

pub(super) struct Settings<U, R> {
    pub(super) auth: Arc<Authenticator>,
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
            auth: Arc::clone(&self.auth),
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
