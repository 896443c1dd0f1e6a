//! Proxies.

use countersign::client::{AuthCache, Endpoint, Policy};
use countersign_reqwest::{Account, AuthClientLayer, Client, Error};
use reqwest::Proxy;

use crate::support::{Server, USER, echo, files, guarded, mufasa, realm};

/// A proxy that asks, and forwards to an origin that asks, too.
async fn proxy() -> Server {
    let origin = guarded(echo(), files());
    Server::of(realm("proxy").for_proxy(), origin).await
}

fn http(proxy: &Server) -> reqwest::ClientBuilder {
    let proxy = Proxy::all(proxy.url("")).unwrap();
    reqwest::Client::builder().proxy(proxy)
}

/// Logs in to the proxy with an account.
fn client(proxy: &Server, account: Account) -> Client {
    let endpoint = Endpoint::proxy("http", "127.0.0.1", proxy.address.port());
    let cache = AuthCache::new(10, Policy::new(), &mut getrandom::SysRng).unwrap();
    let layer = AuthClientLayer::new(cache).with_proxy(endpoint.clone());
    layer.add_account(&endpoint, account).unwrap();
    Client::builder(http(proxy)).layer(layer).build().unwrap()
}

const ORIGIN: &str = "http://origin.invalid:8080";

#[tokio::test]
async fn proxy_and_origin() {
    let proxy = proxy().await;
    let client = client(&proxy, mufasa());
    for target in [
        "/", "/x?q='y'", "/{id}", "/é", "/a/../b", "/x?", "", "/a|b#f",
    ] {
        client.logout(ORIGIN).unwrap();
        client
            .add_account(ORIGIN, mufasa().for_realm("files"))
            .unwrap();
        let request = client.get(format!("{ORIGIN}{target}"));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{target}");
    }
    let statuses = proxy.take_statuses();
    assert_eq!(statuses[..3], [407, 401, 200]);
    assert!(!statuses[3..].contains(&407));
}

/// Each challenges it once.
#[tokio::test]
async fn a_stream_to_proxy_and_origin() {
    let proxy = proxy().await;
    let client = client(&proxy, mufasa());
    client
        .add_account(ORIGIN, mufasa().for_realm("files"))
        .unwrap();
    for status in [407, 401, 200] {
        let body = futures_util::stream::iter([Ok::<_, std::io::Error>("Hakuna Matata")]);
        let request = client.post(format!("{ORIGIN}/"));
        let request = request.body(reqwest::Body::wrap_stream(body));
        let outcome = request.send().await;
        assert_eq!(outcome.is_ok(), status == 200, "{outcome:?}");
        assert_eq!(proxy.take_statuses(), [status]);
    }
}

#[tokio::test]
async fn a_wrong_password_of_the_proxy() {
    let proxy = proxy().await;
    let client = client(&proxy, Account::new(USER.0, "Circle of Lies"));
    let error = client.get(ORIGIN).send().await.unwrap_err();
    let Error::WrongCredentials(refused) = error else {
        panic!("{error:?}")
    };
    assert_eq!(refused.response.status(), 407);
    assert_eq!(proxy.take_statuses(), [407, 407]);
}

/// A 407 to an `https` request could come out of the tunnel. Without TLS, as here, reqwest makes
/// none.
#[tokio::test]
async fn a_407_to_an_https_request_is_not_answered() {
    let proxy = proxy().await;
    let client = client(&proxy, mufasa());
    let request = client.get("https://origin.invalid/");
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 407);
    assert_eq!(proxy.take_statuses(), [407]);
}

/// Without an account for a proxy, its 407 is the response.
#[tokio::test]
async fn a_407_without_an_account_is_a_response() {
    let proxy = proxy().await;
    let client = Client::builder(http(&proxy)).build().unwrap();
    client.add_account(ORIGIN, mufasa()).unwrap();
    let response = client.get(ORIGIN).send().await.unwrap();
    assert_eq!(response.status(), 407);
    assert_eq!(proxy.take_statuses(), [407]);
}
