//! Servers that refuse right answers and do not call them stale.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use countersign::server::{Authenticator, NonceKey};
use countersign_reqwest::{Error, LoginFailure, SendWith};

use crate::support::{Server, client, files, guarded_by};

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
            auth.rotate(NonceKey::random(&mut getrandom::SysRng).unwrap());
        }
    };
    (Server::start(app).await, void)
}

#[tokio::test]
async fn a_nonce_that_has_expired() {
    let (server, void) = server().await;
    let (client, auth) = (client(), server.auth());
    let mut failures = Vec::new();
    for round in 0..11 {
        void();
        let request = client.post(server.url("/")).body("Hakuna Matata");
        match request.send_with(&auth).await {
            Ok(response) => assert_eq!(response.text().await.unwrap(), "Hakuna Matata"),
            Err(Error::Login(refused)) => failures.push((round, refused.why)),
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(failures, [(1, LoginFailure::MaybeDone)]);
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
    let (client, auth) = (client(), server.auth());
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
    assert_eq!((failures, *done.lock().unwrap()), (1, 5));
}
