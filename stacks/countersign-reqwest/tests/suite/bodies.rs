//! Bodies, and those that can be sent only once.

use std::sync::Arc;

use axum::Router;
use axum::extract::Multipart;
use axum::http::StatusCode;
use axum::routing::{post, post_service};
use countersign::client::{self, ServerProof};
use countersign::server::{Authenticator, NonceKey};
use countersign_reqwest::{Account, Auth, Error, LoginFailure, SendWith};
use reqwest::Body;
use reqwest::multipart::Form;

use crate::support::{Server, USER, client, files, guarded_by, int};

fn stream() -> Body {
    let pieces = ["Hakuna ", "Matata"].map(Ok::<_, std::io::Error>);
    Body::wrap_stream(futures_util::stream::iter(pieces))
}

fn app() -> Router {
    Router::new()
        .route("/text", post(async |text: String| text))
        .route(
            "/form",
            post(async |mut form: Multipart| {
                let field = form.next_field().await.unwrap().unwrap();
                field.text().await.unwrap()
            }),
        )
}

/// A large one waits for the challenge.
#[tokio::test]
async fn bodies_in_memory() {
    let server = Server::of(files(), app()).await;
    for (length, first) in [(0, "POST"), (1 << 20, "POST"), ((1 << 20) + 1, "HEAD")] {
        let text = "a".repeat(length);
        let request = client().post(server.url("/text")).body(text.clone());
        let response = request.send_with(&server.auth()).await.unwrap();
        assert!(response.text().await.unwrap() == text);
        let steps = [(first.to_owned(), 401), ("POST".to_owned(), 200)];
        assert_eq!(server.take_steps(), steps);
    }
}

/// No request goes ahead to where nobody can log in.
#[tokio::test]
async fn nothing_goes_ahead_to_others() {
    let server = Server::start(app()).await;
    let auth = Server::echo().await.auth();
    for body in [Body::from("Hakuna Matata"), stream()] {
        let request = client().post(server.url("/text")).body(body);
        request.send_with(&auth).await.unwrap();
        assert_eq!(server.take_steps(), [("POST".to_owned(), 200)]);
    }
}

#[tokio::test]
async fn a_head_goes_ahead_of_a_stream() {
    let server = Server::of(files(), app()).await;
    let (client, auth) = (client(), server.auth());
    let step = |method: &str, status| (method.to_owned(), status);
    for steps in [
        &[step("HEAD", 401), step("POST", 200)][..],
        // Not allowed, and that is told to those who are logged in.
        &[step("HEAD", 405), step("POST", 200)],
    ] {
        let request = client.post(server.url("/text")).body(stream());
        let response = request.send_with(&auth).await.unwrap();
        assert_eq!(response.extensions().get(), Some(&ServerProof::Valid));
        assert_eq!(response.text().await.unwrap(), "Hakuna Matata");
        assert_eq!(server.take_steps(), steps);
    }
    let form = Form::new().text("a", "Hakuna Matata");
    let request = client.post(server.url("/form")).multipart(form);
    let response = request.send_with(&server.auth()).await.unwrap();
    assert_eq!(response.text().await.unwrap(), "Hakuna Matata");
    assert_eq!(server.take_steps().len(), 2);
}

/// And it is sent ever more rarely.
#[tokio::test]
async fn a_wrong_password_of_a_stream_is_found_out() {
    let server = Server::of(files(), app()).await;
    let wrong = Account::new(USER.0, "Circle of Lies");
    let auth = Auth::new(&server.url("/"), wrong).unwrap();
    let mut streams = 0;
    for _ in 0..20 {
        let request = client().post(server.url("/text")).body(stream());
        let error = request.send_with(&auth).await.unwrap_err();
        assert!(matches!(error, Error::WrongCredentials(_)), "{error:?}");
        let steps = server.take_steps();
        assert!(steps.iter().all(|(_, status)| *status == 401), "{steps:?}");
        streams += steps.iter().filter(|(method, _)| method == "POST").count();
    }
    assert!((1..6).contains(&streams), "{streams}");
}

/// Whatever becomes of the HEAD, it is not what the program has asked for.
#[tokio::test]
async fn a_stream_goes_to_where_nobody_has_to_log_in() {
    let ask = r#"Digest realm="x", nonce="n", qop="auth", algorithm=SHA-256"#;
    let closed = async move || (StatusCode::UNAUTHORIZED, [("www-authenticate", ask)]);
    let app = Router::new().route("/open", post(async |text: String| text).head(closed));
    let server = Server::start(app).await;
    for auth in [Server::echo().await.auth(), server.auth()] {
        auth.logout(&server.url("/")).unwrap();
        let request = client().post(server.url("/open")).body(stream());
        let response = request.send_with(&auth).await.unwrap();
        assert_eq!(response.text().await.unwrap(), "Hakuna Matata");
    }
}

/// A nonce that has become stale is found out by the HEAD.
#[tokio::test]
async fn a_stream_after_the_nonce_expired() {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let auth = Arc::new(auth);
    let server = Server::start(guarded_by(app(), &auth)).await;
    let (client, login) = (client(), server.auth());
    let send = async || {
        let request = client.post(server.url("/text")).body(stream());
        request.send_with(&login).await
    };
    send().await.unwrap();
    // Twice, so that the key of the first nonce is gone.
    for _ in 0..2 {
        auth.rotate(NonceKey::random(&mut getrandom::SysRng).unwrap());
    }
    send().await.unwrap();
}

/// The server lets the HEAD through.
#[tokio::test]
async fn a_stream_that_is_refused_is_an_error() {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let guarded = guarded_by(app(), &Arc::new(auth));
    let open = post_service(guarded).head(async || "");
    let server = Server::start(Router::new().route("/text", open)).await;
    let request = client().post(server.url("/text")).body(stream());
    let error = request.send_with(&server.auth()).await.unwrap_err();
    let Error::Login(refused) = error else {
        panic!("{error:?}")
    };
    assert_eq!(refused.why, LoginFailure::NotRepeatable);
}

#[tokio::test]
async fn auth_int_covers_what_is_in_memory() {
    let server = int().await;
    let (client, auth) = (client(), server.auth());
    let url = server.url("/");
    for request in [
        client.post(&url).body("Hakuna Matata"),
        client.post(&url).json(&serde_json::json!({ "a": 1 })),
        client.get(&url),
    ] {
        assert_eq!(request.send_with(&auth).await.unwrap().status(), 200);
    }
    for seen in server.take_seen().iter().filter(|seen| seen.status == 200) {
        let answer = seen.authorization.as_ref().unwrap();
        assert!(answer.contains("qop=auth-int"), "{answer}");
    }
    let error = client.post(&url).body(stream()).send_with(&auth).await;
    match error.unwrap_err() {
        Error::Authorize(client::Error::BodyNeeded(_)) => {}
        Error::Login(refused) if refused.why == LoginFailure::NotRepeatable => {}
        error => panic!("{error:?}"),
    }
}
