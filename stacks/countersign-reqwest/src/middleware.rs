//! Clients of reqwest-middleware.

use countersign_tower::client::Credentials;
use countersign_tower::client::transport::Transport;
use http::Extensions;
use reqwest::{Request, Response};
use reqwest_middleware::{Middleware, Next};

use crate::client::{Client, is_lost};
use crate::error::Error;
use crate::request::Sendable;
use crate::response::Received;

impl<C: Credentials> Client<C> {
    /// A client of reqwest-middleware with the same connections, accounts and logins. What is added
    /// to it sees each request with its answer, each challenge and each redirect. An [`Error`] that is
    /// not reqwest's is an [`anyhow::Error`] to be downcast to `Error<reqwest_middleware::Error>`.
    ///
    /// A user name in a URL is no error here: reqwest sends it unasked, by Basic.
    #[cfg_attr(docsrs, doc(cfg(feature = "middleware")))]
    pub fn with_middleware(&self) -> reqwest_middleware::ClientBuilder {
        let http = self.http().clone();
        reqwest_middleware::ClientBuilder::new(http).with(Login(self.clone()))
    }
}

/// A client as a middleware.
struct Login<C>(Client<C>);

#[async_trait::async_trait]
impl<C: Credentials> Middleware for Login<C> {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<Response> {
        let mut following = Following { next, extensions };
        let sent = self.0.send(&mut following, request).await;
        sent.map_err(|error| match error {
            Error::Send(error) => error,
            error => reqwest_middleware::Error::Middleware(anyhow::Error::new(error)),
        })
    }
}

/// The rest of the chain.
struct Following<'n> {
    next: Next<'n>,
    extensions: &'n mut Extensions,
}

impl Transport for Following<'_> {
    type Request = Sendable;
    type Response = Received;
    type Error = reqwest_middleware::Error;

    async fn send(&mut self, request: Sendable) -> reqwest_middleware::Result<Received> {
        let request = request.into_request();
        let sent = self.next.clone().run(request, self.extensions);
        sent.await.map(Received)
    }

    fn may_send_again(&self, error: &reqwest_middleware::Error) -> bool {
        match error {
            reqwest_middleware::Error::Reqwest(error) => is_lost(error),
            reqwest_middleware::Error::Middleware(_) => false,
        }
    }
}
