//! Over a socket, with curl if it is installed.

use axum::routing::get;
use axum::{Extension, Router};
use countersign::Channel;
use countersign::digest::QopSet;
use countersign::server::{BasicOffer, Realm};
use countersign_tower::server::{AuthLayer, Identity};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::process::Command;

use crate::support::{Store, USER, authenticator};

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

#[tokio::test]
async fn curl_logs_in() {
    let qop = QopSet::AUTH_INT;
    let realm = Realm::new("files")
        .unwrap()
        .with_basic(BasicOffer::Anywhere);
    let int = Realm::new("int").unwrap().with_qop(qop);
    let auth = authenticator(realm);
    let layer = || AuthLayer::new(Arc::clone(&auth), Channel::Cleartext, Store);
    let int = layer()
        .with_realm(int)
        .with_buffered_body(100, axum::body::Body::new);
    let app = Router::new()
        .route("/x", get(echo).post(echo).layer(layer()))
        .route("/int", get(echo).post(echo).layer(int));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });

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
