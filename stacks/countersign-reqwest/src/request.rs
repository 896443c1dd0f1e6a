//! Requests, for the loop of countersign-tower.

use std::time::Instant;

use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use countersign_tower::client::transport::{Outgoing, Redirect};
use http::{HeaderMap, Method, Uri};
use reqwest::{Request, Url};

use crate::error::Error;

/// A request, and its URL in the form in which reqwest sends it.
pub(crate) struct Sendable {
    request: Request,
    uri: Uri,
    /// The time at which its limit began.
    start: Instant,
}

impl Sendable {
    /// Fails if reqwest cannot send a request to the URL, or the URL has a user name: reqwest would
    /// send that unasked, by Basic.
    pub(crate) fn new<E>(request: Request) -> Result<Self, Error<E>> {
        let uri = uri_of(request.url()).ok_or(Error::Url)?;
        if !request.url().username().is_empty() || request.url().password().is_some() {
            return Err(Error::Userinfo);
        }
        Ok(Self {
            request,
            uri,
            start: Instant::now(),
        })
    }

    /// The request with what is left of its limit of time, which is one for all that it takes.
    pub(crate) fn into_request(mut self) -> Request {
        if let Some(limit) = self.request.timeout_mut() {
            *limit = limit.saturating_sub(self.start.elapsed());
        }
        self.request
    }
}

/// As reqwest does it. The serialisation of the URL is what is sent, and not what the program wrote:
/// `/a/../{b}` is sent as `/%7Bb%7D`.
fn uri_of(url: &Url) -> Option<Uri> {
    url.as_str().parse().ok()
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
            start: self.start,
        })
    }

    fn body_hash(&self, hash: HashFunction) -> Option<HexDigest> {
        let mut hasher = BodyHasher::new(hash);
        if let Some(body) = self.request.body() {
            hasher.update(body.as_bytes()?);
        }
        Some(hasher.finish())
    }
}

impl Redirect for Sendable {
    fn is_repeatable(&self) -> bool {
        let body = self.request.body();
        body.is_none_or(|body| body.as_bytes().is_some())
    }

    fn without_body(&self) -> Self {
        let mut request = Request::new(self.request.method().clone(), self.request.url().clone());
        request.headers_mut().clone_from(self.request.headers());
        *request.version_mut() = self.request.version();
        *request.timeout_mut() = self.request.timeout().copied();
        Self {
            request,
            uri: self.uri.clone(),
            start: self.start,
        }
    }

    fn set_method(&mut self, method: Method) {
        *self.request.method_mut() = method;
    }

    fn lead(&mut self, location: &str) -> Option<()> {
        let mut url = self.request.url().join(location).ok()?;
        // A URL without a host has no user name.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        let is_http = matches!(url.scheme(), "http" | "https");
        self.uri = uri_of(&url).filter(|_| is_http)?;
        *self.request.url_mut() = url;
        Some(())
    }
}
