//! A client and a server in one process, with a clock and a generator that the test holds.

use countersign::client::{Account, Client, Exchange, Field, Next, Policy, ServerProof};
use countersign::digest::{Ha1, HashFunction, User, userhash};
use countersign::server::{Arrival, Authenticator, Realm, Reason};
use countersign::{Channel, EntityBody, FieldValue, Target, Timestamp};

use super::client::{Sent, home};
use super::server::authenticator;

/// Who may log in.
pub const USERS: [(&str, &str); 3] = [
    ("Mufasa", "Circle of Life"),
    ("Scar", "Be prepared"),
    ("Jäsøn Doe", "Secret, or not?"),
];

/// What every granted request is answered with.
pub const PAGE: &[u8] = b"<title>Files</title>";

/// A server with its state and its clock. Any number of [`Browser`]s may talk to it.
#[derive(Debug)]
pub struct Pair {
    pub realm: Realm,
    pub auth: Authenticator,
    pub now: Timestamp,
}

/// What the server says to a request.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Why it was refused, if it was.
    pub reason: Option<Reason>,
    pub challenges: Vec<FieldValue>,
    pub info: Option<FieldValue>,
}

impl Pair {
    pub fn new(realm: Realm) -> Self {
        Self::with_capacity(realm, 100)
    }

    pub fn with_capacity(realm: Realm, capacity: usize) -> Self {
        Self {
            auth: authenticator(realm.clone(), capacity),
            realm,
            now: Timestamp::from_unix_millis(1_700_000_000 * 1000),
        }
    }

    pub fn wait(&mut self, secs: u64) {
        self.now = self.now.plus_millis(1000 * secs);
    }

    pub fn set_clock_back(&mut self, secs: u64) {
        let millis = self.now.as_unix_millis().saturating_sub(secs * 1000);
        self.now = Timestamp::from_unix_millis(millis);
    }

    /// The server's half of a round trip.
    pub fn serve(&self, target: &Target<'_>, value: Option<&[u8]>) -> Reply {
        let (realm, auth) = (&self.realm, &self.auth);
        let arrival = Arrival::new(Channel::Encrypted, self.now);
        let granted = auth
            .begin(value.into_iter(), target, arrival)
            .and_then(|attempt| {
                let ha1 = look_up(
                    &attempt.claimed_user(),
                    attempt.hash_function(),
                    realm.name(),
                );
                attempt.verify(ha1)
            })
            .and_then(|verified| auth.admit(verified));
        match granted {
            Ok(grant) => Reply {
                reason: None,
                challenges: Vec::new(),
                info: grant.authentication_info(EntityBody::Bytes(PAGE)),
            },
            Err(refusal) => {
                assert_eq!(refusal.status, 401, "{}", refusal.reason);
                Reply {
                    reason: Some(refusal.reason),
                    challenges: refusal.challenges,
                    info: None,
                }
            }
        }
    }

    /// One request of the user, which must be granted; why it was refused on the way there.
    pub fn drive(&self, browser: &mut Browser, target: &Target<'_>) -> Vec<Reason> {
        let (mut reasons, mut exchange) = (Vec::new(), Exchange::new());
        loop {
            let value = browser.send(&mut exchange, target);
            let reply = self.serve(target, value.as_deref());
            reasons.extend(reply.reason);
            if browser.is_granted(&mut exchange, &reply) {
                return reasons;
            }
        }
    }

    /// The same for a GET.
    pub fn get(&self, browser: &mut Browser, uri: &str) -> Vec<Reason> {
        let target = Target::new("GET", uri).with_body(EntityBody::Bytes(b""));
        self.drive(browser, &target)
    }
}

fn look_up(user: &User<'_>, hash: HashFunction, realm: &str) -> Option<Ha1> {
    let is = |name: &str| match user {
        User::Name(claimed) => claimed == name,
        User::Hash(claimed) => *claimed == userhash(hash, name, realm),
        _ => false,
    };
    let (name, password) = USERS.into_iter().find(|(name, _)| is(name))?;
    Some(Ha1::new(hash, name, realm, password))
}

/// A client and its user.
#[derive(Debug)]
pub struct Browser {
    pub client: Client,
    pub user: &'static str,
    pub password: &'static str,
}

impl Browser {
    pub fn new(policy: Policy) -> Self {
        Self::of(0, policy)
    }

    /// That of one of the [`USERS`].
    pub fn of(user: usize, policy: Policy) -> Self {
        let (name, password) = USERS[user];
        Self {
            client: Client::from_seed(home(), policy, [user as u8; 32]),
            user: name,
            password,
        }
    }

    pub fn send(&mut self, exchange: &mut Exchange, target: &Target<'_>) -> Option<Vec<u8>> {
        let answer = self
            .client
            .authorize(exchange, target)
            .map(Field::for_new_request);
        let answer = answer.expect("a request that can be answered for")?;
        Some(Sent::read(answer.as_bytes()).value)
    }

    /// Takes a reply, logs in if asked to, and holds the server to proving itself wherever it can.
    /// Returns whether the request is not to be sent again.
    pub fn is_granted(&mut self, exchange: &mut Exchange, reply: &Reply) -> bool {
        if reply.reason.is_some() {
            let challenges = countersign::challenges(&reply.challenges);
            match self.client.challenged(exchange, challenges) {
                Next::Login(ask) => {
                    let account = Account::new(self.user, self.password).with_basic();
                    let login = self.client.login(&ask, &account);
                    login.expect("names that can be sent");
                }
                Next::Retry => {}
                other => panic!("{other:?}"),
            }
            return false;
        }
        let answer = exchange.answer().expect("an answer was granted");
        let can_be_proved = Sent::read(answer.as_bytes()).param("qop").is_some();
        let body = EntityBody::Bytes(PAGE);
        let proof = self
            .client
            .completed(exchange, 200, reply.info.iter(), body);
        let expected = match can_be_proved {
            true => ServerProof::Valid,
            false => ServerProof::Absent,
        };
        assert_eq!(proof, Ok(expected));
        true
    }
}
