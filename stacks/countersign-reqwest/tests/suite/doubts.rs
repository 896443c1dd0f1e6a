//! Servers that refuse right answers and do not call them stale.

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
use countersign_reqwest::{
    Account, Auth, AuthClientLayer, Credentials, Error, LoginFailure, SendWith,
};
use reqwest::{Client, redirect};

use crate::support::{Server, USER, client, files, guarded_by, mufasa};

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

/// A server that asks for a body, and whose nonces can be made void.
async fn server() -> (Server, impl Fn()) {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let auth = Arc::new(auth);
    let app = Router::new().route("/", get(async || "").post(async |body: String| body));
    let app = guarded_by(app, &auth).layer(from_fn(without_stale));
    let void = move || {
        for _ in 0..2 {
            auth.rotate(&mut getrandom::SysRng).unwrap();
        }
    };
    (Server::start(app).await, void)
}

/// Those who send requests that are refused: as they are, by a client that follows no redirects, and
/// without answers that nobody has asked for.
fn senders(server: &Server) -> [(Client, Auth); 3] {
    let none = Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none());
    let policy = Policy::new().with_quirk(Quirk::OnlyWhenAsked);
    let cache = AuthCache::new(9, policy, &mut getrandom::SysRng).unwrap();
    let asked = Auth::from(AuthClientLayer::new(cache));
    asked.add_account(&server.url("/"), mufasa()).unwrap();
    let once = server.auth().without_redirects();
    [
        (client(), server.auth()),
        (none.build().unwrap(), once),
        (client(), asked),
    ]
}

#[tokio::test]
async fn a_nonce_that_has_expired() {
    let (server, void) = server().await;
    let senders = senders(&server);
    for ((client, auth), expected) in senders.into_iter().zip([3, 0, 0]) {
        let mut failures = 0;
        for _ in 0..7 {
            void();
            let request = client.post(server.url("/")).body("Hakuna Matata");
            match request.send_with(&auth).await {
                Ok(response) => assert_eq!(response.text().await.unwrap(), "Hakuna Matata"),
                Err(Error::Login(refused)) => {
                    assert_eq!(refused.why, LoginFailure::MaybeDone);
                    failures += 1;
                }
                Err(error) => panic!("{error:?}"),
            }
        }
        assert_eq!(failures, expected);
    }
}

/// As devices have them.
#[tokio::test]
async fn one_time_nonces() {
    let (asked, used) = (
        Arc::new(Mutex::new(0)),
        Arc::new(Mutex::new(HashSet::new())),
    );
    let done = Arc::new(Mutex::new(0));
    let count = Arc::clone(&done);
    let app = Router::new().fallback(any(async move |request: Request| {
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
        let ask = format!(r#"Digest realm="a", nonce="{asked}", qop="auth", algorithm=SHA-256"#);
        (StatusCode::UNAUTHORIZED, [("www-authenticate", ask)]).into_response()
    }));
    let server = Server::start(app).await;
    for ((client, auth), expected) in senders(&server).into_iter().zip([3, 0, 0]) {
        let mut failures = 0;
        for _ in 0..6 {
            match client.put(server.url("/")).send_with(&auth).await {
                Ok(response) => assert_eq!(response.text().await.unwrap(), "done"),
                Err(Error::Login(refused)) => {
                    assert_eq!(refused.why, LoginFailure::MaybeDone);
                    failures += 1;
                }
                Err(error) => panic!("{error:?}"),
            }
        }
        let done = std::mem::take(&mut *done.lock().unwrap());
        assert_eq!((failures, done), (expected, 6 - expected));
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
    let (client, auth) = (client(), server.auth());
    for method in [Method::POST, Method::PUT, Method::GET, Method::POST] {
        let request = client.request(method, server.url("/")).body("a");
        assert_eq!(request.send_with(&auth).await.unwrap().status(), 200);
    }
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

/// Where the client may have followed a redirect, by a GET.
#[tokio::test]
async fn a_wrong_password_is_told() {
    let server = Server::echo().await;
    let wrong = Account::new(USER.0, "Circle of Lies");
    let client = client();
    let post = async |auth: &Auth<_>| client.post(server.url("/")).send_with(auth).await;
    let auth = Auth::new(&server.url("/"), wrong).unwrap();
    for _ in 0..3 {
        let Err(Error::Login(refused)) = post(&auth).await else {
            panic!("not refused")
        };
        assert_eq!(refused.why, LoginFailure::MaybeDone);
        assert_eq!(server.take_statuses(), [401, 401]);
    }
    let got = client.get(server.url("/")).send_with(&auth).await;
    assert!(matches!(got, Err(Error::WrongCredentials(_))), "{got:?}");
    server.take_seen();
    let wrong = Account::new(USER.0, "Circle of Lies");
    let auth = Auth::new(&server.url("/"), wrong)
        .unwrap()
        .without_redirects();
    let posted = post(&auth).await;
    assert!(
        matches!(posted, Err(Error::WrongCredentials(_))),
        "{posted:?}"
    );
    assert_eq!(server.take_statuses(), [401, 401]);
}

/// The same for somebody who types.
#[tokio::test]
async fn a_person_is_asked_again() {
    let server = Server::echo().await;
    let client = client();
    let auth = || {
        let cache = AuthCache::new(9, Policy::new(), &mut getrandom::SysRng).unwrap();
        let person = Person(AtomicU32::new(0));
        Auth::from(AuthClientLayer::with_credentials(cache, person))
    };
    let login = auth();
    let posted = client.post(server.url("/")).send_with(&login).await;
    assert!(matches!(posted, Err(Error::Login(_))), "{posted:?}");
    for request in [client.get(server.url("/")), client.post(server.url("/"))] {
        request.send_with(&login).await.unwrap();
    }
    let login = auth().without_redirects();
    server.take_seen();
    let request = client.post(server.url("/"));
    request.send_with(&login).await.unwrap();
    assert_eq!(server.take_statuses(), [401, 401, 200]);
}
