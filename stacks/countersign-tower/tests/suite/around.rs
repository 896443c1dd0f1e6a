//! What the page `around` says of layers around `AuthLayer` and within it.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::Body as AxumBody;
use axum::middleware::{from_fn, map_request};
use axum::routing::get as route;
use countersign::client::Policy;
use countersign::digest::QopSet;
use countersign::server::Realm;
use countersign::wire::basic_credentials;
use countersign::{Channel, Scheme};
use countersign_tower::client::AuthClientLayer;
use countersign_tower::server::{AuthLayer, AuthLayerBuilder, ForwardedLayer, Identity, Limiter};
use http::{HeaderName, HeaderValue, Method, Request, Response};
use tower::util::{BoxCloneSyncService, MapRequestLayer};
use tower::{Layer, Service, ServiceExt, service_fn};
use tower_http::cors::CorsLayer;
use tower_http::normalize_path::NormalizePathLayer;

use crate::support::{
    Body, Network, Server, Store, USER, authenticator, collected, get, knowing, mufasa, origin,
};

mod kept {
    include!("../readme/keep_uri.rs");

    pub(crate) fn keep(request: Request) -> Request {
        keep_uri(request)
    }
}

mod quiet {
    include!("../readme/no_prompt.rs");

    pub(crate) async fn without_prompt(request: Request, next: Next) -> Response {
        no_prompt(request, next).await
    }
}

mod out {
    include!("../readme/log_out.rs");

    pub(crate) async fn forget(request: Request) -> Request {
        log_out(request).await
    }
}

#[test]
fn the_page_has_these_programs() {
    let page = include_str!("../../docs/around.md");
    for program in [
        include_str!("../readme/keep_uri.rs"),
        include_str!("../readme/no_prompt.rs"),
        include_str!("../readme/log_out.rs"),
    ] {
        assert!(page.contains(program), "{program}");
    }
}

fn builder() -> AuthLayerBuilder<Store> {
    let realm = Realm::new("files").unwrap();
    let realm = realm.with_basic();
    AuthLayer::builder(authenticator(realm), Channel::Encrypted, Store)
}

fn layer() -> AuthLayer<Store> {
    builder().build()
}

/// Tells the scheme and the method.
fn router() -> Router {
    let tell = async |request: axum::extract::Request| {
        let identity = request.extensions().get::<Identity<Store>>();
        let scheme = identity.map(Identity::scheme);
        let is_basic = matches!(scheme, Some(Scheme::Basic));
        let scheme = if is_basic { "Basic" } else { "Digest" };
        format!("{scheme} {}", request.method())
    };
    Router::new().route("/x", route(tell).post(tell))
}

/// A service of the tests of one of axum.
fn served<S, C>(service: S) -> Server
where
    S: Service<axum::extract::Request, Response = Response<C>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    C: http_body::Body<Data = bytes::Bytes, Error: std::fmt::Debug> + Send + 'static,
{
    let of_tests = |request: Request<Body>| request.map(AxumBody::new);
    collected(service.map_request(of_tests))
}

fn with(mut request: Request<Body>, name: &'static str, value: &str) -> Request<Body> {
    let value = HeaderValue::from_str(value).unwrap();
    request.headers_mut().append(name, value);
    request
}

fn with_basic(request: Request<Body>, password: &str) -> Request<Body> {
    let value = basic_credentials(USER.0, password).unwrap();
    with(request, "authorization", value.to_str().unwrap())
}

/// The statuses of a request by Digest with this policy, and by Basic.
async fn both(server: &Server, request: &Request<Body>, policy: Policy) -> [u16; 2] {
    let network = Network::default().with("a.example", server.clone());
    let client = network.client(policy, mufasa());
    let by_digest = client.oneshot(request.clone()).await.unwrap();
    let by_basic = with_basic(request.clone(), USER.1);
    let by_basic = server.clone().oneshot(by_basic).await.unwrap();
    [by_digest, by_basic].map(|response| response.status().as_u16())
}

