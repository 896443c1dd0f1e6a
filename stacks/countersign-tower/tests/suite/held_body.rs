//! A body that is held back on the way. Whoever does that sends the head of a request in time, and
//! delivers the request when it suits them.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use countersign::Channel;
use countersign::client::Policy;
use countersign::digest::QopSet;
use countersign::server::Realm;
use countersign_tower::server::{AuthLayer, RequestBody};
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame};
use tower::{Layer, ServiceExt, service_fn};

use crate::support::{Body, Network, Store, authenticator, collected, mufasa};

type Hold = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A body that comes after something else.
struct Held {
    hold: Option<Hold>,
    body: Body,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(hold) = &mut self.hold {
            ready!(hold.as_mut().poll(cx));
            self.hold = None;
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.hold.is_none() && self.body.is_end_stream()
    }
}

const LIFETIME_SECS: u32 = 2;

/// The statuses of the responses if this happens while the first body that is read is on its way.
async fn statuses<F>(hold: impl FnOnce(NonceKeys) -> F) -> Vec<u16>
where
    F: Future<Output = ()> + Send + 'static,
{
    let realm = Realm::new("files").unwrap().with_qop(QopSet::AUTH_INT);
    let auth = authenticator(realm.with_nonce_lifetime(LIFETIME_SECS));
    let hold: Hold = Box::pin(hold(NonceKeys(Arc::clone(&auth))));
    let hold = Arc::new(Mutex::new(Some(hold)));
    let layer = AuthLayer::new(auth, Channel::Encrypted, Store);
    let server = layer.layer(service_fn(|_: Request<RequestBody<Held>>| async {
        Ok::<_, Infallible>(Response::new(Body::default()))
    }));
    let server = service_fn(move |request: Request<Body>| {
        let hold = match request.headers().contains_key("authorization") {
            true => hold.lock().unwrap().take(),
            false => None,
        };
        let request = request.map(|body| Held { hold, body });
        server.clone().oneshot(request)
    });
    let network = Network::default().with("a.example", collected(server));
    let client = network.client(Policy::new(), mufasa());
    let request = Request::post("https://a.example/").body("Hakuna Matata".into());
    client.oneshot(request.unwrap()).await.unwrap();
    network.take_statuses()
}

struct NonceKeys(Arc<countersign::server::Authenticator>);

impl NonceKeys {
    fn rotate(&self) {
        self.0.rotate(&mut getrandom::SysRng).unwrap();
    }
}

async fn sleep(millis: u64) {
    tokio::time::sleep(Duration::from_millis(millis)).await;
}

#[tokio::test]
async fn a_body_within_the_lifetime_of_the_nonce_is_accepted() {
    assert_eq!(statuses(|_| sleep(50)).await, [401, 200]);
}

/// The client is told a new nonce, and sends the request again.
#[tokio::test]
async fn a_nonce_that_expired_before_the_end_of_the_body_is_refused() {
    let past_lifetime = u64::from(LIFETIME_SECS) * 1000 + 100;
    let statuses = statuses(|_| sleep(past_lifetime)).await;
    assert_eq!(statuses, [401, 401, 200]);
}

#[tokio::test]
async fn a_nonce_whose_key_is_gone_at_the_end_of_the_body_is_refused() {
    // The one before the last is still accepted.
    for (rotations, expected) in [(1, &[401, 200][..]), (2, &[401, 401, 200])] {
        let hold = |keys: NonceKeys| async move { (0..rotations).for_each(|_| keys.rotate()) };
        assert_eq!(statuses(hold).await, expected);
    }
}
