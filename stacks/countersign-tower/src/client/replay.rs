//! Bodies that can be sent again.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{Empty, Full};

/// A request body that can be sent again after a challenge.
///
/// Implemented for `Empty`, `Full<Bytes>`, `Bytes` and static texts; for `String` and `Vec<u8>`, of
/// which each request is a copy, so prefer `Bytes` for large ones; for `Option`, whose `None` is an
/// empty body; and for [`Once`] of any other. For a body of your own:
///
/// ```
/// use bytes::Bytes;
/// use countersign::digest::{HashFunction, HexDigest};
/// use countersign_tower::client::Replay;
///
/// enum Upload {
///     Whole(Bytes),
///     Stream(Box<dyn std::io::Read + Send>),
/// }
///
/// impl Replay for Upload {
///     fn replay(&self) -> Option<Self> {
///         match self {
///             Self::Whole(bytes) => Some(Self::Whole(bytes.clone())),
///             Self::Stream(_) => None,
///         }
///     }
///
///     fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
///         match self {
///             Self::Whole(bytes) => bytes.hash(hash),
///             Self::Stream(_) => None,
///         }
///     }
/// }
/// # let _ = Upload::Stream;
/// ```
pub trait Replay: Sized {
    /// Returns a copy to send, or `None` if the body can be sent only once: then it is, and if the
    /// response asks for credentials it is returned as it came.
    fn replay(&self) -> Option<Self>;

    /// The hash of the whole body, which `qop=auth-int` covers. Called only where that is needed,
    /// once for each request of the caller. `None`, as by default, rules out `auth-int`.
    fn hash(&self, _: HashFunction) -> Option<HexDigest> {
        None
    }
}

fn hash_of(bytes: &[u8], hash: HashFunction) -> Option<HexDigest> {
    let mut hasher = BodyHasher::new(hash);
    hasher.update(bytes);
    Some(hasher.finish())
}

impl<D: Buf> Replay for Empty<D> {
    fn replay(&self) -> Option<Self> {
        Some(Self::new())
    }

    fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
        hash_of(b"", hash)
    }
}

impl Replay for Full<Bytes> {
    fn replay(&self) -> Option<Self> {
        Some(self.clone())
    }

    fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
        // Shares the bytes.
        self.clone().into_inner().unwrap_or_default().hash(hash)
    }
}

macro_rules! bytes {
    ($($body:ty),*) => {
        $(impl Replay for $body {
            fn replay(&self) -> Option<Self> {
                Some(self.clone())
            }

            fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
                hash_of(self.as_ref(), hash)
            }
        })*
    };
}

bytes!(Bytes, String, Vec<u8>, &'static str, &'static [u8]);

impl<B: Replay> Replay for Option<B> {
    fn replay(&self) -> Option<Self> {
        match self {
            Some(body) => body.replay().map(Some),
            None => Some(None),
        }
    }

    fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
        match self {
            Some(body) => body.hash(hash),
            None => hash_of(b"", hash),
        }
    }
}

/// A body that can be sent only once, such as a stream.
///
/// A client that is logged in sends its credentials at once, unless the nonce has expired or is [in
/// doubt](countersign::client::Client::completed), as after a 403 or 500. So send a small request
/// to the same path before, and after each [`NotRepeatable`](super::LoginFailure::NotRepeatable). A
/// server whose nonces are good for one request, and that sends none with a response, refuses each.
///
/// ```
/// use countersign_tower::client::{Once, Replay};
///
/// assert!(Once("a stream").replay().is_none());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Once<B>(pub B);

impl<B> Replay for Once<B> {
    fn replay(&self) -> Option<Self> {
        None
    }
}

impl<B: Body + Unpin> Body for Once<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.0).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
