//! What axum knows of a request: handlers that ask who it is from, and the address of its connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::get as route;
use countersign::Channel;
use countersign::server::Realm;
use countersign::wire::basic_credentials;
use countersign_tower::server::{AuthLayer, Identity, Limiter, UserMap};
use http::{HeaderValue, Request};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpListener;
use tower::ServiceExt;

use crate::support::{Body, Store, USER, authenticator, get};

#[tokio::test]
async fn a_handler_names_the_store_that_it_expects() {
    async fn optional(identity: Option<Identity<Store>>) -> String {
        let account = identity.as_ref().map(Identity::account);
        format!("{account:?}")
    }
    async fn required(identity: Identity<Store>) -> String {
        identity.account().to_string()
    }
    async fn of_another(_: Identity<UserMap>) {}
    async fn of_another_or_none(identity: Option<Identity<UserMap>>) -> String {
        format!("{:?}", identity.is_none())
    }

    let realm = Realm::new("files").unwrap().with_basic();
    let layer = AuthLayer::new(authenticator(realm), Channel::Encrypted, Store);
    let router = Router::new()
        .route("/required", route(required))
        .route("/optional", route(optional))
        .route("/another", route(of_another))
        .route("/another-or-none", route(of_another_or_none))
        .route_layer(layer.with_optional_login())
        .route("/open", route(required));
    let basic = basic_credentials(USER.0, USER.1).unwrap();
    for (path, has_login, status, text) in [
        ("/required", true, 200, "Mufasa"),
        ("/required", false, 500, "no login"),
        ("/optional", true, 200, r#"Some("Mufasa")"#),
        ("/optional", false, 200, "None"),
        ("/another", true, 500, "no login"),
        ("/another-or-none", true, 200, "true"),
        ("/open", true, 500, "no login"),
    ] {
        let mut request = get(path);
        if has_login {
            let value = HeaderValue::from_bytes(basic.as_bytes()).unwrap();
            request.headers_mut().insert("authorization", value);
        }
        let response = router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{path}");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert!(body.starts_with(text.as_bytes()), "{path}: {body:?}");
    }
}

/// The server of the README has `ConnectInfo`, and so the addresses of its clients.
#[tokio::test]
async fn a_limiter_needs_connect_info() {
    let realm = Realm::new("files").unwrap();
    let auth = authenticator(realm.with_cleartext_basic());
    for (has_info, expected) in [(true, [401, 401, 429]), (false, [500; 3])] {
        let limiter = Limiter::new().with_limit(2, Duration::from_secs(300));
        let layer = AuthLayer::builder(Arc::clone(&auth), Channel::Cleartext, Store)
            .with_limiter(limiter)
            .build();
        let app = Router::new().route("/", route(async || "").layer(layer));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move {
            match has_info {
                true => {
                    let app = app.into_make_service_with_connect_info::<SocketAddr>();
                    axum::serve(listener, app).await
                }
                false => axum::serve(listener, app).await,
            }
        });
        let guess = basic_credentials(USER.0, "Circle of Lies").unwrap();
        let client = Client::builder(TokioExecutor::new()).build_http::<Body>();
        for status in expected {
            let request = Request::get(&url).header("authorization", guess.as_bytes());
            let request = request.body(Body::default()).unwrap();
            let response = client.request(request).await.unwrap();
            assert_eq!(response.status(), status, "{has_info}");
        }
    }
}
