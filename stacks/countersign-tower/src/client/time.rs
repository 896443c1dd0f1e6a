//! Limits of time, on any runtime.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use futures_timer::Delay;

/// Returns what a future gives, or `None` if it takes longer than that.
pub(super) async fn within<F: Future>(limit: Duration, future: F) -> Option<F::Output> {
    // Most futures are ready at once, and need no timer.
    let mut delay = None;
    let mut future = pin!(future);
    poll_fn(move |cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => {
            let delay = delay.get_or_insert_with(|| Delay::new(limit));
            Pin::new(delay).poll(cx).map(|()| None)
        }
    })
    .await
}
