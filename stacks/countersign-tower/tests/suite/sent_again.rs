//! What a client copies, hashes and reads so that a request can be sent again.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use countersign::Channel;
use countersign::client::{self, Account, Policy};
use countersign::digest::{HashFunction, HexDigest, QopSet};
use countersign::server::Realm;
use countersign_tower::client::{AuthClientError, AuthClientLayer, LoginFailure, Once, Replay};
use countersign_tower::server::AuthLayer;
use http::{Method, Request, Response};
use tower::{Layer, ServiceExt, service_fn};

use crate::support::{
    Body, Network, Server, Store, Typist, USER, authenticator, behind, cache, get, knowing, mufasa,
    mufasas_cache, origin,
};

pub(super) fn network(qop: QopSet) -> Network {
    let auth = authenticator(Realm::new("files").unwrap().with_qop(qop));
    let layer = AuthLayer::builder(auth, Channel::Encrypted, Store).with_body_buffer(100, 1000);
    Network::default().with("a.example", behind(layer.build()))
}

/// A body that tells when its hash is asked for.
struct Watched {
    text: &'static str,
    hashed: Arc<dyn Fn() + Send + Sync>,
}

impl Replay for Watched {
    fn replay(&self) -> Option<Self> {
        Some(Self {
            text: self.text,
            hashed: Arc::clone(&self.hashed),
        })
    }

    fn hash(&self, hash: HashFunction) -> Option<HexDigest> {
        (self.hashed)();
        self.text.hash(hash)
    }
}

/// The servers of a network, for other bodies.
fn taking<B: Send + 'static>(
    network: &Network,
    body: impl Fn(B) -> Body + Clone + Send + Sync + 'static,
) -> tower::util::BoxCloneSyncService<Request<B>, Response<Body>, Infallible> {
    let service = network.service();
    tower::util::BoxCloneSyncService::new(service_fn(move |request: Request<B>| {
        service.clone().oneshot(request.map(body.clone()))
    }))
}

fn watched(hashed: impl Fn() + Send + Sync + 'static) -> Request<Watched> {
    let body = Watched {
        text: "Hakuna Matata",
        hashed: Arc::new(hashed),
    };
    Request::post("https://a.example/").body(body).unwrap()
}

/// If the lock of all endpoints were held, the log-out would wait for it, and the test for ever.
#[tokio::test]
async fn a_body_is_hashed_where_other_requests_may_go_on() {
    let network = network(QopSet::AUTH_INT);
    let layer = AuthClientLayer::new(mufasas_cache());
    let client = layer.layer(taking(&network, |body: Watched| body.text.into()));
    let hashes = Arc::new(AtomicUsize::new(0));
    for expected in [1, 2] {
        let (layer, hashes) = (layer.clone(), Arc::clone(&hashes));
        let counted = Arc::clone(&hashes);
        let request = watched(move || {
            layer.logout(&origin("b.example"));
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(hashes.load(Ordering::Relaxed), expected);
    }
    assert_eq!(network.take_statuses(), [401, 200, 200]);
}

#[tokio::test]
async fn a_body_is_hashed_where_the_answer_covers_it_and_not_else() {
    for (policy, qop, expected) in [
        (Policy::new(), QopSet::AUTH, 0),
        (Policy::new(), QopSet::BOTH, 0),
        (Policy::new().prefer_auth_int(), QopSet::AUTH, 0),
        (Policy::new().prefer_auth_int(), QopSet::BOTH, 2),
        (Policy::new(), QopSet::AUTH_INT, 2),
    ] {
        let network = network(qop);
        let cache = knowing(&origin("a.example"), policy, mufasa());
        let client = AuthClientLayer::new(cache);
        let client = client.layer(taking(&network, |body: Watched| body.text.into()));
        let hashes = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let counted = Arc::clone(&hashes);
            let request = watched(move || {
                counted.fetch_add(1, Ordering::Relaxed);
            });
            let response = client.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), 200);
        }
        let hashes = hashes.load(Ordering::Relaxed);
        assert_eq!(hashes, expected, "{policy:?} {qop:?}");
        for seen in network.take_seen().iter().filter(|seen| seen.status == 200) {
            let covers = seen
                .authorization
                .as_ref()
                .unwrap()
                .contains("qop=auth-int");
            assert_eq!(covers, expected > 0);
        }
    }
}

