//! Connections that break or hang, a server that is away, and one that evicts.

use std::time::Duration;

use countersign::server::Reason;
use countersign_redis::{Error, RedisStore, redis};

use crate::proxy::Proxy;
use crate::server::{Server, free_address};
use crate::site::{Machine, User, Why};

const KEEP: Duration = Duration::from_secs(100);

async fn logged_in(machine: &Machine) -> User {
    let mut user = User::new();
    user.get(machine).await.unwrap();
    user
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_hangs_is_replaced() {
    let Some(redis) = Server::start().await else {
        return;
    };
    let proxy = Proxy::start(redis.address).await;
    // A new connection has as long as this.
    let machine = Machine::new(&proxy.url).with_timeout(Duration::from_secs(2));
    let mut user = logged_in(&machine).await;
    for connections in [1, 2] {
        assert_eq!(proxy.count(), connections);
        proxy.hang();
        // All who wait meet the end of their time, and the store gets one new connection.
        let store = &machine.store;
        let claims = tokio::join!(store.claim("1", KEEP), store.claim("2", KEEP));
        assert!(matches!(claims.0, Err(Error::TimedOut(_))), "{claims:?}");
        assert!(matches!(claims.1, Err(Error::TimedOut(_))), "{claims:?}");
        assert_eq!(user.get(&machine).await.unwrap(), 1);
    }
    assert_eq!((proxy.count(), user.prompts), (3, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waited_longer_leaves_the_new_connection() {
    let Some(redis) = Server::start().await else {
        return;
    };
    let proxy = Proxy::start(redis.address).await;
    let machine = Machine::new(&proxy.url).with_timeout(Duration::from_secs(2));
    let mut user = logged_in(&machine).await;
    proxy.hang();
    let patient = machine.store.clone().with_timeout(Duration::from_secs(6));
    let (late, ()) = tokio::join!(patient.claim("1", KEEP), async {
        machine.store.claim("2", KEEP).await.unwrap_err();
        assert_eq!(user.get(&machine).await.unwrap(), 1);
    });
    assert!(matches!(late, Err(Error::TimedOut(_))), "{late:?}");
    assert_eq!((user.get(&machine).await.unwrap(), proxy.count()), (1, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_was_closed_is_not_noticed() {
    let Some(redis) = Server::start().await else {
        return;
    };
    let machine = Machine::new(&redis.url());
    let mut user = logged_in(&machine).await;
    for _ in 0..10 {
        redis.ask::<u64>("CLIENT KILL TYPE normal").await;
        assert_eq!(user.get(&machine).await.unwrap(), 1);
    }
    assert_eq!(user.prompts, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_starts_before_its_store() {
    let address = free_address();
    let machine = Machine::new(&format!("redis://{address}"));
    let mut user = User::new();
    for _ in 0..3 {
        let error = user.get(&machine).await.unwrap_err();
        assert!(matches!(error, Error::Redis(_)), "{error}");
        assert!(machine.store.check().await.is_err());
    }
    let Some(redis) = Server::start().await else {
        return;
    };
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    tokio::spawn(async move {
        loop {
            let (mut from, _) = listener.accept().await.unwrap();
            let mut to = tokio::net::TcpStream::connect(redis.address).await.unwrap();
            let both = async move { tokio::io::copy_bidirectional(&mut from, &mut to).await };
            tokio::spawn(both);
        }
    });
    machine.store.check().await.unwrap();
    // A store that is new counts as a loss.
    assert_eq!((user.get(&machine).await.unwrap(), user.prompts), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_evicts_is_refused() {
    let Some(redis) = Server::start().await else {
        return;
    };
    for policy in [
        "volatile-ttl",
        "allkeys-lru",
        "allkeys-random",
        "volatile-lfu",
    ] {
        redis
            .ask::<()>(&format!("CONFIG SET maxmemory-policy {policy}"))
            .await;
        // Nothing is evicted without a limit.
        redis.ask::<()>("CONFIG SET maxmemory 0").await;
        let machine = Machine::new(&redis.url());
        machine.store.check().await.unwrap();
        machine.store.claim(policy, KEEP).await.unwrap();
        redis.ask::<()>("CONFIG SET maxmemory 100mb").await;
        assert!(matches!(machine.store.check().await, Err(Error::Evicts(_))));
        let machine = Machine::new(&redis.url());
        let error = machine.store.claim("1", KEEP).await.unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains(policy) && text.contains("noeviction"),
            "{text}"
        );
        // Once it is mended, the machine goes on.
        redis
            .ask::<()>("CONFIG SET maxmemory-policy noeviction")
            .await;
        machine.store.claim(policy, KEEP).await.unwrap();
    }
}

/// By the command that a running server takes, with the connections it has.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_evicted_later_is_not_let_in_again() {
    let Some(redis) = Server::start().await else {
        return;
    };
    redis.ask::<()>("CONFIG SET maxmemory 100mb").await;
    let machine = Machine::new(&redis.url());
    let mut user = logged_in(&machine).await;
    let captured = user.captured.clone();
    redis
        .ask::<()>("CONFIG SET maxmemory-policy volatile-ttl")
        .await;
    // It has this nonce yet.
    assert_eq!(user.get(&machine).await.unwrap(), 1);
    for key in redis.ask::<Vec<String>>("KEYS *-*").await {
        redis.ask::<()>(&format!("DEL {key}")).await;
    }
    for refused in [
        machine.get(captured.first()).await,
        machine.get(captured.last()).await,
    ] {
        let Err(Why::Unavailable(error)) = refused else {
            panic!("{refused:?}");
        };
        assert!(matches!(error, Error::Evicts(_)), "{error}");
    }
    for _ in 0..2 {
        let error = machine.store.check().await.unwrap_err();
        assert!(matches!(error, Error::Evicts(_)), "{error}");
    }
    redis
        .ask::<()>("CONFIG SET maxmemory-policy noeviction")
        .await;
    machine.store.check().await.unwrap();
    // What was issued while it evicted is forgotten, whether or not it was evicted.
    let reason = machine.get(captured.first()).await.unwrap_err().reason();
    assert!(matches!(reason, Reason::NonceForgotten { .. }), "{reason}");
    assert_eq!((user.get(&machine).await.unwrap(), user.prompts), (2, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_full_grants_nothing() {
    let Some(redis) = Server::start().await else {
        return;
    };
    let machine = Machine::new(&redis.url());
    let mut user = logged_in(&machine).await;
    redis.ask::<()>("CONFIG SET maxmemory 1").await;
    let error = user.get(&machine).await.unwrap_err();
    assert!(error.to_string().contains("OOM"), "{error}");
    machine.store.check().await.unwrap_err();
    redis.ask::<()>("CONFIG SET maxmemory 0").await;
    assert_eq!(user.get(&machine).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_grants_nothing() {
    let (Some(primary), Some(replica)) = (Server::start().await, Server::start().await) else {
        return;
    };
    let (host, port) = (primary.address.ip(), primary.address.port());
    replica.ask::<()>(&format!("REPLICAOF {host} {port}")).await;
    let machine = Machine::new(&replica.url());
    for error in [
        machine.store.claim("1", KEEP).await.map(drop).unwrap_err(),
        machine.store.check().await.unwrap_err(),
    ] {
        assert!(error.to_string().contains("ReadOnly"), "{error}");
    }
    replica.ask::<()>("REPLICAOF NO ONE").await;
    machine.store.claim("1", KEEP).await.unwrap();
}

/// With the line of the documentation.
#[tokio::test(flavor = "multi_thread")]
async fn a_user_of_the_server_with_few_rights() {
    let Some(redis) = Server::start().await else {
        return;
    };
    let docs = include_str!("../../src/lib.rs");
    let line = docs
        .lines()
        .find_map(|line| line.strip_prefix("//! ACL SETUSER"));
    redis
        .ask::<()>(&format!("ACL SETUSER{}", line.unwrap()))
        .await;
    let client = |url: String| redis::Client::open(url).unwrap();
    let store = RedisStore::new(client(format!("redis://site:PASSWORD@{}", redis.address)));
    store.check().await.unwrap();
    for key in ["1", "1-1-00000001", "1-1-00000002"] {
        store.claim(key, KEEP).await.unwrap();
    }
    let elsewhere = store.clone().with_prefix("other:");
    let error = elsewhere.claim("1", KEEP).await.unwrap_err();
    assert!(error.to_string().contains("NoPerm"), "{error}");
    let shown = format!("{store:?}");
    assert!(
        shown.contains("{countersign}:") && !shown.contains("PASSWORD"),
        "{shown}"
    );
    let stranger = RedisStore::new(client(format!("redis://site:wrong@{}", redis.address)));
    assert!(stranger.claim("2", KEEP).await.is_err());
}
