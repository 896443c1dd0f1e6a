//! Several machines: whichever of them a client meets, it is asked once, and no request is let in
//! twice. By names of the machines in their nonces, or by one store.
//!
//! ```text
//! CLUSTER_MACHINE=m1 cluster LISTEN
//! CLUSTER_STORE=REDIS_URL CLUSTER_KEYS=HEX cluster LISTEN
//! ```
//!
//! The URL, which may have a password, and the keys are in the environment, because all users of a
//! machine can see the arguments of its processes. `docs/machines.md` says which of the two to take, and
//! has the configurations of the balancers.
//!
//! Without arguments it starts three machines of each kind, nginx and HAProxy with the configurations of
//! that page, and a `redis-server`, kills the machines and empties the store, and checks what users and
//! attackers see.
mod balancer;
mod by_name;
mod by_store;
mod machines;
mod node;
mod store;

use std::env::var;

use countersign_tower::server::StoreError as Error;

/// The name of a machine, which needs no store.
const MACHINE: &str = "CLUSTER_MACHINE";
/// Where the URL of the store is.
const STORE: &str = "CLUSTER_STORE";
/// Where the keys of the nonces are, as `NonceKeys` reads them.
const KEYS: &str = "CLUSTER_KEYS";

#[tokio::main]
async fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let listen = match &args[..] {
        [] => {
            by_name::check().await?;
            return by_store::check().await;
        }
        [listen] => listen,
        _ => return Err("[LISTEN]".into()),
    };
    let app = match (var(MACHINE), var(STORE), var(KEYS)) {
        (Ok(name), Err(_), Err(_)) => node::named(&name)?,
        (Err(_), Ok(url), Ok(keys)) => node::with_store(&url, &keys)?,
        _ => return Err(format!("either {MACHINE}, or {STORE} and {KEYS}").into()),
    };
    let listener = tokio::net::TcpListener::bind(listen).await?;
    println!("listening on {}", listener.local_addr()?);
    Ok(axum::serve(listener, app).await?)
}
