//! One machine.
use std::net::SocketAddr;

use countersign::digest::Algorithm;
use countersign::server::{Arrival, Authenticator, Claim, PendingClaim, Realm};
use countersign::{Channel, InvalidText, Target, Timestamp};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use loopback::{Site, USER, Users, granted, refused};
use redis::aio::ConnectionManager;
use redis::{AsyncCommands, ExistenceCheck, RedisError, RedisResult, SetExpiry, SetOptions};

type Answer = Response<String>;

pub fn realm() -> Result<Realm, InvalidText> {
    Ok(Realm::new("cluster")?.with_algorithms(&[Algorithm::SHA_256]))
}

pub struct Node {
    auth: Authenticator,
    users: Users,
    /// `None` where the machine keeps the counts of its nonces itself.
    store: Option<ConnectionManager>,
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
        let verified = verified.map_err(refuse)?;
        let grant = match &self.store {
            None => auth.admit(verified).map_err(refuse)?,
            Some(store) => match verified.claim() {
                Claim::Granted(grant) => grant,
                Claim::Pending(claim) => {
                    let first = is_first(store, &claim).await.map_err(unavailable)?;
                    claim.settle(first, Timestamp::now()).map_err(refuse)?
                }
            },
        };
        let text = format!("hello {}\n", grant.account().name);
        Ok(granted(&grant, request.method(), Response::new(text)))
    }
}

impl Node {
    pub fn new(auth: Authenticator, store: Option<ConnectionManager>) -> Self {
        let users = Users::one("cluster", USER);
        Self { auth, users, store }
    }
}

/// Claims the key in the store: `SET key "" NX PXAT millis`.
async fn is_first<A>(store: &ConnectionManager, claim: &PendingClaim<'_, A>) -> RedisResult<bool> {
    let options = SetOptions::default()
        .conditional_set(ExistenceCheck::NX)
        .with_expiration(SetExpiry::PXAT(claim.expires().as_unix_millis()));
    store.clone().set_options(claim.key(), "", options).await
}

/// Without the store nothing can be told from a replay.
fn unavailable(error: RedisError) -> Answer {
    eprintln!("  store: {error}");
    Response::builder().status(503).body(String::new()).unwrap()
}
