//! Several machines that record counts in one store.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign::client::Policy;
use countersign::server::{Authenticator, Realm, StoreReply, Use};
use countersign::{Channel, Timestamp};
use countersign_tower::server::{AuthLayer, StoreError};
use http::Request;
use tower::util::BoxCloneSyncService;
use tower::{ServiceExt, service_fn};

use crate::support::{Body, Network, Server, Store, behind, get, mufasa};

/// The keys, and how long they are kept; `None` while it cannot be reached.
type Keys = Arc<Mutex<Option<HashMap<String, Duration>>>>;

fn machine(keys: &Keys) -> Server {
    let realm = |name| Realm::new(name).unwrap();
    let nonce_keys = "07".repeat(32).parse().unwrap();
    let rng = &mut getrandom::SysRng;
    let auth = Authenticator::for_shared_store(realm("main"), &nonce_keys, rng).unwrap();
    let keys = Arc::clone(keys);
    let claim = move |key, keep| {
        let keys = Arc::clone(&keys);
        async move {
            tokio::task::yield_now().await;
            match &mut *keys.lock().unwrap() {
                Some(keys) => Ok(StoreReply {
                    used: keys.insert(key, keep).map_or(Use::First, |_| Use::Seen),
                    now: Timestamp::now(),
                    lost_until: None,
                }),
                None => Err::<_, StoreError>("the store is down".into()),
            }
        }
    };
    let channel = Channel::Encrypted;
    let layer = AuthLayer::builder_for_shared_store(auth, channel, Store, claim);
    // An area, because its realm is the one that counts.
    behind(layer.build().with_realm(realm("files")))
}

fn store() -> Keys {
    Arc::new(Mutex::new(Some(HashMap::new())))
}

/// A balancer that sends each request to the other machine.
fn by_turns(machines: [Server; 2]) -> Server {
    let turn = Arc::new(Mutex::new(0));
    BoxCloneSyncService::new(service_fn(move |request: Request<Body>| {
        let mut turn = turn.lock().unwrap();
        *turn = 1 - *turn;
        machines[*turn].clone().oneshot(request)
    }))
}

#[tokio::test]
async fn machines_take_turns() {
    let keys = store();
    let server = by_turns([machine(&keys), machine(&keys)]);
    let network = Network::default().with("a.example", server);
    let client = network.client(Policy::new(), mufasa());
    for _ in 0..5 {
        let request = get("https://a.example/");
        let response = client.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
    }
    assert_eq!(network.take_statuses(), [401, 200, 200, 200, 200, 200]);
    let keys = keys.lock().unwrap();
    let keys = keys.as_ref().unwrap();
    assert_eq!(keys.len(), 5, "one for each count");
    // A lifetime of five minutes, and a margin of one.
    assert!(keys.values().all(|keep| keep.as_secs() == 360));
}

#[tokio::test]
async fn what_one_machine_has_granted_is_a_replay_at_the_other() {
    let keys = store();
    let network = Network::default().with("a.example", machine(&keys));
    let client = network.client(Policy::new(), mufasa());
    let response = client.oneshot(get("https://a.example/")).await.unwrap();
    assert_eq!(response.status(), 200);
    let captured = network.take_seen().pop().unwrap().authorization.unwrap();
    for server in [machine(&keys), machine(&keys)] {
        let mut request = get("/");
        let headers = request.headers_mut();
        headers.insert("authorization", captured.parse().unwrap());
        let response = server.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 401);
    }
    assert_eq!(keys.lock().unwrap().as_ref().unwrap().len(), 1);
}

#[tokio::test]
async fn without_the_store_nobody_is_let_in_nor_logged_out() {
    let keys = store();
    let network = Network::default().with("a.example", machine(&keys));
    let client = network.client(Policy::new(), mufasa());
    let kept = keys.lock().unwrap().take();
    let send = async || {
        let response = client.clone().oneshot(get("https://a.example/")).await;
        let (head, _) = response.unwrap().into_parts();
        let retry_after = head.headers.get("retry-after").cloned();
        (head.status.as_u16(), retry_after)
    };
    assert_eq!(send().await, (503, Some("1".parse().unwrap())));
    *keys.lock().unwrap() = kept;
    assert_eq!(send().await, (200, None));
}
