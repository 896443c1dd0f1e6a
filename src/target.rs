//! The request that Digest credentials are computed for.

use core::fmt;

use crate::hash::{BodyHasher, HashFunction, HexDigest};

/// The method, request-target and body of the request that credentials are for.
///
/// A Digest response covers the method and the request-target, and for `qop=auth-int` the body, so
/// client and server must pass the same. Pass method and request-target byte for byte as on the
/// request line, including the query: usually the origin form (`/path?query`) to an origin server;
/// to a proxy the absolute form, or the authority (`host:port`) for `CONNECT`; `*` for an `OPTIONS`
/// request about the whole server. In HTTP/2 and HTTP/3 pass `:path`, or `:authority` if a
/// `CONNECT` request has no `:path`. Clients that send the absolute form to an origin server differ
/// on the `uri` that they hash: see [`UriCheck`](crate::server::UriCheck).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Target<'a> {
    /// The method, as on the wire: `GET`, `DESCRIBE`, `REGISTER`.
    pub method: &'a [u8],
    /// The request-target, as on the wire.
    pub uri: &'a [u8],
    /// The body, which only `qop=auth-int` covers.
    pub body: EntityBody<'a>,
}

impl<'a> Target<'a> {
    /// A request with an unknown body, which rules out `qop=auth-int`: see
    /// [`with_body`](Self::with_body).
    pub fn new<M, U>(method: &'a M, uri: &'a U) -> Self
    where
        M: AsRef<[u8]> + ?Sized,
        U: AsRef<[u8]> + ?Sized,
    {
        Self {
            method: method.as_ref(),
            uri: uri.as_ref(),
            body: EntityBody::Unknown,
        }
    }

    /// Sets the body.
    #[must_use]
    pub const fn with_body(self, body: EntityBody<'a>) -> Self {
        Self { body, ..self }
    }
}

/// The target of a request to or at an origin server, as HTTP libraries send it: path and query, or
/// the authority of a URI that has nothing else, for `CONNECT`. The body is unknown. For a proxy
/// that is not asked for a tunnel, set [`uri`](Target::uri) to the whole URI instead.
///
/// A URI with a query and no path (`http://host?query`) is sent with a `/` that it does not contain:
/// write the `/`.
#[cfg(feature = "http")]
impl<'a, B> From<&'a http::Request<B>> for Target<'a> {
    fn from(request: &'a http::Request<B>) -> Self {
        Self::of_request(request.method(), request.uri())
    }
}

/// The same, of a request that was taken apart for its body.
#[cfg(feature = "http")]
impl<'a> From<&'a http::request::Parts> for Target<'a> {
    fn from(head: &'a http::request::Parts) -> Self {
        Self::of_request(&head.method, &head.uri)
    }
}

#[cfg(feature = "http")]
impl<'a> Target<'a> {
    fn of_request(method: &'a http::Method, uri: &'a http::Uri) -> Self {
        let target = match (uri.path_and_query(), uri.authority()) {
            // Also for an extended `CONNECT` (RFC 8441), which has a path.
            (Some(target), _) => target.as_str(),
            // Libraries do not send the user information.
            (None, Some(authority)) => {
                let text = authority.as_str();
                text.rsplit_once('@').map_or(text, |(_, host)| host)
            }
            (None, None) => "/",
        };
        Self::new(method.as_str(), target)
    }
}

/// The body of a message, which `qop=auth-int` covers: the bytes after any transfer coding has been
/// removed, and before any content coding (such as gzip) is undone (RFC 7616, section 3.4.3). If
/// the HTTP library decompresses responses by itself, turn that off, or pass
/// [`Unknown`](Self::Unknown).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum EntityBody<'a> {
    /// Not available, for example streamed or too large to hash.
    Unknown,
    /// Available, and hashed only if the response has to cover it: then
    /// [`authorize`](crate::client::Client::authorize) returns
    /// [`BodyNeeded`](crate::client::Error::BodyNeeded), and is called again with the hash.
    /// For a large body and a client behind a lock. Elsewhere the same as `Unknown`.
    Deferred,
    /// The message has no body, or an empty one.
    Empty,
    /// The whole body.
    Bytes(&'a [u8]),
    /// The hash of the body, from a [`BodyHasher`].
    Hashed(HexDigest),
}

/// Shows lengths instead of text, because a request-target may contain a secret.
impl fmt::Debug for Target<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, uri, body } = self;
        let (method, uri) = (method.len(), uri.len());
        write!(f, "Target({method} bytes, {uri} bytes, {body:?})")
    }
}

impl fmt::Debug for EntityBody<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("Unknown"),
            Self::Deferred => f.write_str("Deferred"),
            Self::Empty => f.write_str("Empty"),
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::Hashed(digest) => write!(f, "Hashed({digest:?})"),
        }
    }
}

impl EntityBody<'_> {
    pub(crate) const fn is_deferred(&self) -> bool {
        matches!(self, Self::Deferred)
    }

    /// The hash of the body; `None` if the body is unknown or was hashed by another function.
    pub(crate) fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
        match self {
            Self::Unknown | Self::Deferred => None,
            Self::Empty => Some(BodyHasher::new(hash).finish()),
            Self::Bytes(bytes) => {
                let mut hasher = BodyHasher::new(hash);
                hasher.update(bytes);
                Some(hasher.finish())
            }
            Self::Hashed(digest) => Some(*digest).filter(|digest| digest.hash_function() == hash),
        }
    }
}
