//! What the loop of requests and responses needs of an HTTP library.
//!
//! For `countersign-reqwest`, which brings its own requests and responses. Not covered by the
//! promises of semantic versioning.

use std::future::Future;

use countersign::digest::{HashFunction, HexDigest};
use http::{Extensions, HeaderMap, Method, StatusCode, Uri, Version};

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

    /// Returns whether the library may follow a redirect back to the same URL, which it does not tell.
    fn may_redirect(&self) -> bool {
        false
    }

    /// The copy of a request for the URI that this response came from after a redirect. Called for
    /// GET, HEAD and PROPFIND within the origin alone: redirects may change other methods, and no server may
    /// choose where else a program logs in.
    fn follow(&self, _copy: Self::Request, _: &Self::Response) -> Option<Self::Request> {
        None
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

/// A response.
pub trait Incoming: Sized + Send {
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

    /// Returns whether it answers another request than the one that was sent, because the library
    /// has followed a redirect.
    fn is_redirected(&self) -> bool {
        false
    }

    /// Returns whether it is one of another origin, because the library has followed a redirect.
    fn is_of_another_origin(&self) -> bool {
        false
    }

    /// Reads the body to its end, so that the connection can be used again.
    fn drain(self) -> impl Future<Output = ()> + Send;
}
