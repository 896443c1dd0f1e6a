//! The layer.

use std::fmt;
use std::sync::Arc;

use countersign::client::{AuthCache, Endpoint};
use countersign::{Challenger, Channel};
use tower_layer::Layer;

use crate::client::credentials::Credentials;
use crate::client::service::AuthClient;
use crate::client::shared::Shared;

/// Answers challenges of servers and proxies. See the [module](super) for an example.
///
/// All services that it makes, and their clones, share one cache and one login for each realm of an
/// endpoint. So make a layer with a cache of its own for each account.
///
/// When several requests are asked for the same login at once, the [`Credentials`] are called for
/// one of them, and the others wait. All of them are then sent with the new password at once: if it
/// is wrong, the server sees as many wrong passwords as there are requests. Where that would lock
/// the user out, send the first request alone.
///
/// The wrapped service has to send the URI as it got it, because the answer covers it: a URL type that
/// percent-encodes it once more makes the answer wrong. A body that is refused with a 401 is sent
/// again, so before a large one send a small request. Fields of a 401 that the layer answers, such as
/// `Set-Cookie`, do not reach the caller: a cookie store belongs inside the layer.
///
/// The wrapped service must be [`Clone`], and its request body [`Replay`](super::Replay). A limit
/// of time belongs [around](super#limits-of-time) the layer, not inside.
pub struct AuthClientLayer<C> {
    pub(super) shared: Arc<Shared<C>>,
    pub(super) proxy: Option<Endpoint>,
    pub(super) origin: Option<Endpoint>,
    pub(super) has_verified_tls: bool,
}

impl AuthClientLayer<()> {
    /// A layer that answers with the accounts of a cache, and nowhere else.
    ///
    /// What realms have [proven](countersign::client::Strength) is known while the layer lives, and
    /// cannot be stored. A program that has to keep it from one start to the next uses
    /// [`AuthCache`] without the layer.
    pub fn new(cache: AuthCache) -> Self {
        Self::with_credentials(cache, ())
    }
}

impl<C: Credentials> AuthClientLayer<C> {
    /// A layer that also asks for credentials where the cache has no account, or where the server
    /// refused it.
    pub fn with_credentials(cache: AuthCache, credentials: C) -> Self {
        Self {
            shared: Arc::new(Shared::new(cache, credentials)),
            proxy: None,
            origin: None,
            has_verified_tls: true,
        }
    }
}

impl<C> AuthClientLayer<C> {
    /// Also logs in to a proxy, made by [`Endpoint::proxy`]. It must be the one that the wrapped
    /// service sends requests with the scheme `http` and `CONNECT` requests to. A 407 to any other
    /// request comes from the other end of a tunnel, and is not answered.
    ///
    /// A URI with userinfo gets no answer for the proxy, which would see the userinfo once more.
    ///
    /// The cache then needs a capacity of at least two for each request in flight: one for the
    /// proxy, one for the origin.
    ///
    /// The tunnel of an `https` request is usually made below this layer, where it has to log in by
    /// itself.
    ///
    /// ```
    /// # use countersign_tower::client::AuthClientLayer;
    /// use countersign::client::Endpoint;
    ///
    /// # fn layer<C>(layer: AuthClientLayer<C>) -> AuthClientLayer<C> {
    /// layer.with_proxy(Endpoint::proxy("http", "proxy.example", 3128))
    /// # }
    /// # let _ = layer::<()>;
    /// ```
    ///
    /// # Panics
    ///
    /// If the endpoint is an origin.
    #[must_use]
    pub fn with_proxy(self, proxy: Endpoint) -> Self {
        assert_eq!(
            proxy.challenger(),
            Challenger::Proxy,
            "not a proxy: {proxy}"
        );
        Self {
            proxy: Some(proxy),
            ..self
        }
    }

    /// Takes all connections as readable by others, also those of `https`: for a service that does
    /// not verify certificates. Otherwise anybody on the network path could ask for the password by
    /// Basic.
    ///
    /// This is for all servers of the layer, and for its proxy. Endpoints are then as
    /// [`Endpoint::with_channel`] makes them with [`Cleartext`](countersign::Channel::Cleartext):
    /// give such a one to [`AuthCache::add_account`].
    ///
    /// ```
    /// # use countersign::client::{AuthCache, Policy};
    /// use countersign::Channel;
    /// use countersign::client::{Account, Endpoint};
    /// use countersign_tower::client::AuthClientLayer;
    ///
    /// # let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
    /// let camera = Endpoint::origin("https", "camera.local", None)?;
    /// let camera = camera.with_channel(Channel::Cleartext);
    /// cache.add_account(&camera, Account::new("Mufasa", "Circle of Life").for_realm("camera"))?;
    /// let layer = AuthClientLayer::new(cache).with_unverified_tls();
    /// # let _ = layer;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_unverified_tls(self) -> Self {
        Self {
            has_verified_tls: false,
            ..self
        }
    }

    /// The origin of requests whose URI has no host, for a service that is a single connection.
    /// Without it they are an [error](super::AuthClientError::UnknownOrigin).
    ///
    /// # Panics
    ///
    /// If the endpoint is a proxy.
    #[must_use]
    pub fn with_origin(self, origin: Endpoint) -> Self {
        assert_eq!(
            origin.challenger(),
            Challenger::Origin,
            "not an origin: {origin}"
        );
        Self {
            origin: Some(origin),
            ..self
        }
    }

    /// Forgets the logins and accounts of an endpoint, for example because its user logs out. Requests under way
    /// may still be answered by them.
    pub fn logout(&self, endpoint: &Endpoint) {
        let endpoint = self.as_seen(endpoint);
        self.shared.cache().client(&endpoint).logout();
    }

    /// The endpoint under which the cache has a client.
    pub(super) fn as_seen(&self, endpoint: &Endpoint) -> Endpoint {
        let endpoint = endpoint.clone();
        match self.has_verified_tls {
            true => endpoint,
            false => endpoint.with_channel(Channel::Cleartext),
        }
    }
}

impl<C> Clone for AuthClientLayer<C> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            proxy: self.proxy.clone(),
            origin: self.origin.clone(),
            has_verified_tls: self.has_verified_tls,
        }
    }
}

impl<S, C> Layer<S> for AuthClientLayer<C> {
    type Service = AuthClient<S, C>;

    fn layer(&self, inner: S) -> AuthClient<S, C> {
        AuthClient {
            inner,
            layer: self.clone(),
        }
    }
}

impl<C> fmt::Debug for AuthClientLayer<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthClientLayer")
            .field("proxy", &self.proxy)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}
