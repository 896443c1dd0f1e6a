//! The service.

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use countersign::{EntityBody, Scheme};
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use tower_service::Service;

use crate::server::check::{Checked, LoginInfo, check};
use crate::server::request_body::RequestBody;
use crate::server::response_body::ResponseBody;
use crate::server::settings::Settings;
use crate::server::users::Users;

/// A service that only requests with right credentials reach, made by an
/// [`AuthLayer`](super::AuthLayer).
pub struct Auth<S, U> {
    pub(super) inner: S,
    pub(super) settings: Arc<Settings<U>>,
}

impl<S: Clone, U> Clone for Auth<S, U> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            settings: Arc::clone(&self.settings),
        }
    }
}

impl<S, B, C, U> Service<Request<B>> for Auth<S, U>
where
    S: Service<Request<RequestBody<B>>, Response = Response<C>> + Clone + Send + 'static,
    S::Future: Send,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
    C: Body + Default,
    U: Users,
{
    type Response = Response<ResponseBody<C>>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let settings = Arc::clone(&self.settings);
        // The one that is ready, which its clone may not be.
        let clone = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, clone);
        // Here, because a future has room for its arguments and for what it makes of them.
        let (mut head, body) = request.into_parts();
        Box::pin(async move {
            let Checked { body, info } = match check(&settings, &mut head, body).await {
                Ok(checked) => checked,
                Err(refused) => return Ok(refused.map(|()| ResponseBody::default())),
            };
            let role = settings.role;
            let may_upgrade = role.consume_credentials(&mut head.headers);
            let is_head = head.method == Method::HEAD;
            let mut response = inner.call(Request::from_parts(head, body)).await?;
            role.remove_foreign_fields(may_upgrade, &mut response);
            #[cfg(feature = "gateway")]
            if info.scheme().is_some() {
                role.forbid_shared_caches(response.headers_mut());
            }
            if let Some(Scheme::Digest) = info.scheme() {
                set_info(&mut response, &info, is_head);
            }
            Ok(response.map(|body| ResponseBody::new(body, role)))
        })
    }
}

/// Adds the proof that the server knows the secret, too, and the next nonce, if there are any.
/// Removes those of the service: they would be about another login than the client's.
fn set_info<C: Body>(response: &mut Response<C>, info: &LoginInfo, is_head: bool) {
    let without_body = [StatusCode::NO_CONTENT, StatusCode::NOT_MODIFIED];
    let is_empty =
        is_head || without_body.contains(&response.status()) || response.body().is_end_stream();
    let body = match is_empty {
        true => EntityBody::Empty,
        false => EntityBody::Unknown,
    };
    match info.field(body) {
        Some((field, value)) => response.headers_mut().insert(field, value),
        None => response.headers_mut().remove(info.name()),
    };
}

impl<S: fmt::Debug, U> fmt::Debug for Auth<S, U> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Auth")
            .field("inner", &self.inner)
            .field("auth", &self.settings.auth)
            .finish_non_exhaustive()
    }
}
