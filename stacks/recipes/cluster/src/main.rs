//! Several machines with one key and one store: whichever of them a client meets, it is asked once,
//! and no request is let in twice.
//!
//! ```text
//! cluster [LISTEN REDIS_URL KEY_HEX]
//! ```
//!
//! The store is Redis or Valkey. Run it with `maxmemory-policy noeviction`: what it forgets too early
//! can be replayed. After a loss of data give all machines a new key. Without arguments it starts a
//! `redis-server` and checks two machines.
mod store;

use std::net::SocketAddr;
use std::sync::Arc;

use countersign::client::ServerProof;
use countersign::digest::Algorithm;
use countersign::server::{Arrival, Authenticator, Claim, NonceKey, PendingClaim, Realm};
use countersign::{Challenger, Channel, Target, Timestamp};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response, StatusCode};
use loopback::{Error, Site, USER, Users, Visitor, granted, refused, send};
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{AsyncCommands, ExistenceCheck, RedisError, RedisResult, SetExpiry, SetOptions};

use store::Store;

type Answer = Response<String>;

struct Node {
    auth: Authenticator,
    users: Users,
    store: ConnectionManager,
}

impl Site for Node {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |rejected| refused(&auth.refuse(&rejected));
        let attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt.verify_by(account, |account, hash| account.ha1(hash));
        let grant = match verified.map_err(refuse)?.claim() {
            Claim::Granted(grant) => grant,
            Claim::Pending(claim) => {
                let first = self.is_first(&claim).await.map_err(unavailable)?;
                claim.settle(first, Timestamp::now()).map_err(refuse)?
            }
        };
        let text = format!("hello {}\n", grant.account().name);
        Ok(granted(&grant, text))
    }
}

impl Node {
    async fn new(url: &str, key: NonceKey) -> Result<Arc<Self>, Error> {
        let realm = Realm::new("cluster")?.with_algorithms(&[Algorithm::SHA_256]);
        // Nobody waits long for an answer.
        let config = ConnectionManagerConfig::new().set_number_of_retries(1);
        let store = redis::Client::open(url)?;
        Ok(Arc::new(Self {
            auth: Authenticator::for_shared_store(realm, key, &mut getrandom::SysRng)?,
            users: Users::one("cluster", USER),
            store: ConnectionManager::new_with_config(store, config).await?,
        }))
    }

    /// Claims the key in the store: `SET key "" NX PXAT millis`.
    async fn is_first<A>(&self, claim: &PendingClaim<'_, A>) -> RedisResult<bool> {
        let options = SetOptions::default()
            .conditional_set(ExistenceCheck::NX)
            .with_expiration(SetExpiry::PXAT(claim.expires().as_unix_millis()));
        let mut store = self.store.clone();
        store.set_options(claim.key(), "", options).await
    }
}

/// Without the store nothing can be told from a replay.
fn unavailable(error: RedisError) -> Answer {
    println!("store: {error}");
    Response::builder().status(503).body(String::new()).unwrap()
}

/// One user at two machines, and at both at once.
async fn check() -> Result<(), Error> {
    let store = Store::start()?;
    let key = NonceKey::random(&mut getrandom::SysRng)?.to_bytes();
    let mut machines = Vec::new();
    for _ in 0..2 {
        let node = Node::new(&store.url, NonceKey::from_bytes(key)).await?;
        machines.push(loopback::start(node).await?);
    }
    loopback::check(Challenger::Origin, machines[0], "/x", USER).await?;

    let mut visitor = Visitor::new(Challenger::Origin, machines[0], USER)?;
    let proven = Some(ServerProof::Valid);
    let visit = visitor.get("/x").await?;
    visit.expect("one machine", &[401, 200], proven);
    visitor.address = machines[1];
    let visit = visitor.get("/x").await?;
    visit.expect("the other machine", &[200], proven);

    let field = visit
        .answer
        .as_ref()
        .map(|answer| ("authorization", answer));
    let replayed = send(machines[0], "GET", "/x", field, "").await?;
    println!("replayed to the first: {}", replayed.status());
    assert_eq!(replayed.status(), StatusCode::UNAUTHORIZED);

    drop(store);
    let visit = visitor.get("/x").await?;
    visit.expect("without the store", &[503], Some(ServerProof::Absent));
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [] => check().await,
        [listen, url, key] => {
            let node = Node::new(url, NonceKey::from_hex(key)?).await?;
            loopback::serve(node, listen).await
        }
        _ => Err("[LISTEN REDIS_URL KEY_HEX]".into()),
    }
}
