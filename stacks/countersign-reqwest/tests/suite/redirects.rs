//! Redirects, each of which is answered for its own URL.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Request};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{any, get, post};
use countersign::client::{AuthCache, Policy, ServerProof};
use countersign::server::Authenticator;
use countersign_reqwest::{Account, AuthClientLayer, Client, Error};

use crate::support::{
    Server, USER, basic, client_by, client_for, echo, files, guarded, guarded_by, http, mufasa,
    realm,
};

/// Tells method, target and body.
pub(super) fn told() -> Router {
    Router::new().fallback(any(async |request: Request| {
        let (head, body) = request.into_parts();
        let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
        let body = String::from_utf8_lossy(&body);
        format!("{} {} {body}", head.method, head.uri)
    }))
}

pub(super) fn to(code: u16, location: &str) -> Response {
    let code = StatusCode::from_u16(code).unwrap();
    (code, [("location", location.to_owned())]).into_response()
}

/// Leads from `/CODE` on.
pub(super) async fn leading(location: &str, realm: countersign::server::Realm) -> Server {
    let location = location.to_owned();
    let lead = async move |Path(code): Path<u16>| to(code, &location);
    Server::of(realm, told().route("/to/{code}", any(lead))).await
}

pub(super) fn stream() -> reqwest::Body {
    let pieces = ["Hakuna ", "Matata"].map(Ok::<_, std::io::Error>);
    reqwest::Body::wrap_stream(futures_util::stream::iter(pieces))
}

#[tokio::test]
async fn within_the_origin() {
    let server = leading("/landing?x='y'", files()).await;
    let client = server.client();
    for statuses in [&[401, 307, 200][..], &[307, 200]] {
        let response = client.get(server.url("/to/307")).send().await.unwrap();
        assert_eq!(response.url().path(), "/landing");
        assert_eq!(response.extensions().get(), Some(&ServerProof::Valid));
        assert_eq!(response.text().await.unwrap(), "GET /landing?x=%27y%27 ");
        let seen = server.take_seen();
        let got: Vec<_> = seen.iter().map(|seen| seen.status).collect();
        assert_eq!(got, statuses);
        // Where it came from is nobody's business.
        assert!(seen.iter().all(|it| it.referer.is_none()));
    }
}

/// As RFC 9110 has it, and reqwest.
#[tokio::test]
async fn methods_and_bodies() {
    let server = leading("/landing", files()).await;
    let client = server.client();
    for (method, code, expected) in [
        ("POST", 301, "GET /landing "),
        ("POST", 302, "GET /landing "),
        ("POST", 303, "GET /landing "),
        ("POST", 307, "POST /landing Hakuna"),
        ("POST", 308, "POST /landing Hakuna"),
        ("PUT", 301, "PUT /landing Hakuna"),
        ("PUT", 302, "PUT /landing Hakuna"),
        ("PUT", 303, "GET /landing "),
        ("DELETE", 308, "DELETE /landing Hakuna"),
        ("PROPFIND", 308, "PROPFIND /landing Hakuna"),
        ("GET", 301, "GET /landing Hakuna"),
    ] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let request = client.request(method, server.url(&format!("/to/{code}")));
        let response = request.body("Hakuna").send().await.unwrap();
        assert_eq!(response.text().await.unwrap(), expected, "{code}");
    }
    for code in [302, 303, 307] {
        server.take_seen();
        let request = client.head(server.url(&format!("/to/{code}")));
        assert_eq!(request.send().await.unwrap().status(), 200);
        assert!(server.take_seen().iter().all(|seen| seen.method == "HEAD"));
    }
    // None of these leads anywhere.
    for code in [300, 304, 305] {
        let request = client.get(server.url(&format!("/to/{code}")));
        assert_eq!(request.send().await.unwrap().status(), code);
    }
}

/// What describes a body goes with it, and what names a host stays with that.
#[tokio::test]
async fn fields_of_bodies_and_hosts() {
    let told = Router::new().fallback(any(async |headers: HeaderMap| {
        let text = |name| headers.get(name).map_or("", |it| it.to_str().unwrap());
        [
            text("content-type"),
            text("content-length"),
            text("x-a"),
            text("host"),
        ]
        .join("|")
    }));
    let other = Server::start(told.clone()).await;
    let (here, away) = ("/landing".to_owned(), other.url("/landing"));
    let app = told
        .route("/303", any(async move || to(303, &here)))
        .route("/away", any(async move || to(303, &away)));
    let server = Server::of(files(), app).await;
    for (path, host) in [("/303", "a.example"), ("/away", &other.address.to_string())] {
        let request = server.client().post(server.url(path)).json(&[1]);
        let request = request.header("x-a", "b").header("host", "a.example");
        let text = request.send().await.unwrap().text().await.unwrap();
        assert_eq!(text, format!("||b|{host}"));
    }
}

