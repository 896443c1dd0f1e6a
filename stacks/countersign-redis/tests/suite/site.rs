//! A site of three machines, and its users.

use std::time::Duration;

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy};
use countersign::digest::Ha1;
use countersign::server::{Arrival, Authenticator, Realm, Reason, Refusal, SharedStore};
use countersign::{Channel, EntityBody, FieldValue, Target};
use countersign_redis::{Error, RedisStore, redis};

fn target() -> Target<'static> {
    Target::new("GET", "/x").with_body(EntityBody::Empty)
}

/// A machine with a store of its own, which has a connection of its own.
pub(crate) struct Machine {
    auth: Authenticator<SharedStore>,
    pub(crate) store: RedisStore,
}

/// Why a machine lets nobody in.
#[derive(Debug)]
pub(crate) enum Why {
    Refused(Refusal),
    Unavailable(Error),
}

impl Why {
    pub(crate) fn reason(&self) -> Reason {
        match self {
            Self::Refused(refusal) => refusal.reason,
            Self::Unavailable(error) => panic!("{error}"),
        }
    }
}

impl Machine {
    pub(crate) fn new(url: &str) -> Self {
        Self::of(RedisStore::new(redis::Client::open(url).unwrap()))
    }

    pub(crate) fn of(store: RedisStore) -> Self {
        let realm = Realm::new("site").unwrap();
        let keys = "07".repeat(32).parse().unwrap();
        let auth = Authenticator::for_shared_store(realm, &keys, &mut getrandom::SysRng).unwrap();
        // Tests wait for a machine under load, and none of them for the end of this.
        Self {
            auth,
            store: store.with_timeout(Duration::from_secs(20)),
        }
    }

    pub(crate) fn with_timeout(self, timeout: Duration) -> Self {
        let store = self.store.with_timeout(timeout);
        Self { store, ..self }
    }

    pub(crate) async fn get(&self, credentials: Option<&FieldValue>) -> Result<(), Why> {
        let arrival = Arrival::now(Channel::Cleartext);
        let target = target();
        let attempt = self.auth.begin(credentials.into_iter(), &target, arrival);
        let attempt = attempt.map_err(Why::Refused)?;
        let ha1 = Ha1::new(attempt.hash_function(), "Mufasa", "site", "Circle of Life");
        let verified = attempt.verify(Some(ha1)).map_err(Why::Refused)?;
        let Err(claim) = self.auth.claim(verified) else {
            return Ok(());
        };
        let reply = self.store.claim(&claim.key(), claim.time_to_live()).await;
        let settled = claim.settle(reply.map_err(Why::Unavailable)?);
        settled.map(drop).map_err(Why::Refused)
    }
}

pub(crate) fn three(url: &str) -> [Machine; 3] {
    [(); 3].map(|()| Machine::new(url))
}

/// How many times the machines let in what was captured.
pub(crate) async fn granted_again(machines: &[Machine], captured: &[FieldValue]) -> usize {
    let mut granted = 0;
    for credentials in captured {
        for machine in machines {
            match machine.get(Some(credentials)).await {
                Ok(()) => granted += 1,
                Err(Why::Refused(_)) => {}
                Err(Why::Unavailable(error)) => panic!("{error}"),
            }
        }
    }
    granted
}

/// A user, whose requests go to one machine after another.
pub(crate) struct User {
    client: Client,
    /// What was sent and let in.
    pub(crate) captured: Vec<FieldValue>,
    pub(crate) prompts: usize,
}

impl User {
    pub(crate) fn new() -> Self {
        let endpoint = Endpoint::origin("http", "127.0.0.1", Some(80)).unwrap();
        Self {
            client: Client::new(endpoint, Policy::new(), &mut getrandom::SysRng).unwrap(),
            captured: Vec::new(),
            prompts: 0,
        }
    }

    /// The requests that one takes; an error is that of the store.
    pub(crate) async fn get(&mut self, machine: &Machine) -> Result<usize, Error> {
        let mut exchange = Exchange::new();
        for requests in 1..=5 {
            let answer = self.client.authorize(&mut exchange, &target()).unwrap();
            let answer = answer.for_new_request().cloned();
            let (status, challenges) = match machine.get(answer.as_ref()).await {
                Ok(()) => (200, Vec::new()),
                Err(Why::Refused(refusal)) => (refusal.status, refusal.challenges),
                Err(Why::Unavailable(error)) => return Err(error),
            };
            let fields = |name| {
                let is_challenge = name == "www-authenticate";
                challenges.iter().filter(move |_| is_challenge)
            };
            let body = EntityBody::Unknown;
            let next = self.client.received(&mut exchange, status, fields, body);
            match next.unwrap() {
                Next::Done(_) => {
                    self.captured.extend(answer);
                    return Ok(requests);
                }
                Next::Retry => {}
                Next::Login(ask) => {
                    self.prompts += 1;
                    let account = Account::new("Mufasa", "Circle of Life");
                    self.client.login(&ask, &account).unwrap();
                }
                next => panic!("{next:?}"),
            }
        }
        panic!("no end of refusals");
    }

    /// Logs in, and sends `count` requests by turns.
    pub(crate) async fn capture(machines: &[Machine], count: usize) -> Vec<FieldValue> {
        let mut user = Self::new();
        for at in 0..count {
            user.get(&machines[at % machines.len()]).await.unwrap();
        }
        assert_eq!((user.captured.len(), user.prompts), (count, 1));
        user.captured
    }
}
