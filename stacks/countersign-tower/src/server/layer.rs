//! The layer.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use countersign::Channel;
use countersign::server::{Authenticator, Realm, SharedStore, StoreReply};
use tower_layer::Layer;

use crate::server::buffer::Buffer;
use crate::server::event::Event;
use crate::server::limiter::Limiter;
use crate::server::role::Role;
use crate::server::service::Auth;
use crate::server::settings::{Claiming, Server, Settings};
use crate::server::users::{StoreError, Users};

/// Lets requests with right credentials through, and refuses others. See the [module](super) for
/// an example and for the responses.
///
/// The wrapped service gets requests with a [`RequestBody`](super::RequestBody). It must be
/// [`Clone`], and its response body [`Default`], which is empty: the body of a refusal. Responses
/// have it within a [`ResponseBody`](super::ResponseBody). `U` is the [user store](super::Users).
///
/// Place layers that limit how many requests are served at once around this one. Within it, a
/// request that is being checked would take a place already.
///
/// What is left to you, such as cross-site requests, `Origin` of WebSockets, and connections that
/// outlive the login, is on the page
/// [`security`](countersign::manual::security#as-a-proxy-or-gateway).
///
/// A request that is let through has an [`Identity`](super::Identity) in its extensions. If the
/// realm is one of a [proxy](super#proxies-and-gateways), the request has no `Proxy-Authorization`
/// any more; behind a [gateway](Self::for_gateway), it has no `Authorization`.
pub struct AuthLayer<U>(Settings<U>);

// Derived, it would require `U: Clone`.
impl<U> Clone for AuthLayer<U> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<U: Users> AuthLayer<U> {
    /// A layer for the realm of `auth`. One `Authenticator` is enough for the program: make layers
    /// for other realms [from this one](Self::area). If several machines serve the realm, either
    /// send each client to one of them, and let each machine have a key of its own, or use [a
    /// shared store](Self::for_shared_store).
    ///
    /// `channel` says whether clients reach the server over TLS: Basic is refused on others unless
    /// the realm allows it. Where that differs between requests, put a [`Channel`] into their
    /// extensions, which takes precedence: in the acceptor of connections, or [behind a
    /// proxy](crate::around#behind-a-reverse-proxy) in a layer around this one.
    ///
    /// ```
    /// use countersign::Channel;
    /// use countersign::server::{Authenticator, Realm};
    /// use countersign_tower::server::{AuthLayer, UserMap};
    ///
    /// let realm = Realm::new("files")?;
    /// let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
    /// let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
    /// let layer = AuthLayer::new(auth, Channel::Encrypted, users);
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(auth: impl Into<Arc<Authenticator>>, channel: Channel, users: U) -> Self {
        Self::with_server(Server::Own(auth.into()), channel, users)
    }

    /// A layer for machines that record used counts in one store. The `Authenticator` is one
    /// [`for_shared_store`](Authenticator::for_shared_store) with the keys of all machines.
    ///
    /// `claim` sets a key for a time to live, if it is absent, and returns the [`StoreReply`]. In
    /// Redis and Valkey this is `SET key "" NX PX millis`. An error is answered with status 503. The
    /// store has to [keep its data](SharedStore#a-store-that-loses-its-data). The clocks of the
    /// machines may differ by [one
    /// minute](countersign::server::PendingClaim::STORE_MARGIN_SECS).
    ///
    /// ```
    /// # use countersign::Channel;
    /// use countersign::Timestamp;
    /// use countersign::server::{Authenticator, Realm, StoreReply, Use};
    /// # use countersign_tower::server::{AuthLayer, StoreError, UserMap};
    ///
    /// # let realm = Realm::new("files")?;
    /// # let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
    /// # let keys = "07".repeat(32);
    /// // The text of `keys` is the same on all machines.
    /// let auth = Authenticator::for_shared_store(realm, &keys.parse()?, &mut getrandom::SysRng)?;
    /// let layer = AuthLayer::for_shared_store(auth, Channel::Encrypted, users, |key, keep| async move {
    ///     let used = match set_if_absent(key, keep.as_millis()).await? {
    ///         true => Use::First,
    ///         false => Use::Seen,
    ///     };
    ///     Ok(StoreReply { used, now: Timestamp::now(), lost_until: None })
    /// });
    /// # async fn set_if_absent(_: String, _: u128) -> Result<bool, StoreError> { Ok(true) }
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_shared_store<S, F>(
        auth: impl Into<Arc<Authenticator<SharedStore>>>,
        channel: Channel,
        users: U,
        claim: S,
    ) -> Self
    where
        S: Fn(String, Duration) -> F + Send + Sync + 'static,
        F: Future<Output = Result<StoreReply, StoreError>> + Send + 'static,
    {
        let boxed = move |key, keep| -> Claiming { Box::pin(claim(key, keep)) };
        let server = Server::Shared(auth.into(), Arc::new(boxed));
        Self::with_server(server, channel, users)
    }

