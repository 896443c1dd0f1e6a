//! Over a socket, with the client of hyper, and with curl if it is installed.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::routing::get;
use axum::{Extension, Router};
use countersign::Channel;
use countersign::client::{Endpoint, Policy, ServerProof};
use countersign::digest::QopSet;
use countersign::server::{BasicOffer, Realm};
use countersign::wire::basic_credentials;
use countersign_tower::client::AuthClientLayer;
use countersign_tower::server::{AuthLayer, Identity, Limiter};
use http::Request;
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpListener;
use tokio::process::Command;
use tower::{Layer, ServiceExt};

use crate::support::{Body, Store, USER, authenticator, knowing, mufasa};

async fn echo(Extension(identity): Extension<Identity<Arc<str>>>, body: String) -> String {
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
    let auth = authenticator(realm.with_basic(BasicOffer::Anywhere));
    let layer = || AuthLayer::new(Arc::clone(&auth), Channel::Cleartext, Store);
    let int = layer().with_realm(int);
    let int = int.with_buffered_body(100, 10, axum::body::Body::new);
    let app = Router::new()
        .route("/x", get(echo).post(echo).layer(layer()))
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
        let http = Client::builder(TokioExecutor::new())
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

/// A proof for an empty body, which does not cover the status: with HTTP/2 a 204 may have a body.
#[tokio::test]
async fn a_forged_body_under_another_status_is_not_proven() {
    let realm = Realm::new("int").unwrap().with_qop(QopSet::AUTH_INT);
    let layer = AuthLayer::new(authenticator(realm), Channel::Cleartext, Store);
    let layer = layer.with_buffered_body(100, 10, axum::body::Body::new);
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
        let http = Client::builder(TokioExecutor::new())
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

/// The server of the README has `ConnectInfo`, and so the addresses of its clients.
#[tokio::test]
async fn a_limiter_needs_connect_info() {
    let realm = Realm::new("files").unwrap();
    let auth = authenticator(realm.with_basic(BasicOffer::Anywhere));
    for (has_info, expected) in [(true, [401, 401, 429]), (false, [500; 3])] {
        let limiter = Limiter::new(2, Duration::from_secs(300), 100, |head| {
            let peer = head.extensions.get::<ConnectInfo<SocketAddr>>();
            peer.map(|peer| peer.0.ip())
        });
        let layer = AuthLayer::new(Arc::clone(&auth), Channel::Cleartext, Store);
        let app = Router::new().route("/", get(echo).layer(layer.with_limiter(limiter)));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move {
            match has_info {
                true => {
                    let app = app.into_make_service_with_connect_info::<SocketAddr>();
                    axum::serve(listener, app).await
                }
                false => axum::serve(listener, app).await,
            }
        });
        let guess = basic_credentials(USER.0, "Circle of Lies").unwrap();
        let client = Client::builder(TokioExecutor::new()).build_http::<Body>();
        for status in expected {
            let request = Request::get(&url).header("authorization", guess.as_bytes());
            let request = request.body(Body::default()).unwrap();
            let response = client.request(request).await.unwrap();
            assert_eq!(response.status(), status, "{has_info}");
        }
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
