//! What the loop of requests and responses needs of an HTTP library.
//!
//! For `countersign-reqwest` and `countersign-blocking`, which bring requests and responses of their
//! own. Not covered by the promises of semantic versioning.

use std::future::Future;

use countersign::digest::{HashFunction, HexDigest};
use http::{Extensions, HeaderMap, Method, StatusCode, Uri, Version};

/// As many bytes of a body are read so that its connection can be used again. For a longer one,
/// another connection costs less.
pub const MAX_DRAINED: usize = 64 << 10;

/// Returns whether a method asks the server to change nothing (RFC 9110, section 9.2.1), so that it
/// may be sent again.
pub fn is_safe(method: &Method) -> bool {
    method.is_safe() || matches!(method.as_str(), "PROPFIND" | "QUERY" | "REPORT" | "SEARCH")
}

/// What sends requests.
pub trait Transport: Send {
    /// The library's requests.
    type Request: Outgoing;
    /// Its responses.
    type Response: Incoming;
    /// Its errors.
    type Error: Send;

    /// Sends one request.
    fn send(
        &mut self,
        request: Self::Request,
    ) -> impl Future<Output = Result<Self::Response, Self::Error>> + Send;

    /// Returns whether a request that failed so may be sent once more. Called for idempotent
    /// methods alone.
    fn may_send_again(&self, _: &Self::Error) -> bool {
        true
    }
}

/// A request.
pub trait Outgoing: Sized + Send {
    /// The method.
    fn method(&self) -> &Method;

    /// The URI, with the path and query that are sent.
    fn uri(&self) -> &Uri;

    /// The header fields.
    fn headers(&self) -> &HeaderMap;

    /// The header fields.
    fn headers_mut(&mut self) -> &mut HeaderMap;

    /// A copy to send again; `None` if the body can be sent only once.
    fn try_clone(&self) -> Option<Self>;

    /// The hash of the body; `None` if it is not at hand.
    fn body_hash(&self, hash: HashFunction) -> Option<HexDigest>;
}

/// A request that a redirect can lead elsewhere.
pub trait Redirect: Outgoing {
    /// Returns whether [`try_clone`](Outgoing::try_clone) makes a copy.
    fn is_repeatable(&self) -> bool;

    /// A copy without the body.
    fn without_body(&self) -> Self;

    /// Sets the method.
    fn set_method(&mut self, method: Method);

    /// Leads it to a `Location`, which may be relative, without the user name there. `None` if that
    /// is no URL of `http` or `https`.
    fn lead(&mut self, location: &str) -> Option<()>;
}

/// A response.
pub trait Incoming: Sized + Send {
    /// What the caller gets.
    type Inner;

    /// The response for the caller.
    fn into_inner(self) -> Self::Inner;

    /// The status.
    fn status(&self) -> StatusCode;

    /// The version of HTTP.
    fn version(&self) -> Version;

    /// The header fields.
    fn headers(&self) -> &HeaderMap;

    /// What the caller is told besides.
    fn extensions_mut(&mut self) -> &mut Extensions;

    /// Returns whether it is known to have no body.
    fn is_empty(&self) -> bool;

    /// Reads the body to its end, so that the connection can be used again: up to [`MAX_DRAINED`]
    /// bytes. Dropped if it takes long.
    fn drain(self) -> impl Future<Output = ()> + Send;
}
