//! Redirects, followed by a layer around ours.

use std::convert::Infallible;

use countersign::Channel;
use countersign::client::Policy;
use countersign::server::Realm;
use countersign_tower::server::{AuthLayer, RequestBody};
use http::{Request, Response};
use tower::{Layer, ServiceExt, service_fn};
use tower_http::follow_redirect::FollowRedirectLayer;

use crate::support::{
    Body, Network, Server, Store, authenticator, behind, collected, get, hello, mufasa,
};

/// A server that asks for credentials and then sends its clients elsewhere.
fn redirecting() -> Server {
    let auth = authenticator(Realm::new("files").unwrap().with_basic());
    let layer = AuthLayer::new(auth, Channel::Encrypted, Store);
    collected(
        layer.layer(service_fn(|request: Request<RequestBody<Body>>| async {
            let to = match request.uri().path() {
                "/away" => "https://b.example/landing",
                "/near" => "/landing",
                _ => return hello::<Store>(request).await,
            };
            let response = Response::builder().status(307).header("location", to);
            Ok::<_, Infallible>(response.body(Body::default()).unwrap())
        })),
    )
}

#[tokio::test]
async fn a_redirect_leaks_nothing() {
    // The other origin asks for the same realm.
    let auth = authenticator(Realm::new("files").unwrap().with_basic());
    let other = behind(AuthLayer::new(auth, Channel::Encrypted, Store));
    let network = Network::default()
        .with("a.example", redirecting())
        .with("b.example", other);
    let client = FollowRedirectLayer::new().layer(network.client(Policy::new(), mufasa()));
    for (path, status) in [("/near", 200), ("/away", 401)] {
        let request = get(&format!("https://a.example{path}"));
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), status, "{path}");
    }
    let seen = network.take_seen();
    let (away, near): (Vec<_>, Vec<_>) = seen.iter().partition(|seen| seen.host == "b.example");
    assert_eq!((near.len(), away.len()), (4, 1));
    assert!(away.iter().all(|seen| seen.authorization.is_none()));
    // Each request of the origin has an answer of its own.
    let mut answers: Vec<_> = near
        .iter()
        .filter_map(|seen| seen.authorization.as_ref())
        .collect();
    answers.sort();
    answers.dedup();
    assert_eq!(answers.len(), 3);
}