/// A stream is sent once: what wants it again is returned.
#[tokio::test]
async fn streams() {
    let server = leading("/landing", files()).await;
    let client = server.client();
    assert!(client.log_in(server.url("/landing")).await.unwrap());
    for (code, status) in [(301, 200), (303, 200), (307, 307), (308, 308)] {
        server.take_seen();
        let request = client.post(server.url(&format!("/to/{code}")));
        let response = request.body(stream()).send().await.unwrap();
        assert_eq!(response.status(), status);
        assert!(!server.take_statuses().contains(&401));
    }
}

/// A form that leads back to its own URL is done once.
#[tokio::test]
async fn back_to_its_own_url() {
    for code in [303, 302, 301] {
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let order = async move |body: String| {
            assert_eq!(body, "a=1");
            count.fetch_add(1, Ordering::Relaxed);
            to(code, "/orders")
        };
        let app = Router::new().route("/orders", get(async || "list").post(order));
        let server = Server::of(files(), app).await;
        let (client, url) = (server.client(), server.url("/orders"));
        for orders in 1..9 {
            let response = client.post(&url).body("a=1").send().await.unwrap();
            assert_eq!(response.text().await.unwrap(), "list");
            assert_eq!(made.load(Ordering::Relaxed), orders);
        }
        assert_eq!(server.take_statuses()[..3], [401, code, 200]);
    }
}

/// Ten are followed.
#[tokio::test]
async fn as_many_as_are_followed() {
    let app = Router::new()
        .route(
            "/n/{n}",
            get(async |Path(n): Path<u8>| match n {
                0 => "end".into_response(),
                n => to(302, &(n - 1).to_string()),
            }),
        )
        .route("/round", get(async || to(302, "/round")));
    let server = Server::of(files(), app).await;
    let client = server.client();
    let response = client.get(server.url("/n/10")).send().await.unwrap();
    assert_eq!(response.text().await.unwrap(), "end");
    assert_eq!(server.take_statuses().len(), 12);
    for path in ["/n/11", "/round"] {
        let error = client.get(server.url(path)).send().await.unwrap_err();
        assert!(matches!(error, Error::TooManyRedirects(_)), "{error:?}");
        assert_eq!(server.take_statuses().len(), 11);
    }
    let client = Client::builder(http()).redirects(0).build().unwrap();
    client.add_account(&server.url("/"), mufasa()).unwrap();
    let response = client.get(server.url("/n/1")).send().await.unwrap();
    assert_eq!(response.status(), 302);
}

#[tokio::test]
async fn odd_locations() {
    let server = Server::of(files(), told()).await;
    let address = server.address;
    for (location, expected) in [
        ("../b?c", Some("/b?c")),
        ("#g", None),
        ("", None),
        ("/x#g", Some("/x")),
        (&format!("//{address}/x"), Some("/x")),
        (&format!("http://Zazu:Hornbill@{address}/x"), Some("/x")),
        ("/{a b}'\u{e9}", Some("/%7Ba%20b%7D'%C3%A9")),
        ("/a/../b", Some("/b")),
    ] {
        let server = leading(location, files()).await;
        let got = server.client().get(server.url("/to/302#f")).send().await;
        match expected {
            Some(expected) if !location.contains(&address.to_string()) => {
                let response = got.unwrap();
                assert_eq!(response.url().as_str(), server.url(expected), "{location}");
            }
            // Somewhere else, without a name.
            Some(_) => assert!(matches!(got, Err(Error::Login(_))), "{got:?}"),
            None => assert!(matches!(got, Err(Error::TooManyRedirects(_))), "{got:?}"),
        }
    }
    // To itself, with a name of the server's choice.
    let own = Arc::new(Mutex::new(String::new()));
    let text = Arc::clone(&own);
    let app = told().route("/a", get(async move || to(302, &text.lock().unwrap())));
    let server = Server::of(files(), app).await;
    *own.lock().unwrap() = format!("http://Zazu:Hornbill@{}/x", server.address);
    let response = server.client().get(server.url("/a")).send().await.unwrap();
    assert_eq!(response.url().as_str(), server.url("/x"));
    // Nowhere.
    for location in ["http://", "http://[", "\u{1f}:"] {
        let server = leading_raw(location).await;
        let got = server.client().get(server.url("/a")).send().await;
        assert!(got.is_ok_and(|it| it.status() == 302), "{location:?}");
    }
    for location in [
        "ftp://127.0.0.1/",
        "data:x",
        "javascript:x",
        "file:///etc/passwd",
    ] {
        let server = leading_raw(location).await;
        let got = server.client().get(server.url("/a")).send().await;
        assert!(got.is_ok_and(|it| it.status() == 302), "{location}");
    }
}

async fn leading_raw(location: &'static str) -> Server {
    let lead = async move || match location.contains('\u{1f}') {
        true => StatusCode::FOUND.into_response(),
        false => to(302, location),
    };
    Server::of(files(), Router::new().route("/a", get(lead))).await
}

