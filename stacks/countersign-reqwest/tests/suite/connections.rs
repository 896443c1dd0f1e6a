//! Servers whose connections end, or do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use countersign_reqwest::{Client, Error};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Server, client_for, http, mufasa};

/// How a server ends its challenge.
#[derive(Clone, Copy)]
enum End {
    /// It closes the connection, and does not say so: when the next request arrives on it.
    Closes,
    /// It sends a body that does not come to its end.
    Endless,
    Stalls,
}

async fn head_of(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    Ok(String::from_utf8_lossy(&head).to_lowercase())
}

async fn respond(mut stream: TcpStream, end: End) -> std::io::Result<()> {
    const CHALLENGE: &str = "WWW-Authenticate: Digest realm=\"files\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256\r\n";
    let head = head_of(&mut stream).await?;
    if head.contains("\r\nauthorization: digest ") {
        let done = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return stream.write_all(done).await;
    }
    let length = match end {
        End::Closes => "Content-Length: 0\r\n",
        End::Endless | End::Stalls => "",
    };
    let head = format!("HTTP/1.1 401 Unauthorized\r\n{CHALLENGE}{length}\r\n");
    stream.write_all(head.as_bytes()).await?;
    match end {
        End::Closes => head_of(&mut stream).await.map(drop),
        End::Endless => loop {
            stream.write_all(&[b'x'; 4096]).await?;
        },
        // Open until the client closes it.
        End::Stalls => stream.read_u8().await.map(drop),
    }
}

/// Returns its URL, and the number of its connections.
async fn server(end: End) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(respond(stream, end));
        }
    });
    (url, connections)
}

#[tokio::test]
async fn a_connection_that_is_closed_after_the_challenge() {
    let (url, connections) = server(End::Closes).await;
    for _ in 0..20 {
        let client = client_for(&url, mufasa());
        let response = client.get(&url).send().await.unwrap();
        assert_eq!(response.status(), 200);
    }
    assert_eq!(connections.load(Ordering::Relaxed), 40);
    let propfind = reqwest::Method::from_bytes(b"PROPFIND").unwrap();
    for _ in 0..9 {
        let client = client_for(&url, mufasa());
        let request = client.request(propfind.clone(), &url);
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
}

#[tokio::test]
async fn the_body_of_a_challenge_without_an_end() {
    for end in [End::Endless, End::Stalls] {
        let (url, _) = server(end).await;
        let client = client_for(&url, mufasa());
        let response = client.get(&url).send().await.unwrap();
        assert_eq!(response.status(), 200);
    }
}

/// What took too long is not sent once more.
#[tokio::test]
async fn a_limit_of_time_ends_it() {
    let answers = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&answers);
    let app = Router::new().fallback(async move |request: Request| {
        if !request.headers().contains_key("authorization") {
            let ask = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;
            return (StatusCode::UNAUTHORIZED, [("www-authenticate", ask)]);
        }
        count.fetch_add(1, Ordering::Relaxed);
        std::future::pending().await
    });
    let server = Server::start(app).await;
    for by_client in [true, false] {
        let (limit, http) = (Duration::from_millis(300), http());
        let http = if by_client { http.timeout(limit) } else { http };
        let client = Client::builder(http).build().unwrap();
        client.add_account(&server.url("/"), mufasa()).unwrap();
        let request = client.get(server.url("/"));
        let request = if by_client {
            request
        } else {
            request.timeout(limit)
        };
        let error = request.send().await.unwrap_err();
        assert!(
            matches!(&error, Error::Send(it) if it.is_timeout()),
            "{error:?}"
        );
        assert_eq!(answers.swap(0, Ordering::Relaxed), 1);
    }
}

#[tokio::test]
async fn http_2() {
    let server = Server::echo().await;
    let client = Client::builder(http().http2_prior_knowledge());
    let client = client.build().unwrap();
    client.add_account(&server.url("/"), mufasa()).unwrap();
    for target in ["/x?q='y'", "/{id}", "/a/../é"] {
        let request = client.post(server.url(target)).body("a=1");
        let response = request.send().await.unwrap();
        assert_eq!(response.version(), http::Version::HTTP_2);
        assert_eq!(response.status(), 200);
    }
}
