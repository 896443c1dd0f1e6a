//! The layer.

use std::fmt;
use std::sync::Arc;

use countersign::Challenger;
use countersign::client::{Account, AuthCache, Endpoint, LoginError};
use http::StatusCode;
use tower_layer::Layer;

use crate::client::credentials::Credentials;
use crate::client::redirect::follow;
use crate::client::send_error::SendError;
use crate::client::service::AuthClient;
use crate::client::settings::Settings;
use crate::client::shared::Shared;
use crate::client::transport::{Incoming, Redirect, Transport};

/// Answers challenges of servers and proxies. See the [module](super) for an example.
///
/// All services that it makes, and their clones, share one cache and one login for each realm of an
/// endpoint. So make a layer with a cache of its own for each account.
///
/// When several requests are asked for the same login at once, the [`Credentials`] are called for
/// one of them, and the others wait. Then one answer goes alone, and the others wait for its response,
/// for three seconds at most: a wrong password is sent once, and locks no account. Of a right password,
/// that costs a round trip, at the first login to a realm.
///
/// The wrapped service has to send the URI as it got it, because the answer covers it. hyper does;
/// reqwest percent-encodes it once more, so use the crate `countersign-reqwest`. A body that is
/// refused with a 401 is sent again, so before a large one send a small request. Fields of a 401
/// that the layer answers, such as `Set-Cookie`, do not reach the caller: a cookie store belongs
/// inside the layer.
///
/// Some servers close the connection after a 401 without saying so. If the request that follows
/// fails, it is sent once more, but only with an idempotent method.
///
/// The wrapped service must be [`Clone`], and its request body [`Replay`](super::Replay). A limit
/// of time belongs [around](super#limits-of-time) the layer, not inside.
pub struct AuthClientLayer<C> {
    settings: Settings<C>,
}

impl AuthClientLayer<()> {
    /// A layer that answers with the accounts of a cache, and nowhere else.
    ///
    /// What realms have [proven](countersign::client::Strength) is known while the layer lives, and
    /// cannot be stored. A program that has to keep it from one start to the next uses
    /// [`AuthCache`] without the layer.
    pub fn new(cache: AuthCache) -> Self {
        Self::with_shared(Shared::new(cache, ()))
    }
}

type Inner<T> = <<T as Transport>::Response as Incoming>::Inner;

impl<C: Credentials> AuthClientLayer<C> {
    /// A layer that also asks for credentials where the cache has no account, or where the server
    /// refused it.
    pub fn with_credentials(cache: AuthCache, credentials: C) -> Self {
        Self::with_shared(Shared::new(cache, credentials))
    }

    fn with_shared(shared: Shared<C>) -> Self {
        Self {
            settings: Settings {
                shared: Arc::new(shared),
                proxy: None,
                origin: None,
                has_verified_tls: true,
            },
        }
    }

    /// Sends a request by another library than one with tower services, and follows at most so many
    /// redirects. With 0, their responses are returned.
    ///
    /// # Errors
    ///
    /// [`SendError`].
    #[doc(hidden)]
    pub async fn send<T: Transport<Request: Redirect>>(
        &self,
        transport: &mut T,
        request: T::Request,
        redirects: usize,
    ) -> Result<Inner<T>, SendError<T::Error, Inner<T>>> {
        let followed = follow(&self.settings, transport, request, redirects).await?;
        SendError::check(followed)
    }

    /// Sends a request to log in. Returns whether the server let the account in.
    ///
    /// # Errors
    ///
    /// [`SendError`].
    #[doc(hidden)]
    pub async fn log_in<T: Transport<Request: Redirect>>(
        &self,
        transport: &mut T,
        request: T::Request,
        redirects: usize,
    ) -> Result<bool, SendError<T::Error, Inner<T>>> {
        let followed = follow(&self.settings, transport, request, redirects).await?;
        let is_answered = followed.is_answered;
        let status = followed.response.status();
        SendError::check(followed)?;
        // With these, the server may not have looked at the answer.
        let is_checked = status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error();
        Ok(is_answered && is_checked)
    }
}

impl<C> AuthClientLayer<C> {
    /// Also logs in to a proxy, made by [`Endpoint::proxy`]. It must be the one that the wrapped
    /// service sends requests with the scheme `http` and `CONNECT` requests to. A 407 to any other
    /// request comes from the other end of a tunnel, and is not answered.
    ///
    /// A URI with userinfo gets no answer for the proxy, which would see the userinfo once more.
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
        let settings = Settings {
            proxy: Some(proxy),
            ..self.settings
        };
        Self { settings }
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
        let settings = Settings {
            has_verified_tls: false,
            ..self.settings
        };
        Self { settings }
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
        let settings = Settings {
            origin: Some(origin),
            ..self.settings
        };
        Self { settings }
    }

    /// Gives an endpoint an account, for example because its user logs in. All services of the
    /// layer have it.
    ///
    /// # Errors
    ///
    /// Those of [`AuthCache::add_account`].
    pub fn add_account(&self, endpoint: &Endpoint, account: Account) -> Result<(), LoginError> {
        self.settings.add_account(endpoint, account)
    }

    /// Forgets the logins and accounts of an endpoint, for example because its user logs out.
    /// Requests under way may still be answered by them.
    pub fn logout(&self, endpoint: &Endpoint) {
        self.settings.logout(endpoint);
    }
}

impl<C> Clone for AuthClientLayer<C> {
    fn clone(&self) -> Self {
        Self {
            settings: self.settings.clone(),
        }
    }
}

impl<S, C> Layer<S> for AuthClientLayer<C> {
    type Service = AuthClient<S, C>;

    fn layer(&self, inner: S) -> AuthClient<S, C> {
        AuthClient {
            inner,
            settings: Arc::new(self.settings.clone()),
        }
    }
}

impl<C> fmt::Debug for AuthClientLayer<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthClientLayer")
            .field("proxy", &self.settings.proxy)
            .field("origin", &self.settings.origin)
            .finish_non_exhaustive()
    }
}
