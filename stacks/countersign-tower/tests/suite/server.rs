//! The server layer by itself.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign::client::{Account, Client, Exchange, Policy, Quirk, ServerProof};
use countersign::digest::Algorithm;
use countersign::server::Realm;
use countersign::wire::basic_credentials;
use countersign::{Channel, EntityBody, Target};
use countersign_tower::client::AuthClientLayer;
use countersign_tower::server::{AuthLayer, ClientAddress, Limiter, RequestBody, UserMap};
use http::{HeaderValue, Request, Response};
use tower::{Layer, ServiceExt, service_fn};

use crate::support::{
    Body, Network, OLD_PASSWORD, Server, Store, USER, authenticator, behind, behind_another, get,
    mufasa, mufasas_cache, origin, text,
};

/// Those that a realm offers by default.
const ALGORITHMS: usize = 1 + cfg!(feature = "md5") as usize;

fn challenges(response: &Response<Body>) -> usize {
    response
        .headers()
        .get_all("www-authenticate")
        .iter()
        .count()
}

pub(crate) fn with_basic(uri: &str, name: &str, password: &str) -> Request<Body> {
    let value = basic_credentials(name, password).unwrap();
    let mut request = get(uri);
    let value = value.to_str().unwrap().parse().unwrap();
    request.headers_mut().insert("authorization", value);
    request
}

fn basic_server(name: &str) -> Server {
    let realm = Realm::new(name).unwrap().with_basic();
    behind(AuthLayer::new(
        authenticator(realm),
        Channel::Encrypted,
        Store,
    ))
}

/// The value of `Authorization` for a request, after a challenge of this server.
async fn authorization(server: &Server, request: &Request<Body>, name: &str) -> String {
    let refused = server
        .clone()
        .oneshot(get("https://a.example/"))
        .await
        .unwrap();
    let rng = &mut getrandom::SysRng;
    let mut client = Client::new(origin("a.example"), Policy::new(), rng).unwrap();
    let mut exchange = Exchange::new();
    let values = refused.headers().get_all("www-authenticate");
    let next = client.challenged(&mut exchange, countersign::challenges(values));
    let countersign::client::Next::Login(ask) = next else {
        panic!("no login")
    };
    client.login(&ask, &Account::new(name, USER.1)).unwrap();
    let uri = request.uri().path_and_query().unwrap().as_str();
    let target = Target::new(request.method().as_str(), uri).with_body(EntityBody::Unknown);
    let answer = client.authorize(&mut exchange, &target).unwrap();
    answer
        .for_new_request()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn a_challenge_for_each_algorithm() {
    let auth = authenticator(Realm::new("files").unwrap());
    let server = behind(AuthLayer::new(auth, Channel::Encrypted, Store));
    let response = server.oneshot(get("/")).await.unwrap();
    assert_eq!(
        (response.status().as_u16(), challenges(&response)),
        (401, ALGORITHMS)
    );
    assert_eq!(text(response).await, "");
}

#[tokio::test]
async fn a_replay_is_refused_and_told() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    let auth = authenticator(Realm::new("files").unwrap());
    let layer = AuthLayer::builder(auth, Channel::Encrypted, Store).on_event(move |event| {
        assert!(!format!("{event:?}").contains("response="));
        let user = event.user.as_ref().map(ToString::to_string);
        let status = event.status.map(|status| status.as_u16());
        log.lock()
            .unwrap()
            .push((event.outcome.name(), user, status));
    });
    let server = behind(layer.build());
    let mut request = get("https://a.example/a?b=c");
    let value = authorization(&server, &request, USER.0).await;
    request
        .headers_mut()
        .insert("authorization", value.parse().unwrap());
    let response = server.clone().oneshot(request.clone()).await.unwrap();
    assert_eq!(response.status(), 200);
    assert!(response.headers().contains_key("authentication-info"));
    let response = server.clone().oneshot(request.clone()).await.unwrap();
    assert_eq!(response.status(), 401);
    let challenge = response.headers()["www-authenticate"].to_str().unwrap();
    assert!(challenge.contains("stale=true"), "{challenge}");
    // For another target.
    *request.uri_mut() = "https://a.example/a?b=d".parse().unwrap();
    let response = server.oneshot(request).await.unwrap();
    assert_eq!(
        (response.status().as_u16(), challenges(&response)),
        (400, 0)
    );
    let user = || Some(format!("{:?}", USER.0));
    let expected = [
        ("no-credentials", None, Some(401)),
        ("granted", user(), None),
        ("replayed", user(), Some(401)),
        ("uri-mismatch", user(), Some(400)),
    ];
    assert_eq!(*events.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_store_that_fails_is_no_refusal() {
    let server = basic_server("files");
    let request = with_basic("/", "Zazu", "any");
    let response = server.clone().oneshot(request).await.unwrap();
    assert_eq!(
        (response.status().as_u16(), challenges(&response)),
        (503, 0)
    );
    let mut request = get("https://a.example/");
    let value = authorization(&server, &request, "Zazu").await;
    request
        .headers_mut()
        .insert("authorization", value.parse().unwrap());
    let response = server.oneshot(request).await.unwrap();
    assert_eq!(
        (response.status().as_u16(), challenges(&response)),
        (503, 0)
    );
}

#[tokio::test]
async fn basic_by_ha1_and_by_a_verdict() {
    for realm in ["files", "slow"] {
        let server = basic_server(realm);
        for (name, password, status) in [
            (USER.0, USER.1, 200),
            (USER.0, "wrong", 401),
            (USER.0, OLD_PASSWORD, 401),
            ("nobody", USER.1, 401),
        ] {
            let request = with_basic("/", name, password);
            let response = server.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), status, "{realm} {name} {password}");
            if status == 200 {
                assert_eq!(text(response).await, "hello Mufasa: ");
            }
        }
    }
}

