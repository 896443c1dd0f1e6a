//! One machine.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::routing::get;
use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Realm};
use countersign::{Channel, InvalidText};
use countersign_redis::{RedisStore, redis};
use countersign_tower::server::{AuthLayer, AuthLayerBuilder, Identity, UserMap};
use loopback::USER;

use crate::Error;

/// A machine that is named in its nonces, with a key and a memory of its own.
pub fn named(name: &str) -> Result<Router, Error> {
    let (realm, users) = site()?;
    let auth = Authenticator::from_os_rng(realm, 10_000)?.with_machine(name)?;
    Ok(app(AuthLayer::builder(auth, Channel::Cleartext, users)))
}

/// A machine that leaves replays to a store, with keys that all machines have. It starts without the
/// store, too.
pub fn with_store(url: &str, keys: &str) -> Result<Router, Error> {
    let (realm, users) = site()?;
    let auth = Authenticator::for_shared_store(realm, &keys.parse()?, &mut getrandom::SysRng)?;
    let store = RedisStore::new(redis::Client::open(url)?);
    let claim = move |key: String, keep| {
        let store = store.clone();
        async move { Ok(store.claim(&key, keep).await?) }
    };
    let channel = Channel::Cleartext;
    Ok(app(AuthLayer::builder_for_shared_store(
        auth, channel, users, claim,
    )))
}

fn site() -> Result<(Realm, UserMap), InvalidText> {
    let realm = Realm::new("cluster")?.with_algorithms(&[Algorithm::SHA_256]);
    let users = UserMap::new(&realm, [USER]);
    Ok((realm, users))
}

async fn hello(user: Identity<UserMap>) -> String {
    format!("hello {}\n", user.account())
}

/// `/x` is for users; `/counts` tells how many requests had which outcome.
fn app(login: AuthLayerBuilder<UserMap>) -> Router {
    let counts = Arc::new(Mutex::new(BTreeMap::<_, u32>::new()));
    let counted = Arc::clone(&counts);
    let login = login.on_event(move |event| {
        if event.outcome.is_server_fault() {
            eprintln!("  {event}: {}", event.outcome);
        }
        *counted
            .lock()
            .unwrap()
            .entry(event.outcome.name())
            .or_default() += 1;
    });
    let tell = async move || {
        let counts = counts.lock().unwrap();
        let line = |(name, count)| format!("{name} {count}\n");
        counts.iter().map(line).collect::<String>()
    };
    let users = Router::new().route("/x", get(hello));
    users.route_layer(login.build()).route("/counts", get(tell))
}
