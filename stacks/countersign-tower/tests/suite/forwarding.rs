//! What the layer keeps between a client and the service that it wraps: of a proxy and a gateway,
//! whose service forwards to servers that are not trusted, and of an origin.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use countersign::Channel;
use countersign::client::{Endpoint, Policy};
use countersign::server::Realm;
use countersign::wire::basic_credentials;
use countersign_tower::client::{AuthClient, AuthClientLayer};
use countersign_tower::server::{AuthLayer, AuthLayerBuilder, GatewayLayer};
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Request, Response};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use tower::{Layer, Service, ServiceExt, service_fn};

use crate::support::{
    Body, Network, Server, Store, USER, authenticator, collected, get, knowing, mufasa, text,
};

type Fields = &'static [(&'static str, &'static str)];

/// What the wrapped service got.
type Record = Arc<Mutex<Vec<HeaderMap>>>;

/// A service that answers each request with this status and these fields, behind a layer.
fn server(realm: Realm, status: u16, fields: Fields) -> (Server, Record) {
    server_with_trailers(realm, status, fields, &[])
}

fn server_with_trailers(
    realm: Realm,
    status: u16,
    fields: Fields,
    trailers: Fields,
) -> (Server, Record) {
    behind(|layer| layer, realm, status, fields, trailers)
}

/// The same behind a gateway.
fn gateway(status: u16, fields: Fields, trailers: Fields) -> (Server, Record) {
    behind(
        AuthLayerBuilder::for_gateway,
        origin_realm(),
        status,
        fields,
        trailers,
    )
}

fn behind(
    made: fn(AuthLayerBuilder<Store>) -> AuthLayerBuilder<Store>,
    realm: Realm,
    status: u16,
    fields: Fields,
    trailers: Fields,
) -> (Server, Record) {
    let (inner, record) = recording(status, fields, trailers);
    let realm = realm.with_cleartext_basic();
    let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, Store);
    (collected(made(layer).build().layer(inner)), record)
}

/// The service behind the layers.
fn recording<B: 'static>(
    status: u16,
    fields: Fields,
    trailers: Fields,
) -> (
    impl Service<
        Request<B>,
        Response = Response<UnsyncBoxBody<Bytes, Infallible>>,
        Error = Infallible,
        Future: Send,
    > + Clone
    + Send
    + Sync,
    Record,
) {
    let record = Record::default();
    let log = Arc::clone(&record);
    let inner = service_fn(move |request: Request<B>| {
        log.lock().unwrap().push(request.headers().clone());
        let body = Body::from("of the service");
        let trailers = map(trailers);
        let body = match trailers.is_empty() {
            true => body.boxed_unsync(),
            false => body
                .with_trailers(async { Some(Ok(trailers)) })
                .boxed_unsync(),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status.try_into().unwrap();
        *response.headers_mut() = map(fields);
        async { Ok::<_, Infallible>(response) }
    });
    (inner, record)
}

fn map(fields: Fields) -> HeaderMap {
    let field = |(name, value): &(&'static str, &'static str)| {
        let value = HeaderValue::from_static(value);
        (HeaderName::from_static(name), value)
    };
    fields.iter().map(field).collect()
}

fn origin_realm() -> Realm {
    Realm::new("files").unwrap()
}

fn proxy_realm() -> Realm {
    Realm::new("proxy").unwrap().for_proxy()
}

fn with_basic(field: &'static str) -> Request<Body> {
    let value = basic_credentials(USER.0, USER.1).unwrap();
    let mut request = get("http://a.example/");
    let mut value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
    value.set_sensitive(true);
    request.headers_mut().insert(field, value);
    request
}

fn values<'a>(response: &'a Response<Body>, name: &str) -> Vec<&'a str> {
    let values = response.headers().get_all(name).iter();
    values.map(|value| value.to_str().unwrap()).collect()
}

/// A client that logs in to the proxy by Digest.
fn proxy_client(network: &Network) -> AuthClient<Server, ()> {
    let proxy = Endpoint::proxy("http", "proxy.example", 3128);
    let cache = knowing(&proxy, Policy::new(), mufasa());
    let layer = AuthClientLayer::new(cache).with_proxy(proxy);
    layer.layer(network.service())
}

