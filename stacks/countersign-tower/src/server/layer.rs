//! The layer.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use countersign::server::{Authenticator, Realm, SharedStore};
use countersign::{Channel, Timestamp};
use http::Uri;
use http::request::Parts;
use http_body_util::Collected;
use tokio::sync::Semaphore;
use tower_layer::Layer;

use crate::server::claimed::Claimed;
use crate::server::event::Event;
use crate::server::limiter::Limiter;
use crate::server::read_body::{BufferBody, KeepBody};
use crate::server::service::Auth;
use crate::server::settings::{IsAbsent, Server, Settings};
use crate::server::target::original_uri;
use crate::server::users::{StoreError, Users};

/// Lets requests with right credentials through, and refuses others. See the [module](super) for
/// an example and for the responses.
///
/// The wrapped service must be [`Clone`], and its response body [`Default`], which is empty: the
/// body of a refusal. Responses have it within a [`ResponseBody`](super::ResponseBody). `U` is the
/// [user store](super::Users).
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
pub struct AuthLayer<U, R = KeepBody>(Settings<U, R>);

impl<U, R: Clone> Clone for AuthLayer<U, R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<U: Users> AuthLayer<U> {
    /// A layer for the realm of `auth`. Make one `Authenticator` for the program, and share it
    /// between layers by an `Arc`. If several machines serve the realm, either send each client to
    /// one of them, and let each machine have a key of its own, or use [a shared
    /// store](Self::for_shared_store).
    ///
    /// `channel` says whether clients reach the server over TLS: Basic is refused on others unless
    /// the realm allows it. Where that differs between requests, put a [`Channel`] into their
    /// extensions, which takes precedence: in the acceptor of connections, or behind a proxy in a
    /// layer around this one that reads the field set by the proxy.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// use countersign::Channel;
    /// use countersign::digest::Ha1;
    /// use countersign::server::{Authenticator, Realm};
    /// use countersign_tower::server::AuthLayer;
    ///
    /// let auth = Authenticator::new(Realm::new("files")?, 10_000, &mut getrandom::SysRng)?;
    /// let users = HashMap::<(String, String), Ha1>::new();
    /// let layer = AuthLayer::new(auth, Channel::Encrypted, users);
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(auth: impl Into<Arc<Authenticator>>, channel: Channel, users: U) -> Self {
        Self::with_server(Server::Own(auth.into()), channel, users)
    }

    /// A layer for machines that record used counts in one store. The `Authenticator` is one
    /// [`for_shared_store`](Authenticator::for_shared_store) with the key of all machines.
    ///
    /// `set_if_absent` sets a key until a time, and returns whether it was absent. In Redis and
    /// Valkey this is `SET key "" NX PXAT millis`. An error is answered with status 503. The store
    /// has to [keep its data](countersign::server::PendingClaim#a-store-that-loses-its-data). Its
    /// clock and those of the machines may differ by [one
    /// minute](countersign::server::PendingClaim::STORE_MARGIN_SECS).
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use countersign::Channel;
    /// # use countersign::digest::Ha1;
    /// use countersign::server::{Authenticator, NonceKey, Realm};
    /// # use countersign_tower::server::{AuthLayer, StoreError};
    ///
    /// # let users = HashMap::<(String, String), Ha1>::new();
    /// # let key = NonceKey::from_bytes([7; 32]);
    /// // `key` is the same on all machines.
    /// let auth = Authenticator::for_shared_store(Realm::new("files")?, key, &mut getrandom::SysRng)?;
    /// let layer = AuthLayer::for_shared_store(auth, Channel::Encrypted, users, |key, until| {
    ///     set_if_absent(key, until.as_unix_millis())
    /// });
    /// # async fn set_if_absent(_: String, _: u64) -> Result<bool, StoreError> { Ok(true) }
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_shared_store<S, F>(
        auth: impl Into<Arc<Authenticator<SharedStore>>>,
        channel: Channel,
        users: U,
        set_if_absent: S,
    ) -> Self
    where
        S: Fn(String, Timestamp) -> F + Send + Sync + 'static,
        F: Future<Output = Result<bool, StoreError>> + Send + 'static,
    {
        let boxed = move |key, until| -> IsAbsent { Box::pin(set_if_absent(key, until)) };
        let server = Server::Shared(auth.into(), Arc::new(boxed));
        Self::with_server(server, channel, users)
    }