/// Neither the bodies that are sent nor their hash are of a copy.
#[tokio::test]
async fn bytes_are_shared() {
    for qop in [QopSet::AUTH, QopSet::AUTH_INT] {
        let network = network(qop);
        let sent = Arc::new(Mutex::new(Vec::new()));
        let addresses = Arc::clone(&sent);
        let service = taking(&network, move |body: Bytes| {
            addresses.lock().unwrap().push(body.as_ptr().addr());
            Body::new(body)
        });
        let client = AuthClientLayer::new(mufasas_cache()).layer(service);
        let body = Bytes::from("Hakuna Matata".to_owned());
        let address = body.as_ptr().addr();
        let request = Request::post("https://a.example/").body(body).unwrap();
        assert_eq!(client.oneshot(request).await.unwrap().status(), 200);
        assert_eq!(*sent.lock().unwrap(), [address; 2]);
    }
}

/// Counts its copies.
#[derive(Default)]
struct Copied(Arc<AtomicUsize>);

impl Clone for Copied {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&self.0))
    }
}

#[tokio::test]
async fn a_head_that_cannot_be_sent_again_is_not_copied() {
    let network = network(QopSet::AUTH);
    let service = taking(&network, |Once(body): Once<Body>| body);
    let client = AuthClientLayer::new(mufasas_cache()).layer(service);
    let copies = Copied::default();
    let request = Request::put("https://a.example/").body(Once("data".into()));
    let mut request = request.unwrap();
    request
        .extensions_mut()
        .insert(Copied(Arc::clone(&copies.0)));
    assert_eq!(client.oneshot(request).await.unwrap().status(), 401);
    // Nor where the caller has credentials of its own.
    let client = network.client(Policy::new(), mufasa());
    let mut request = get("https://a.example/");
    let mut token = http::HeaderValue::from_static("Bearer abc");
    token.set_sensitive(true);
    request.headers_mut().insert("authorization", token);
    request
        .extensions_mut()
        .insert(Copied(Arc::clone(&copies.0)));
    assert_eq!(client.oneshot(request).await.unwrap().status(), 401);
    assert_eq!(copies.0.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn every_body_of_bytes_can_be_covered() {
    async fn post<B: Replay + Clone + Into<Bytes> + Send + 'static>(body: B) {
        let network = network(QopSet::AUTH_INT);
        for body in [Some(body), None] {
            let service = taking(&network, |body: Option<B>| {
                Body::new(body.map_or_else(Bytes::new, Into::into))
            });
            let client = AuthClientLayer::new(mufasas_cache()).layer(service);
            let request = Request::post("https://a.example/").body(body).unwrap();
            assert_eq!(client.oneshot(request).await.unwrap().status(), 200);
        }
    }
    post("Hakuna Matata").await;
    post("Hakuna Matata".as_bytes()).await;
    post("Hakuna Matata".to_owned()).await;
    post(b"Hakuna Matata".to_vec()).await;
    post(Bytes::from_static(b"Hakuna Matata")).await;
}

#[tokio::test]
async fn a_body_without_a_hash_is_told() {
    let network = network(QopSet::AUTH_INT);
    let service = taking(&network, |Once(body): Once<Body>| body);
    let user = Typist::new(&[USER.1]);
    let layer = AuthClientLayer::with_credentials(cache(Policy::new()), user);
    let others = layer.clone().layer(network.service());
    assert_eq!(
        others
            .oneshot(get("https://a.example/"))
            .await
            .unwrap()
            .status(),
        200
    );
    // Logged in: the server says that it wants the body covered, and then it is too late.
    let request = Request::put("https://a.example/").body(Once("data".into()));
    let response = layer
        .clone()
        .layer(service)
        .oneshot(request.unwrap())
        .await
        .unwrap();
    let why = response.extensions().get::<LoginFailure>();
    assert_eq!(why, Some(&LoginFailure::NotRepeatable));
    // One that can be sent again, but not hashed.
    struct NoHash;
    impl Replay for NoHash {
        fn replay(&self) -> Option<Self> {
            Some(Self)
        }
    }
    let service = taking(&network, |NoHash| Body::default());
    let request = Request::put("https://a.example/").body(NoHash).unwrap();
    let error = layer.layer(service).oneshot(request).await.unwrap_err();
    let AuthClientError::Authorize(client::Error::BodyNeeded(_)) = error else {
        panic!("{error:?}")
    };
}

/// Closes the connection when an answer arrives, as many times as it is told.
fn closing(server: Server, times: usize) -> impl Fn(Request<Body>) -> Answer + Clone {
    let left = Arc::new(AtomicUsize::new(times));
    move |request| {
        let (server, left) = (server.clone(), Arc::clone(&left));
        Box::pin(async move {
            if request.headers().contains_key("authorization") {
                let is_closed = |left: usize| left.checked_sub(1);
                if left
                    .fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_closed)
                    .is_ok()
                {
                    return Err(std::io::ErrorKind::ConnectionReset.into());
                }
            }
            Ok(server.oneshot(request).await.unwrap())
        })
    }
}