#[tokio::test]
async fn cors_belongs_around() {
    let origin = "https://page.example";
    let cors = || {
        let wanted = ["authorization", "x-a"].map(HeaderName::from_static);
        let exposed = ["www-authenticate", "authentication-info"].map(HeaderName::from_static);
        CorsLayer::new()
            .allow_origin(HeaderValue::from_static(origin))
            .allow_credentials(true)
            .allow_methods([Method::GET])
            .allow_headers(wanted)
            .expose_headers(exposed)
    };
    let around = served(router().route_layer(layer()).layer(cors()));
    let within = served(router().route_layer(cors()).route_layer(layer()));
    let preflight = || {
        let request = Request::options("https://a.example/x").body(Body::default());
        let request = with(request.unwrap(), "origin", origin);
        let request = with(request, "access-control-request-headers", "authorization");
        with(request, "access-control-request-method", "GET")
    };
    for (server, allowed, can_read) in [(around, 200, true), (within, 401, false)] {
        let response = server.clone().oneshot(preflight()).await.unwrap();
        assert_eq!(response.status(), allowed);
        let refused = with(get("https://a.example/x"), "origin", origin);
        let refused = server.oneshot(refused).await.unwrap();
        assert_eq!(refused.status(), 401);
        let field = |name| Some(refused.headers().get(name)?.to_str().unwrap());
        let may_read = field("access-control-allow-origin") == Some(origin);
        let exposed = field("access-control-expose-headers").unwrap_or_default();
        assert_eq!(may_read && exposed.contains("www-authenticate"), can_read);
    }
}

#[tokio::test]
async fn the_channel_and_the_address_are_those_of_the_last_proxy() {
    let limiter = Limiter::new().with_limit(1, std::time::Duration::MAX);
    let layer = builder().with_limiter(limiter).build();
    let app = router().route_layer(layer);
    let server = served(app.layer(ForwardedLayer::new()));
    // By these proxies, with these addresses, and this password.
    for (channels, addresses, password, status) in [
        (&["https"][..], "192.0.2.1", USER.1, 200),
        (&["http"], "192.0.2.1", USER.1, 401),
        (&[], "192.0.2.1", USER.1, 401),
        (&["https", "http"], "192.0.2.1", USER.1, 401),
        (&["https, http"], "192.0.2.1", USER.1, 401),
        (&["http, https"], "192.0.2.1", USER.1, 200),
        (&["https"], "192.0.2.1", "wrong", 401),
        (&["https"], "192.0.2.1", USER.1, 429),
        (&["https"], "192.0.2.2, 192.0.2.1", USER.1, 429),
        (&["https"], "192.0.2.1, 192.0.2.2", USER.1, 200),
        (&["https"], "unknown", USER.1, 500),
    ] {
        let mut request = with_basic(get("https://a.example/x"), password);
        request = with(request, "x-forwarded-for", addresses);
        for channel in channels {
            request = with(request, "x-forwarded-proto", channel);
        }
        let response = server.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{channels:?} {addresses}");
    }
}

#[tokio::test]
async fn a_uri_is_kept_around_the_layer_that_changes_it() {
    let app = || NormalizePathLayer::trim_trailing_slash().layer(router().route_layer(layer()));
    let request = get("https://a.example/x/");
    let without = served(app());
    assert_eq!(both(&without, &request, Policy::new()).await, [400, 200]);
    let with = served(MapRequestLayer::new(kept::keep).layer(app()));
    assert_eq!(both(&with, &request, Policy::new()).await, [200, 200]);
}

#[tokio::test]
async fn a_method_is_overridden_within() {
    fn overriding<B>(mut request: Request<B>) -> Request<B> {
        if let Some(method) = request.headers_mut().remove("x-http-method-override") {
            *request.method_mut() = Method::from_bytes(method.as_bytes()).unwrap();
        }
        request
    }
    let within = layer().layer(MapRequestLayer::new(overriding).layer(router()));
    let around = MapRequestLayer::new(overriding).layer(layer().layer(router()));
    let request = Request::get("https://a.example/x").body(Body::default());
    let request = with(request.unwrap(), "x-http-method-override", "POST");
    for (server, by_digest) in [(served(within), 200), (served(around), 401)] {
        assert_eq!(
            both(&server, &request, Policy::new()).await,
            [by_digest, 200]
        );
    }
}

