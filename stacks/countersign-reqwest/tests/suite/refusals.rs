//! Servers that refuse right answers and do not call them stale, and wrong passwords.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use countersign::client::{Ask, AuthCache, Policy, Quirk};
use countersign::server::Authenticator;
use countersign_reqwest::{Account, AuthClientLayer, Client, Credentials, Error};

use crate::support::{Server, USER, client_by, client_for, files, guarded_by, mufasa};

const ASK: &str = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;

/// Removes `stale` from all challenges.
async fn without_stale(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    if let Some(ask) = response.headers_mut().get_mut("www-authenticate") {
        let text = ask.to_str().unwrap().replace(", stale=true", "");
        *ask = text.parse().unwrap();
    }
    response
}

/// Sends no answer that nobody has asked for.
fn asked(server: &Server) -> Client {
    let policy = Policy::new().with_quirk(Quirk::OnlyWhenAsked);
    let cache = AuthCache::new(9, policy, &mut getrandom::SysRng).unwrap();
    let client = client_by(AuthClientLayer::new(cache));
    client.add_account(&server.url("/"), mufasa()).unwrap();
    client
}

#[tokio::test]
async fn a_nonce_that_has_expired() {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let auth = Arc::new(auth);
    let app = Router::new().route("/", get(async || "").post(async |body: String| body));
    let app = guarded_by(app, &auth).layer(from_fn(without_stale));
    let server = Server::start(app).await;
    for client in [server.client(), asked(&server)] {
        for _ in 0..7 {
            for _ in 0..2 {
                auth.rotate(&mut getrandom::SysRng).unwrap();
            }
            let request = client.post(server.url("/")).body("Hakuna Matata");
            let response = request.send().await.unwrap();
            assert_eq!(response.text().await.unwrap(), "Hakuna Matata");
        }
    }
}

/// As devices have them. Returns the server, and how many PUTs were done.
async fn one_time(says_stale: bool) -> (Server, Arc<Mutex<u32>>) {
    let (asked, used) = (Mutex::new(0), Mutex::new(HashSet::new()));
    let done = Arc::new(Mutex::new(0));
    let count = Arc::clone(&done);
    let state = Arc::new((asked, used));
    let app = Router::new().fallback(any(async move |request: Request| {
        let (asked, used) = &*state;
        let answer = request.headers().get("authorization");
        let answer = answer.map(|answer| answer.to_str().unwrap().to_owned());
        let nonce = answer
            .as_ref()
            .and_then(|it| it.split_once("nonce=")?.1.split(',').next());
        if nonce.is_some_and(|nonce| used.lock().unwrap().insert(nonce.to_owned())) {
            *count.lock().unwrap() += u32::from(request.method() == Method::PUT);
            return "done".into_response();
        }
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        let stale = if says_stale && nonce.is_some() {
            ", stale=true"
        } else {
            ""
        };
        let ask =
            format!(r#"Digest realm="a", nonce="{asked}", qop="auth", algorithm=SHA-256{stale}"#);
        (StatusCode::UNAUTHORIZED, [("www-authenticate", ask)]).into_response()
    }));
    (Server::start(app).await, done)
}

#[tokio::test]
async fn one_time_nonces() {
    let (server, done) = one_time(false).await;
    for client in [server.client(), asked(&server)] {
        for n in 1..7 {
            let response = client.put(server.url("/")).send().await.unwrap();
            assert_eq!(response.text().await.unwrap(), "done");
            assert_eq!(*done.lock().unwrap(), n);
        }
        *done.lock().unwrap() = 0;
    }
}

/// Twenty tasks at once, after a login.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_time_nonces_and_tasks() {
    for (says_stale, is_asked) in [(true, false), (true, true), (false, true), (false, false)] {
        let (server, done) = one_time(says_stale).await;
        let client = match is_asked {
            true => asked(&server),
            false => server.client(),
        };
        client.log_in(server.url("/")).await.unwrap();
        let put = async |n| {
            let request = client.put(server.url(&format!("/{n}"))).body("x");
            match request.send().await {
                Ok(response) => (u32::from(response.status() == 200), 0),
                Err(Error::WrongCredentials(_)) => (0, 1),
                Err(error) => panic!("{error:?}"),
            }
        };
        // Each sends one, and then some more.
        let tasks = (0..20).map(async |n| {
            let mut counts = (0, 0);
            for _ in 0..20 {
                let (got, wrong) = put(n).await;
                counts = (counts.0 + got, counts.1 + wrong);
            }
            counts
        });
        let counts = futures_util::future::join_all(tasks).await;
        let got: u32 = counts.iter().map(|it| it.0).sum();
        let wrong: u32 = counts.iter().map(|it| it.1).sum();
        assert_eq!((got, got + wrong), (*done.lock().unwrap(), 400));
        if says_stale || is_asked {
            assert_eq!(wrong, 0);
        }
    }
}

