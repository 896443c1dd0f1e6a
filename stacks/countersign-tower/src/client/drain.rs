//! Responses that are not used.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use bytes::Buf;
use http::Version;
use http_body::Body;

use crate::client::time::within;
use crate::client::transport::{Incoming, MAX_DRAINED};

/// A body is read for so long. One that stalls is dropped, which closes its connection.
const LIMIT: Duration = Duration::from_secs(2);

/// Reads the body of a response to its end. With HTTP/2, dropping it costs no connection.
pub(super) async fn drain(response: impl Incoming) {
    if response.version() < Version::HTTP_2 {
        within(LIMIT, response.drain()).await;
    }
}

/// Reads a body to its end, if it is not a long one.
pub async fn drain_body<B: Body>(body: B) {
    let mut left = MAX_DRAINED;
    let mut body = pin!(body);
    while let Some(Ok(frame)) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let read = frame.into_data().map_or(0, |data| data.remaining());
        match left.checked_sub(read) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}
