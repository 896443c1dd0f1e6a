//! Several machines with one key and one store: whichever of them a client meets, it is asked once,
//! and no request is let in twice.
//!
//! ```text
//! cluster LISTEN REDIS_URL KEY_HEX
//! ```
//!
//! The store is Redis or Valkey. Run it with `maxmemory-policy noeviction`: what it forgets too early
//! can be replayed. After a loss of data give all machines a new key.
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use countersign::digest::{Algorithm, Ha1, HashFunction, User};
use countersign::server::{Arrival, Authenticator, Claim, NonceKey, PendingClaim, Realm, Rejected};
use countersign::{Channel, EntityBody, Target, Timestamp};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use redis::aio::ConnectionManager;
use redis::{AsyncCommands, ExistenceCheck, RedisError, RedisResult, SetExpiry, SetOptions};
use tokio::net::TcpListener;

type Answer = Response<String>;

struct Account {
    name: String,
    ha1: Ha1,
}

struct Node {
    auth: Authenticator,
    accounts: HashMap<String, Account>,
    store: ConnectionManager,
}

impl Node {
    /// The response either way: what is refused comes as an error.
    async fn answer(&self, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let refuse = |rejected| self.refuse(&rejected);
        let auth = &self.auth;
        let attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        let account = self.find(&attempt.claimed_user());
        let verified = attempt.verify_by(account, |account, _| Some(&account.ha1));
        let grant = match verified.map_err(refuse)?.claim() {
            Claim::Granted(grant) => grant,
            Claim::Pending(claim) => {
                let first = self.is_first(&claim).await.map_err(unavailable)?;
                claim.settle(first, Timestamp::now()).map_err(refuse)?
            }
        };
        let mut response = Response::builder();
        if let Some(info) = grant.authentication_info(EntityBody::Unknown) {
            response = response.header(grant.info_field(), info.as_bytes());
        }
        Ok(response.body(hello(grant.account())).unwrap())
    }

    fn refuse(&self, rejected: &Rejected<'_>) -> Answer {
        println!("{:?}", rejected.rejection());
        let refusal = self.auth.refuse(rejected);
        let mut response = Response::builder().status(refusal.status);
        for challenge in &refusal.challenges {
            response = response.header(refusal.field, challenge.as_bytes());
        }
        response.body(String::new()).unwrap()
    }

    /// Claims the key in the store: `SET key "" NX PXAT millis`.
    async fn is_first<A>(&self, claim: &PendingClaim<'_, A>) -> RedisResult<bool> {
        let options = SetOptions::default()
            .conditional_set(ExistenceCheck::NX)
            .with_expiration(SetExpiry::PXAT(claim.expires().as_unix_millis()));
        let mut store = self.store.clone();
        store.set_options(claim.key(), "", options).await
    }

    fn find(&self, user: &User<'_>) -> Option<&Account> {
        self.accounts.get(user.name()?)
    }
}

fn hello(account: &Account) -> String {
    println!("granted {}", account.name);
    format!("hello {}\n", account.name)
}

/// Without the store nothing can be told from a replay.
fn unavailable(error: RedisError) -> Answer {
    println!("store: {error}");
    Response::builder().status(503).body(String::new()).unwrap()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, listen, url, key] = &args[..] else {
        return Err("LISTEN REDIS_URL KEY_HEX".into());
    };
    let name = "Mufasa".to_owned();
    let ha1 = Ha1::new(HashFunction::Sha256, &name, "cluster", "Circle of Life");
    let realm = Realm::new("cluster")?.with_algorithms(&[Algorithm::SHA_256]);
    let key = NonceKey::from_hex(key)?;
    let node = Arc::new(Node {
        auth: Authenticator::for_shared_store(realm, key, &mut getrandom::SysRng)?,
        accounts: HashMap::from([(name.clone(), Account { name, ha1 })]),
        store: ConnectionManager::new(redis::Client::open(url.as_str())?).await?,
    });
    let listener = TcpListener::bind(listen).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let node = Arc::clone(&node);
        tokio::spawn(async move {
            let service = service_fn(async |request| {
                let answer = node.answer(request).await;
                Ok::<_, Infallible>(answer.unwrap_or_else(|refused| refused))
            });
            http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await
        });
    }
}
