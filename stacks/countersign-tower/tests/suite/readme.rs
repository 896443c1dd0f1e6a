//! The program of the README, over a socket.

use std::net::SocketAddr;

use countersign::client::{Account, Endpoint, Policy};
use countersign_tower::client::AuthClientLayer;
use http::Request;
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpListener;
use tower::{Layer, ServiceExt};

use crate::support::{Body, cache};

mod areas {
    #![expect(dead_code, reason = "listens on a fixed port")]
    include!("../../examples/server.rs");

    pub(crate) fn router() -> Router {
        app().unwrap()
    }
}

#[test]
fn the_readme_has_this_program() {
    let readme = include_str!("../../README.md");
    let example = include_str!("../../examples/server.rs");
    let program = &example[example.find("use axum").unwrap()..];
    assert!(readme.contains(program));
}

#[tokio::test]
async fn each_area_has_its_users_and_a_limit() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = areas::router().into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, app).await });
    let origin = Endpoint::origin("http", "127.0.0.1", Some(address.port())).unwrap();
    let http = Client::builder(TokioExecutor::new()).build_http::<Body>();
    let get = async |account: &Account, path: &str| {
        let mut cache = cache(Policy::new());
        cache.add_account(&origin, account.clone()).unwrap();
        let request = Request::get(format!("http://{address}{path}"));
        let request = request.body(Body::default()).unwrap();
        let client = AuthClientLayer::new(cache).layer(http.clone());
        let response = client.oneshot(request).await.unwrap();
        let status = response.status().as_u16();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    };
    let mufasa = Account::new("Mufasa", "Circle of Life");
    let rafiki = Account::new("Rafiki", "Asante sana");
    let nobody = || (401, String::new());
    for (account, path, expected) in [
        (
            &mufasa,
            "/reports/7?page=2",
            (200, "hello Mufasa\n".to_owned()),
        ),
        (&rafiki, "/admin/log", (200, "hello Rafiki\n".to_owned())),
        (&mufasa, "/admin/log", nobody()),
        (&rafiki, "/reports/7", nobody()),
        (&rafiki, "/open", (200, "hello\n".to_owned())),
    ] {
        assert_eq!(get(account, path).await, expected, "{path}");
    }
    let mut refused = 0;
    let guess = Account::new("Mufasa", "Circle of Lies");
    while get(&guess, "/reports/7").await.0 == 401 {
        refused += 1;
    }
    assert_eq!(refused, 20);
    assert_eq!(get(&mufasa, "/reports/7").await.0, 429);
    // Counted by realm.
    assert_eq!(get(&rafiki, "/admin/log").await.0, 200);
}
