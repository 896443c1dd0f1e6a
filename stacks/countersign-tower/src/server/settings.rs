//! What a layer and its services share.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use countersign::server::{
    Arrival, Attempt, Authenticator, Realm, Refusal, SharedStore, StoreReply,
};
use countersign::{Channel, Target};
use http::HeaderValue;

use crate::server::buffer::Buffer;
use crate::server::event::Event;
use crate::server::limiter::Limiter;
use crate::server::role::Role;
use crate::server::users::StoreError;

pub(super) type Claiming = Pin<Box<dyn Future<Output = Result<StoreReply, StoreError>> + Send>>;
pub(super) type Claim = dyn Fn(String, Duration) -> Claiming + Send + Sync;
type OnEvent = dyn Fn(&Event<'_>) + Send + Sync;

/// The server, with its own memory of counts or a store that several machines share.
#[derive(Clone)]
pub(super) enum Server {
    Own(Arc<Authenticator>),
    Shared(Arc<Authenticator<SharedStore>>, Arc<Claim>),
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

pub(super) struct Settings<U> {
    pub(super) auth: Server,
    pub(super) realm: Realm,
    pub(super) users: Arc<U>,
    pub(super) channel: Channel,
    pub(super) role: Role,
    /// Requests without credentials pass.
    pub(super) is_optional: bool,
    /// Responses have `Authentication-Info`.
    pub(super) sends_info: bool,
    pub(super) limiter: Option<Arc<Limiter>>,
    pub(super) on_event: Option<Arc<OnEvent>>,
    pub(super) buffer: Arc<Buffer>,
}

impl<U> Settings<U> {
    /// The same for another realm and its users. A login is required.
    pub(super) fn with<V>(&self, realm: Realm, users: Arc<V>) -> Settings<V> {
        Settings {
            role: self.role.with(realm.challenger()),
            auth: self.auth.clone(),
            realm,
            users,
            channel: self.channel,
            is_optional: false,
            sends_info: self.sends_info,
            limiter: self.limiter.clone(),
            on_event: self.on_event.clone(),
            buffer: Arc::clone(&self.buffer),
        }
    }
}

// Derived, it would require `U: Clone`.
impl<U> Clone for Settings<U> {
    fn clone(&self) -> Self {
        Self {
            is_optional: self.is_optional,
            ..self.with(self.realm.clone(), Arc::clone(&self.users))
        }
    }
}
