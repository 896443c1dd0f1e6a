//! The client layer against the server layer.

use std::convert::Infallible;
use std::time::Duration;

use countersign::Channel;
use countersign::client::{Account, GiveUp, Policy, ServerProof};
use countersign::digest::HashFunction;
use countersign::server::Realm;
use countersign_tower::client::{AuthClientError, AuthClientLayer, LoginFailure, Once, Replay};
use countersign_tower::server::AuthLayer;
use http::Request;
use http_body_util::BodyExt;
use tower::{Layer, ServiceExt, service_fn};

use crate::support::{
    Body, Network, Store, Typist, USER, authenticator, behind, cache, get, knowing, mufasa,
    mufasas_cache, origin, text,
};

fn network() -> Network {
    let auth = authenticator(Realm::new("files").unwrap());
    let server = behind(AuthLayer::new(auth, Channel::Encrypted, Store));
    Network::default().with("a.example", server)
}

#[tokio::test]
async fn a_401_and_then_a_200() {
    let network = network();
    let client = network.client(Policy::new(), mufasa());
    let request = Request::post("https://a.example/a?b=c").body("Hakuna Matata".into());
    let response = client.clone().oneshot(request.unwrap()).await.unwrap();
    assert_eq!(response.extensions().get(), Some(&ServerProof::Valid));
    assert_eq!(text(response).await, "hello Mufasa: Hakuna Matata");
    assert_eq!(network.take_statuses(), [401, 200]);
    // Known by now.
    let response = client.oneshot(get("https://a.example/d")).await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(network.take_statuses(), [200]);
}

