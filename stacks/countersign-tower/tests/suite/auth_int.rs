//! Responses that cover the body.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use countersign::Channel;
use countersign::client::{Policy, ServerProof};
use countersign::digest::{Algorithm, HashFunction, QopSet, User};
use countersign::server::Realm;
use countersign_tower::server::{AuthLayer, ClientAddress, Found, RequestBody, StoreError, Users};
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame};
use http_body_util::{BodyExt, Full};
use tower::{Layer, ServiceExt, service_fn};

use crate::support::{
    Body, Network, Server, Store, authenticator, behind, collected, get, mufasa, text,
};

const LIMIT: usize = 1000;

fn realm() -> Realm {
    Realm::new("files").unwrap().with_qop(QopSet::AUTH_INT)
}

fn layer() -> AuthLayer<Store> {
    AuthLayer::builder(authenticator(realm()), Channel::Encrypted, Store)
        .with_body_buffer(LIMIT, 10 * LIMIT)
        .build()
}

fn network() -> Network {
    let server = behind(layer());
    Network::default().with("a.example", server)
}

fn post(body: impl Into<Body>) -> Request<Body> {
    Request::post("https://a.example/")
        .body(body.into())
        .unwrap()
}

#[tokio::test]
async fn a_body_is_covered_and_passed_on() {
    let network = network();
    let client = network.client(Policy::new(), mufasa());
    let response = client.clone().oneshot(post("Hakuna Matata")).await.unwrap();
    // The response is not buffered, so it has no proof.
    assert_eq!(response.extensions().get(), Some(&ServerProof::Absent));
    assert_eq!(text(response).await, "hello Mufasa: Hakuna Matata");
    assert_eq!(network.take_statuses(), [401, 200]);
    let head = Request::head("https://a.example/").body(Body::default());
    let response = client.oneshot(head.unwrap()).await.unwrap();
    assert_eq!(response.extensions().get(), Some(&ServerProof::Valid));
}

#[tokio::test]
async fn another_body_is_refused() {
    let server = behind(layer());
    let tampering = behind_tampering(server);
    let network = Network::default().with("a.example", tampering);
    let client = network.client(Policy::new(), mufasa());
    let response = client.oneshot(post("Hakuna Matata")).await.unwrap();
    assert_eq!(response.status(), 401);
}

fn behind_tampering(server: Server) -> Server {
    tower::util::BoxCloneSyncService::new(service_fn(move |request: Request<Body>| {
        server
            .clone()
            .oneshot(request.map(|_| "Hakuna Pumbaa".into()))
    }))
}

#[tokio::test]
async fn a_body_above_the_limit_is_a_413() {
    let network = network();
    let client = network.client(Policy::new(), mufasa());
    for (size, status) in [(LIMIT, 200), (LIMIT + 1, 413)] {
        let request = post(vec![b'x'; size]);
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status);
    }
    assert_eq!(network.take_statuses(), [401, 200, 413]);
}

/// A stream that tells no length.
enum Stream {
    /// Must not be read.
    Untouchable,
    /// Pieces of 100 bytes.
    Pieces(usize),
    /// Pieces of one byte, each in a large buffer of its own, of which one is in use at a time.
    Drops(usize, Arc<()>),
}

impl HttpBody for Stream {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Self::Untouchable => panic!("read"),
            Self::Pieces(0) => Poll::Ready(None),
            Self::Pieces(left) => {
                *left -= 1;
                let piece = Bytes::from_static(&[b'x'; 100]);
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Self::Drops(0, _) => Poll::Ready(None),
            Self::Drops(left, buffers) => {
                assert_eq!(Arc::strong_count(buffers), 1, "an earlier piece is kept");
                *left -= 1;
                let piece = Bytes::from_owner(Buffer(buffers.clone(), [b'x'; 8192]));
                Poll::Ready(Some(Ok(Frame::data(piece.slice(..1)))))
            }
        }
    }
}

/// What a connection reads into, counted while it is kept.
struct Buffer(#[expect(dead_code, reason = "counts")] Arc<()>, [u8; 8192]);

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.1
    }
}