#[tokio::test]
async fn credentials_for_a_proxy_do_not_reach_the_origin() {
    let (server, record) = server(proxy_realm(), 200, &[]);
    let network = Network::default().with("a.example", server);
    let client = proxy_client(&network);
    let mut own = HeaderValue::from_static("Bearer of-the-origin");
    own.set_sensitive(true);
    let mut by_digest = get("http://a.example/");
    let mut by_basic = with_basic("proxy-authorization");
    for request in [&mut by_digest, &mut by_basic] {
        request.headers_mut().insert("authorization", own.clone());
    }
    let response = client.oneshot(by_digest).await.unwrap();
    assert_eq!(response.status(), 200);
    let response = network.service().oneshot(by_basic).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(network.take_statuses(), [407, 200, 200]);
    let record = record.lock().unwrap();
    assert_eq!(record.len(), 2);
    for headers in record.iter() {
        assert_eq!(headers.get("proxy-authorization"), None);
        assert_eq!(headers["authorization"], own, "is for the origin");
    }
}

const CHALLENGE: (&str, &str) = ("proxy-authenticate", r#"Basic realm="proxy""#);
const INFO: (&str, &str) = ("proxy-authentication-info", r#"nextnonce="of-the-origin""#);
const ASKS: (&str, &str) = ("www-authenticate", r#"Basic realm="files""#);
const TELLS: (&str, &str) = ("authentication-info", "a=b");
const OPTIONAL: (&str, &str) = ("optional-www-authenticate", r#"Basic realm="files""#);
const CONTROL: (&str, &str) = ("authentication-control", r#"Digest realm="files""#);
const ALL: [(&str, &str); 6] = [CHALLENGE, INFO, ASKS, TELLS, OPTIONAL, CONTROL];

#[tokio::test]
async fn a_407_of_an_origin_is_a_502_and_logs_nobody_out() {
    let fields = &[CHALLENGE, INFO, ("set-cookie", "a=b")];
    let (server, record) = server(proxy_realm(), 407, fields);
    let network = Network::default().with("a.example", server);
    let client = proxy_client(&network);
    for _ in 0..2 {
        let request = get("http://a.example/");
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 502);
        let infos = values(&response, INFO.0);
        assert_eq!((infos.len(), infos[0].contains("rspauth=")), (1, true));
        for (name, _) in [CHALLENGE, ("set-cookie", "")] {
            assert_eq!(values(&response, name), [""; 0]);
        }
        assert_eq!(text(response).await, "");
    }
    assert_eq!(network.take_statuses(), [407, 502, 502]);
    assert_eq!(record.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn fields_about_the_login_at_a_proxy_are_its_own() {
    for status in [200, 401] {
        let (server, _) = server(proxy_realm(), status, &ALL);
        let request = with_basic("proxy-authorization");
        let by_basic = server.clone().oneshot(request).await.unwrap();
        assert_eq!(values(&by_basic, INFO.0), [""; 0]);
        let network = Network::default().with("a.example", server);
        let request = get("http://a.example/");
        let by_digest = proxy_client(&network).oneshot(request).await.unwrap();
        let infos = values(&by_digest, INFO.0);
        assert_eq!(infos.len(), 1);
        assert!(!infos[0].contains("of-the-origin"), "{infos:?}");
        for response in [by_basic, by_digest] {
            assert_eq!(response.status(), status);
            assert_eq!(values(&response, CHALLENGE.0), [""; 0]);
            assert_eq!(values(&response, ASKS.0), [ASKS.1], "of the origin");
            assert_eq!(values(&response, TELLS.0), [TELLS.1]);
        }
    }
}

/// A client that takes trailers for header fields must not find in them what the proxy has not said.
#[tokio::test]
async fn trailers_are_no_fields_of_a_proxy() {
    const CREDENTIALS: (&str, &str) = ("proxy-authorization", "Basic eDp5");
    const TRAILERS: Fields = &[CHALLENGE, INFO, CREDENTIALS, ASKS, TELLS];
    let (server, _) = server_with_trailers(proxy_realm(), 200, &[], TRAILERS);
    let network = Network::default().with("a.example", server);
    let response = proxy_client(&network)
        .oneshot(get("http://a.example/"))
        .await;
    let response = response.unwrap();
    assert_eq!(network.take_statuses(), [407, 200]);
    let infos = values(&response, INFO.0);
    assert_eq!((infos.len(), infos[0].contains("rspauth=")), (1, true));
    for (name, _) in [CHALLENGE, CREDENTIALS] {
        assert_eq!(values(&response, name), [""; 0]);
    }
    for (name, value) in [ASKS, TELLS] {
        assert_eq!(values(&response, name), [value], "of the origin");
    }
    assert_eq!(text(response).await, "of the service");

    let (server, _) = server_with_trailers(origin_realm(), 200, &[], TRAILERS);
    let response = server.oneshot(with_basic("authorization")).await.unwrap();
    for (name, value) in TRAILERS {
        assert_eq!(values(&response, name), [*value], "of the same origin");
    }
}

/// The service of an origin is part of it, and may ask for other credentials, or be a proxy itself.
#[tokio::test]
async fn an_origin_passes_the_fields_of_its_service() {
    for status in [200, 401, 407] {
        let (server, record) = server(origin_realm(), status, &ALL);
        let mut request = with_basic("authorization");
        let value = HeaderValue::from_static("Basic eDp5");
        let headers = request.headers_mut();
        headers.insert("proxy-authorization", value.clone());
        let response = server.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status);
        for (name, value) in ALL {
            assert_eq!(values(&response, name), [value]);
        }
        let record = record.lock().unwrap();
        assert_eq!(record[0].get("proxy-authorization"), Some(&value));
    }
    // Of two proofs the client could take the wrong one.
    let (server, _) = server(origin_realm(), 200, &ALL);
    let network = Network::default().with("a.example", server);
    let client = network.client(Policy::new(), mufasa());
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    let infos = values(&response, TELLS.0);
    assert_eq!((infos.len(), infos.contains(&TELLS.1)), (1, false));
}

/// The same for routes of a gateway that need no login.
fn open_gateway(status: u16, fields: Fields, trailers: Fields) -> (Server, Record) {
    let (inner, record) = recording(status, fields, trailers);
    (collected(GatewayLayer::new().layer(inner)), record)
}

type Make = fn(u16, Fields, Fields) -> (Server, Record);

const GATEWAYS: [Make; 2] = [gateway, open_gateway];

/// Credentials of both kinds.
fn with_both() -> Request<Body> {
    let mut request = with_basic("authorization");
    let credentials = request.headers()["authorization"].clone();
    let headers = request.headers_mut();
    headers.insert("proxy-authorization", credentials);
    request
}

#[tokio::test]
async fn credentials_for_a_gateway_do_not_reach_the_servers_behind_it() {
    for gateway in GATEWAYS {
        let (server, record) = gateway(200, &[], &[]);
        let network = Network::default().with("a.example", server);
        let client = network.client(Policy::new(), mufasa());
        let by_digest = get("https://a.example/");
        assert_eq!(client.oneshot(by_digest).await.unwrap().status(), 200);
        let response = network.service().oneshot(with_both()).await.unwrap();
        assert_eq!(response.status(), 200);
        let record = record.lock().unwrap();
        assert_eq!(record.len(), 2);
        for headers in record.iter() {
            assert_eq!(headers.get("authorization"), None);
            assert_eq!(headers.get("proxy-authorization"), None);
        }
    }
}

/// Passed on, its challenge would ask the users of the gateway, or of the client's proxy, for their
/// password.
#[tokio::test]
async fn a_401_or_407_behind_a_gateway_is_a_502_and_logs_nobody_out() {
    const FIELDS: Fields = &[
        CHALLENGE,
        INFO,
        ASKS,
        TELLS,
        OPTIONAL,
        ("set-cookie", "a=b"),
    ];
    for status in [401, 407] {
        let (server, record) = gateway(status, FIELDS, &[]);
        let network = Network::default().with("a.example", server);
        let client = network.client(Policy::new(), mufasa());
        for _ in 0..2 {
            let request = get("https://a.example/");
            let response = client.clone().oneshot(request).await.unwrap();
            assert_eq!(response.status(), 502);
            let infos = values(&response, TELLS.0);
            assert_eq!((infos.len(), infos[0].contains("rspauth=")), (1, true));
            for (name, _) in [ASKS, CHALLENGE, INFO, OPTIONAL, CONTROL, ("set-cookie", "")] {
                assert_eq!(values(&response, name), [""; 0]);
            }
            assert_eq!(text(response).await, "");
        }
        assert_eq!(network.take_statuses(), [401, 502, 502]);
        assert_eq!(record.lock().unwrap().len(), 2);

        let (server, _) = open_gateway(status, FIELDS, &[]);
        let response = server.oneshot(with_both()).await.unwrap();
        assert_eq!(response.status(), 502);
        assert_eq!(response.headers().len(), 0);
    }
}

#[tokio::test]
async fn fields_about_the_login_at_a_gateway_are_its_own() {
    const CREDENTIALS: (&str, &str) = ("authorization", "Basic eDp5");
    const OTHER: (&str, &str) = ("cache-control", "public, max-age=60");
    const PRIVATE: &str = "private, max-age=60";
    const FIELDS: Fields = &[CHALLENGE, INFO, ASKS, TELLS, OPTIONAL, CONTROL, OTHER];
    const TRAILERS: Fields = &[
        ASKS,
        TELLS,
        CREDENTIALS,
        CHALLENGE,
        INFO,
        OPTIONAL,
        ("x", "y"),
    ];
    for status in [200, 403] {
        let (server, _) = gateway(status, FIELDS, TRAILERS);
        let by_basic = server.clone().oneshot(with_both()).await.unwrap();
        assert_eq!(values(&by_basic, TELLS.0), [""; 0]);
        let network = Network::default().with("a.example", server);
        let client = network.client(Policy::new(), mufasa());
        let by_digest = client.oneshot(get("https://a.example/")).await.unwrap();
        let infos = values(&by_digest, TELLS.0);
        assert_eq!((infos.len(), infos.contains(&TELLS.1)), (1, false));
        let (server, _) = open_gateway(status, FIELDS, TRAILERS);
        let open = server.oneshot(with_both()).await.unwrap();
        assert_eq!(values(&open, TELLS.0), [""; 0]);
        for (response, caching) in [(by_basic, PRIVATE), (by_digest, PRIVATE), (open, OTHER.1)] {
            assert_eq!(response.status(), status);
            for (name, _) in [ASKS, CHALLENGE, INFO, CREDENTIALS, OPTIONAL, CONTROL] {
                assert_eq!(values(&response, name), [""; 0]);
            }
            assert_eq!(values(&response, OTHER.0), [caching]);
            assert_eq!(values(&response, "x"), ["y"]);
        }
    }
}

#[test]
#[should_panic(expected = "a realm for_proxy() in a layer for_gateway()")]
fn a_proxy_is_no_gateway() {
    let auth = authenticator(proxy_realm());
    let _ = AuthLayer::builder(auth, Channel::Encrypted, Store).for_gateway();
}

#[test]
#[should_panic(expected = "a realm for_proxy() in a layer for_gateway()")]
fn no_area_of_a_gateway_is_a_proxy() {
    let layer = AuthLayer::builder(authenticator(origin_realm()), Channel::Encrypted, Store);
    let _ = layer.for_gateway().build().with_realm(proxy_realm());
}

/// An area of a gateway forwards, too, also for nobody.
#[tokio::test]
async fn each_area_of_a_gateway_keeps_the_credentials() {
    let layer = AuthLayer::builder(authenticator(origin_realm()), Channel::Encrypted, Store);
    let other = Realm::new("other").unwrap().with_basic();
    let area = layer.for_gateway().build().with_realm(other);
    let open = area.clone().with_optional_login();
    let nobody = with_basic("proxy-authorization");
    for (area, request) in [(area, with_both()), (open, nobody)] {
        let (inner, record) = recording(401, &[], &[]);
        let response = collected(area.layer(inner)).oneshot(request).await;
        assert_eq!(response.unwrap().status(), 502);
        assert_eq!(record.lock().unwrap()[0].len(), 0);
    }
}

/// After an upgrade to HTTP/2, later requests of the connection would go past the layer to the
/// server behind it, with their credentials. Some clients take a 101 for that whatever it names.
#[tokio::test]
async fn upgrades_to_another_http_do_not_pass() {
    let proxy: Make = |status, fields, _| server(proxy_realm(), status, fields);
    let websocket = Some("websocket");
    for (offered, answered, passed, status) in [
        ("", "websocket", None, 502),
        ("h2c", "h2c", None, 502),
        ("h2c", "websocket", None, 502),
        ("TLS/1.0, HTTP/1.1", "TLS/1.0", None, 502),
        ("h2c, websocket", "websocket", None, 502),
        ("websocket, h2c", "websocket", None, 502),
        ("websocket|h2c", "websocket", None, 502),
        ("WebSocket", "WebSocket", websocket, 101),
        ("websocket", "websocket", websocket, 101),
        ("websocket", "h2c", websocket, 502),
        ("websocket", "h2c, websocket", websocket, 502),
    ] {
        for make in GATEWAYS.into_iter().chain([proxy]) {
            let fields = Box::leak(Box::new([("upgrade", answered)]));
            let (server, record) = make(101, fields, &[]);
            let mut request = with_both();
            let headers = request.headers_mut();
            let settings = HeaderValue::from_static("AAMAAABkAAQAoAAA");
            headers.insert("http2-settings", settings);
            for offered in offered.split('|').filter(|it| !it.is_empty()) {
                headers.append("upgrade", HeaderValue::from_static(offered));
            }
            let response = server.oneshot(request).await.unwrap();
            assert_eq!(response.status(), status, "{offered} {answered}");
            let seen = record.lock().unwrap()[0].clone();
            let upgrade = seen.get("upgrade").map(|value| value.to_str().unwrap());
            assert_eq!(upgrade.map(str::to_lowercase).as_deref(), passed);
            assert_eq!(seen.contains_key("http2-settings"), offered.is_empty());
        }
    }
}

/// What only caches in front of a gateway read: RFC 9213 and its vendors' forms, Edge Architecture,
/// Akamai, nginx.
const FOR_CACHES: [&str; 7] = [
    "cdn-cache-control",
    "cloudflare-cdn-cache-control",
    "x-litespeed-cache-control",
    "surrogate-control",
    "edge-control",
    "x-accel-expires",
    "x-cache-control",
];

/// A server that sees no credentials may let shared caches store what it sends.
#[tokio::test]
async fn responses_to_a_login_at_a_gateway_are_not_for_shared_caches() {
    for (sent, expected) in [
        ("", "private"),
        ("max-age=60", "private, max-age=60"),
        ("no-store", "private, no-store"),
        ("Public, max-age=60", "private, max-age=60"),
        ("s-maxage=60,, no-store", "private, no-store"),
        ("no-cache, x=y", "private, no-cache, x=y"),
        (
            r#"no-cache="a, public", public"#,
            "private, no-cache, no-store",
        ),
    ] {
        let mut fields = Vec::from(FOR_CACHES.map(|name| (name, "max-age=60")));
        if !sent.is_empty() {
            fields.push(("cache-control", sent));
        }
        let fields = &*fields.leak();
        let (closed, _) = gateway(200, fields, &[]);
        let response = closed.oneshot(with_both()).await.unwrap();
        assert_eq!(values(&response, "cache-control"), [expected], "{sent}");
        for name in FOR_CACHES {
            assert_eq!(values(&response, name), [""; 0]);
        }
        // What needs no login may be stored, and an origin knows its own.
        let origin = server(origin_realm(), 200, fields);
        for (open, _) in [open_gateway(200, fields, &[]), origin] {
            let response = open.oneshot(with_both()).await.unwrap();
            assert_eq!(response.headers().len(), fields.len());
            assert_eq!(values(&response, "cache-control").concat(), sent);
        }
    }
}
