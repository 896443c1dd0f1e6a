//! Servers that move: a node of a Redis Cluster, a primary that another takes the place of.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign_redis::{Error, RedisStore, redis};
use tokio::task::yield_now;

use crate::server::{Server, free_address};
use crate::site::{Machine, User, granted_again};

const KEEP: Duration = Duration::from_secs(100);

fn client(url: &str) -> redis::Client {
    redis::Client::open(url).unwrap()
}

/// Two nodes, of which the first has all slots.
async fn two_nodes() -> Option<[Server; 2]> {
    let nodes = [Server::start_node().await?, Server::start_node().await?];
    nodes[0]
        .ask::<()>(&format!("CLUSTER ADDSLOTS {}", slots()))
        .await;
    let (host, port) = (nodes[0].address.ip(), nodes[0].address.port());
    nodes[1]
        .ask::<()>(&format!("CLUSTER MEET {host} {port}"))
        .await;
    for node in &nodes {
        while !node
            .ask::<String>("CLUSTER INFO")
            .await
            .contains("cluster_state:ok")
        {
            yield_now().await;
        }
    }
    Some(nodes)
}

fn slots() -> String {
    let slots = (0..16_384).map(|slot| slot.to_string());
    slots.collect::<Vec<_>>().join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_of_a_cluster_names_the_node_that_has_the_keys() {
    let Some(nodes) = two_nodes().await else {
        return;
    };
    // The first node that is named is away, and the second has no slots.
    let known = [format!("redis://{}", free_address()), nodes[1].url()];
    let machines = [(); 3].map(|()| {
        let nodes = known.iter().map(|url| client(url)).collect();
        Machine::of(RedisStore::in_cluster(nodes))
    });
    User::capture(&machines, 1).await;
    nodes[0].age().await;
    let mut user = User::new();
    for at in 0..30 {
        user.get(&machines[at % 3]).await.unwrap();
    }
    machines[0].store.check().await.unwrap();
    assert_eq!(granted_again(&machines, &user.captured).await, 0);

    // The other node gets the slot, without the keys.
    nodes[0].ask::<()>("FLUSHALL").await;
    let slot: u64 = nodes[0].ask("CLUSTER KEYSLOT {countersign}:lost").await;
    let heir: String = nodes[1].ask("CLUSTER MYID").await;
    for node in [&nodes[1], &nodes[0]] {
        node.ask::<()>(&format!("CLUSTER SETSLOT {slot} NODE {heir}"))
            .await;
    }
    assert_eq!(granted_again(&machines, &user.captured).await, 0);
    assert_eq!(user.get(&machines[1]).await.unwrap(), 2);
    for machine in &machines {
        assert_eq!(user.get(machine).await.unwrap(), 1);
    }
    assert_eq!(user.prompts, 1);
    assert!(nodes[1].ask::<u64>("DBSIZE").await > 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_request_asks_another_node_than_one_that_hangs() {
    let Some(nodes) = two_nodes().await else {
        return;
    };
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let urls = [format!("redis://{address}"), nodes[1].url()];
    let store = RedisStore::in_cluster(urls.iter().map(|url| client(url)).collect());
    let store = store.with_timeout(Duration::from_secs(2));
    let error = store.claim("1", KEEP).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut(_)), "{error}");
    store.claim("1", KEEP).await.unwrap();
}

/// Each key at its own node would need two scripts.
#[tokio::test(flavor = "multi_thread")]
async fn a_prefix_without_a_hash_tag_is_refused_by_a_cluster() {
    let Some(nodes) = two_nodes().await else {
        return;
    };
    let store = RedisStore::in_cluster(vec![client(&nodes[0].url())]).with_prefix("site:");
    let error = store.claim("1", KEEP).await.unwrap_err();
    assert!(error.to_string().contains("CrossSlot"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_node_answers() {
    let store = RedisStore::in_cluster(Vec::new());
    let error = store.claim("1", KEEP).await.unwrap_err();
    assert!(error.to_string().contains("no node"), "{error}");
    let nodes = [(); 3].map(|()| client(&format!("redis://{}", free_address())));
    let store = RedisStore::in_cluster(nodes.to_vec());
    let error = store.claim("1", KEEP).await.unwrap_err();
    assert!(matches!(error, Error::Redis(_)), "{error}");
}

/// As Sentinel tells it, or another service that knows.
#[tokio::test(flavor = "multi_thread")]
async fn the_server_is_asked_for_at_each_new_connection() {
    let (Some(old), Some(new)) = (Server::start().await, Server::start().await) else {
        return;
    };
    let primary = Arc::new(Mutex::new(old.url()));
    let told = Arc::clone(&primary);
    let find = move || {
        let client = redis::Client::open(&**told.lock().unwrap());
        async { client }
    };
    let machine = Machine::of(RedisStore::found_by(find));
    let mut user = User::new();
    user.get(&machine).await.unwrap();
    *primary.lock().unwrap() = new.url();
    assert_eq!(user.get(&machine).await.unwrap(), 1);
    // The old primary stays, and becomes a replica.
    let (host, port) = (new.address.ip(), new.address.port());
    old.ask::<()>(&format!("REPLICAOF {host} {port}")).await;
    // Its first replica changes its replication id, which is to have happened before the request.
    while !new
        .ask::<String>("INFO replication")
        .await
        .contains("connected_slaves:1")
    {
        yield_now().await;
    }
    assert_eq!(user.get(&machine).await.unwrap(), 2);
    assert!(new.ask::<u64>("DBSIZE").await > 1);

    // The new primary is cut off from its replicas, and another takes its place.
    let captured = user.captured.clone();
    new.ask::<()>("CONFIG SET min-replicas-to-write 2").await;
    old.ask::<()>("REPLICAOF NO ONE").await;
    let error = user.get(&machine).await.unwrap_err();
    assert!(error.to_string().contains("NOREPLICAS"), "{error}");
    *primary.lock().unwrap() = old.url();
    assert_eq!(granted_again(&[machine], &captured).await, 0);
}
