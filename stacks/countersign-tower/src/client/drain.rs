//! Responses that are not used.

use std::future::poll_fn;
use std::pin::pin;

use bytes::Buf;
use http_body::Body;

/// Reads a body to its end, so that the connection can be used again. Not a long one: another
/// connection costs less. One that stalls is awaited until the caller's [limit of
/// time](super#limits-of-time), because there is no timer here.
pub(super) async fn drain<B: Body>(body: B) {
    let mut left: usize = 64 << 10;
    let mut body = pin!(body);
    while let Some(Ok(frame)) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let read = frame.into_data().map_or(0, |data| data.remaining());
        match left.checked_sub(read) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
