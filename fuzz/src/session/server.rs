//! The server, and what it must never grant.

use std::collections::{BTreeMap, BTreeSet};

use countersign::digest::{Algorithm, Qop, QopSet};
use countersign::server::{
    Arrival, Attempt, Grant, NextNonce, NonceKey, Proof, Rejection, Server, UriCheck,
};
use countersign::{Authorization, Body, Channel, Target, Timestamp, digest};

use super::memory::Memory;
use super::request::Request;
use super::rng::Counter;
use super::script::Script;
use super::store::{self, ACCOUNTS, REALM};
use crate::accounts::Store;

/// The body of every response.
pub(super) const PAGE: &[u8] = b"page";
const LIFETIME_SECS: u32 = 5;

/// When and over what a request comes.
#[derive(Clone, Copy)]
pub(super) struct Weather {
    pub(super) now: Timestamp,
    pub(super) channel: Channel,
    pub(super) binding: &'static [u8],
}

/// What the server says.
pub(super) enum Reply {
    /// 200, with an `Authentication-Info`.
    Granted(Option<String>),
    /// 401, with these challenges; or another refusal, without any.
    Refused(Vec<String>),
}

/// What the users have sent, as far as responses cover it.
#[derive(Default)]
pub(super) struct Sent {
    /// By response: the account, and the request.
    digests: BTreeMap<String, (usize, Request)>,
}

impl Sent {
    pub(super) fn add(&mut self, account: usize, header: &[u8], request: &Request) {
        if let Ok(Authorization::Digest(credentials)) = Authorization::parse(header) {
            let response = credentials.response().to_string();
            self.digests.insert(response, (account, request.clone()));
        }
    }
}

/// What may be granted once: a count of a nonce, or without a count the nonce itself, to the holder
/// of an HA1. No name enters it.
type Use = (Vec<u8>, usize, usize, Option<u32>);

pub(super) struct Site {
    setup: [u8; 4],
    store: Store,
    server: Server,
    key: u8,
    pub(super) memory: Memory,
    /// Under which binding each nonce was issued.
    issued: BTreeMap<Vec<u8>, &'static [u8]>,
    granted: BTreeSet<Use>,
}

impl Site {
    pub(super) fn read(script: &mut Script<'_>) -> Self {
        let setup = [0; 4].map(|_| script.byte());
        Self {
            setup,
            store: script.pick(&Store::ALL),
            server: server(setup, 0),
            key: 0,
            memory: Memory::read(script),
            issued: BTreeMap::new(),
            granted: BTreeSet::new(),
        }
    }

    /// Offers all there is and remembers enough, so that every client can be let in.
    pub(super) fn honest() -> Self {
        let server = Server::new(REALM, NonceKey::new([255; 32])).expect("a plain realm");
        Self {
            setup: [0; 4],
            store: Store::Exact,
            server: server
                .with_algorithms(Algorithm::ALL)
                .with_qop(QopSet::BOTH)
                .with_userhash()
                .with_overview_form(),
            key: 255,
            memory: Memory::ample(),
            issued: BTreeMap::new(),
            granted: BTreeSet::new(),
        }
    }

    /// Changes the key, and may take nonces of the last for a while longer.
    pub(super) fn rotate(&mut self, keep: bool) {
        let previous = self.key;
        self.key = self.key.wrapping_add(1);
        self.server = server(self.setup, self.key);
        if keep {
            let previous = NonceKey::new([previous; 32]);
            self.server = self.server.clone().with_previous_key(previous);
        }
    }

