//! Handlers of axum that ask who a request is from.

use axum::Router;
use axum::routing::get as route;
use countersign::Channel;
use countersign::server::Realm;
use countersign::wire::basic_credentials;
use countersign_tower::server::{AuthLayer, Identity, UserMap};
use http::HeaderValue;
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::support::{Store, USER, authenticator, get};

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