#[tokio::test]
async fn a_body_is_decoded_within() {
    let realm = Realm::new("files").unwrap().with_qop(QopSet::AUTH_INT);
    let realm = realm.with_basic();
    let auth = authenticator(realm);
    let layer = || AuthLayer::new(Arc::clone(&auth), Channel::Encrypted, Store);
    fn decode<B>(request: Request<B>) -> Request<AxumBody> {
        request.map(|_| AxumBody::from("decoded"))
    }
    let echo = || Router::new().route("/x", axum::routing::post(async |body: String| body));
    let within = layer().layer(MapRequestLayer::new(decode).layer(echo()));
    let around = MapRequestLayer::new(decode).layer(layer().layer(echo()));
    let request = Request::post("https://a.example/x").body(Body::from("coded"));
    let request = request.unwrap();
    for (server, by_digest) in [(served(within), 200), (served(around), 401)] {
        let policy = Policy::new();
        assert_eq!(both(&server, &request, policy).await, [by_digest, 200]);
    }
}

#[tokio::test]
async fn a_cookie_is_no_login() {
    let server = served(router().route_layer(layer()));
    let request = with(get("https://a.example/x"), "cookie", "session=valid");
    let response = server.oneshot(request).await.unwrap();
    assert_eq!(response.status(), 401);
}

#[tokio::test]
async fn a_route_for_the_log_out_asks_always() {
    let app = router()
        .route_layer(layer())
        .layer(map_request(out::forget));
    let server = served(app);
    let request = with_basic(get("https://a.example/x"), USER.1);
    let response = server.oneshot(request).await.unwrap();
    assert_eq!(response.status(), 401);
    let challenge = response.headers()["www-authenticate"].to_str().unwrap();
    assert!(challenge.contains(r#"realm="files""#), "{challenge}");
    assert!(!challenge.contains("stale"), "{challenge}");
}

#[tokio::test]
async fn a_script_causes_no_prompt_and_is_not_logged_out() {
    let server = served(
        router()
            .route_layer(layer())
            .layer(from_fn(quiet::without_prompt)),
    );
    let of_script = |request| with(request, "x-requested-with", "XMLHttpRequest");
    let page = || get("https://a.example/x");
    for (request, status) in [
        (page(), 401),
        (of_script(page()), 403),
        (with_basic(page(), "wrong"), 401),
        (of_script(with_basic(page(), "wrong")), 403),
        (of_script(with_basic(page(), USER.1)), 200),
    ] {
        let response = server.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status);
        let asks = response.headers().contains_key("www-authenticate");
        assert_eq!(asks, status == 401);
    }
    // Used up, as one that has expired is.
    let network = Network::default().with("a.example", server.clone());
    let client = network.client(Policy::new(), mufasa());
    client.oneshot(page()).await.unwrap();
    let used = network.take_seen().pop().unwrap().authorization.unwrap();
    let request = of_script(with(page(), "authorization", &used));
    let response = server.oneshot(request).await.unwrap();
    assert_eq!(response.status(), 401);
    let challenge = response.headers()["www-authenticate"].to_str().unwrap();
    assert!(challenge.contains("stale=true"), "{challenge}");
}

#[tokio::test]
async fn the_first_body_goes_twice_and_all_others_once() {
    const SIZE: usize = 1 << 20;
    let sent = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&sent);
    let server = served(
        Router::new()
            .route("/x", route(async || ()).post(async || ()))
            .route_layer(layer()),
    );
    let counting = BoxCloneSyncService::new(service_fn(move |request: Request<Body>| {
        let length = http_body::Body::size_hint(request.body()).exact().unwrap();
        counter.fetch_add(length as usize, Ordering::Relaxed);
        server.clone().oneshot(request)
    }));
    let client = || {
        let cache = knowing(&origin("a.example"), Policy::new(), mufasa());
        AuthClientLayer::new(cache).layer(counting.clone())
    };
    let upload = || {
        let request = Request::post("https://a.example/x");
        request.body(Body::from(vec![0; SIZE])).unwrap()
    };
    let (cold, warm) = (client(), client());
    warm.clone()
        .oneshot(get("https://a.example/x"))
        .await
        .unwrap();
    for (client, times) in [(&cold, 2), (&cold, 1), (&warm, 1)] {
        let response = client.clone().oneshot(upload()).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(sent.swap(0, Ordering::Relaxed), times * SIZE);
    }
}
