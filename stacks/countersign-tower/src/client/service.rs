//! The service.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::Body;
use tower_service::Service;

use crate::client::credentials::Credentials;
use crate::client::error::AuthClientError;
use crate::client::messages::Services;
use crate::client::replay::Replay;
use crate::client::send::send;
use crate::client::settings::Settings;

/// A service that answers challenges, made by an [`AuthClientLayer`](super::AuthClientLayer).
pub struct AuthClient<S, C> {
    pub(super) inner: S,
    pub(super) settings: Arc<Settings<C>>,
}

impl<S, C> AuthClient<S, C> {
    /// The wrapped service.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }

    /// The wrapped service.
    pub fn into_inner(self) -> S {
        self.inner
    }
}

impl<S: Clone, C> Clone for AuthClient<S, C> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            settings: Arc::clone(&self.settings),
        }
    }
}

impl<S, B, D, C> Service<Request<B>> for AuthClient<S, C>
where
    S: Service<Request<B>, Response = Response<D>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Send,
    B: Replay + Send + 'static,
    D: Body + Send,
    C: Credentials,
{
    type Response = Response<D>;
    type Error = AuthClientError<S::Error>;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx).map_err(AuthClientError::Service)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let settings = Arc::clone(&self.settings);
        // The one that is ready, which its clone may not be.
        let clone = self.inner.clone();
        let inner = std::mem::replace(&mut self.inner, clone);
        let mut request = Some(request);
        Box::pin(async move {
            let mut transport = Services::new(inner);
            let sent = send(&settings, &mut transport, &mut request, true, false).await;
            sent.map(|(response, _)| response)
        })
    }
}

impl<S: fmt::Debug, C> fmt::Debug for AuthClient<S, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthClient")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}
