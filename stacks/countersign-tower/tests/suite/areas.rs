//! Realms by route, and routers within routers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::OriginalUri;
use axum::routing::get as route;
use axum::{Extension, Router};
use countersign::client::{Client, Exchange, Policy};
use countersign::server::Realm;
use countersign::{Channel, Target};
use countersign_tower::client::AuthClientLayer;
use countersign_tower::server::{AuthLayer, ClientUri, Identity};
use http::Request;
use tower::{Layer, ServiceExt, service_fn};

use crate::support::{
    Body, Network, Store, Typist, USER, authenticator, behind, by_path, cache, get, mufasa,
    mufasas_cache, origin,
};

fn files() -> Realm {
    Realm::new("files").unwrap().with_domain("/files/").unwrap()
}

fn admin() -> Realm {
    Realm::new("admin").unwrap().with_domain("/admin/").unwrap()
}

async fn name(Extension(identity): Extension<Identity<Store>>) -> String {
    identity.account().to_string()
}

/// What a program on another version of axum does.
async fn keep_uri(request: axum::extract::Request) -> axum::extract::Request {
    let (mut head, body) = request.into_parts();
    let OriginalUri(uri) = head.extensions.remove().unwrap();
    head.extensions.insert(ClientUri::from(uri));
    Request::from_parts(head, body)
}

fn router() -> Router {
    let auth = authenticator(files());
    let layer = AuthLayer::new(auth, Channel::Encrypted, Store);
    let x = |layer| {
        let x = Router::new().route("/x", route(name));
        x.layer(layer)
            .layer(axum::middleware::map_request(keep_uri))
    };
    Router::new()
        .nest("/admin", x(layer.with_realm(admin())))
        .nest("/files", x(layer))
        .route("/open", route(|| async { "anyone" }))
}

async fn check(router: Router) {
    let asked = Typist::new(&[USER.1, USER.1]);
    let service = service_fn(move |request: Request<Body>| router.clone().oneshot(request));
    let client =
        AuthClientLayer::with_credentials(cache(Policy::new()), asked.clone()).layer(service);
    for (path, status, prompts) in [
        ("/open", 200, 0),
        ("/files/x", 200, 1),
        ("/admin/x", 200, 2),
        ("/files/x?y", 200, 2),
        ("/admin/x?y", 200, 2),
        ("/files/z", 404, 2),
    ] {
        let request = get(&format!("https://a.example{path}"));
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(
            (response.status().as_u16(), asked.asked()),
            (status, prompts),
            "{path}"
        );
    }
}

#[tokio::test]
async fn each_route_has_its_realm_within_a_nested_router() {
    check(router()).await;
}

#[cfg(feature = "axum")]
#[tokio::test]
async fn the_feature_finds_the_original_uri() {
    let layer =
        AuthLayer::builder(authenticator(files()), Channel::Encrypted, Store).on_event(|event| {
            assert_eq!(event.uri, "/a/b/x?y");
            assert_eq!(event.head.uri.path(), "/x");
        });
    let inner = Router::new().route("/x", route(name)).layer(layer.build());
    let router = Router::new().nest("/a", Router::new().nest("/b", inner));
    let service = service_fn(move |request: Request<Body>| router.clone().oneshot(request));
    let client = AuthClientLayer::new(mufasas_cache()).layer(service);
    let response = client
        .oneshot(get("https://a.example/a/b/x?y"))
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
}

/// The realms that ask for credentials, by path; a status where none does.
async fn asked(router: Router) -> Vec<String> {
    let mut asked = Vec::new();
    for path in ["/files/x", "/admin/x", "/open", "/files/z", "/z"] {
        let response = router.clone().oneshot(get(path)).await.unwrap();
        asked.push(match response.headers().get("www-authenticate") {
            None => response.status().as_u16().to_string(),
            Some(value) => match value.to_str().unwrap().contains(r#"realm="files""#) {
                true => "files".to_owned(),
                false => "admin".to_owned(),
            },
        });
    }
    asked
}

#[tokio::test]
async fn a_route_layer_leaves_unknown_paths_open() {
    let auth = authenticator(files());
    let layer = || AuthLayer::new(Arc::clone(&auth), Channel::Encrypted, Store);
    let at = |path| Router::new().route(path, route(name));
    let open = || Router::new().route("/open", route(|| async { "anyone" }));
    let by_route_layer = open()
        .nest("/files", at("/x").route_layer(layer()))
        .merge(at("/admin/x").route_layer(layer().with_realm(admin())));
    let expected = ["files", "admin", "200", "404", "404"];
    assert_eq!(asked(by_route_layer).await, expected);
    let by_layer = open()
        .nest("/files", at("/x").layer(layer()))
        .merge(at("/admin/x").layer(layer().with_realm(admin())));
    let expected = ["files", "admin", "200", "admin", "admin"];
    assert_eq!(asked(by_layer).await, expected);
}