    fn with_server(auth: Server, channel: Channel, users: U) -> Self {
        let realm = auth.realm().clone();
        Self(Settings {
            role: Role::new(realm.challenger(), false),
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
}

impl<U> AuthLayer<U> {
    /// A layer for another area of the program, with its own realm and users. All else is as in this
    /// layer: the key and memory of the `Authenticator`, the channel, the limiter, who is told of
    /// events, and the memory for bodies. But the new area requires a login, also if it is
    /// [optional](Self::with_optional_login) here.
    ///
    /// [`Realm::with_domain`] tells clients which paths an area has, so that they send each realm's
    /// credentials without being asked again. Clients cannot tell realms of one name apart: what
    /// one offers, [the other must accept](Authenticator::begin_as).
    ///
    /// ```
    /// use countersign::Channel;
    /// use countersign::server::{Authenticator, Realm};
    /// use countersign_tower::server::{AuthLayer, UserMap};
    ///
    /// let files = Realm::new("files")?.with_domain("/files/")?;
    /// let admin = Realm::new("admin")?.with_domain("/admin/")?;
    /// let readers = UserMap::new(&files, [("Mufasa", "Circle of Life")]);
    /// let admins = UserMap::new(&admin, [("Rafiki", "Asante sana")]);
    /// let auth = Authenticator::new(files, 10_000, &mut getrandom::SysRng)?;
    /// let files = AuthLayer::new(auth, Channel::Encrypted, readers);
    /// let admin = files.area(admin, admins);
    /// # let _ = (files, admin);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Panics if the realm is [for a proxy](Realm::for_proxy) and this layer [for a
    /// gateway](Self::for_gateway).
    #[must_use]
    pub fn area<V>(&self, realm: Realm, users: V) -> AuthLayer<V> {
        AuthLayer(self.0.with(realm, Arc::new(users)))
    }

    /// As [`area`](Self::area), for another realm of the same user store.
    ///
    /// # Panics
    ///
    /// In the same case.
    #[must_use]
    pub fn with_realm(&self, realm: Realm) -> Self {
        Self(self.0.with(realm, Arc::clone(&self.0.users)))
    }

    /// Lets requests without credentials through, without an [`Identity`](super::Identity). One
    /// with wrong credentials is refused, and so is one with those of another scheme.
    ///
    /// Nobody is asked for a password then, and browsers send one only below a path where they were
    /// asked. So handlers that need an identity belong behind a layer that requires the login, made
    /// by [`with_realm`](Self::with_realm) with the same realm. Put it beside this one, on other
    /// routes, and [not within](super#areas) it. The realm's [domain](Realm::with_domain), if it has
    /// one, has to cover these routes, too: otherwise clients never send the login there.
    #[must_use]
    pub fn with_optional_login(mut self) -> Self {
        self.0.is_optional = true;
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
    /// Panics if the realm is [for a proxy](Realm::for_proxy).
    #[must_use]
    pub fn for_gateway(mut self) -> Self {
        self.0.role = Role::new(self.0.realm.challenger(), true);
        self
    }

    /// Sends no `Authentication-Info`: no proof that the server knows the secret, which is a quarter
    /// of the time of a check and some 130 bytes a response, and no next nonce, so that a client is
    /// challenged again once a nonce has expired. Browsers and curl look at neither; a client that
    /// requires the proof cannot log in.
    #[must_use]
    pub fn without_server_proof(mut self) -> Self {
        self.0.sends_info = false;
        self
    }

    /// Refuses users who guess, with status 429 and no challenge. The client does not learn then
    /// whether the password was right. Layers may share a limiter by an `Arc`.
    /// See [`Limiter`] for an example.
    #[must_use]
    pub fn with_limiter(mut self, limiter: impl Into<Arc<Limiter>>) -> Self {
        self.0.limiter = Some(limiter.into());
        self
    }

    /// Calls `on_event` for each request that is let through or refused, before it is answered. It
    /// must not block.
    ///
    /// ```
    /// # use countersign_tower::server::AuthLayer;
    /// # fn layer<U>(layer: AuthLayer<U>) -> AuthLayer<U> {
    /// layer.on_event(|event| {
    ///     let user = event.user.as_ref().map_or("-".to_owned(), ToString::to_string);
    ///     // Anybody can claim a name as long as a header, and escapes make it longer still: without
    ///     // a limit, one request writes half a megabyte into the log.
    ///     let user: String = user.chars().take(200).collect();
    ///     println!("{user} in {}: {}", event.realm, event.outcome.name());
    /// })
    /// # }
    /// # let _ = layer::<()>;
    /// ```
    #[must_use]
    pub fn on_event<F>(mut self, on_event: F) -> Self
    where
        F: Fn(&Event<'_>) + Send + Sync + 'static,
    {
        self.0.on_event = Some(Arc::new(on_event));
        self
    }

    /// Sets how much is read of a body that the response covers (`qop=auth-int`), which a realm
    /// offers by [`Realm::with_qop`]: up to `limit` bytes of one body, by default 1 MiB, and `total`
    /// bytes of all bodies at once, by default 20 MiB, which may take twice the memory. Such a body is
    /// checked, and then passed on. A larger one is answered with status 413, and one with a nonce
    /// that is not ours is not read. Other bodies pass unread.
    ///
    /// The nonce must still be valid when all of the body has been read. Otherwise an attacker who
    /// holds the body back could deliver the request at any later time. So let nonces live for
    /// [longer](Realm::with_nonce_lifetime) than the largest body takes on a slow connection: what
    /// takes longer is refused as stale each time that the client sends it again.
    ///
    /// A layer that decompresses bodies belongs inside this one: the response covers what was sent.
    ///
    /// Bodies that are held back take no more than what has come of them. Where `total` is used up,
    /// the body that began to come first gives way to the others, and is answered with status 503.
    /// So whoever wants to push out a body has to send `total` bytes while it comes. To limit the
    /// time of a request, wrap the layer in one such as `TimeoutLayer` of tower-http.
    ///
    /// The response to such a request has a proof only if its own body is empty, because the proof
    /// would have to cover it.
    #[must_use]
    pub fn with_body_buffer(mut self, limit: usize, total: usize) -> Self {
        self.0.buffer = Arc::new(Buffer::new(limit, total));
        self
    }
}

impl<S, U> Layer<S> for AuthLayer<U> {
    type Service = Auth<S, U>;

    fn layer(&self, inner: S) -> Auth<S, U> {
        Auth {
            inner,
            settings: Arc::new(self.0.clone()),
        }
    }
}

impl<U> fmt::Debug for AuthLayer<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthLayer")
            .field("auth", &self.0.auth)
            .field("channel", &self.0.channel)
            .finish_non_exhaustive()
    }
}