/// A nonce may be good for one method alone, as those of libmicrohttpd 0.9.75, or at one of several
/// machines.
#[tokio::test]
async fn a_nonce_that_is_stale_for_the_request() {
    let app = Router::new().fallback(async |request: Request| -> Response {
        let nonce = format!("nonce=\"{}\"", request.method());
        let answer = request.headers().get("authorization");
        match answer.map(|answer| answer.to_str().unwrap().contains(&nonce)) {
            Some(true) => "done".into_response(),
            said => {
                let ask = ASK.replace("nonce=\"n\"", &nonce);
                let stale = said.map_or("", |_| ", stale=true");
                let ask = [("www-authenticate", ask + stale)];
                (StatusCode::UNAUTHORIZED, ask).into_response()
            }
        }
    });
    let server = Server::start(app).await;
    let client = server.client();
    for method in [Method::POST, Method::PUT, Method::GET, Method::POST] {
        let request = client.request(method, server.url("/")).body("a");
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
}

#[tokio::test]
async fn a_wrong_password_is_told() {
    let server = Server::echo().await;
    let client = client_for(&server.url("/"), Account::new(USER.0, "Circle of Lies"));
    let url = server.url("/");
    let posted = client.post(&url).body("x").send().await;
    assert!(
        matches!(posted, Err(Error::WrongCredentials(_))),
        "{posted:?}"
    );
    assert_eq!(server.take_statuses(), [401, 401]);
    let mut sent = 0;
    for _ in 0..20 {
        let posted = client.post(&url).body("x").send().await;
        assert!(
            matches!(posted, Err(Error::WrongCredentials(_))),
            "{posted:?}"
        );
        let seen = server.take_seen();
        sent += seen.iter().filter(|it| it.authorization.is_some()).count();
    }
    assert!(sent < 10, "{sent}");
    for told in [
        client_for(&url, Account::new(USER.0, "Circle of Lies"))
            .log_in(&url)
            .await,
        client.log_in(&url).await,
    ] {
        assert!(matches!(told, Err(Error::WrongCredentials(_))), "{told:?}");
    }
}

/// What it returns.
#[tokio::test]
async fn a_login_ahead() {
    let app = Router::new()
        .route("/post", axum::routing::post(async || "done"))
        .route("/busy", get(async || StatusCode::TOO_MANY_REQUESTS))
        .route("/big", get(async || "x".repeat(1 << 24)));
    let server = Server::of(files(), app).await;
    let client = server.client();
    // 405, 404, a large body and 429.
    for (path, is_in) in [
        ("/post", true),
        ("/gone", true),
        ("/big", true),
        ("/busy", false),
    ] {
        assert_eq!(
            client.log_in(server.url(path)).await.unwrap(),
            is_in,
            "{path}"
        );
    }
    let open = Server::start(crate::support::echo()).await;
    assert!(!client.log_in(open.url("/")).await.unwrap());
    let stranger = Server::echo().await;
    let told = client.log_in(stranger.url("/")).await;
    assert!(matches!(told, Err(Error::Login(_))), "{told:?}");
    client.log_in("no url").await.unwrap_err();
}

/// Somebody who mistypes the first time.
struct Person(AtomicU32);

impl Credentials for Person {
    async fn credentials(&self, ask: &Ask) -> Option<Account> {
        let asked = self.0.fetch_add(1, Ordering::Relaxed);
        assert_eq!(ask.is_again(), asked > 0);
        let password = if asked > 0 { USER.1 } else { "Circle of Lies" };
        Some(Account::new(USER.0, password))
    }
}

#[tokio::test]
async fn a_person_is_asked_again() {
    let server = Server::echo().await;
    let cache = AuthCache::new(9, Policy::new(), &mut getrandom::SysRng).unwrap();
    let person = Person(AtomicU32::new(0));
    let client = client_by(AuthClientLayer::with_credentials(cache, person));
    client.post(server.url("/")).send().await.unwrap();
    assert_eq!(server.take_statuses(), [401, 401, 200]);
}

/// A device that drops a nonce and then says nothing: 401 without a challenge, or 429, to all answers
/// with it, and a challenge only to a request without one.
#[tokio::test]
async fn a_device_that_refuses_in_silence() {
    for code in [401, 429] {
        let asked = Arc::new(AtomicU32::new(0));
        let used = Arc::new(Mutex::new(HashSet::new()));
        let app = Router::new().fallback(async move |request: Request| -> Response {
            let answer = request.headers().get("authorization");
            let Some(answer) = answer.map(|it| it.to_str().unwrap().to_owned()) else {
                let nonce = format!("nonce=\"{}\"", asked.fetch_add(1, Ordering::Relaxed));
                let ask = [("www-authenticate", ASK.replace("nonce=\"n\"", &nonce))];
                return (StatusCode::UNAUTHORIZED, ask).into_response();
            };
            let nonce = answer.split("nonce=").nth(1).unwrap().split(',').next();
            match used.lock().unwrap().insert(nonce.unwrap().to_owned()) {
                true => "done".into_response(),
                false => StatusCode::from_u16(code).unwrap().into_response(),
            }
        });
        let server = Server::start(app).await;
        let client = server.client();
        let mut refused = 0;
        for _ in 0..12 {
            let got = client.get(server.url("/")).send().await;
            let is_in = got.is_ok_and(|it| it.status() == 200);
            // Two at most, one after the other.
            refused = if is_in { 0 } else { refused + 1 };
            assert!(refused <= 2, "{code}");
        }
    }
}
