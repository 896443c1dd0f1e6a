//! What credentials are bound to.

use core::fmt;

use crate::hash::{BodyHasher, HashFunction, HexDigest};

/// The request that credentials are for.
///
/// Client and server build the same value from the same request: that they agree is what Digest
/// proves. Give the method and the request-target byte for byte as they stand on the request
/// line, query and all: the origin form (`/path?query`) to an origin server, the absolute form or
/// for `CONNECT` the authority (`host:port`) to a proxy. In HTTP/2 and HTTP/3 it is the `:path`,
/// and for `CONNECT` the `:authority`.
///
/// ```
/// use countersign::{EntityBody, Target};
///
/// let get = Target::new("GET", "/dir/index.html?lang=en");
/// let connect = Target::new("CONNECT", "www.example.com:443");
/// let register = Target::new("REGISTER", "sip:example.org");
/// let post = Target::new("POST", "/form").with_body(EntityBody::Bytes(b"a=1"));
/// # let _ = (get, connect, register, post);
/// ```
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Target<'a> {
    /// The method, as on the wire: `GET`, `DESCRIBE`, `REGISTER`.
    pub method: &'a [u8],
    /// The request-target, as on the wire.
    pub uri: &'a [u8],
    /// The body. Only `qop=auth-int` looks at it.
    pub body: EntityBody<'a>,
}

impl<'a> Target<'a> {
    /// A request whose body is not known (yet), which rules out `qop=auth-int`.
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

    /// The same request with a body.
    #[must_use]
    pub const fn with_body(self, body: EntityBody<'a>) -> Self {
        Self { body, ..self }
    }
}

/// What is known of a message body: of its bytes as they are after any transfer coding has been
/// removed (RFC 7616, section 3.4.3).
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum EntityBody<'a> {
    /// Not known: streamed, or too large to hash.
    Unknown,
    /// All of it; empty if there is none.
    Bytes(&'a [u8]),
    /// Its hash, taken while it streamed by with a
    /// [`BodyHasher`], or computed elsewhere.
    Hashed(HexDigest),
}

/// No text: a request-target may hold a secret.
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
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::Hashed(digest) => write!(f, "Hashed({digest:?})"),
        }
    }
}

impl EntityBody<'_> {
    /// Its hash, if it can be had.
    pub(crate) fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
        match self {
            Self::Unknown => None,
            Self::Bytes(bytes) => {
                let mut hasher = BodyHasher::new(hash);
                hasher.update(bytes);
                Some(hasher.finish())
            }
            Self::Hashed(digest) => Some(*digest).filter(|digest| digest.hash_function() == hash),
        }
    }
}