#[tokio::test]
async fn the_channel_of_a_request_takes_precedence() {
    let mut request = with_basic("/", USER.0, USER.1);
    request.extensions_mut().insert(Channel::Cleartext);
    let response = basic_server("files").oneshot(request).await.unwrap();
    // Without a challenge for Basic.
    assert_eq!(
        (response.status().as_u16(), challenges(&response)),
        (401, ALGORITHMS)
    );
}

#[tokio::test]
async fn a_user_who_guesses_is_refused_at_this_address() {
    let realm = Realm::new("files").unwrap().with_basic();
    let period = Duration::from_secs(3600);
    let limiter = Limiter::new().with_limit(2, period);
    let events = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&events);
    let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, Store)
        .with_limiter(limiter)
        .on_event(move |_| *counter.lock().unwrap() += 1);
    let server = behind(layer.build());
    let requests = [
        ([192, 0, 2, 1], USER.0, "a", 401),
        // Forgives the first.
        ([192, 0, 2, 1], USER.0, USER.1, 200),
        ([192, 0, 2, 1], USER.0, "a", 401),
        // Counts nothing.
        ([192, 0, 2, 1], "Zazu", "any", 503),
        ([192, 0, 2, 1], USER.0, "b", 401),
        ([192, 0, 2, 1], USER.0, USER.1, 429),
        ([192, 0, 2, 1], "nobody", "a", 401),
        ([192, 0, 2, 1], "nobody", "a", 401),
        ([192, 0, 2, 1], "nobody", "a", 429),
        ([192, 0, 2, 1], "Zazu", "any", 503),
        ([192, 0, 2, 1], "Zazu", "any", 503),
        ([192, 0, 2, 2], USER.0, USER.1, 200),
    ];
    for (address, name, password, status) in requests {
        let mut request = with_basic("/", name, password);
        let address = ClientAddress(Some(address.into()));
        request.extensions_mut().insert(address);
        let response = server.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{address:?} {name} {password}");
    }
    assert_eq!(*events.lock().unwrap(), requests.len());
}

/// A server that does not give the connection's address to the layer must not count all clients as
/// one: a few wrong passwords from anywhere would lock a user out, and nobody would see why.
#[tokio::test]
async fn a_request_without_an_address_is_the_servers_fault() {
    let realm = Realm::new("files").unwrap().with_basic();
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, Store)
        .with_limiter(Limiter::new())
        .on_event(move |event| {
            let outcome = (event.outcome.name(), event.outcome.is_server_fault());
            log.lock().unwrap().push(outcome);
        });
    let server = behind(layer.build());
    for password in [USER.1, "a", "b", "c", USER.1] {
        let request = with_basic("/", USER.0, password);
        let response = server.clone().oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        assert_eq!((status, challenges(&response)), (500, 0), "{password}");
    }
    let expected = ("no-address", true);
    assert_eq!(*events.lock().unwrap(), [expected; 5]);
    let mut request = with_basic("/", USER.0, USER.1);
    let address = ClientAddress(Some([192, 0, 2, 1].into()));
    request.extensions_mut().insert(address);
    let response = server.clone().oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    // Nothing is counted for a request without credentials.
    let response = server.oneshot(get("/")).await.unwrap();
    assert_eq!(response.status(), 401);
}

