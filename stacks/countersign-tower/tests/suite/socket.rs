//! Over a socket, with the client of hyper, and with curl if it is installed.

use std::net::SocketAddr;

use axum::routing::get;
use axum::{Extension, Router};
use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy, ServerProof};
use countersign::digest::QopSet;
use countersign::server::Realm;
use countersign::{Channel, EntityBody, Target, challenges};
use countersign_tower::client::AuthClientLayer;
use countersign_tower::server::{AuthLayer, Identity, RequestBody};
use http::Request;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tower::{Layer, ServiceExt};

use crate::support::{Body, Store, USER, authenticator, knowing, mufasa};

async fn echo(Extension(identity): Extension<Identity<Store>>, body: String) -> String {
    let name = identity.account();
    format!("{name} by {:?}: {body}", identity.scheme())
}

async fn curl(args: &[&str], url: &str) -> std::io::Result<String> {
    let mut curl = Command::new("curl");
    curl.args(["-q", "--silent", "--noproxy", "*", "--max-time", "20"]);
    curl.args(["--write-out", "\n%{http_code} %{num_connects}"]);
    let output = curl.args(args).arg(url).output().await?;
    Ok(String::from_utf8(output.stdout).unwrap())
}

/// Serves `/x`, and `/int` with responses that cover the body.
async fn serve() -> SocketAddr {
    let realm = Realm::new("files").unwrap();
    let int = Realm::new("int").unwrap().with_qop(QopSet::AUTH_INT);
    let auth = authenticator(realm.with_cleartext_basic());
    let layer = AuthLayer::builder(auth, Channel::Cleartext, Store)
        .with_body_buffer(100, 1000)
        .build();
    let int = layer.with_realm(int);
    let app = Router::new()
        .route("/x", get(echo).post(echo).layer(layer))
        .route("/int", get(echo).post(echo).layer(int));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

#[tokio::test]
async fn hyper_logs_in_with_http_1_and_2() {
    let address = serve().await;
    let origin = Endpoint::origin("http", "127.0.0.1", Some(address.port())).unwrap();
    for is_http2 in [false, true] {
        let mut cache = knowing(&origin, Policy::new(), mufasa().for_realm("files"));
        cache
            .add_account(&origin, mufasa().for_realm("int"))
            .unwrap();
        let layer = AuthClientLayer::new(cache);
        let http = HttpClient::builder(TokioExecutor::new())
            .http2_only(is_http2)
            .build_http::<Body>();
        let client = layer.layer(http);
        for (path, proof) in [
            ("/x?y=z", ServerProof::Valid),
            ("/x", ServerProof::Valid),
            ("/int", ServerProof::Absent),
        ] {
            let request = Request::post(format!("http://{address}{path}"));
            let request = request.body("a=1".into()).unwrap();
            let response = client.clone().oneshot(request).await.unwrap();
            assert_eq!(response.version() == http::Version::HTTP_2, is_http2);
            assert_eq!(response.extensions().get(), Some(&proof), "{path}");
            let bytes = response.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(bytes, "Mufasa by Digest: a=1");
        }
    }
}

/// hyper's own body comes in, which nobody can make. What goes on is of one type, read or not.
#[tokio::test]
async fn hyper_serves_a_layer_without_a_framework() {
    let realm = Realm::new("int").unwrap().with_qop(QopSet::BOTH);
    let layer = AuthLayer::new(authenticator(realm), Channel::Cleartext, Store);
    let echo = async |request: Request<RequestBody<Incoming>>| {
        let mut body = request.into_body();
        let length = http_body::Body::size_hint(&body).exact();
        let mut text = format!("{length:?}: ");
        while let Some(frame) = body.frame().await {
            text += std::str::from_utf8(frame?.data_ref().unwrap()).unwrap();
        }
        Ok::<_, hyper::Error>(http::Response::new(Body::from(text)))
    };
    let service = layer.layer(tower::service_fn(echo));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let service = TowerToHyperService::new(service.clone());
            let server = hyper_util::server::conn::auto::Builder::new(TokioExecutor::new());
            tokio::spawn(async move {
                let stream = TokioIo::new(stream);
                server.serve_connection(stream, service).await.unwrap();
            });
        }
    });
    let origin = Endpoint::origin("http", "127.0.0.1", Some(address.port())).unwrap();
    for policy in [Policy::new(), Policy::new().require_auth_int()] {
        let layer = AuthClientLayer::new(knowing(&origin, policy, mufasa()));
        let http = HttpClient::builder(TokioExecutor::new()).build_http::<Body>();
        let request = Request::post(format!("http://{address}/"));
        let request = request.body("a=1".into()).unwrap();
        let response = layer.layer(http).oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(bytes, "Some(3): a=1");
    }
}

