//! The body of a request that is forwarded.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use countersign::digest::{HashFunction, HexDigest};
use countersign_tower::client::Replay;
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Either, Full};
use hyper::body::Incoming;

/// Up to this length a body is kept, so that it can be sent again with a login.
const KEPT: u64 = 64 << 10;

/// A body that is short and can be sent again, or passed on while it comes.
pub struct Upload(Either<Full<Bytes>, Incoming>);

impl Upload {
    pub fn empty() -> Self {
        Self(Either::Left(Full::default()))
    }

    /// # Errors
    ///
    /// The body did not come.
    pub async fn of(body: Incoming) -> Result<Self, hyper::Error> {
        Ok(Self(match body.size_hint().upper() {
            Some(length) if length <= KEPT => Either::Left(body.collect().await?.to_bytes().into()),
            _ => Either::Right(body),
        }))
    }

    pub fn is_stream(&self) -> bool {
        matches!(self.0, Either::Right(_))
    }
}

impl Replay for Upload {
    fn replay(&self) -> Option<Self> {
        match &self.0 {
            Either::Left(body) => Some(Self(Either::Left(body.clone()))),
            Either::Right(_) => None,
        }
    }

    fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
        match &self.0 {
            Either::Left(body) => body.hash(hash),
            Either::Right(_) => None,
        }
    }
}

impl Body for Upload {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.0).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
