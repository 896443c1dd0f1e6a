//! Several machines: whichever of them a client meets, it is asked once, and no request is let in
//! twice. With one key and one store, or with a key for each machine and none.
//!
//! ```text
//! cluster [LISTEN]
//! CLUSTER_STORE=REDIS_URL CLUSTER_KEY=HEX cluster LISTEN
//! ```
//!
//! The URL, which may have a password, and the key are in the environment, because all users of a
//! machine can see the arguments of its processes.
//!
//! | | one key and a store | a key each |
//! |---|---|---|
//! | needs | Redis or Valkey, and a secret that all machines have | nothing |
//! | the next request goes to another machine | let in | refused once, with `stale=true`; nobody is asked for a password |
//! | a replay at another machine | refused by the store | refused, because another machine issued the nonce |
//! | a machine restarts | nothing is lost | as if the request went to another machine |
//! | the store is away | 503 | – |
//! | the store lost its data | each captured request is good once more, until all machines have a new key | – |
//!
//! So use a key each if a load balancer sends a client to one machine, mostly. Run the store with
//! `maxmemory-policy noeviction`: what it forgets too early can be replayed. Without arguments it
//! starts a `redis-server` and checks three machines of each kind.
mod check;
mod node;
mod nodes;
mod store;

use std::env::{VarError, var};
use std::sync::Arc;

use countersign::server::Authenticator;
use loopback::Error;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};

use node::{Counts, Node, realm};

/// A machine that leaves replays to a store, with keys that all machines have.
async fn with_store(url: &str, key: &str) -> Result<Node, Error> {
    // Nobody waits long for an answer.
    let config = ConnectionManagerConfig::new().set_number_of_retries(1);
    let store = redis::Client::open(url)?;
    let store = ConnectionManager::new_with_config(store, config).await?;
    let auth = Authenticator::for_shared_store(realm()?, &key.parse()?, &mut getrandom::SysRng)?;
    Ok(Node::new(Counts::Store(auth, store)))
}

/// A machine that shares nothing, with a new key.
fn alone() -> Result<Node, Error> {
    let auth = Authenticator::new(realm()?, 10_000, &mut getrandom::SysRng)?;
    Ok(Node::new(Counts::Here(auth)))
}

/// Where the URL of the store is.
const STORE: &str = "CLUSTER_STORE";
/// Where the key of the nonces is, in hexadecimal digits.
const KEY: &str = "CLUSTER_KEY";

#[tokio::main]
async fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let listen = match &args[..] {
        [] => return check::check().await,
        [listen] => listen,
        _ => return Err("[LISTEN]".into()),
    };
    let node = match (var(STORE), var(KEY)) {
        (Ok(url), Ok(key)) => with_store(&url, &key).await?,
        (Err(VarError::NotPresent), Err(VarError::NotPresent)) => alone()?,
        _ => return Err(format!("either both {STORE} and {KEY} or neither").into()),
    };
    loopback::serve(Arc::new(node), listen).await
}
