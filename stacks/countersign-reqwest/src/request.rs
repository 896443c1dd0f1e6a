//! Requests, for the loop of countersign-tower.

use std::time::Duration;

use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use countersign_tower::client::transport::Outgoing;
use http::header::{
    AUTHORIZATION, CONNECTION, COOKIE, HOST, HeaderValue, PROXY_AUTHORIZATION, USER_AGENT,
};
use http::{HeaderMap, Method, Uri};
use reqwest::{Request, Url};

/// How long a HEAD may take that finds out whether a password is wrong.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// A request, and its URL in the form in which reqwest sends it.
pub(crate) struct Sendable {
    pub(crate) request: Request,
    uri: Uri,
}

impl Sendable {
    /// `None` if reqwest cannot send a request to the URL.
    pub(crate) fn new(request: Request) -> Option<Self> {
        // As reqwest does it. The serialisation of the URL is what is sent, and not what the
        // program wrote: `/a/../{b}` is sent as `/%7Bb%7D`.
        let uri = request.url().as_str().parse().ok()?;
        Some(Self { request, uri })
    }

    /// The same request for another URL.
    pub(crate) fn to(mut self, url: Url) -> Option<Self> {
        *self.request.url_mut() = url;
        Self::new(self.request)
    }
}

impl Outgoing for Sendable {
    fn method(&self) -> &Method {
        self.request.method()
    }

    fn uri(&self) -> &Uri {
        &self.uri
    }

    fn headers(&self) -> &HeaderMap {
        self.request.headers()
    }

    fn headers_mut(&mut self) -> &mut HeaderMap {
        self.request.headers_mut()
    }

    fn try_clone(&self) -> Option<Self> {
        Some(Self {
            request: self.request.try_clone()?,
            uri: self.uri.clone(),
        })
    }

    fn body_hash(&self, hash: HashFunction) -> Option<HexDigest> {
        let mut hasher = BodyHasher::new(hash);
        if let Some(body) = self.request.body() {
            hasher.update(body.as_bytes()?);
        }
        Some(hasher.finish())
    }

    fn probe(&self) -> Option<Self> {
        let mut probe = Request::new(Method::HEAD, self.request.url().clone());
        // Not those that may tell a server to do something, or a key for this method.
        let kept = [AUTHORIZATION, COOKIE, HOST, PROXY_AUTHORIZATION, USER_AGENT];
        for name in kept {
            for value in self.request.headers().get_all(&name) {
                probe.headers_mut().append(name.clone(), value.clone());
            }
        }
        // Some servers send a body after the response to HEAD: it must not come before the response
        // to another request.
        let close = HeaderValue::from_static("close");
        probe.headers_mut().insert(CONNECTION, close);
        // Some programs never answer it.
        let timeout = self.request.timeout().copied();
        *probe.timeout_mut() = Some(timeout.map_or(HEAD_TIME, |it| it.min(HEAD_TIME)));
        *probe.version_mut() = self.request.version();
        Some(Self {
            request: probe,
            uri: self.uri.clone(),
        })
    }
}