    fn with_server(auth: Server, channel: Channel, users: U) -> Self {
        Self(Settings {
            auth,
            users: Arc::new(users),
            channel,
            is_gateway: false,
            realm: Arc::new(|_| None),
            uri: Arc::new(original_uri),
            wait: None,
            limiter: None,
            on_event: None,
            read_body: KeepBody(()),
        })
    }
}

impl<U, R> AuthLayer<U, R> {
    /// Takes another realm than that of the `Authenticator`, whose key and memory it shares: see
    /// [`Authenticator::begin_as`]. Where each area has its own realm, that of the `Authenticator`
    /// may be any of them, or one that no layer uses.
    ///
    /// [`Realm::with_domain`] tells clients which paths an area has, so that they send each realm's
    /// credentials without being asked again.
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// use std::sync::Arc;
    ///
    /// # use countersign::Channel;
    /// # use countersign::digest::Ha1;
    /// # use countersign::server::{Authenticator, Realm};
    /// # use countersign_tower::server::AuthLayer;
    /// # let users = Arc::new(HashMap::<(String, String), Ha1>::new());
    /// let files = Realm::new("files")?.with_domain("/files/")?;
    /// let admin = Realm::new("admin")?.with_domain("/admin/")?;
    /// let auth = Arc::new(Authenticator::new(files, 10_000, &mut getrandom::SysRng)?);
    /// let files = AuthLayer::new(Arc::clone(&auth), Channel::Encrypted, Arc::clone(&users));
    /// let admin = AuthLayer::new(auth, Channel::Encrypted, users).with_realm(admin);
    /// # let _ = (files, admin);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_realm(self, realm: impl Into<Arc<Realm>>) -> Self {
        let realm = realm.into();
        self.with_realm_by(move |_| Some(Arc::clone(&realm)))
    }

    /// Chooses the realm by the request; `None` is the realm of the `Authenticator`.
    ///
    /// Choose by the path that the program routes by, after the same decoding. Otherwise a request
    /// may be checked against one realm and served from another. A layer for each route with
    /// [`with_realm`](Self::with_realm) has no such gap, unless the service decodes the path once
    /// more, as a file server does, or the server [behind a gateway](super#proxies-and-gateways).
    ///
    /// For virtual hosts this means the same host as the router takes, and an `Authenticator` whose
    /// own realm has no users, for hosts that are not known: see [several
    /// realms](countersign::manual::server#several-realms).
    ///
    /// Clients cannot tell realms of one name apart: what one offers, [the other must
    /// accept](Authenticator::begin_as). So make the one of a clone of the other:
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// use std::sync::Arc;
    ///
    /// # use countersign::Channel;
    /// # use countersign::digest::{Algorithm, Ha1};
    /// # use countersign::server::{Authenticator, Realm};
    /// # use countersign_tower::server::AuthLayer;
    /// # let users = HashMap::<(String, String), Ha1>::new();
    /// let files = Realm::new("files")?.with_algorithms(&[Algorithm::SHA_256]);
    /// // A new realm of this name would offer other algorithms.
    /// let once = Arc::new(files.clone().with_one_time_nonces(true));
    /// let auth = Authenticator::new(files, 10_000, &mut getrandom::SysRng)?;
    /// let layer = AuthLayer::new(auth, Channel::Encrypted, users).with_realm_by(move |head| {
    ///     (head.method == http::Method::POST).then(|| Arc::clone(&once))
    /// });
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Each change between methods with one-time nonces and others costs a client one refusal, as
    /// stale. Requests in parallel can do that to each other until a client gives up: in a
    /// simulation this was the end of 2 to 3 % of the requests of an honest client with 2 to 8 in
    /// parallel. Where clients send requests in parallel, use one-time nonces for all methods, or
    /// a realm of another name that has its own [`domain`](Realm::with_domain).
    #[must_use]
    pub fn with_realm_by<F>(mut self, realm: F) -> Self
    where
        F: Fn(&Parts) -> Option<Arc<Realm>> + Send + Sync + 'static,
    {
        self.0.realm = Arc::new(realm);
        self
    }

    /// For a service that forwards requests to servers which are not trusted with the login, such
    /// as a reverse proxy. [What the layer removes](super#proxies-and-gateways) keeps them from
    /// learning passwords, and from asking for them in the name of the realm. It has no effect in a
    /// realm for a proxy.
    ///
    /// Other routes of the origin that are forwarded need a [`GatewayLayer`](super::GatewayLayer).
    ///
    /// ```
    /// # use std::collections::HashMap;
    /// # use countersign::Channel;
    /// # use countersign::digest::Ha1;
    /// # use countersign::server::{Authenticator, Realm};
    /// # use countersign_tower::server::AuthLayer;
    /// # let users = HashMap::<(String, String), Ha1>::new();
    /// let auth = Authenticator::new(Realm::new("files")?, 10_000, &mut getrandom::SysRng)?;
    /// let layer = AuthLayer::new(auth, Channel::Encrypted, users).for_gateway();
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn for_gateway(mut self) -> Self {
        self.0.is_gateway = true;
        self
    }

    /// Tells where the URI is as the client sent it, for a layer below a router that strips a
    /// prefix. With the feature `axum` it is in `OriginalUri` if there is one, without this.
    ///
    /// With a wrong one Digest is answered with status 400, while Basic works.
    ///
    /// ```
    /// # use countersign_tower::server::AuthLayer;
    /// use http::Uri;
    ///
    /// /// Put into the extensions before the prefix is stripped.
    /// #[derive(Clone)]
    /// struct Unstripped(Uri);
    ///
    /// # fn layer<U>(layer: AuthLayer<U>) -> AuthLayer<U> {
    /// layer.with_uri_by(|head| match head.extensions.get() {
    ///     Some(Unstripped(uri)) => uri,
    ///     None => &head.uri,
    /// })
    /// # }
    /// # let _ = layer::<()>;
    /// ```
    #[must_use]
    pub fn with_uri_by<F>(mut self, uri: F) -> Self
    where
        F: Fn(&Parts) -> &Uri + Send + Sync + 'static,
    {
        self.0.uri = Arc::new(uri);
        self
    }

    /// Refuses users who guess, with status 429 and no challenge. The client does not learn then
    /// whether the password was right. Layers may share a limiter by an `Arc`.
    /// See [`Limiter`] for an example.
    #[must_use]
    pub fn with_limiter(mut self, limiter: impl Into<Arc<Limiter>>) -> Self {
        self.0.limiter = Some(limiter.into());
        self.0.wait = None;
        self
    }

    /// Asks a limiter of your own whether to refuse a request, and for how long, before the store
    /// is asked. Count by [`on_event`](Self::on_event).
    ///
    /// The user is only claimed: where the store finds an account by several spellings of its name,
    /// each has a limit of its own. Requests that are checked at the same time can exceed the
    /// limit. [`with_limiter`](Self::with_limiter) has neither gap.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use std::time::Duration;
    /// # use countersign_tower::server::{AuthLayer, Claimed};
    /// # use std::net::IpAddr;
    /// use countersign::digest::User;
    ///
    /// # #[derive(Default)]
    /// # struct Limiter;
    /// # impl Limiter {
    /// #     fn wait(&self, _: &User<'_>, _: Option<IpAddr>) -> Option<Duration> { None }
    /// #     fn count(&self, _: User<'static>, _: Option<IpAddr>) {}
    /// # }
    /// # fn address(head: &http::request::Parts) -> Option<IpAddr> {
    /// #     head.extensions.get().copied()
    /// # }
    /// # fn layer<U>(layer: AuthLayer<U>) -> AuthLayer<U> {
    /// let limiter = Arc::new(Limiter::default());
    /// let counter = Arc::clone(&limiter);
    /// // By user alone, anyone could lock a user out.
    /// let wait = move |claimed: &Claimed<'_>| limiter.wait(claimed.user, address(claimed.head));
    /// layer.with_limiter_by(wait).on_event(move |event| {
    ///     if event.outcome.is_guess() && let Some(user) = event.user.clone() {
    ///         counter.count(user.into_owned(), address(event.head));
    ///     }
    /// })
    /// # }
    /// # let _ = layer::<()>;
    /// ```
    #[must_use]
    pub fn with_limiter_by<F>(mut self, limiter: F) -> Self
    where
        F: Fn(&Claimed<'_>) -> Option<Duration> + Send + Sync + 'static,
    {
        self.0.wait = Some(Arc::new(limiter));
        self.0.limiter = None;
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

    /// Accepts responses that cover the body (`qop=auth-int`), which a realm offers by
    /// [`Realm::with_qop`]: such a body is read up to `limit` bytes, checked, and then passed on as
    /// `rebuild` makes it anew. A larger one is answered with status 413, and one with a nonce that
    /// is not ours is not read. Other bodies pass unread.
    ///
    /// The nonce must still be valid when all of the body has been read. Otherwise an attacker who
    /// holds the body back could deliver the request at any later time. So let nonces live for
    /// [longer](Realm::with_nonce_lifetime) than the largest body takes on a slow connection: what
    /// takes longer is refused as stale each time that the client sends it again.
    ///
    /// A layer that decompresses bodies belongs inside this one: the response covers what was sent.
    ///
    /// At most `max_at_once` bodies are read and checked at the same time; the next request with
    /// one is answered with status 503. Anyone who has asked for a nonce can occupy these places,
    /// and so keep others from such requests, but from no others. There is no limit of time,
    /// because this crate has no timer: wrap the layer in one that limits the time of a request,
    /// such as `TimeoutLayer` of tower-http, and limit connections by address.
    ///
    /// The response to such a request has a proof only if its own body is empty, because the proof
    /// would have to cover it.
    ///
    /// ```
    /// # use countersign_tower::server::{AuthLayer, BufferBody};
    /// # fn layer<U>(layer: AuthLayer<U>) {
    /// let layer = layer.with_buffered_body(1 << 20, 20, axum::body::Body::new);
    /// # let _ = layer;
    /// # }
    /// # let _ = layer::<()>;
    /// ```
    #[must_use]
    pub fn with_buffered_body<B, F>(
        self,
        limit: usize,
        max_at_once: usize,
        rebuild: F,
    ) -> AuthLayer<U, BufferBody<F>>
    where
        F: Fn(Collected<Bytes>) -> B + Clone + Send + Sync + 'static,
    {
        let settings = self.0;
        AuthLayer(Settings {
            auth: settings.auth,
            users: settings.users,
            channel: settings.channel,
            is_gateway: settings.is_gateway,
            realm: settings.realm,
            uri: settings.uri,
            wait: settings.wait,
            limiter: settings.limiter,
            on_event: settings.on_event,
            read_body: BufferBody {
                limit,
                places: Arc::new(Semaphore::new(max_at_once.min(Semaphore::MAX_PERMITS))),
                rebuild,
            },
        })
    }
}

impl<S, U, R: Clone> Layer<S> for AuthLayer<U, R> {
    type Service = Auth<S, U, R>;

    fn layer(&self, inner: S) -> Auth<S, U, R> {
        Auth {
            inner,
            settings: Arc::new(self.0.clone()),
        }
    }
}

impl<U, R> fmt::Debug for AuthLayer<U, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthLayer")
            .field("auth", &self.0.auth)
            .field("channel", &self.0.channel)
            .finish_non_exhaustive()
    }
}