/// What a client would send for a body of this size, to a server of another key if it is foreign.
async fn stream(size: usize, stream: Stream, is_foreign: bool) -> u16 {
    let server = collected(layer().layer(service_fn(
        |request: Request<RequestBody<Stream>>| async {
            let body = request.into_body().collect().await?.to_bytes();
            Ok::<_, std::convert::Infallible>(Response::new(Full::new(body)))
        },
    )));
    let headers = Arc::new(std::sync::Mutex::new(None));
    let keep = headers.clone();
    let (challenger, foreign) = (server.clone(), behind(layer()));
    let service = service_fn(move |request: Request<Body>| {
        let (challenger, foreign, keep) = (challenger.clone(), foreign.clone(), keep.clone());
        async move {
            let (head, body) = request.into_parts();
            if head.headers.contains_key("authorization") {
                *keep.lock().unwrap() = Some(head.headers);
                return Ok(Response::new(Body::default()));
            }
            match is_foreign {
                true => foreign.oneshot(Request::from_parts(head, body)).await,
                false => {
                    let request = Request::from_parts(head, Stream::Untouchable);
                    challenger.oneshot(request).await
                }
            }
        }
    });
    let client = countersign_tower::client::AuthClientLayer::new(crate::support::mufasas_cache());
    let request = post(vec![b'x'; size]);
    client.layer(service).oneshot(request).await.unwrap();
    let mut request = Request::post("https://a.example/").body(stream).unwrap();
    *request.headers_mut() = headers.lock().unwrap().take().unwrap();
    let response = server.oneshot(request).await.unwrap();
    let challenge = response.headers().get("www-authenticate");
    let is_stale = challenge.is_some_and(|it| it.to_str().unwrap().contains("stale=true"));
    assert_eq!(is_stale, is_foreign);
    response.status().as_u16()
}

#[tokio::test]
async fn a_body_is_read_only_with_a_nonce_of_ours() {
    assert_eq!(stream(1000, Stream::Pieces(10), false).await, 200);
    assert_eq!(stream(1100, Stream::Pieces(11), false).await, 413);
    assert_eq!(stream(1000, Stream::Pieces(9), false).await, 401);
    assert_eq!(stream(1000, Stream::Untouchable, true).await, 401);
}

#[tokio::test]
async fn a_body_is_not_read_where_that_is_not_offered() {
    let layer = AuthLayer::new(authenticator(realm()), Channel::Encrypted, Store);
    let other = layer.with_realm(Realm::new("files").unwrap());
    let network = Network::default().with("a.example", behind(layer));
    let client = network.client(Policy::new(), mufasa());
    client.oneshot(post("data")).await.unwrap();
    let answer = network.take_seen().pop().unwrap().authorization.unwrap();
    let server = other.layer(service_fn(|_: Request<RequestBody<Stream>>| async {
        Ok::<_, std::convert::Infallible>(Response::new(Body::default()))
    }));
    let request = Request::post("https://a.example/").header("authorization", answer);
    let request = request.body(Stream::Untouchable).unwrap();
    let response = server.oneshot(request).await.unwrap();
    assert_eq!(response.status(), 401);
}

/// Otherwise a body of a megabyte that comes byte by byte would fill gigabytes, and anyone can send
/// one.
#[tokio::test]
async fn a_body_that_comes_in_small_pieces_takes_no_more_than_its_length() {
    let drops = |count| Stream::Drops(count, Arc::default());
    assert_eq!(stream(1000, drops(1000), false).await, 200);
    assert_eq!(stream(1000, drops(999), false).await, 401);
    assert_eq!(stream(1001, drops(1001), false).await, 413);
}

/// A store that takes its time.
struct Late;

impl Users for Late {
    type Account = Arc<str>;

    async fn find(
        &self,
        _: &User<'_>,
        _: &str,
        _: HashFunction,
    ) -> Result<Option<Found<Arc<str>>>, StoreError> {
        tokio::time::sleep(Duration::from_millis(200)).await;
        Ok(None)
    }
}

