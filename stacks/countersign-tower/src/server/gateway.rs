//! The routes of a gateway that need no login.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::{Request, Response};
use http_body::Body;
use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use crate::server::response_body::ResponseBody;
use crate::server::role::Role;

/// For routes of a [gateway](super::AuthLayerBuilder::for_gateway) that need no login, but are forwarded
/// to servers that are not trusted either.
///
/// Clients send their credentials for one route of an origin to others, too, and a challenge of any
/// route can ask for them. So this removes the same fields as the layer of the routes with a login,
/// and answers 502 in place of a 401 or 407.
///
/// Let the [fallback](super#proxies-and-gateways) be the part with the login, and name the open
/// routes.
///
/// It keeps the password from such a server, not its use: a browser adds the login to requests that
/// a page of this origin makes, also a page from that server, which can read the answers. If
/// browsers log in, give each server that is not trusted a host name of its own.
///
/// ```
/// use axum::Router;
/// use axum::routing::get;
/// use countersign::Channel;
/// use countersign::server::{Authenticator, Realm};
/// use countersign_tower::server::{AuthLayer, GatewayLayer, UserMap};
///
/// async fn forward() -> String {
///     unimplemented!("send the request to a server behind the gateway")
/// }
///
/// let realm = Realm::new("files")?;
/// let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
/// let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
/// let layer = AuthLayer::builder(auth, Channel::Encrypted, users).for_gateway().build();
/// // `layer` and not `route_layer`, which would leave the fallback open to everybody.
/// let closed = Router::new().fallback(forward).layer(layer);
/// let open = Router::new().route("/health", get(forward)).layer(GatewayLayer::new());
/// let app: Router = closed.merge(open);
/// # let _ = app;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct GatewayLayer(());

impl GatewayLayer {
    /// The layer, which has no settings.
    #[must_use]
    pub const fn new() -> Self {
        Self(())
    }
}

impl<S> Layer<S> for GatewayLayer {
    type Service = Gateway<S>;

    fn layer(&self, inner: S) -> Gateway<S> {
        Gateway(inner)
    }
}

/// A service whose login fields do not cross the gateway, made by a [`GatewayLayer`].
#[derive(Clone, Copy, Debug)]
pub struct Gateway<S>(S);

impl<S, B, C> Service<Request<B>> for Gateway<S>
where
    S: Service<Request<B>, Response = Response<C>>,
    C: Body + Default,
{
    type Response = Response<ResponseBody<C>>;
    type Error = S::Error;
    type Future = GatewayFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        let may_upgrade = Role::Gateway.consume_credentials(request.headers_mut());
        GatewayFuture {
            inner: self.0.call(request),
            may_upgrade,
        }
    }
}

pin_project! {
    /// The response of a [`Gateway`].
    #[derive(Debug)]
    pub struct GatewayFuture<F> {
        #[pin]
        inner: F,
        may_upgrade: bool,
    }
}

impl<F, C, E> Future for GatewayFuture<F>
where
    F: Future<Output = Result<Response<C>, E>>,
    C: Body + Default,
{
    type Output = Result<Response<ResponseBody<C>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut response = ready!(this.inner.poll(cx))?;
        Role::Gateway.remove_foreign_fields(*this.may_upgrade, &mut response);
        Poll::Ready(Ok(
            response.map(|body| ResponseBody::new(body, Role::Gateway))
        ))
    }
}