#[tokio::test]
async fn the_proof_and_the_next_nonce_reach_the_client() {
    let realm = Realm::new("files").unwrap().with_one_time_nonces(true);
    let layer = AuthLayer::new(authenticator(realm), Channel::Encrypted, Store);
    let network = Network::default().with("a.example", behind(layer));
    let client = network.client(Policy::new().require_server_proof(), mufasa());
    for _ in 0..3 {
        let response = client
            .clone()
            .oneshot(get("https://a.example/"))
            .await
            .unwrap();
        let proof = response.extensions().get();
        assert_eq!(
            (response.status().as_u16(), proof),
            (200, Some(&ServerProof::Valid))
        );
    }
    assert_eq!(network.take_statuses(), [401, 200, 200, 200]);
}

#[tokio::test]
async fn connect_has_the_authority_as_its_target() {
    let realm = Realm::new("proxy").unwrap().for_proxy();
    let layer = AuthLayer::new(authenticator(realm), Channel::Encrypted, Store);
    let proxy = countersign::client::Endpoint::proxy("https", "proxy.example", 3128);
    let cache = crate::support::knowing(&proxy, Policy::new(), mufasa());
    let network = Network::default().with("a.example", behind(layer));
    let client = AuthClientLayer::new(cache).with_proxy(proxy);
    let client = client.layer(network.service());
    let request = Request::connect("a.example:443")
        .body(Body::default())
        .unwrap();
    let response = client.oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    let seen = network.take_seen();
    let value = seen[1].proxy_authorization.as_deref().unwrap();
    assert!(value.contains(r#"uri="a.example:443""#), "{value}");
    assert_eq!(seen[1].authorization, None);
}

#[tokio::test]
async fn no_log_of_the_head_shows_credentials() {
    let (events, log) = std::sync::mpsc::channel();
    let realm = Realm::new("files").unwrap();
    let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, Store)
        .on_event(move |event| events.send(format!("{:?}", event.head)).unwrap())
        .build();
    let mut request = get("/");
    // Those for a proxy are not for this server, but a careless proxy passes them on.
    for field in ["authorization", "proxy-authorization"] {
        let value = HeaderValue::from_static("Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl");
        request.headers_mut().insert(field, value);
    }
    behind(layer).oneshot(request).await.unwrap();
    let shown = log.recv().unwrap();
    assert!(shown.contains("proxy-authorization"), "{shown}");
    assert!(!shown.contains("TXVm"), "{shown}");
}

/// With its credentials twice: a proxy and the handler could take them for different users.
fn twice(mut request: Request<Body>) -> Request<Body> {
    let value = request.headers()["authorization"].clone();
    request.headers_mut().append("authorization", value);
    request
}

#[tokio::test]
async fn an_optional_login_lets_in_without_credentials_only() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    let realm = Realm::new("files").unwrap();
    let realm = realm.with_basic();
    let layer = AuthLayer::builder(authenticator(realm.clone()), Channel::Encrypted, Store)
        .on_event(move |event| log.lock().unwrap().push(event.outcome.name()))
        .build()
        .with_optional_login();
    let required = behind(layer.with_realm(realm));
    let server = behind(layer);
    let wrong = |value| {
        let mut request = get("/");
        let value = HeaderValue::from_static(value);
        request.headers_mut().insert("authorization", value);
        request
    };
    for (request, status, body) in [
        (get("/"), 200, "hello nobody: "),
        (with_basic("/", USER.0, USER.1), 200, "hello Mufasa: "),
        (with_basic("/", USER.0, "wrong"), 401, ""),
        (with_basic("/", "Zazu", "any"), 503, ""),
        (wrong(""), 401, ""),
        (wrong("Bearer token"), 401, ""),
        (twice(with_basic("/", USER.0, USER.1)), 400, ""),
    ] {
        let response = server.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{body}");
        assert_eq!(text(response).await, body);
    }
    let names = std::mem::take(&mut *events.lock().unwrap());
    assert_eq!(names[..3], ["anonymous", "granted", "wrong-credentials"]);
    // An area of an optional login is none.
    let response = required.oneshot(get("/")).await.unwrap();
    assert_eq!(response.status(), 401);
}

