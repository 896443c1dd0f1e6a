//! Redirects to another origin: what goes along, and which accounts answer there.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{any, get};
use countersign::client::ServerProof;
use countersign_reqwest::{Client, Error, LoginFailure};
use reqwest::Proxy;

use crate::support::{Server, basic, echo, files, guarded, http, mufasa, realm};

/// Tells method, target and body.
use super::redirects::{leading, to, told};

/// An account is for its own origin, also at the end of a redirect.
#[tokio::test]
async fn to_another_origin() {
    for realm in [files(), basic("files"), realm("other")] {
        let other = Server::of(realm, told()).await;
        let server = leading(&other.url("/landing"), files()).await;
        let client = server.client();
        for _ in 0..2 {
            let request = client.get(server.url("/to/302")).header("cookie", "a=b");
            let error = request.send().await.unwrap_err();
            let Error::Login(refused) = error else {
                panic!("{error:?}")
            };
            assert_eq!(refused.response.url().port(), Some(other.address.port()));
        }
        for seen in other.take_seen() {
            assert_eq!((seen.authorization, seen.cookie), (None, None));
        }
        // The login at home is as it was.
        server.take_seen();
        client.get(server.url("/x")).send().await.unwrap();
        assert_eq!(server.take_statuses(), [200]);
    }
}

/// With an account there, it is used: of another name, for another realm. But only to read.
#[tokio::test]
async fn to_another_origin_with_an_account() {
    let other = Server::of(realm("other"), told()).await;
    let server = leading(&other.url("/landing"), files()).await;
    let client = server.client();
    client
        .add_account(&other.url("/"), mufasa().for_realm("other"))
        .unwrap();
    for (method, code, expected) in [
        ("GET", 307, "GET /landing Hakuna"),
        ("PROPFIND", 308, "PROPFIND /landing Hakuna"),
        ("QUERY", 307, "QUERY /landing Hakuna"),
        ("POST", 303, "GET /landing "),
        ("POST", 302, "GET /landing "),
        ("PUT", 303, "GET /landing "),
    ] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = client.request(method, server.url(&format!("/to/{code}")));
        let response = request.body("Hakuna").send().await.unwrap();
        assert_eq!(response.extensions().get(), Some(&ServerProof::Valid));
        assert_eq!(response.text().await.unwrap(), expected);
    }
    for seen in other.take_seen() {
        let answer = seen.authorization.unwrap_or_default();
        assert!(
            answer.is_empty() || answer.contains("realm=\"other\""),
            "{answer}"
        );
    }
    for (method, code) in [("POST", 307), ("PUT", 308), ("DELETE", 302), ("PATCH", 307)] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = client.request(method, server.url(&format!("/to/{code}")));
        let error = request.body("Hakuna").send().await.unwrap_err();
        let Error::Login(refused) = error else {
            panic!("{error:?}")
        };
        assert_eq!(refused.why, LoginFailure::Redirected);
        assert_eq!(refused.response.url().as_str(), other.url("/landing"));
        let seen = other.take_seen();
        assert_eq!((seen.len(), &seen[0].authorization), (1, &None));
    }
    // The caller's own credentials stay at home, and make room for the account.
    let request = client.get(server.url("/to/307")).bearer_auth("secret");
    assert_eq!(request.send().await.unwrap().status(), 401);
    let open = leading(&other.url("/landing"), files()).await;
    let app = Router::new().route("/a", get(async move || Redirect::to(&open.url("/to/302"))));
    let start = Server::start(app).await;
    let request = client.get(start.url("/a")).bearer_auth("secret");
    let error = request.send().await.unwrap_err();
    assert!(matches!(error, Error::Login(_)), "{error:?}");
    assert!(start.take_seen()[0].authorization.is_some());
}

/// What another origin sends back is still the choice of that origin.
#[tokio::test]
async fn to_another_origin_and_back() {
    let home = Arc::new(Mutex::new(String::new()));
    let location = Arc::clone(&home);
    let back = async move || to(307, &location.lock().unwrap());
    let other = Server::start(Router::new().route("/back", any(back))).await;
    let server = leading(&other.url("/back"), files()).await;
    *home.lock().unwrap() = server.url("/landing");
    let client = server.client();
    let response = client.get(server.url("/to/307")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let request = client.post(server.url("/to/307")).body("Hakuna");
    let error = request.send().await.unwrap_err();
    assert!(
        matches!(&error, Error::Login(it) if it.why == LoginFailure::Redirected),
        "{error:?}"
    );
    let seen = server.take_seen();
    let landed = seen.iter().rfind(|it| it.target == "/landing").unwrap();
    assert_eq!((landed.status, &landed.authorization), (401, &None));
}

/// `http` to `https` and back, by a proxy that ends neither: reqwest without TLS makes no tunnel.
#[tokio::test]
async fn between_http_and_https() {
    let app = Router::new().fallback(any(async |request: Request| {
        let uri = request.uri().to_string();
        match uri.as_str() {
            "http://a.invalid/up" => to(301, "https://a.invalid/"),
            "https://a.invalid/down" => to(302, "http://a.invalid/"),
            _ => uri.into_response(),
        }
    }));
    let server = Server::start(guarded(app, files())).await;
    let proxied = |accounts: &[&str]| {
        let http = reqwest::Client::builder().proxy(Proxy::all(server.url("")).unwrap());
        let client = Client::builder(http).build().unwrap();
        for url in accounts {
            client.add_account(url, mufasa()).unwrap();
        }
        client
    };
    const UP: &str = "http://a.invalid/up";
    const DOWN: &str = "https://a.invalid/down";
    for url in [UP, DOWN] {
        // An account for one of the two stays there.
        let error = proxied(&[url]).get(url).send().await.unwrap_err();
        assert!(matches!(error, Error::Login(_)), "{error:?}");
        let seen = server.take_seen();
        let answered = |it: &&crate::support::Seen| it.authorization.is_some();
        assert_eq!(seen.iter().filter(answered).count(), 1, "{seen:?}");
        let response = proxied(&[UP, DOWN]).get(url).send().await.unwrap();
        assert_eq!(response.status(), 200);
        server.take_seen();
    }
}

/// `Authorization` and `Cookie` among them stay at home. What reqwest adds below is not known here:
/// as documented.
#[tokio::test]
async fn default_headers() {
    let other = Server::start(echo()).await;
    let location = other.url("/");
    let app = Router::new().route("/a", get(async move || to(302, &location)));
    let server = Server::start(app).await;
    let fields = [(header::COOKIE, "a=b"), (header::AUTHORIZATION, "Bearer x")];
    let fields = fields.map(|(name, value)| (name, value.parse().unwrap()));
    let headers = HeaderMap::from_iter(fields);
    let builder = Client::builder(http()).default_headers(headers.clone());
    let client = builder.build().unwrap();
    client.get(server.url("/a")).send().await.unwrap();
    let (first, last) = (&server.take_seen()[0], &other.take_seen()[0]);
    assert_eq!(first.cookie.as_deref(), Some("a=b"));
    assert_eq!(first.authorization.as_deref(), Some("Bearer x"));
    assert_eq!((&last.cookie, &last.authorization), (&None, &None));
    let request = client.get(server.url("/a")).header("cookie", "c=d");
    request.send().await.unwrap();
    assert_eq!(server.take_seen()[0].cookie.as_deref(), Some("c=d"));
    other.take_seen();

    let client = Client::builder(http().default_headers(headers));
    let client = client.build().unwrap();
    client.get(server.url("/a")).send().await.unwrap();
    assert_eq!(other.take_seen()[0].cookie.as_deref(), Some("a=b"));
}
