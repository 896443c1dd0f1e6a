//! How much of a challenge the client reads.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use countersign::digest::QopSet;
use countersign_tower::client::AuthClientLayer;
use http::{Request, Version};
use http_body::{Body as HttpBody, Frame};
use tower::{Layer, ServiceExt, service_fn};

use super::sent_again::network;
use crate::support::{Body, get, mufasas_cache};

/// A body of a megabyte, or one that stalls.
struct Long {
    left: Option<usize>,
    read: Arc<AtomicUsize>,
}

impl HttpBody for Long {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(left) = self.left else {
            return Poll::Pending;
        };
        let Some(left) = left.checked_sub(1) else {
            return Poll::Ready(None);
        };
        self.left = Some(left);
        self.read.fetch_add(1, Ordering::Relaxed);
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 1 << 10])))))
    }
}

#[tokio::test]
async fn not_much_of_a_challenge_is_read_and_not_for_long() {
    for left in [Some(1 << 10), None] {
        let (network, read) = (network(QopSet::AUTH), Arc::new(AtomicUsize::new(0)));
        let (unwrapped, counted) = (network.service(), Arc::clone(&read));
        let service = service_fn(move |request: Request<Body>| {
            let (unwrapped, read) = (unwrapped.clone(), Arc::clone(&counted));
            async move {
                let response = unwrapped.oneshot(request).await?;
                Ok::<_, Infallible>(response.map(|_| Long { left, read }))
            }
        });
        let client = AuthClientLayer::new(mufasas_cache()).layer(service);
        let response = client.oneshot(get("https://a.example/")).await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(read.load(Ordering::Relaxed) < 100, "{read:?} KiB");
    }
}

/// A body that tells whether it was read.
struct Unread(Arc<AtomicBool>);

impl HttpBody for Unread {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.store(true, Ordering::Relaxed);
        Poll::Ready(None)
    }
}

/// With HTTP/2 a body that is dropped costs no connection, and one that stalls holds up nothing.
#[tokio::test]
async fn the_body_of_a_challenge_is_read_below_http_2_alone() {
    for (version, expected) in [
        (Version::HTTP_10, true),
        (Version::HTTP_11, true),
        (Version::HTTP_2, false),
        (Version::HTTP_3, false),
    ] {
        let network = network(QopSet::AUTH);
        let unwrapped = network.service();
        let read = Arc::new(AtomicBool::new(false));
        let challenge = Arc::clone(&read);
        let service = service_fn(move |request: Request<Body>| {
            let (unwrapped, challenge) = (unwrapped.clone(), Arc::clone(&challenge));
            async move {
                let mut response = unwrapped.oneshot(request).await?;
                *response.version_mut() = version;
                Ok::<_, Infallible>(response.map(|_| Unread(challenge)))
            }
        });
        let client = AuthClientLayer::new(mufasas_cache()).layer(service);
        let response = client.oneshot(get("https://a.example/")).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(read.load(Ordering::Relaxed), expected, "{version:?}");
    }
}