#[tokio::test]
async fn basic_is_refused_on_the_channel_of_the_layer_and_of_its_areas() {
    let realm = Realm::new("files").unwrap().with_basic();
    let layer = AuthLayer::new(authenticator(realm.clone()), Channel::Cleartext, Store);
    for layer in [layer.clone(), layer.with_realm(realm)] {
        let response = behind(layer).oneshot(with_basic("/", USER.0, USER.1)).await;
        assert_eq!(response.unwrap().status(), 401);
    }
}

/// Somebody at the proxy is nobody at the origin, even if both have one store. Neither needs a login,
/// but refuses a wrong one, which is in another field at each.
#[tokio::test]
async fn an_identity_of_another_layer_is_none_of_this() {
    let realm = Realm::new("proxy").unwrap().for_proxy();
    let realm = realm.with_basic();
    let proxy = AuthLayer::new(authenticator(realm), Channel::Encrypted, Store);
    let proxy = proxy.with_optional_login();
    let realm = Realm::new("files").unwrap();
    let origin = AuthLayer::new(authenticator(realm), Channel::Encrypted, Store);
    let server = behind_another(proxy, behind(origin.with_optional_login()));
    for (password, body) in [(USER.1, "hello nobody: "), ("wrong", "")] {
        let mut request = with_basic("/", USER.0, password);
        let value = request.headers_mut().remove("authorization").unwrap();
        request.headers_mut().insert("proxy-authorization", value);
        let response = server.clone().oneshot(request).await.unwrap();
        assert_eq!(text(response).await, body);
    }
}

/// By name, by its hash, and by each algorithm, without a setting of the realm that only some stores
/// can do.
#[tokio::test]
async fn a_user_map_serves_whatever_the_realm_offers() {
    let realm = Realm::new("files").unwrap();
    let realm = realm.with_userhash(true).with_basic();
    for algorithm in [Algorithm::SHA_256, Algorithm::SHA_512_256] {
        let realm = realm.clone().with_algorithms(&[algorithm]);
        let users = UserMap::new(&realm, [USER, ("Rafiki", "Asante sana")]);
        let server = behind(AuthLayer::new(
            authenticator(realm),
            Channel::Encrypted,
            users,
        ));
        let network = Network::default().with("a.example", server.clone());
        for policy in [Policy::new(), Policy::new().with_quirk(Quirk::NoUserhash)] {
            let client = network.client(policy, mufasa());
            let response = client.oneshot(get("https://a.example/")).await.unwrap();
            assert_eq!(text(response).await, "hello Mufasa: ");
            let sent = network.take_seen().pop().unwrap().authorization.unwrap();
            let is_hashed = sent.contains("userhash=true");
            assert_eq!(is_hashed, policy == Policy::new(), "{sent}");
        }
        let response = server.oneshot(with_basic("/", USER.0, USER.1)).await;
        assert_eq!(text(response.unwrap()).await, "hello Mufasa: ");
    }
}

/// Neither its own, nor that of the service.
#[tokio::test]
async fn no_proof_is_sent_if_the_program_wants_none() {
    let service = service_fn(async |_: Request<RequestBody<Body>>| {
        let mut response = Response::new(Body::default());
        let info = HeaderValue::from_static("nextnonce=\"of-another-login\"");
        response.headers_mut().insert("authentication-info", info);
        Ok::<_, Infallible>(response)
    });
    let auth = authenticator(Realm::new("files").unwrap());
    let layer = AuthLayer::builder(auth, Channel::Encrypted, Store)
        .without_server_proof()
        .build();
    let area = layer.with_realm(Realm::new("other").unwrap());
    for layer in [layer, area] {
        let client = AuthClientLayer::new(mufasas_cache()).layer(layer.layer(service));
        let response = client.oneshot(get("https://a.example/")).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers().get("authentication-info"), None);
        assert_eq!(response.extensions().get(), Some(&ServerProof::Absent));
    }
}
