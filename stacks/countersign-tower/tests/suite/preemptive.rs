//! Servers that never challenge, because guests get in, too.

use std::convert::Infallible;

use countersign::client::{Account, AuthCache, Policy};
use countersign::wire::basic_credentials;
use countersign_tower::client::{AuthClientLayer, LoginFailure};
use http::{Request, Response};
use tower::util::BoxCloneSyncService;
use tower::{Layer, ServiceExt, service_fn};

use crate::support::{Body, Network, Server, USER, get, origin, text};

/// Has other content for those who send a password.
fn guests_welcome() -> Server {
    BoxCloneSyncService::new(service_fn(|request: Request<Body>| async move {
        let basic = basic_credentials(USER.0, USER.1).unwrap();
        let text = match request.headers().get("authorization") {
            Some(value) if value.as_bytes() == basic.as_bytes() => "yours",
            _ => "guest",
        };
        Ok::<_, Infallible>(Response::new(text.into()))
    }))
}

/// Even where the cache has no room for two servers.
#[tokio::test]
async fn basic_is_sent_to_a_server_that_never_challenges() {
    let network = Network::default()
        .with("a.example", guests_welcome())
        .with("b.example", guests_welcome());
    let account = || Account::new(USER.0, USER.1);
    for (account, expected) in [
        (account().with_preemptive_basic(), "yours"),
        (account().with_basic(), "guest"),
    ] {
        let mut cache = AuthCache::new(1, Policy::new(), &mut getrandom::SysRng).unwrap();
        cache.add_account(&origin("a.example"), account).unwrap();
        let client = AuthClientLayer::new(cache).layer(network.service());
        for (host, expected) in [
            ("a.example", expected),
            ("b.example", "guest"),
            ("a.example", expected),
        ] {
            let request = get(&format!("https://{host}/"));
            let response = client.clone().oneshot(request).await.unwrap();
            assert_eq!(response.extensions().get::<LoginFailure>(), None);
            assert_eq!(text(response).await, expected, "{host}");
        }
    }
    let elsewhere = network.take_seen();
    let mut elsewhere = elsewhere.iter().filter(|seen| seen.host == "b.example");
    assert!(elsewhere.all(|seen| seen.authorization.is_none()));
}