/// The credentials of a request with a body, as somebody without a password makes them.
async fn guess(server: &Server) -> String {
    let response = server.clone().oneshot(get("/")).await.unwrap();
    let challenge = response.headers()["www-authenticate"].to_str().unwrap();
    let (_, nonce) = challenge.split_once("nonce=\"").unwrap();
    let (nonce, _) = nonce.split_once('"').unwrap();
    let response = "ab".repeat(32);
    format!(
        "Digest username=\"x\", realm=\"files\", nonce=\"{nonce}\", uri=\"/\", \
         algorithm=SHA-256, qop=auth-int, nc=00000001, cnonce=\"c\", response=\"{response}\""
    )
}

/// Otherwise memory would have no bound while the store is slow.
#[tokio::test]
async fn a_body_takes_memory_until_it_is_checked() {
    let layer = AuthLayer::builder(authenticator(realm()), Channel::Encrypted, Late);
    let server = behind(layer.with_body_buffer(8, 8).build());
    let value = guess(&server).await;
    let send = async || {
        let request = Request::post("/").header("authorization", &value);
        let request = request.body(Body::from("12345678")).unwrap();
        server.clone().oneshot(request).await.unwrap().status()
    };
    let (first, second) = tokio::join!(send(), send());
    assert_eq!((first.as_u16(), second.as_u16()), (401, 503));
}

/// A body of 800 bytes that comes in eight pieces, between which others come.
struct Slowly(usize);

impl HttpBody for Slowly {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0 += 1;
        match self.0 {
            17.. => Poll::Ready(None),
            odd if odd % 2 == 1 => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            _ => Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&[b'x'; 100]))))),
        }
    }
}

/// Whoever has no password, and sends as fast as the connection allows, pushes out their own bodies.
/// Areas share the memory.
#[tokio::test]
async fn a_flood_of_bodies_from_one_address_keeps_nobody_out() {
    let realm = || realm().with_algorithms(&[Algorithm::SHA_256]);
    let layer = AuthLayer::builder(authenticator(realm()), Channel::Encrypted, Store)
        .with_body_buffer(LIMIT, 2 * LIMIT)
        .build();
    let area = layer.with_realm(realm());
    let value = guess(&behind(layer.clone())).await;
    for (address, expected) in [([192, 0, 2, 2], 401), ([192, 0, 2, 1], 503)] {
        let send = |layer: &AuthLayer<Store>, address: [u8; 4]| {
            let service = collected(layer.layer(service_fn(
                |_: Request<RequestBody<Slowly>>| async {
                    Ok::<_, std::convert::Infallible>(Response::new(Body::default()))
                },
            )));
            let request = Request::post("/").header("authorization", &value);
            let request = request.extension(ClientAddress(Some(address.into())));
            service.oneshot(request.body(Slowly(0)).unwrap())
        };
        let mut honest = std::pin::pin!(send(&area, address));
        // Some of it has come.
        for _ in 0..4 {
            let mut cx = Context::from_waker(std::task::Waker::noop());
            assert!(honest.as_mut().poll(&mut cx).is_pending());
        }
        let flood: tokio::task::JoinSet<_> =
            (0..20).map(|_| send(&layer, [192, 0, 2, 1])).collect();
        flood.join_all().await;
        assert_eq!(honest.await.unwrap().status(), expected, "{address:?}");
    }
}

/// It would be about another login, and its next nonce is not one of ours.
#[tokio::test]
async fn information_of_the_service_about_a_login_is_removed() {
    let server = collected(
        layer().layer(service_fn(|_: Request<RequestBody<Body>>| async {
            // No empty body, so the layer has no proof over it.
            let mut response = Response::new(Body::from("hello"));
            let info = http::HeaderValue::from_static(r#"nextnonce="of-the-service""#);
            response.headers_mut().insert("authentication-info", info);
            Ok::<_, std::convert::Infallible>(response)
        })),
    );
    let network = Network::default().with("a.example", server);
    let client = network.client(Policy::new(), mufasa());
    for _ in 0..3 {
        let response = client.clone().oneshot(post("")).await.unwrap();
        assert_eq!(response.headers().get("authentication-info"), None);
    }
    assert_eq!(network.take_statuses(), [401, 200, 200, 200]);
}