type Answer = Pin<Box<dyn Future<Output = std::io::Result<Response<Body>>> + Send>>;

/// A server that closes its connections after a 401, and does not say so.
#[tokio::test]
async fn a_login_is_sent_once_more_if_its_connection_is_gone() {
    for (method, times, logs_in) in [
        (Method::GET, 1, true),
        (Method::PUT, 1, true),
        (Method::GET, 2, false),
        // What was sent may have been done.
        (Method::POST, 1, false),
    ] {
        let network = network(QopSet::AUTH);
        let service = service_fn(closing(network.service(), times));
        let client = AuthClientLayer::new(mufasas_cache()).layer(service);
        let request = Request::builder().uri("https://a.example/").method(&method);
        let request = request.body(Body::default()).unwrap();
        let response = client.clone().oneshot(request).await;
        assert_eq!(
            response.is_ok_and(|it| it.status() == 200),
            logs_in,
            "{method} {times}"
        );
        // Where nothing was asked, an error is an error.
        let service = service_fn(closing(network.service(), 1));
        let client = AuthClientLayer::new(mufasas_cache()).layer(service);
        let mut request = get("https://a.example/");
        request.headers_mut().insert(
            "authorization",
            http::HeaderValue::from_static("Bearer abc"),
        );
        client.oneshot(request).await.unwrap_err();
    }
}

/// However often a server closes its connections and asks anew.
#[tokio::test]
async fn a_server_that_closes_each_connection_is_left_alone() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    let service = service_fn(move |request: Request<Body>| {
        let n = counted.fetch_add(1, Ordering::Relaxed);
        async move {
            if request.headers().contains_key("authorization") {
                return Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
            }
            let challenge =
                format!("Digest realm=\"r{n}\", nonce=\"{n}\", qop=auth, algorithm=SHA-256");
            let response = Response::builder()
                .status(401)
                .header("www-authenticate", challenge);
            Ok(response.body(Body::default()).unwrap())
        }
    });
    let user = Typist::new(&[USER.1; 20]);
    let layer = AuthClientLayer::with_credentials(cache(Policy::new()), user);
    layer
        .layer(service)
        .oneshot(get("https://a.example/"))
        .await
        .unwrap_err();
    assert!(requests.load(Ordering::Relaxed) <= 4, "{requests:?}");
}

