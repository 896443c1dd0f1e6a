//! The layer.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use countersign::Channel;
use countersign::server::{Authenticator, Realm, SharedStore, StoreReply};
use http::Response;
use http::request::Parts;
use http_body::Body;
use tower_layer::Layer;

use crate::server::builder::AuthLayerBuilder;
use crate::server::check::{Checked, check};
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
/// any more; behind a [gateway](super#proxies-and-gateways), it has no `Authorization`.
pub struct AuthLayer<U>(Settings<U>);

// Derived, it would require `U: Clone`.
impl<U> Clone for AuthLayer<U> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<U: Users> AuthLayer<U> {
    /// A layer for the realm of `auth`, with default settings: see [`builder`](Self::builder) for a
    /// limiter, events, a gateway and bodies.
    ///
    /// One `Authenticator` is enough for the program: make layers for other realms [from this
    /// one](Self::area). If several machines serve the realm, either name each of them by
    /// [`with_machine`](Authenticator::with_machine), or use [a shared
    /// store](Self::builder_for_shared_store): see the page [`machines`](countersign::manual::machines).
    ///
    /// `channel` says whether clients reach the server over TLS: Basic is refused on others unless
    /// the realm allows it. Where that differs between requests, put a [`Channel`] into their
    /// extensions, which takes precedence: in the acceptor of connections, or behind a proxy by the
    /// [`ForwardedLayer`](super::ForwardedLayer).
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
        Self::builder(auth, channel, users).build()
    }

    /// The same, with settings.
    ///
    /// ```
    /// use countersign::Channel;
    /// use countersign::server::{Authenticator, Realm};
    /// use countersign_tower::server::{AuthLayer, Limiter, UserMap};
    ///
    /// let realm = Realm::new("files")?;
    /// let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
    /// let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
    /// let layer = AuthLayer::builder(auth, Channel::Encrypted, users)
    ///     .with_limiter(Limiter::new())
    ///     .on_event(|event| println!("{event}"))
    ///     .build();
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder(
        auth: impl Into<Arc<Authenticator>>,
        channel: Channel,
        users: U,
    ) -> AuthLayerBuilder<U> {
        AuthLayerBuilder::new(Server::Own(auth.into()), channel, users)
    }

    /// A layer for machines that record used counts in one store. The `Authenticator` is one
    /// [`for_shared_store`](Authenticator::for_shared_store) with the keys of all machines.
    ///
    /// `claim` sets a key for a time to live, if it is absent, and returns the [`StoreReply`]. For
    /// Redis and Valkey the crate [`countersign-redis`](https://docs.rs/countersign-redis) does it. An
    /// error is answered with status 503, and `Retry-After: 1`. A store that does not tell what it lost has to [keep its
    /// data](SharedStore#a-store-that-loses-its-data), and the clocks of the machines may differ by [one
    /// minute](countersign::server::PendingClaim::STORE_MARGIN_SECS).
    ///
    /// ```
    /// # use countersign::Channel;
    /// use std::time::Duration;
    ///
    /// use countersign::Timestamp;
    /// use countersign::server::{Authenticator, Realm, StoreReply, Use};
    /// # use countersign_tower::server::{AuthLayer, StoreError, UserMap};
    ///
    /// # let realm = Realm::new("files")?;
    /// # let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
    /// # let keys = "07".repeat(32);
    /// // The text of `keys` is the same on all machines.
    /// let auth = Authenticator::for_shared_store(realm, &keys.parse()?, &mut getrandom::SysRng)?;
    /// let claim = |key, keep: Duration| async move {
    ///     let used = match set_if_absent(key, keep.as_millis()).await? {
    ///         true => Use::First,
    ///         false => Use::Seen,
    ///     };
    ///     Ok(StoreReply { used, now: Timestamp::now(), lost_until: None })
    /// };
    /// let layer = AuthLayer::builder_for_shared_store(auth, Channel::Encrypted, users, claim);
    /// let layer = layer.build();
    /// # async fn set_if_absent(_: String, _: u128) -> Result<bool, StoreError> { Ok(true) }
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder_for_shared_store<S, F>(
        auth: impl Into<Arc<Authenticator<SharedStore>>>,
        channel: Channel,
        users: U,
        claim: S,
    ) -> AuthLayerBuilder<U>
    where
        S: Fn(String, Duration) -> F + Send + Sync + 'static,
        F: Future<Output = Result<StoreReply, StoreError>> + Send + 'static,
    {
        let boxed = move |key, keep| -> Claiming { Box::pin(claim(key, keep)) };
        let server = Server::Shared(auth.into(), Arc::new(boxed));
        AuthLayerBuilder::new(server, channel, users)
    }

    /// Checks a request for frameworks that are not made of tower services: returns what to pass on
    /// and what to add to the response, or the response of a request that is refused. The head gets
    /// the [`Identity`](super::Identity).
    ///
    /// The body is only read if the response covers it (`qop=auth-int`). Give the framework the body
    /// that is returned, never the one that came.
    ///
    /// Only for a service that is the origin: what a [proxy or gateway](super#proxies-and-gateways)
    /// removes from requests and responses, the layer as a tower service removes.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use countersign::EntityBody;
    /// use countersign_tower::server::{AuthLayer, Identity, UserMap};
    /// use http::{Request, Response};
    /// use http_body_util::{BodyExt, Full};
    ///
    /// async fn handle(
    ///     layer: &AuthLayer<UserMap>,
    ///     request: Request<Full<Bytes>>,
    /// ) -> Response<String> {
    ///     let (mut head, body) = request.into_parts();
    ///     let checked = match layer.check(&mut head, body).await {
    ///         Ok(checked) => checked,
    ///         Err(refused) => return refused.map(|()| String::new()),
    ///     };
    ///     let body = checked.body.collect().await.map_or_else(|never| match never {}, |it| it.to_bytes());
    ///     let identity = head.extensions.get::<Identity<UserMap>>();
    ///     let name = identity.map_or("nobody", |identity| identity.account());
    ///     let mut response = Response::new(format!("{name} has sent {} bytes", body.len()));
    ///     if let Some((field, value)) = checked.info.field(EntityBody::Unknown) {
    ///         response.headers_mut().insert(field, value);
    ///     }
    ///     response
    /// }
    /// # let _ = handle;
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the response to a request that is refused, with an empty body: see
    /// [Responses](super#responses).
    pub async fn check<B>(&self, head: &mut Parts, body: B) -> Result<Checked<B>, Response<()>>
    where
        B: Body<Data = Bytes>,
        B::Error: Into<StoreError>,
    {
        check(&self.0, head, body).await
    }
}

impl<U> AuthLayerBuilder<U> {
    /// The layer with these settings.
    pub fn build(self) -> AuthLayer<U> {
        AuthLayer(self.0)
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
    /// Panics if the realm is [for a proxy](Realm::for_proxy) and this layer for a
    /// [gateway](super#proxies-and-gateways).
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
