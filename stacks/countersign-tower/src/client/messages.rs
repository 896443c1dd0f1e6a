//! The requests and responses of the `http` crate, and the services that take them.

use std::future::poll_fn;
use std::marker::PhantomData;

use countersign::digest::{HashFunction, HexDigest};
use http::{Extensions, HeaderMap, Method, Request, Response, StatusCode, Uri, Version};
use http_body::Body;
use tower_service::Service;

use crate::client::drain::drain_body;
use crate::client::replay::Replay;
use crate::client::transport::{Incoming, Outgoing, Transport};

/// A service as a transport.
pub(super) struct Services<S, B> {
    service: S,
    bodies: PhantomData<fn(B)>,
}

impl<S, B> Services<S, B> {
    pub(super) const fn new(service: S) -> Self {
        Self {
            service,
            bodies: PhantomData,
        }
    }
}

impl<S, B, D> Transport for Services<S, B>
where
    S: Service<Request<B>, Response = Response<D>> + Send,
    S::Future: Send,
    S::Error: Send,
    B: Replay + Send,
    D: Body + Send,
{
    type Request = Request<B>;
    type Response = Response<D>;
    type Error = S::Error;

    #[expect(
        clippy::manual_async_fn,
        reason = "the future of one has room for the request twice"
    )]
    fn send(
        &mut self,
        request: Request<B>,
    ) -> impl Future<Output = Result<Response<D>, S::Error>> + Send {
        async move {
            poll_fn(|cx| self.service.poll_ready(cx)).await?;
            self.service.call(request).await
        }
    }
}

impl<B: Replay + Send> Outgoing for Request<B> {
    fn method(&self) -> &Method {
        self.method()
    }

    fn uri(&self) -> &Uri {
        self.uri()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }

    fn headers_mut(&mut self) -> &mut HeaderMap {
        self.headers_mut()
    }

    fn try_clone(&self) -> Option<Self> {
        // First, because without it the rest is not needed.
        let mut copy = Self::new(self.body().replay()?);
        copy.method_mut().clone_from(self.method());
        copy.uri_mut().clone_from(self.uri());
        copy.headers_mut().clone_from(self.headers());
        copy.extensions_mut().clone_from(self.extensions());
        *copy.version_mut() = self.version();
        Some(copy)
    }

    fn body_hash(&self, hash: HashFunction) -> Option<HexDigest> {
        self.body().hash(hash)
    }
}

impl<D: Body + Send> Incoming for Response<D> {
    type Inner = Self;

    fn into_inner(self) -> Self {
        self
    }

    fn status(&self) -> StatusCode {
        self.status()
    }

    fn version(&self) -> Version {
        self.version()
    }

    fn headers(&self) -> &HeaderMap {
        self.headers()
    }

    fn extensions_mut(&mut self) -> &mut Extensions {
        self.extensions_mut()
    }

    fn is_empty(&self) -> bool {
        self.body().is_end_stream() || self.body().size_hint().exact() == Some(0)
    }

    async fn drain(self) {
        drain_body(self.into_body()).await;
    }
}