/// The answer was seen before its connection was lost, so that the server refuses it as used, and
/// does not call it stale: the password is right.
#[tokio::test]
async fn an_answer_that_was_lost_says_nothing_about_the_password() {
    let answers = Arc::new(AtomicUsize::new(0));
    let service = service_fn(move |request: Request<Body>| {
        let is_answered = request.headers().contains_key("authorization");
        let n = answers.fetch_add(usize::from(is_answered), Ordering::Relaxed);
        async move {
            if is_answered && n == 0 {
                return Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
            }
            if n == 2 {
                return Ok(Response::new(Body::default()));
            }
            let challenge =
                format!("Digest realm=\"a\", nonce=\"{n}\", qop=auth, algorithm=SHA-256");
            let response = Response::builder()
                .status(401)
                .header("www-authenticate", challenge);
            Ok(response.body(Body::default()).unwrap())
        }
    });
    let client = AuthClientLayer::new(mufasas_cache()).layer(service);
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!(response.status(), 200);
}

/// What comes with a challenge is for a layer inside, such as a store of cookies.
#[tokio::test]
async fn a_cookie_store_inside_sees_the_challenge() {
    let network = network(QopSet::AUTH);
    let unwrapped = network.service();
    let jar = Arc::new(Mutex::new(None));
    let sent = Arc::new(Mutex::new(Vec::new()));
    let cookies = Arc::clone(&sent);
    let store = service_fn(move |mut request: Request<Body>| {
        let (unwrapped, jar, sent) = (unwrapped.clone(), Arc::clone(&jar), Arc::clone(&cookies));
        async move {
            if let Some(cookie) = jar.lock().unwrap().clone() {
                request.headers_mut().insert("cookie", cookie);
            }
            sent.lock()
                .unwrap()
                .push(request.headers().get("cookie").cloned());
            let mut response = unwrapped.oneshot(request).await?;
            if response.status() == 401 {
                let node = http::HeaderValue::from_static("node=3");
                response.headers_mut().insert("set-cookie", node);
            }
            if let Some(cookie) = response.headers().get("set-cookie") {
                *jar.lock().unwrap() = Some(cookie.clone());
            }
            Ok::<_, Infallible>(response)
        }
    });
    let client = AuthClientLayer::new(mufasas_cache()).layer(store);
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!(response.status(), 200);
    let sent = sent.lock().unwrap();
    assert_eq!(
        *sent,
        [None, Some(http::HeaderValue::from_static("node=3"))]
    );
}

/// The service can be reached, and a user logs in and out by the layer.
#[tokio::test]
async fn a_login_ends_and_begins_by_the_layer() {
    let network = network(QopSet::AUTH);
    let layer = AuthClientLayer::new(cache(Policy::new()));
    let client = layer.layer(network.service());
    let get = || client_get(&client);
    assert_eq!(get().await, 401);
    layer.add_account(&origin("a.example"), mufasa()).unwrap();
    assert_eq!(get().await, 200);
    layer.logout(&origin("a.example"));
    assert_eq!(get().await, 401);
    layer
        .add_account(&origin("a.example"), Account::new(USER.0, USER.1))
        .unwrap();
    assert_eq!(get().await, 200);
    network.take_seen();
    let inner: &Server = client.get_ref();
    inner
        .clone()
        .oneshot(self::get("https://a.example/"))
        .await
        .unwrap();
    client
        .into_inner()
        .oneshot(self::get("https://a.example/"))
        .await
        .unwrap();
    assert_eq!(network.take_statuses(), [401, 401]);
}

async fn client_get(client: &countersign_tower::client::AuthClient<Server, ()>) -> u16 {
    let response = client
        .clone()
        .oneshot(get("https://a.example/"))
        .await
        .unwrap();
    response.status().as_u16()
}
