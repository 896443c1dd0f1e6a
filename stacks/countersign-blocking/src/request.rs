//! Requests, for the loop of countersign-tower.

use bytes::Bytes;
use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use countersign_tower::client::SendError;
use countersign_tower::client::transport::{Outgoing, Redirect};
use http::request::Parts;
use http::{HeaderMap, Method, Request, Uri};
use url::Url;

/// A request with its body in memory.
pub(crate) struct Sendable {
    pub(crate) head: Parts,
    pub(crate) body: Bytes,
}

impl Sendable {
    /// Fails if the URI has a user name: some libraries would send that unasked, by Basic.
    pub(crate) fn new<E, R>(request: Request<Vec<u8>>) -> Result<Self, SendError<E, R>> {
        let (head, body) = request.into_parts();
        let authority = head.uri.authority().ok_or(SendError::Url)?;
        if authority.as_str().contains('@') {
            return Err(SendError::Userinfo);
        }
        Ok(Self {
            head,
            body: body.into(),
        })
    }
}

impl Outgoing for Sendable {
    fn method(&self) -> &Method {
        &self.head.method
    }

    fn uri(&self) -> &Uri {
        &self.head.uri
    }

    fn headers(&self) -> &HeaderMap {
        &self.head.headers
    }

    fn headers_mut(&mut self) -> &mut HeaderMap {
        &mut self.head.headers
    }

    fn try_clone(&self) -> Option<Self> {
        Some(Self {
            head: self.head.clone(),
            body: self.body.clone(),
        })
    }

    fn body_hash(&self, hash: HashFunction) -> Option<HexDigest> {
        let mut hasher = BodyHasher::new(hash);
        hasher.update(&self.body);
        Some(hasher.finish())
    }
}

impl Redirect for Sendable {
    fn is_repeatable(&self) -> bool {
        true
    }

    fn without_body(&self) -> Self {
        Self {
            head: self.head.clone(),
            body: Bytes::new(),
        }
    }

    fn set_method(&mut self, method: Method) {
        self.head.method = method;
    }

    fn lead(&mut self, location: &str) -> Option<()> {
        let from = Url::parse(&self.head.uri.to_string()).ok()?;
        let mut to = from.join(location).ok()?;
        // A URL without a host has no user name.
        let _ = to.set_username("");
        let _ = to.set_password(None);
        let is_http = matches!(to.scheme(), "http" | "https");
        self.head.uri = to.as_str().parse().ok().filter(|_| is_http)?;
        Some(())
    }
}
