//! The settings of a layer before it is made.

use std::fmt;
use std::sync::Arc;

use countersign::Channel;

use crate::server::buffer::Buffer;
use crate::server::event::Event;
use crate::server::limiter::Limiter;
use crate::server::role::Role;
use crate::server::settings::{Server, Settings};

/// The settings of an [`AuthLayer`](super::AuthLayer) and of all
/// [areas](super::AuthLayer::area) that are made from it: see
/// [`AuthLayer::builder`](super::AuthLayer::builder). An area is made from a layer, which has no such settings any more. So
/// none can be set for one area and forgotten for another:
///
/// ```compile_fail,E0599
/// # use countersign::server::Realm;
/// # use countersign_tower::server::{AuthLayerBuilder, Limiter, UserMap};
/// # fn misuse(files: AuthLayerBuilder<UserMap>, admin: Realm, admins: UserMap) {
/// let files = files.build();
/// let admin = files.area(admin, admins);
/// let files = files.with_limiter(Limiter::new());
/// # }
/// ```
///
/// ```compile_fail,E0599
/// # use countersign::server::Realm;
/// # use countersign_tower::server::{AuthLayerBuilder, UserMap};
/// # fn misuse(files: AuthLayerBuilder<UserMap>, admin: Realm, admins: UserMap) {
/// let admin = files.area(admin, admins);
/// let files = files.for_gateway().build();
/// # }
/// ```
#[must_use]
pub struct AuthLayerBuilder<U>(pub(super) Settings<U>);

impl<U> AuthLayerBuilder<U> {
    pub(super) fn new(auth: Server, channel: Channel, users: U) -> Self {
        let realm = auth.realm().clone();
        Self(Settings {
            role: Role::new(realm.challenger()),
            auth,
            realm,
            users: Arc::new(users),
            channel,
            is_optional: false,
            sends_info: true,
            limiter: None,
            on_event: None,
            buffer: Arc::new(Buffer::new(1 << 20, 20 << 20)),
        })
    }

    /// Refuses users who guess, with status 429 and no challenge. The client does not learn then
    /// whether the password was right. Layers may share a limiter by an `Arc`.
    /// See [`Limiter`] for an example.
    /// Refuses users who guess, with status 429 and no challenge. The client does not learn then
    /// whether the password was right. Layers may share a limiter by an `Arc`.
    pub fn with_limiter(mut self, limiter: impl Into<Arc<Limiter>>) -> Self {
        self.0.limiter = Some(limiter.into());
        self
    }

    /// Calls `on_event` for each request that is let through or refused, before it is answered. It
    /// must not block. With the feature `tracing` events go there, too: faults of the server with the
    /// level `WARN`, all others with `DEBUG`.
    ///
    /// ```
    /// # use countersign_tower::server::AuthLayerBuilder;
    /// # fn layer<U>(layer: AuthLayerBuilder<U>) -> AuthLayerBuilder<U> {
    /// layer.on_event(|event| match event.outcome.is_guess() {
    ///     // For fail2ban.
    ///     true => eprintln!("{event}"),
    ///     false => println!("{event}: {}", event.outcome),
    /// })
    /// # }
    /// # let _ = layer::<()>;
    /// ```
    pub fn on_event<F>(mut self, on_event: F) -> Self
    where
        F: Fn(&Event<'_>) + Send + Sync + 'static,
    {
        self.0.on_event = Some(Arc::new(on_event));
        self
    }

    /// For a service that forwards requests to servers which are not trusted with the login, such
    /// as a reverse proxy. [What the layer removes](super#proxies-and-gateways) keeps them from
    /// learning passwords, and from asking for them in the name of the realm.
    ///
    /// Other routes of the origin that are forwarded need a [`GatewayLayer`](super::GatewayLayer).
    ///
    /// # Panics
    ///
    /// Panics if the realm is [for a proxy](countersign::server::Realm::for_proxy).
    #[cfg(feature = "gateway")]
    pub fn for_gateway(mut self) -> Self {
        self.0.role = Role::gateway(self.0.realm.challenger());
        self
    }

    /// Sends no `Authentication-Info`: no proof that the server knows the secret, and no next nonce, so
    /// that a client is challenged again once a nonce has expired. That saves 0.7 microseconds of the ten
    /// or so that a request takes hyper, and some 140 bytes of its response. Browsers and curl look at
    /// neither; a client that requires the proof cannot log in.
    pub fn without_server_proof(mut self) -> Self {
        self.0.sends_info = false;
        self
    }

    /// Sets how much is read of a body that the response covers (`qop=auth-int`), which a realm
    /// offers by [`Realm::with_qop`](countersign::server::Realm::with_qop): up to `limit` bytes of one body, by default 1 MiB, and `total`
    /// bytes of all bodies at once, by default 20 MiB, which may take twice the memory. Such a body is
    /// checked, and then passed on. A larger one is answered with status 413, and one with a nonce
    /// that is not ours is not read. Other bodies pass unread.
    ///
    /// The nonce must still be valid when all of the body has been read. Otherwise an attacker who
    /// holds the body back could deliver the request at any later time. So let nonces live for
    /// [longer](countersign::server::Realm::with_nonce_lifetime) than the largest body takes on a slow connection: what
    /// takes longer is refused as stale each time that the client sends it again.
    ///
    /// A layer that decompresses bodies belongs inside this one: the response covers what was sent.
    ///
    /// Bodies that are held back take no more than what has come of them. Where `total` is used up, a
    /// body gives way, and is answered with status 503: of the
    /// [network](super::ClientAddress) that holds the most bytes, the body that began to come first.
    /// So whoever wants to push out a body needs as many networks as hold less than its client
    /// each; without addresses all clients count as one network. To limit the time of a request, wrap
    /// the layer in one such as `TimeoutLayer` of tower-http.
    ///
    /// A response covers no trailers (RFC 7616, section 3.4.3), so they are removed from such a body.
    ///
    /// The response to such a request has a proof only if its own body is empty, because the proof
    /// would have to cover it.
    pub fn with_body_buffer(mut self, limit: usize, total: usize) -> Self {
        self.0.buffer = Arc::new(Buffer::new(limit, total));
        self
    }
}

impl<U> fmt::Debug for AuthLayerBuilder<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthLayerBuilder")
            .field("auth", &self.0.auth)
            .field("channel", &self.0.channel)
            .finish_non_exhaustive()
    }
}
