//! The middleware.

use std::fmt;
use std::future::{Future, Ready, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, EitherBody, MessageBody};
use actix_web::dev::{Service, ServiceRequest, ServiceResponse, Transform};
use actix_web::error::ErrorBadRequest;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{Error, HttpMessage, HttpResponse};
use countersign::{EntityBody, Scheme};
use countersign_tower::server::{AuthLayer, ForwardedLayer, Identity, LoginInfo, Users};

use crate::head::head_of;
use crate::payload::{PayloadBody, give_back};

/// Lets requests with right credentials through, and refuses others: for `wrap`. See the
/// [crate](crate) for an example.
///
/// Clones share their key and used counts, so make one for all workers, outside of the closure that
/// makes the `App`.
pub struct Login<U> {
    layer: AuthLayer<U>,
    proxies: Option<ForwardedLayer>,
}

impl<U> Login<U> {
    /// A middleware with the settings of a layer. Its realm must not be [for a
    /// proxy](countersign::server::Realm::for_proxy), and its layer not for a gateway.
    pub const fn new(layer: AuthLayer<U>) -> Self {
        let proxies = None;
        Self { layer, proxies }
    }

    /// Takes the channel and the address of the client from the fields of a reverse proxy in front,
    /// as a [`ForwardedLayer`] does: only if nobody can reach the server past the proxy. The
    /// `realip_remote_addr` of actix-web is no such address, because the client can choose it.
    ///
    /// ```
    /// use countersign_actix::{AuthLayer, ForwardedLayer, Login, UserMap};
    ///
    /// fn login(layer: AuthLayer<UserMap>) -> Login<UserMap> {
    ///     Login::new(layer).behind_proxy(ForwardedLayer::new())
    /// }
    /// # let _ = login;
    /// ```
    #[must_use]
    pub const fn behind_proxy(mut self, proxies: ForwardedLayer) -> Self {
        self.proxies = Some(proxies);
        self
    }
}

// Derived, it would require `U: Clone`.
impl<U> Clone for Login<U> {
    fn clone(&self) -> Self {
        Self {
            layer: self.layer.clone(),
            proxies: self.proxies,
        }
    }
}

impl<U> fmt::Debug for Login<U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("layer", &self.layer)
            .field("proxies", &self.proxies)
            .finish()
    }
}

impl<S, B, U> Transform<S, ServiceRequest> for Login<U>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
    U: Users,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Transform = LoginService<S, U>;
    type InitError = ();
    type Future = Ready<Result<LoginService<S, U>, ()>>;

    fn new_transform(&self, service: S) -> Self::Future {
        ready(Ok(LoginService {
            service: Rc::new(service),
            login: Rc::new(self.clone()),
        }))
    }
}

/// A service that only requests with right credentials reach, made by a [`Login`].
pub struct LoginService<S, U> {
    service: Rc<S>,
    login: Rc<Login<U>>,
}

impl<S, U> fmt::Debug for LoginService<S, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoginService")
            .field("login", &self.login)
            .finish_non_exhaustive()
    }
}

impl<S, B, U> Service<ServiceRequest> for LoginService<S, U>
where
    S: Service<ServiceRequest, Response = ServiceResponse<B>, Error = Error> + 'static,
    B: MessageBody + 'static,
    U: Users,
{
    type Response = ServiceResponse<EitherBody<B>>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>>>>;

    fn poll_ready(&self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.service.poll_ready(cx)
    }

    fn call(&self, mut request: ServiceRequest) -> Self::Future {
        let (service, login) = (Rc::clone(&self.service), Rc::clone(&self.login));
        Box::pin(async move {
            let mut head = head_of(&request).ok_or_else(|| ErrorBadRequest("head"))?;
            if let Some(proxies) = login.proxies {
                proxies.apply(&mut head);
            }
            let body = PayloadBody::take(&mut request);
            let checked = match login.layer.check(&mut head, body).await {
                Ok(checked) => checked,
                Err(refused) => {
                    let refused = response_of(&refused);
                    return Ok(request.into_response(refused).map_into_right_body());
                }
            };
            give_back(&mut request, checked.body);
            // One of a `Login` around this one is of another user.
            request.extensions_mut().remove::<Identity<U>>();
            if let Some(identity) = head.extensions.remove::<Identity<U>>() {
                request.extensions_mut().insert(identity);
            }
            let is_head = *request.method() == Method::HEAD;
            let mut response = service.call(request).await?.map_into_left_body();
            set_info(&mut response, &checked.info, is_head);
            Ok(response)
        })
    }
}

/// A refusal in the types of actix-web.
fn response_of(refused: &http::Response<()>) -> HttpResponse {
    let status = StatusCode::from_u16(refused.status().as_u16());
    let mut response = HttpResponse::new(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
    for (name, value) in refused.headers() {
        if let Some((name, value)) = field(name, value) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

/// Adds the proof that the server knows the secret, and the next nonce.
fn set_info<B: MessageBody>(response: &mut ServiceResponse<B>, info: &LoginInfo, is_head: bool) {
    let without_body = [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED];
    let size = response.response().body().size();
    let is_empty = is_head
        || without_body.contains(&response.status())
        || matches!(size, BodySize::None | BodySize::Sized(0));
    let body = match is_empty {
        true => EntityBody::Empty,
        false => EntityBody::Unknown,
    };
    if info.scheme() != Some(Scheme::Digest) {
        return;
    }
    let headers: &mut HeaderMap = response.headers_mut();
    headers.remove("authentication-info");
    if let Some((name, value)) = info.field(body)
        && let Some((name, value)) = field(&name, &value)
    {
        headers.insert(name, value);
    }
}

/// A field in the types of actix-web: none that the layer makes is refused.
fn field(name: &http::HeaderName, value: &http::HeaderValue) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::from_bytes(name.as_ref()).ok()?;
    Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
}
