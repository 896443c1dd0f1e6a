//! Bodies, and those that can be sent only once.

use std::sync::Arc;

use axum::Router;
use axum::extract::Multipart;
use axum::routing::post;
use countersign::client::{self, ServerProof};
use countersign::server::Authenticator;
use countersign_reqwest::{Error, LoginFailure};
use reqwest::Body;
use reqwest::multipart::Form;

use crate::support::{Server, files, guarded_by, int};

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

#[tokio::test]
async fn bodies_in_memory() {
    let server = Server::of(files(), app()).await;
    for length in [0, 2 << 20] {
        let text = "a".repeat(length);
        let request = server.client().post(server.url("/text"));
        let response = request.body(text.clone()).send().await.unwrap();
        assert!(response.text().await.unwrap() == text);
        assert_eq!(server.take_statuses(), [401, 200]);
    }
}

/// An account is for its own server.
#[tokio::test]
async fn bodies_for_other_servers() {
    let server = Server::start(app()).await;
    let client = Server::echo().await.client();
    for body in [Body::from("Hakuna Matata"), stream()] {
        let request = client.post(server.url("/text")).body(body);
        request.send().await.unwrap();
        assert_eq!(server.take_statuses(), [200]);
    }
}

/// It is sent once: each challenge is an error, and known from then on.
#[tokio::test]
async fn streams() {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let auth = Arc::new(auth);
    let server = Server::start(guarded_by(app(), &auth)).await;
    let client = server.client();
    let send = async || {
        let request = client.post(server.url("/text")).body(stream());
        let outcome = request.send().await;
        match outcome {
            Ok(response) => {
                assert_eq!(response.extensions().get(), Some(&ServerProof::Valid));
                assert_eq!(response.text().await.unwrap(), "Hakuna Matata");
            }
            Err(Error::Login(refused)) => assert_eq!(refused.why, LoginFailure::NotRepeatable),
            Err(error) => panic!("{error:?}"),
        }
        server.take_statuses()
    };
    for _ in 0..2 {
        for status in [401, 200, 200] {
            assert_eq!(send().await, [status]);
        }
        // Twice, so that the key of the first nonce is gone.
        for _ in 0..2 {
            auth.rotate(&mut getrandom::SysRng).unwrap();
        }
    }
    // As documented.
    assert!(client.log_in(server.url("/text")).await.unwrap());
    server.take_seen();
    assert_eq!(send().await, [200]);
    let form = Form::new().text("a", "Hakuna Matata");
    let request = client.post(server.url("/form")).multipart(form);
    let response = request.send().await.unwrap();
    assert_eq!(response.text().await.unwrap(), "Hakuna Matata");
}

#[tokio::test]
async fn auth_int_covers_what_is_in_memory() {
    let server = int().await;
    let client = server.client();
    let url = server.url("/");
    for request in [
        client.post(&url).body("Hakuna Matata"),
        client.post(&url).json(&serde_json::json!({ "a": 1 })),
        client.get(&url),
    ] {
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    for seen in server.take_seen().iter().filter(|seen| seen.status == 200) {
        let answer = seen.authorization.as_ref().unwrap();
        assert!(answer.contains("qop=auth-int"), "{answer}");
    }
    let error = client.post(&url).body(stream()).send().await;
    match error.unwrap_err() {
        Error::Authorize(client::Error::BodyNeeded(_)) => {}
        Error::Login(refused) if refused.why == LoginFailure::NotRepeatable => {}
        error => panic!("{error:?}"),
    }
}
