//! The body of a request that is forwarded.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use countersign::digest::{HashFunction, HexDigest};
use countersign_tower::client::Replay;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;

/// Up to this length a body is kept, so that it can be sent again with a login.
const KEPT: u64 = 64 << 10;

/// A body that is short and can be sent again, or passed on while it comes.
pub enum Upload {
    Whole(Full<Bytes>),
    Stream(Incoming),
}

impl Upload {
    /// # Errors
    ///
    /// The body did not come.
    pub async fn of(body: Incoming) -> Result<Self, hyper::Error> {
        match body.size_hint().upper() {
            Some(length) if length <= KEPT => {
                Ok(Self::Whole(body.collect().await?.to_bytes().into()))
            }
            _ => Ok(Self::Stream(body)),
        }
    }
}

impl Replay for Upload {
    fn replay(&self) -> Option<Self> {
        match self {
            Self::Whole(body) => Some(Self::Whole(body.clone())),
            Self::Stream(_) => None,
        }
    }

    fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
        match self {
            Self::Whole(body) => body.hash(hash),
            Self::Stream(_) => None,
        }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match self.get_mut() {
            Self::Whole(body) => Pin::new(body)
                .poll_frame(cx)
                .map_err(|never| match never {}),
            Self::Stream(body) => Pin::new(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_end_stream(),
            Self::Stream(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::Stream(body) => body.size_hint(),
        }
    }
}