#[tokio::test]
async fn a_uri_with_a_query_and_no_path() {
    let network = network();
    let client = network.client(Policy::new(), mufasa());
    let response = client.oneshot(get("https://a.example?b=c")).await.unwrap();
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn a_wrong_password_is_sent_once() {
    let network = network();
    let client = network.client(Policy::new(), Account::new(USER.0, "wrong"));
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!(response.status(), 401);
    let why = response.extensions().get::<LoginFailure>();
    assert!(
        matches!(why, Some(LoginFailure::GiveUp(GiveUp::WrongCredentials(_)))),
        "{why:?}"
    );
    assert_eq!(network.take_statuses(), [401, 401]);
}

/// The layer has no timer, and awaits the body.
#[tokio::test]
async fn a_challenge_that_stalls_ends_with_a_limit_around_the_layer() {
    let network = network();
    let unwrapped = network.service();
    let service = service_fn(move |request: Request<Body>| {
        let unwrapped = unwrapped.clone();
        async move {
            let response = unwrapped.oneshot(request).await?;
            let is_challenge = response.status() == 401;
            Ok::<_, Infallible>(response.map(|body| match is_challenge {
                true => body.with_trailers(std::future::pending()).boxed_unsync(),
                false => body.boxed_unsync(),
            }))
        }
    });
    let client = AuthClientLayer::new(mufasas_cache()).layer(service);
    let get = || client.clone().oneshot(get("https://a.example/"));
    let limit = Duration::from_millis(100);
    assert!(tokio::time::timeout(limit, get()).await.is_err());
    // The login was made before the body was read, and nothing is locked.
    assert_eq!(get().await.unwrap().status(), 200);
    assert_eq!(network.take_statuses(), [401, 200]);
}

#[tokio::test]
async fn a_user_may_try_again() {
    let network = network();
    let user = Typist::new(&["wrong", "wrong, too", USER.1]);
    let client = network.asking(Policy::new(), user.clone());
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!((response.status().as_u16(), user.asked()), (200, 3));
    assert!(response.extensions().get::<LoginFailure>().is_none());
    assert_eq!(network.take_statuses(), [401, 401, 401, 200]);
}

#[tokio::test]
async fn ever_new_wrong_passwords_come_to_an_end() {
    let network = network();
    let user = Typist::new(&["1", "2", "3", "4", "5", "6", "7"]);
    let client = network.asking(Policy::new(), user.clone());
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!((response.status().as_u16(), user.asked()), (401, 5));
}

#[tokio::test]
async fn a_stale_nonce_needs_no_prompt() {
    let auth = authenticator(Realm::new("files").unwrap());
    let server = behind(AuthLayer::new(auth.clone(), Channel::Encrypted, Store));
    let network = Network::default().with("a.example", server);
    let user = Typist::new(&[USER.1]);
    let client = network.asking(Policy::new(), user.clone());
    for _ in 0..2 {
        let request = get("https://a.example/");
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        // Twice, so that the key of the first nonce is gone.
        for _ in 0..2 {
            auth.rotate(&mut getrandom::SysRng).unwrap();
        }
    }
    assert_eq!(network.take_statuses(), [401, 200, 401, 200]);
    assert_eq!(user.asked(), 1);
}

#[tokio::test]
async fn credentials_of_the_caller_are_left_alone() {
    let network = network();
    let user = Typist::new(&[USER.1]);
    let client = network.asking(Policy::new(), user.clone());
    let mut request = get("https://a.example/");
    let mut token = http::HeaderValue::from_static("Bearer abc");
    token.set_sensitive(true);
    request.headers_mut().insert("authorization", token);
    let response = client.oneshot(request).await.unwrap();
    assert_eq!(response.status(), 401);
    assert_eq!(response.extensions().get::<ServerProof>(), None);
    assert_eq!(response.extensions().get::<LoginFailure>(), None);
    let seen = network.take_seen();
    assert_eq!(seen[0].authorization.as_deref(), Some("Bearer abc"));
    assert_eq!((seen.len(), user.asked()), (1, 0));
}

#[tokio::test]
async fn a_stream_is_sent_once() {
    assert!(Once(Body::default()).hash(HashFunction::Sha256).is_none());
    let network = network();
    let unwrapped = network.service();
    let service = service_fn(move |request: Request<Once<Body>>| {
        unwrapped.clone().oneshot(request.map(|Once(body)| body))
    });
    let client = AuthClientLayer::new(mufasas_cache()).layer(service);
    let put = || {
        Request::put("https://a.example/")
            .body(Once("data".into()))
            .unwrap()
    };
    let response = client.clone().oneshot(put()).await.unwrap();
    assert_eq!(response.status(), 401);
    assert_eq!(network.take_statuses(), [401]);
}

#[tokio::test]
async fn a_path_alone_needs_an_origin() {
    let network = network();
    let layer = AuthClientLayer::new(mufasas_cache());
    let error = layer
        .layer(network.service())
        .oneshot(get("/"))
        .await
        .unwrap_err();
    assert!(matches!(error, AuthClientError::UnknownOrigin));
    let client = layer
        .with_origin(origin("a.example"))
        .layer(network.service());
    assert_eq!(client.oneshot(get("/")).await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_logout_forgets_the_login() {
    let network = network();
    let user = Typist::new(&[USER.1, USER.1]);
    let layer = AuthClientLayer::with_credentials(cache(Policy::new()), user.clone());
    let client = layer.layer(network.service());
    for asked in 1..=2 {
        let request = get("https://a.example/");
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!((response.status().as_u16(), user.asked()), (200, asked));
        layer.logout(&origin("a.example"));
    }
}

/// Whoever answers in place of a server whose certificate is not verified could ask for the password.
#[tokio::test]
async fn without_verified_certificates_basic_is_as_in_clear() {
    let realm = || Realm::new("files").unwrap();
    let basic = realm().with_algorithms(&[]).with_cleartext_basic();
    for (realm, status) in [(realm(), 200), (basic, 401)] {
        let server = behind(AuthLayer::new(
            authenticator(realm),
            Channel::Encrypted,
            Store,
        ));
        let network = Network::default().with("a.example", server);
        for (channel, status) in [(Channel::Cleartext, status), (Channel::Encrypted, 401)] {
            let login = origin("a.example").with_channel(channel);
            let cache = knowing(&login, Policy::new(), mufasa().with_basic());
            let layer = AuthClientLayer::new(cache).with_unverified_tls();
            let client = layer.clone().layer(network.service());
            let response = client.oneshot(get("https://a.example/")).await.unwrap();
            assert_eq!(response.status(), status);
        }
        let sent = network
            .take_seen()
            .into_iter()
            .filter_map(|seen| seen.authorization);
        for authorization in sent {
            assert!(authorization.starts_with("Digest "), "{authorization}");
        }
    }
}

#[tokio::test]
async fn a_login_without_verified_certificates_ends_by_the_usual_endpoint() {
    let network = network();
    let user = Typist::new(&[USER.1, USER.1]);
    let layer = AuthClientLayer::with_credentials(cache(Policy::new()), user);
    let layer = layer.with_unverified_tls();
    let client = layer.layer(network.service());
    for statuses in [&[401, 200][..], &[200], &[401, 200]] {
        let response = client.clone().oneshot(get("https://a.example/")).await;
        assert_eq!(response.unwrap().status(), 200);
        assert_eq!(network.take_statuses(), statuses);
        if statuses.len() == 1 {
            layer.logout(&origin("a.example"));
        }
    }
    layer.logout(&origin("a.example"));
    layer.add_account(&origin("a.example"), mufasa()).unwrap();
    let response = client.oneshot(get("https://a.example/")).await;
    assert_eq!(response.unwrap().status(), 200);
}