/// A form that logs in, behind Digest: the cookie of one redirect goes along with the next.
#[tokio::test]
async fn a_form_behind_a_login() {
    let app = Router::new()
        .route(
            "/report",
            get(async |headers: HeaderMap| match headers.get("cookie") {
                Some(cookie) if cookie == "session=7" => "report".into_response(),
                _ => to(302, "/form"),
            }),
        )
        .route("/form", get(async || "who are you?"))
        .route(
            "/session",
            post(async || {
                (
                    StatusCode::SEE_OTHER,
                    [("location", "/report"), ("set-cookie", "session=7; Path=/")],
                )
            }),
        );
    let server = Server::of(files(), app).await;
    let client = Client::builder(http().cookie_store(true)).build().unwrap();
    client.add_account(&server.url("/"), mufasa()).unwrap();
    let text = async |response: reqwest::Response| response.text().await.unwrap();
    let response = client.get(server.url("/report")).send().await.unwrap();
    assert_eq!(text(response).await, "who are you?");
    let response = client.post(server.url("/session")).body("a=b").send().await;
    assert_eq!(text(response.unwrap()).await, "report");
    let response = client.get(server.url("/report")).send().await.unwrap();
    assert_eq!(text(response).await, "report");
}

/// Another realm of the same origin, with an account of its own.
#[tokio::test]
async fn to_another_realm() {
    let admin = guarded(
        Router::new().route("/admin", get(async || "admin")),
        realm("admin"),
    );
    let home = Router::new().route("/home", get(async || Redirect::to("/admin")));
    let server = Server::start(guarded(home, realm("home")).merge(admin)).await;
    let client = client_for(&server.url("/"), mufasa().for_realm("home"));
    let error = client.get(server.url("/home")).send().await.unwrap_err();
    assert!(matches!(error, Error::Login(_)), "{error:?}");
    client
        .add_account(&server.url("/"), mufasa().for_realm("admin"))
        .unwrap();
    server.take_seen();
    for statuses in [&[303, 401, 200][..], &[303, 200]] {
        let response = client.get(server.url("/home")).send().await.unwrap();
        assert_eq!(response.text().await.unwrap(), "admin");
        let seen = server.take_statuses();
        assert!(seen.ends_with(&statuses[1..]), "{seen:?}");
    }
}

/// The nonce expires between the two, or the password is wrong at the second.
#[tokio::test]
async fn a_refusal_at_the_second() {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let auth = Arc::new(auth);
    let rotated = Arc::clone(&auth);
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let order = async move || {
        count.fetch_add(1, Ordering::Relaxed);
        for _ in 0..2 {
            rotated.rotate(&mut getrandom::SysRng).unwrap();
        }
        to(307, "/landing")
    };
    let app = told().route("/order", post(order));
    let server = Server::start(guarded_by(app, &auth)).await;
    let client = server.client();
    for (n, statuses) in [(1, &[401, 307, 401, 200][..]), (2, &[307, 401, 200])] {
        let response = client.post(server.url("/order")).body("x").send().await;
        assert_eq!(response.unwrap().text().await.unwrap(), "POST /landing x");
        assert_eq!(server.take_statuses(), statuses);
        assert_eq!(made.load(Ordering::Relaxed), n);
    }
    let other = Server::of(realm("other"), echo()).await;
    let server = leading(&other.url("/x"), files()).await;
    let client = server.client();
    client
        .add_account(&other.url("/"), Account::new(USER.0, "Circle of Lies"))
        .unwrap();
    let error = client.post(server.url("/to/303")).send().await.unwrap_err();
    let Error::WrongCredentials(refused) = error else {
        panic!("{error:?}")
    };
    assert!(refused.why.to_string().contains("realm \"other\""));
}

/// A redirect takes no password along to where nothing has asked for it.
#[tokio::test]
async fn basic_stays_where_it_was_asked_for() {
    let lead = Router::new().route("/files/a", get(async || Redirect::temporary("/open")));
    let app = guarded(lead, basic("files")).merge(Router::new().route("/open", get(async || "")));
    let server = Server::start(app).await;
    let policy = Policy::new().with_cleartext_basic();
    let cache = AuthCache::new(9, policy, &mut getrandom::SysRng).unwrap();
    let client = client_by(AuthClientLayer::new(cache));
    client
        .add_account(&server.url("/"), mufasa().with_basic())
        .unwrap();
    for requests in [3, 2] {
        client.get(server.url("/files/a")).send().await.unwrap();
        let seen = server.take_seen();
        assert_eq!(seen.len(), requests);
        assert!(seen[requests - 2].authorization.is_some());
        assert_eq!(seen[requests - 1].authorization, None);
    }
}

/// One for all, as with reqwest.
#[tokio::test]
async fn a_limit_of_time() {
    let app = Router::new().fallback(async || {
        tokio::time::sleep(Duration::from_millis(200)).await;
        to(302, "/")
    });
    let server = Server::start(app).await;
    let request = server.client().get(server.url("/"));
    let error = request.timeout(Duration::from_millis(500)).send().await;
    let Err(Error::Send(error)) = error else {
        panic!("{error:?}")
    };
    assert!(error.is_timeout());
}