    pub(super) fn serve(
        &mut self,
        headers: &[&[u8]],
        request: &Request,
        weather: &Weather,
        sent: &Sent,
        rng: &mut Counter,
    ) -> Reply {
        let mut arrival = Arrival::new(weather.channel, weather.now).bound_to(weather.binding);
        // As it should be, and as it may be left out.
        if self.setup[3] & 1 == 0 {
            arrival = arrival.not_before(self.memory.horizon());
        }
        // The body may be known by then, or be hashed when the response turns out to cover it.
        let body = match self.setup[3] & 2 {
            0 => Body::Bytes(&request.body),
            _ => Body::Unknown,
        };
        let target = Target::new(request.method, &*request.uri).with_body(body);
        let server = self.server.clone();
        let admitted = self.admit(&server, headers, request, &target, &arrival, weather, sent);
        match admitted {
            Ok(grant) => {
                let next = server.next_nonce(&grant, &arrival, rng);
                if let Some(next) = &next {
                    let nonce = next.as_str().as_bytes().to_vec();
                    self.issued.insert(nonce, weather.binding);
                }
                Reply::Granted(grant.info(next.as_ref(), Body::Bytes(PAGE)))
            }
            Err(why) => {
                let challenges: Vec<_> = server.challenges(&why, &arrival, rng).collect();
                let digest = challenges
                    .first()
                    .and_then(|it| it.split_once("nonce=\"")?.1.split_once('"'));
                if let Some((nonce, _)) = digest {
                    self.issued.insert(nonce.into(), weather.binding);
                }
                Reply::Refused(challenges)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all of what a request is")]
    fn admit<'a>(
        &mut self,
        server: &'a Server,
        headers: &[&'a [u8]],
        request: &Request,
        target: &Target<'a>,
        arrival: &Arrival<'_>,
        weather: &Weather,
        sent: &Sent,
    ) -> Result<Grant<'a>, Rejection> {
        let attempt = server.begin(headers.iter().copied(), target, arrival)?;
        let account = store::find(self.store, &attempt.claimed_user());
        let proof = self.verify(attempt, account, request)?;
        let grant = self.memory.admit(proof, weather.now)?;

        assert_eq!(headers.len(), 1);
        let account = account.expect("granted to nobody");
        assert_eq!(store::find(self.store, &grant.user()), Some(account));
        match Authorization::parse(headers[0]).expect("it was read before") {
            Authorization::Basic(pair) => {
                assert_eq!(pair.password(), ACCOUNTS[account].password.as_bytes());
                let allowed = match self.basic() {
                    1 => weather.channel == Channel::Encrypted,
                    2 => true,
                    _ => false,
                };
                assert!(allowed, "a password over a channel that is not allowed");
            }
            Authorization::Digest(credentials) => {
                self.granted(account, &credentials, &grant, request, weather, sent);
            }
            other => panic!("granted {other:?}"),
        }
        Ok(grant)
    }

    /// The steps between the look-up and the memory, in all the ways there are.
    fn verify<'a>(
        &self,
        mut attempt: Attempt<'a>,
        account: Option<usize>,
        request: &Request,
    ) -> Result<Proof<'a>, Rejection> {
        if let Some(hash) = attempt.wants_body() {
            if self.setup[3] & 4 != 0 {
                let ha1 = account.map(|account| store::ha1(account, hash));
                let refused = attempt.verify(ha1).expect_err("the body was never seen");
                return Err(refused);
            }
            attempt = attempt.with_body(request.body_hash(hash));
        }
        let found = account.map(|account| &ACCOUNTS[account]);
        match self.setup[3] >> 3 & 3 {
            0 | 1 => {
                let hash = attempt.hash();
                attempt.verify(account.map(|account| store::ha1(account, hash)))
            }
            2 => attempt.verify_password(found.map(|account| (account.name, account.password))),
            _ => match attempt.password() {
                Some(password) => {
                    let matches = found.is_some_and(|it| it.password.as_bytes() == password);
                    attempt.decide(matches)
                }
                None => {
                    let hash = attempt.hash();
                    assert!(attempt.clone().decide(true).is_err());
                    attempt.verify(account.map(|account| store::ha1(account, hash)))
                }
            },
        }
    }

