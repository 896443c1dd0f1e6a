//! What was captured before the store lost its data is not let in again, and users go on.

use countersign::Timestamp;
use countersign::server::{Reason, Use};

use crate::server::Server;
use crate::site::{Machine, User, granted_again, three};

/// How a store loses what it had.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Loss {
    Restart,
    /// With what was saved before the requests that were captured.
    Snapshot,
    Flush,
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_restarts_empty() {
    lose(Loss::Restart).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_restored_from_a_snapshot() {
    lose(Loss::Snapshot).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_flushed() {
    lose(Loss::Flush).await;
}

async fn lose(loss: Loss) {
    let Some(mut redis) = Server::start().await else {
        return;
    };
    let machines = three(&redis.url());
    User::capture(&machines, 1).await;
    redis.age().await;
    if loss == Loss::Snapshot {
        redis.ask::<()>("SAVE").await;
    }
    // Machines that have not heard of the first start.
    let machines = {
        drop(machines);
        three(&redis.url())
    };
    let mut user = User::new();
    for at in 0..30 {
        let requests = user.get(&machines[at % 3]).await.unwrap();
        assert_eq!(requests, if at == 0 { 2 } else { 1 });
    }
    let captured = user.captured.clone();
    assert_eq!(granted_again(&machines, &captured).await, 0);

    if loss == Loss::Flush {
        redis.ask::<()>("FLUSHALL").await;
    } else {
        redis.kill();
        assert!(redis.run().await);
        let is_restored = redis.ask::<bool>("EXISTS {countersign}:lost").await;
        assert_eq!(is_restored, loss == Loss::Snapshot);
    }
    // Before any user has told the machines of the loss, and after.
    assert_eq!(granted_again(&machines, &captured).await, 0);
    let new = Machine::new(&redis.url());
    assert_eq!(granted_again(&[new], &captured).await, 0);
    let why = machines[0].get(captured.last()).await.unwrap_err();
    let is_forgotten = matches!(why.reason(), Reason::NonceForgotten { .. });
    assert!(
        is_forgotten || why.reason() == Reason::Replayed,
        "{loss:?}: {why:?}"
    );

    // One more request, once, and no prompt.
    assert_eq!(user.get(&machines[1]).await.unwrap(), 2, "{loss:?}");
    for machine in &machines {
        assert_eq!(user.get(machine).await.unwrap(), 1, "{loss:?}");
    }
    assert_eq!(user.prompts, 1);
    assert_eq!(granted_again(&machines, &user.captured).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_lagged_and_takes_the_place_of_its_primary() {
    let (Some(primary), Some(replica)) = (Server::start().await, Server::start().await) else {
        return;
    };
    User::capture(&three(&primary.url()), 1).await;
    primary.age().await;
    let (host, port) = (primary.address.ip(), primary.address.port());
    replica.ask::<()>(&format!("REPLICAOF {host} {port}")).await;
    while !replica.ask::<bool>("EXISTS {countersign}:lost").await {
        tokio::task::yield_now().await;
    }
    // From here on it gets nothing any more.
    replica.ask::<()>("REPLICAOF NO ONE").await;
    let captured = User::capture(&three(&primary.url()), 30).await;
    let machines = three(&replica.url());
    assert_eq!(granted_again(&machines, &captured).await, 0);
    let mut user = User::new();
    for (machine, requests) in machines.iter().zip([2, 1, 1]) {
        assert_eq!(user.get(machine).await.unwrap(), requests);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn three_machines_at_once_grant_a_request_once() {
    let Some(redis) = Server::start().await else {
        return;
    };
    let machines = three(&redis.url());
    let captured = User::capture(&machines, 1).await;
    assert_eq!(granted_again(&machines, &captured).await, 0);
    for at in 0..300 {
        let key = format!("{at:x}");
        let keep = std::time::Duration::from_secs(100);
        let claims = machines.each_ref().map(|it| it.store.claim(&key, keep));
        let [a, b, c] = claims;
        let (a, b, c) = tokio::join!(a, b, c);
        let first = [a, b, c].map(|reply| reply.unwrap().used == Use::First);
        assert_eq!(first.iter().filter(|it| **it).count(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prefix_keeps_two_sites_apart() {
    let Some(redis) = Server::start().await else {
        return;
    };
    let store = Machine::new(&redis.url()).store;
    for prefix in ["a:", "b:"] {
        let store = store.clone().with_prefix(prefix);
        let keep = std::time::Duration::from_secs(100);
        let reply = store.claim("1-a-00000001", keep).await.unwrap();
        assert_eq!(reply.used, Use::First);
    }
    let mut keys: Vec<String> = redis.ask("KEYS *").await;
    keys.sort();
    assert_eq!(keys, ["a:1-a", "a:lost", "b:1-a", "b:lost"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nonce_is_kept_for_as_long_as_its_first_count() {
    let Some(redis) = Server::start().await else {
        return;
    };
    let machine = Machine::new(&redis.url());
    for count in 1..=100 {
        let key = format!("1-a-{count:08x}");
        let keep = std::time::Duration::from_secs(100 * count);
        let reply = machine.store.claim(&key, keep).await.unwrap();
        assert_eq!(reply.used, Use::First);
        let left: u64 = redis.ask("PTTL {countersign}:1-a").await;
        assert!((1..=100_000).contains(&left), "{left}");
    }
    // And the memory of losses.
    assert_eq!(redis.ask::<u64>("DBSIZE").await, 2);
}

/// By which a machine that is late judges, and follows.
#[tokio::test(flavor = "multi_thread")]
async fn the_time_is_the_time_of_the_store() {
    let Some(redis) = Server::start().await else {
        return;
    };
    let machine = Machine::new(&redis.url());
    let time = async || {
        let (secs, micros): (u64, u64) = redis.ask("TIME").await;
        Timestamp::from_unix_millis(1000 * secs + micros / 1000)
    };
    let keep = std::time::Duration::from_secs(1);
    let before = time().await;
    let reply = machine.store.claim("1", keep).await.unwrap();
    let after = time().await;
    assert!((before..=after).contains(&reply.now));
    // The first start is a loss, too.
    assert_eq!(reply.lost_until, Some(a_minute_after(reply.now)));
    let again = machine.store.claim("1", keep).await.unwrap();
    assert_eq!(again.lost_until, reply.lost_until);
}

fn a_minute_after(time: Timestamp) -> Timestamp {
    Timestamp::from_unix_millis(time.as_unix_millis() + 60_000)
}
