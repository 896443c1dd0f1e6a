//! Clients of reqwest-middleware.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use countersign_reqwest::{Account, Error};
use reqwest::Request;
use reqwest_middleware::{Middleware, Next};

use crate::support::{Server, USER, client_for, echo, files, guarded};

/// Counts requests.
struct Counting(Arc<AtomicUsize>);

#[async_trait::async_trait]
impl Middleware for Counting {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut http::Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        self.0.fetch_add(1, Ordering::Relaxed);
        next.run(request, extensions).await
    }
}

#[tokio::test]
async fn a_client_with_a_login() {
    let server = Server::echo().await;
    let count = Arc::new(AtomicUsize::new(0));
    let login = server.client();
    let client = login
        .with_middleware()
        .with(Counting(Arc::clone(&count)))
        .build();
    for expected in [2, 3] {
        let response = client.get(server.url("/x?q='y'")).send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(count.load(Ordering::Relaxed), expected);
    }
}

#[tokio::test]
async fn its_errors() {
    let server = Server::echo().await;
    let wrong = Account::new(USER.0, "Circle of Lies");
    let client = client_for(&server.url(""), wrong);
    let client = client.with_middleware().build();
    let error = client.get(server.url("/")).send().await.unwrap_err();
    let reqwest_middleware::Error::Middleware(error) = error else {
        panic!("{error:?}")
    };
    let error = error
        .downcast::<Error<reqwest_middleware::Error>>()
        .unwrap();
    assert!(matches!(error, Error::WrongCredentials(_)), "{error:?}");

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", nobody.local_addr().unwrap());
    drop(nobody);
    let error = client.get(url).send().await.unwrap_err();
    assert!(error.is_connect());
}

/// Some devices hide their challenge from browsers.
struct Renaming;

#[async_trait::async_trait]
impl Middleware for Renaming {
    async fn handle(
        &self,
        request: Request,
        extensions: &mut http::Extensions,
        next: Next<'_>,
    ) -> reqwest_middleware::Result<reqwest::Response> {
        let mut response = next.run(request, extensions).await?;
        if let Some(challenge) = response.headers_mut().remove("x-www-authenticate") {
            response.headers_mut().insert("www-authenticate", challenge);
        }
        Ok(response)
    }
}

#[tokio::test]
async fn a_challenge_in_another_field() {
    let hide = async |request: axum::extract::Request, next: axum::middleware::Next| {
        let mut response = next.run(request).await;
        if let Some(challenge) = response.headers_mut().remove("www-authenticate") {
            let fields = response.headers_mut();
            fields.insert("x-www-authenticate", challenge);
        }
        response
    };
    let app = guarded(echo(), files()).layer(axum::middleware::from_fn(hide));
    let server = Server::start(app).await;
    let login = server.client();
    login.get(server.url("/")).send().await.unwrap_err();
    let client = login.with_middleware().with(Renaming).build();
    let response = client.get(server.url("/")).send().await.unwrap();
    assert_eq!(response.status(), 200);
}