    /// Judges a grant by what was sent, and by what was granted before.
    fn granted(
        &mut self,
        account: usize,
        credentials: &digest::Credentials<'_>,
        grant: &Grant<'_>,
        request: &Request,
        weather: &Weather,
        sent: &Sent,
    ) {
        let sent = sent.digests.get(credentials.response().as_str());
        let (by, asked) = sent.expect("granted without the password");
        assert_eq!(*by, account, "granted to another user");
        assert_eq!(asked.method, request.method);
        assert!(credentials.uri() == *asked.uri);
        if grant.uri_match() == UriCheck::Exact {
            assert_eq!(asked.uri, request.uri);
        }
        assert!(grant.uri_match() <= self.uri_check());

        // By the formula, and not by the word of the server.
        let ha1 = store::ha1(account, credentials.algorithm().hash());
        let target =
            Target::new(request.method, &*request.uri).with_body(Body::Bytes(&request.body));
        let in_full = credentials.expected_response(ha1, &target) == Some(credentials.response());
        let counted = credentials.protection().filter(|_| in_full);
        assert_eq!(grant.is_counted(), counted.is_some());
        if credentials.qop() == Some(Qop::AuthInt) {
            assert!(in_full && asked.body == request.body);
        }

        let nonce = credentials.nonce().to_bytes().into_owned();
        assert_eq!(self.issued.get(&nonce), Some(&weather.binding));
        let one_time = self.setup[0] & 64 != 0;
        let reusable = self.setup[1] & 2 != 0;
        let count = match counted {
            Some(protection) if !one_time => Some(protection.nc()),
            None if reusable && !one_time => return,
            _ => None,
        };
        let hash = store::number(credentials.algorithm().hash());
        assert!(
            self.granted.insert((nonce, account, hash, count)),
            "granted twice"
        );
    }

    const fn basic(&self) -> u8 {
        self.setup[1] >> 2 & 3
    }

    fn uri_check(&self) -> UriCheck {
        uri_check(self.setup[2])
    }
}

const fn uri_check(setup: u8) -> UriCheck {
    match setup & 7 {
        1 => UriCheck::PathAndQuery,
        2 => UriCheck::Normalized,
        3 => UriCheck::Decoded,
        4 => UriCheck::Path,
        5 => UriCheck::Unchecked,
        _ => UriCheck::Exact,
    }
}

fn server([offer, more, checks, _]: [u8; 4], key: u8) -> Server {
    let algorithms: &[Algorithm] = match offer & 7 {
        0 | 1 => &[Algorithm::SHA_256],
        2 => &[Algorithm::SHA_256_SESS],
        3 => &[Algorithm::SHA_512_256_SESS, Algorithm::SHA_256],
        4 => &[Algorithm::SHA_256, Algorithm::MD5],
        5 => &[Algorithm::MD5_SESS],
        6 => Algorithm::ALL,
        _ => &[],
    };
    let qop = match offer >> 3 & 3 {
        0 => QopSet::AUTH,
        1 => QopSet::AUTH_INT,
        2 => QopSet::BOTH,
        _ => QopSet::LEGACY,
    };
    let mut server = Server::new(REALM, NonceKey::new([key; 32]))
        .expect("a plain realm")
        .with_algorithms(algorithms)
        .with_qop(qop)
        .with_nonce_lifetime(LIFETIME_SECS)
        .with_uri_check(uri_check(checks));
    if offer & 32 != 0 {
        server = server.with_overview_form();
    }
    if offer & 64 != 0 {
        server = server.with_one_time_nonces();
    }
    if offer & 128 != 0 {
        server = server.with_rfc2069();
    }
    if more & 1 != 0 {
        server = server.with_userhash();
    }
    if more & 2 != 0 {
        server = server.with_reusable_nonces();
    }
    match more >> 2 & 3 {
        1 => server = server.with_basic(),
        2 => server = server.with_cleartext_basic(),
        _ => {}
    }
    if more & 16 != 0 {
        server = server.with_hash_like_cnonces();
    }
    if more & 32 != 0 {
        server = server.with_opaque("o\"p\\q").expect("plain text");
    }
    if more & 64 != 0 {
        server = server
            .with_domain("/a / https://example.com/")
            .expect("plain text");
    }
    match checks >> 3 & 3 {
        1 => server = server.with_next_nonce(NextNonce::Never),
        2 => server = server.with_next_nonce(NextNonce::Always),
        _ => {}
    }
    server
}
