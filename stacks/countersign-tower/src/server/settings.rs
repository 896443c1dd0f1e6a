//! What a layer and its services share.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use countersign::server::{Authenticator, Realm};
use countersign::{Channel, Timestamp};
use http::Uri;
use http::request::Parts;

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
    /// Records counts in place of `auth`.
    pub(super) store: Option<Arc<SetIfAbsent>>,
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
            store: self.store.clone(),
            on_event: self.on_event.clone(),
            read_body: self.read_body.clone(),
        }
    }
}
