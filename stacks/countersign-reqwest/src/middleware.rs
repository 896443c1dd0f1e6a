//! A middleware of reqwest-middleware.

use countersign_tower::client::Credentials;
use countersign_tower::client::transport::Transport;
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next};

use crate::auth::{Auth, is_lost};
use crate::error::Error;
use crate::request::Sendable;
use crate::response::Received;

/// What is added to the client after it sees each request with its answer, and each challenge. An
/// [`Error`] that is not reqwest's is an [`anyhow::Error`] to be downcast to
/// `Error<reqwest_middleware::Error>`.
#[cfg_attr(docsrs, doc(cfg(feature = "middleware")))]
#[async_trait::async_trait]
impl<C: Credentials> Middleware for Auth<C> {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let mut following = Following {
            next,
            extensions,
            may_redirect: self.may_redirect(),
        };
        let sent = self.send(&mut following, request).await;
        sent.map_err(|error| match error {
            Error::Reqwest(error) => error,
            error => reqwest_middleware::Error::Middleware(anyhow::Error::new(error)),
        })
    }
}

/// The rest of the chain.
struct Following<'n> {
    next: Next<'n>,
    extensions: &'n mut Extensions,
    may_redirect: bool,
}

impl Transport for Following<'_> {
    type Request = Sendable;
    type Response = Received;
    type Error = reqwest_middleware::Error;

    async fn send(
        &mut self,
        Sendable { request, .. }: Sendable,
    ) -> reqwest_middleware::Result<Received> {
        let url = request.url().clone();
        let response = self.next.clone().run(request, self.extensions).await?;
        Ok(Received::new(response, url))
    }

    fn may_send_again(&self, error: &reqwest_middleware::Error) -> bool {
        match error {
            reqwest_middleware::Error::Reqwest(error) => is_lost(error),
            reqwest_middleware::Error::Middleware(_) => false,
        }
    }

    fn may_redirect(&self) -> bool {
        self.may_redirect
    }

    fn follow(&self, copy: Sendable, received: &Received) -> Option<Sendable> {
        copy.to(received.response.url().clone())
    }
}
