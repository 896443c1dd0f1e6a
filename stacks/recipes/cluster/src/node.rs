//! One machine.
use std::net::SocketAddr;

use countersign::digest::Algorithm;
use countersign::server::{
    Arrival, Attempt, Authenticator, PendingClaim, Realm, Refusal, SharedStore, StoreReply, Use,
};
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
    counts: Counts,
    users: Users,
}

/// Where the counts of nonces are kept.
pub enum Counts {
    Here(Authenticator),
    Store(Authenticator<SharedStore>, ConnectionManager),
}

impl Counts {
    fn begin<'a>(
        &'a self,
        request: &'a Request<Incoming>,
        target: &Target<'a>,
    ) -> Result<Attempt<'a>, Refusal> {
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION).iter();
        match self {
            Self::Here(auth) => auth.begin(credentials, target, arrival),
            Self::Store(auth, _) => auth.begin(credentials, target, arrival),
        }
    }
}

impl Site for Node {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let refuse = |refusal| refused(&refusal);
        let attempt = self.counts.begin(&request, &target).map_err(refuse)?;
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt.verify_by(account, |account, hash| account.ha1(hash));
        let verified = verified.map_err(refuse)?;
        let grant = match &self.counts {
            Counts::Here(auth) => auth.admit(verified).map_err(refuse)?,
            Counts::Store(auth, store) => match auth.claim(verified) {
                Ok(grant) => grant,
                Err(claim) => {
                    let reply = ask(store, &claim).await.map_err(unavailable)?;
                    claim.settle(reply).map_err(refuse)?
                }
            },
        };
        let text = format!("hello {}\n", grant.account().name);
        Ok(granted(&grant, request.method(), Response::new(text)))
    }
}

impl Node {
    pub fn new(counts: Counts) -> Self {
        let users = Users::one("cluster", USER);
        Self { counts, users }
    }
}

/// Claims the key in the store: `SET key "" NX PX millis`.
async fn ask<A>(store: &ConnectionManager, claim: &PendingClaim<'_, A>) -> RedisResult<StoreReply> {
    let keep = u64::try_from(claim.time_to_live().as_millis()).unwrap_or(u64::MAX);
    let options = SetOptions::default()
        .conditional_set(ExistenceCheck::NX)
        .with_expiration(SetExpiry::PX(keep));
    let is_set: bool = store.clone().set_options(claim.key(), "", options).await?;
    Ok(StoreReply {
        used: if is_set { Use::First } else { Use::Seen },
        now: Timestamp::now(),
        lost_until: None,
    })
}

/// Without the store nothing can be told from a replay.
fn unavailable(error: RedisError) -> Answer {
    eprintln!("  store: {error}");
    Response::builder().status(503).body(String::new()).unwrap()
}