/// What the documentation of the module says about routers below `nest`.
#[tokio::test]
async fn a_layer_below_nest_protects_unknown_paths_by_a_fallback_of_its_own() {
    let auth = authenticator(files());
    let layer = || AuthLayer::new(Arc::clone(&auth), Channel::Encrypted, Store);
    let inner = || Router::new().route("/x", route(name));
    let open = || Router::new().route("/open", route(|| async { "anyone" }));
    let nested = open().nest("/files", inner().layer(layer()));
    let expected = ["files", "404", "200", "404", "404"];
    assert_eq!(asked(nested.clone()).await, expected);
    let outside = nested.fallback(|| async { "anyone" });
    let expected = ["files", "200", "200", "200", "200"];
    assert_eq!(asked(outside).await, expected);
    let fallback = inner().fallback(|| async { "files" });
    let own = open().nest("/files", fallback.clone().layer(layer()));
    let expected = ["files", "404", "200", "files", "404"];
    assert_eq!(asked(own).await, expected);
    let by_route_layer = open().nest("/files", fallback.route_layer(layer()));
    let expected = ["files", "404", "200", "200", "404"];
    assert_eq!(asked(by_route_layer).await, expected);
}

#[tokio::test]
async fn credentials_for_one_realm_are_refused_in_the_other() {
    let layer = AuthLayer::builder(authenticator(files()), Channel::Encrypted, Store);
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    let layer = layer.on_event(move |event| {
        count.fetch_add(1, Ordering::Relaxed);
        let expected = match event.head.uri.path().starts_with("/admin/") {
            true => "admin",
            false => "files",
        };
        assert_eq!(event.realm, expected);
    });
    let layer = layer.build();
    let server = by_path(behind(layer.with_realm(admin())), behind(layer));
    let network = Network::default().with("a.example", server.clone());
    let mut cache = mufasas_cache();
    let admin = mufasa().for_realm("admin");
    cache.add_account(&origin("a.example"), admin).unwrap();
    let client = AuthClientLayer::new(cache).layer(network.service());
    for uri in ["https://a.example/files/x", "https://a.example/admin/x"] {
        let response = client.clone().oneshot(get(uri)).await.unwrap();
        assert_eq!(response.status(), 200);
    }
    let seen = network.take_seen();
    let value = seen
        .iter()
        .find_map(|seen| seen.authorization.clone())
        .unwrap();
    let mut request = get("https://a.example/admin/x");
    request
        .headers_mut()
        .insert("authorization", value.parse().unwrap());
    let response = server.oneshot(request).await.unwrap();
    assert_eq!(response.status(), 401);
    let challenge = response.headers()["www-authenticate"].to_str().unwrap();
    assert!(challenge.contains(r#"realm="admin""#), "{challenge}");
    assert!(!challenge.contains("stale"), "{challenge}");
    // Of both areas.
    assert_eq!(told.load(Ordering::Relaxed), 1 + seen.len());
}

/// Also one that `http::Uri` refuses, which a web server in front passes on in a field of its own.
#[tokio::test]
async fn a_request_target_is_the_one_that_the_client_sent() {
    let layer = AuthLayer::new(authenticator(files()), Channel::Encrypted, Store);
    let server = behind(layer);
    let target = "/search?q={\"a\":[1]}|\\^`<>";
    assert!(target.parse::<http::Uri>().is_err());
    let from = |target: &str| Some(ClientUri::from_target(target));
    for (uri, sent, status) in [
        (from(target), target, 200),
        (from("/"), target, 400),
        (None, "/rewritten", 200),
        (
            Some(ClientUri::from("/x?y".parse::<http::Uri>().unwrap())),
            "/x?y",
            200,
        ),
    ] {
        let response = server.clone().oneshot(get("/")).await.unwrap();
        let mut client = Client::from_seed(origin("a.example"), Policy::new(), [7; 32])
            .with_account(mufasa())
            .unwrap();
        let mut exchange = Exchange::new();
        let challenges = response.headers().get_all("www-authenticate").iter();
        let _ = client.challenged(&mut exchange, countersign::challenges(challenges));
        let answer = client
            .authorize(&mut exchange, &Target::new("GET", sent))
            .unwrap();
        let answer = answer.for_new_request().unwrap().to_str().unwrap();
        let mut request = get("/rewritten");
        // axum's, which does not take precedence.
        let original = OriginalUri("/original".parse().unwrap());
        if let Some(uri) = uri {
            request.extensions_mut().insert(original);
            request.extensions_mut().insert(uri);
        }
        request
            .headers_mut()
            .insert("authorization", answer.parse().unwrap());
        let response = server.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{sent}");
    }
}
