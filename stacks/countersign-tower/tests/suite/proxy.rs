//! A proxy that asks for credentials before the origin does.

use countersign::Channel;
use countersign::client::{Account, Ask, Endpoint, Policy, ServerProof};
use countersign::server::Realm;
use countersign_tower::client::{AuthClientLayer, Credentials, LoginFailure};
use countersign_tower::server::AuthLayer;
use tower::{Layer, ServiceExt};

use crate::support::{
    Network, Store, Typist, USER, authenticator, behind, behind_another, cache, get,
};

fn proxy() -> Endpoint {
    Endpoint::proxy("http", "proxy.example", 3128)
}

/// A layer of each kind, one within the other.
fn network() -> Network {
    let realm = Realm::new("proxy").unwrap().for_proxy();
    let proxy = AuthLayer::new(authenticator(realm), Channel::Cleartext, Store);
    let auth = authenticator(Realm::new("files").unwrap());
    let origin = behind(AuthLayer::new(auth, Channel::Cleartext, Store));
    Network::default().with("a.example", behind_another(proxy, origin))
}

struct Both;

impl Credentials for Both {
    async fn credentials(&self, ask: &Ask) -> Option<Account> {
        let realm = if *ask.endpoint() == proxy() {
            "proxy"
        } else {
            "files"
        };
        assert_eq!(ask.realm_text(), realm);
        Some(Account::new(USER.0, USER.1))
    }
}

#[tokio::test]
async fn proxy_and_origin() {
    let network = network();
    let layer = AuthClientLayer::with_credentials(cache(Policy::new()), Both).with_proxy(proxy());
    let client = layer.layer(network.service());
    for statuses in [&[407, 401, 200][..], &[200]] {
        let request = get("http://a.example/a?b");
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        let seen = network.take_seen();
        let got: Vec<_> = seen.iter().map(|seen| seen.status).collect();
        assert_eq!(got, statuses);
        let last = seen.last().unwrap();
        let contains = |value: &Option<String>, text| value.as_ref().unwrap().contains(text);
        assert!(contains(&last.authorization, r#"uri="/a?b""#));
        assert!(contains(
            &last.proxy_authorization,
            r#"uri="http://a.example/a?b""#
        ));
    }
}

#[tokio::test]
async fn a_407_out_of_a_tunnel_is_not_answered() {
    let network = network();
    let user = Typist::new(&[USER.1]);
    let layer =
        AuthClientLayer::with_credentials(cache(Policy::new()), user.clone()).with_proxy(proxy());
    let client = layer.layer(network.service());
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!((response.status().as_u16(), user.asked()), (407, 0));
    assert_eq!(response.extensions().get(), Some(&ServerProof::Absent));
    assert_eq!(response.extensions().get::<LoginFailure>(), None);
}
