//! Nothing is found in the layers of countersign-tower.

use std::convert::Infallible;

use bytes::Bytes;
use countersign::Channel;
use countersign::client::{Account, AuthCache, Endpoint, Policy};
use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Realm};
use countersign_testing::client::ClientCheck;
use countersign_testing::server::ServerCheck;
use countersign_tower::client::{AuthClientError, AuthClientLayer};
use countersign_tower::server::{AuthLayer, UserMap};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tower::{Layer, ServiceExt, service_fn};

use crate::toys::{PASSWORD, USER};

type Body = Full<Bytes>;

async fn collected<B>(response: Response<B>) -> Response<Vec<u8>>
where
    B: hyper::body::Body<Data = Bytes, Error = Infallible>,
{
    let (head, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    Response::from_parts(head, body.to_bytes().to_vec())
}

#[test]
fn the_server_layer() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let realm = Realm::new("files")
        .unwrap()
        .with_algorithms(&[Algorithm::SHA_256]);
    let users = UserMap::new(&realm, [(USER, PASSWORD)]);
    let auth = Authenticator::new(realm, 1000, &mut ChaCha8Rng::seed_from_u64(1));
    let Ok(auth) = auth;
    let layer = AuthLayer::new(auth, Channel::Encrypted, users);
    let hello = |_: Request<_>| async { Ok::<_, Infallible>(Response::new(Body::from("hello"))) };
    let service = layer.layer(service_fn(hello));
    let report = ServerCheck::new(USER, PASSWORD).run(|request| {
        let request = request.map(Body::from);
        runtime.block_on(async {
            match service.clone().oneshot(request).await {
                Ok(response) => collected(response).await,
                Err(error) => panic!("{error}"),
            }
        })
    });
    report.assert_clean();
}

#[test]
fn the_client_layer() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let origin = Endpoint::origin("http", "server.example", None).unwrap();
    let report = ClientCheck::new(USER, PASSWORD).run(|network| {
        let cache = AuthCache::new(10, Policy::new(), &mut ChaCha8Rng::seed_from_u64(1));
        let Ok(mut cache) = cache;
        let account = Account::new(USER, PASSWORD);
        cache.add_account(&origin, account).unwrap();
        let send = service_fn(move |request: Request<Body>| {
            let network = network.clone();
            async move {
                let (head, body) = request.into_parts();
                let Ok(body) = body.collect().await;
                let request = Request::from_parts(head, body.to_bytes());
                Ok::<_, Infallible>(network.send(request).map(Body::from))
            }
        });
        let client = AuthClientLayer::new(cache).layer(send);
        let runtime = &runtime;
        move |request: Request<Vec<u8>>| {
            let request = request.map(Body::from);
            runtime.block_on(async {
                let response = client.clone().oneshot(request).await?;
                Ok::<_, AuthClientError<Infallible>>(collected(response).await)
            })
        }
    });
    report.assert_clean();
}
