//! Reading the body that a response covers.

use std::error::Error;
use std::fmt;
use std::future::{Future, ready};
use std::pin::pin;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use http_body::Body;
use http_body_util::{BodyExt, Collected, Full, LengthLimitError, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// How [`AuthLayer`](super::AuthLayer) treats the body of a request whose response covers it
/// (`qop=auth-int`): [`KeepBody`] or [`BufferBody`]. All other bodies pass unread.
pub trait ReadBody<B>: sealed::Sealed + Clone + Send + Sync + 'static {
    /// Returns the body to pass on and its hash, or no hash if it was not read; and its place among
    /// those that are checked at once.
    #[doc(hidden)]
    fn read(
        &self,
        body: B,
        hash: HashFunction,
    ) -> impl Future<Output = Result<BodyRead<B>, BodyError>> + Send;
}

type BodyRead<B> = (B, Option<HexDigest>, Option<OwnedSemaphorePermit>);

mod sealed {
    #[expect(unnameable_types, reason = "so that nobody else implements it")]
    pub trait Sealed {}
    impl Sealed for super::KeepBody {}
    impl<F> Sealed for super::BufferBody<F> {}
}

/// The reason why a body could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum BodyError {
    /// It is above the limit.
    TooLarge,
    /// As many others are being read as may be.
    TooMany,
    /// The connection failed.
    Failed(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => f.write_str("body above the limit"),
            Self::TooMany => f.write_str("too many bodies at once"),
            Self::Failed(error) => write!(f, "cannot read the body: {error}"),
        }
    }
}

impl Error for BodyError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::TooLarge | Self::TooMany => None,
            Self::Failed(error) => Some(&**error),
        }
    }
}

/// Reads no body, of any type. A response that covers one is answered with status 500, so the realm
/// must not offer `auth-int`.
#[derive(Clone, Copy, Debug)]
pub struct KeepBody(pub(super) ());

impl<B: Send> ReadBody<B> for KeepBody {
    fn read(
        &self,
        body: B,
        _: HashFunction,
    ) -> impl Future<Output = Result<BodyRead<B>, BodyError>> + Send {
        ready(Ok((body, None, None)))
    }
}

/// Reads a body up to a limit: see
/// [`AuthLayer::with_buffered_body`](super::AuthLayer::with_buffered_body).
#[derive(Clone)]
pub struct BufferBody<F> {
    pub(super) limit: usize,
    pub(super) places: Arc<Semaphore>,
    pub(super) rebuild: F,
}

impl<F> fmt::Debug for BufferBody<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferBody")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl<B, F> ReadBody<B> for BufferBody<F>
where
    B: Body<Data = Bytes> + Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
    F: Fn(Collected<Bytes>) -> B + Clone + Send + Sync + 'static,
{
    async fn read(&self, body: B, hash: HashFunction) -> Result<BodyRead<B>, BodyError> {
        // Known from Content-Length, so nothing of it needs to be read.
        if usize::try_from(body.size_hint().lower()).map_or(true, |size| size > self.limit) {
            return Err(BodyError::TooLarge);
        }
        // A request that has none must not wait for those that have.
        let place = match body.is_end_stream() {
            true => None,
            false => {
                let place = Arc::clone(&self.places).try_acquire_owned();
                Some(place.map_err(|_| BodyError::TooMany)?)
            }
        };
        let mut hasher = BodyHasher::new(hash);
        match collect(Limited::new(body, self.limit), &mut hasher).await {
            Ok(collected) => Ok(((self.rebuild)(collected), Some(hasher.finish()), place)),
            Err(error) if error.is::<LengthLimitError>() => Err(BodyError::TooLarge),
            Err(error) => Err(BodyError::Failed(error)),
        }
    }
}

/// Copies the pieces of a body into one, and hashes them.
///
/// A piece that is kept as it is keeps the whole buffer that it was read into: of a body that comes
/// byte by byte, thousands of times its length.
async fn collect<B>(body: B, hasher: &mut BodyHasher) -> Result<Collected<Bytes>, B::Error>
where
    B: Body<Data = Bytes>,
{
    let mut body = pin!(body);
    let mut whole = BytesMut::new();
    let mut trailers = None;
    while let Some(frame) = body.frame().await {
        match frame?.into_data() {
            Ok(data) => {
                hasher.update(&data);
                whole.extend_from_slice(&data);
            }
            Err(other) => trailers = other.into_trailers().ok(),
        }
    }
    let whole = Full::new(whole.freeze()).with_trailers(ready(trailers.map(Ok)));
    match whole.collect().await {
        Ok(collected) => Ok(collected),
        Err(never) => match never {},
    }
}