/// One nonce from one 401 is enough for any number of connections, so they must not use up what
/// honest clients need.
#[tokio::test]
async fn bodies_that_are_held_back_keep_nobody_out() {
    let address = serve().await;
    let origin = Endpoint::origin("http", "127.0.0.1", Some(address.port())).unwrap();
    let url = format!("http://{address}/int");
    let http = HttpClient::builder(TokioExecutor::new()).build_http::<Body>();
    let refused = http.get(url.parse().unwrap()).await.unwrap();
    let mut client = Client::from_seed(origin.clone(), Policy::new(), [7; 32]);
    let mut exchange = Exchange::new();
    let fields = refused.headers().get_all("www-authenticate");
    let Next::Login(ask) = client.challenged(&mut exchange, challenges(fields)) else {
        panic!("no login")
    };
    let nobody = Account::new("Nobody", "any");
    client.login(&ask, &nobody).unwrap();
    let target = Target::new("POST", "/int").with_body(EntityBody::Bytes(b"never sent"));
    let answer = client.authorize(&mut exchange, &target).unwrap();
    let answer = answer.for_new_request().unwrap().to_str().unwrap();
    let mut held = Vec::new();
    for _ in 0..100 {
        let mut connection = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /int HTTP/1.1\r\nhost: {address}\r\nauthorization: {answer}\r\n\
             content-length: 10\r\nexpect: 100-continue\r\n\r\n"
        );
        connection.write_all(head.as_bytes()).await.unwrap();
        // Sent when the body begins to be read.
        let mut interim = [0; 25];
        connection.read_exact(&mut interim).await.unwrap();
        assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
        connection.write_all(b"n").await.unwrap();
        held.push(connection);
    }
    let layer = AuthClientLayer::new(knowing(&origin, Policy::new(), mufasa()));
    let request = Request::post(&url).body("a=1".into()).unwrap();
    let response = layer.layer(http).oneshot(request).await.unwrap();
    assert_eq!(response.status(), 200);
    drop(held);
}

/// A client that waits for it sends its body only once.
#[tokio::test]
async fn a_body_is_asked_for_after_the_login() {
    let address = serve().await;
    for path in ["/x", "/int"] {
        let mut connection = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-length: 10\r\n\
             expect: 100-continue\r\n\r\n"
        );
        connection.write_all(head.as_bytes()).await.unwrap();
        let mut status = [0; 12];
        connection.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 401");
    }
}

/// A proof for an empty body, which does not cover the status: with HTTP/2 a 204 may have a body.
#[tokio::test]
async fn a_forged_body_under_another_status_is_not_proven() {
    let realm = Realm::new("int").unwrap().with_qop(QopSet::AUTH_INT);
    let layer = AuthLayer::new(authenticator(realm), Channel::Cleartext, Store);
    let forge = async |mut response: axum::response::Response| {
        if response.status() == 200 {
            *response.status_mut() = http::StatusCode::NO_CONTENT;
            *response.body_mut() = "forged".into();
        }
        response
    };
    let app = Router::new().route("/", get(async || "").layer(layer));
    let app = app.layer(axum::middleware::map_response(forge));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });

    let origin = Endpoint::origin("http", "127.0.0.1", Some(address.port())).unwrap();
    for (is_http2, proof, body) in [
        (false, ServerProof::Valid, ""),
        (true, ServerProof::Unchecked, "forged"),
    ] {
        let policy = Policy::new().require_auth_int();
        let layer = AuthClientLayer::new(knowing(&origin, policy, mufasa()));
        let http = HttpClient::builder(TokioExecutor::new())
            .http2_only(is_http2)
            .build_http::<Body>();
        let request = Request::get(format!("http://{address}/"));
        let request = request.body(Body::default()).unwrap();
        let response = layer.layer(http).oneshot(request).await.unwrap();
        assert_eq!(response.status(), 204);
        assert_eq!(
            response.extensions().get(),
            Some(&proof),
            "HTTP/2: {is_http2}"
        );
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(bytes, body);
    }
}

#[tokio::test]
async fn curl_logs_in() {
    let address = serve().await;
    let right = &*format!("{}:{}", USER.0, USER.1);
    let url = |path| format!("http://{address}{path}");
    for (args, path, expected) in [
        (
            &["--digest", "-u", right][..],
            "/x?y=z",
            "Mufasa by Digest: \n200 1",
        ),
        (&["--basic", "-u", right], "/x", "Mufasa by Basic: \n200 1"),
        (
            &["--digest", "-u", right, "-d", "a=1"],
            "/x",
            "Mufasa by Digest: a=1\n200 1",
        ),
        (&["--digest", "-u", "Mufasa:wrong"], "/x", "\n401 1"),
        (&["--digest", "-u", "Zazu:any"], "/x", "\n503 1"),
        (&[], "/x", "\n401 1"),
        (
            &["--digest", "-u", right],
            "/int",
            "Mufasa by Digest: \n200 1",
        ),
    ] {
        match curl(args, &url(path)).await {
            Ok(got) => assert_eq!(got, expected, "{args:?} {path}"),
            Err(error) => return println!("skipped: curl: {error}"),
        }
    }
}
