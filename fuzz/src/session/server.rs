//! The server, and the check that each grant is legitimate.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use countersign::digest::{Algorithm, Qop, QopSet};
use countersign::server::{
    Arrival, Attempt, Grant, Quirk, Realm, Refusal, UriCheck, Verdict, Verified,
};
use countersign::wire::DigestCredentials;
use countersign::{Authorization, Channel, EntityBody, FieldValue, Target, Timestamp};

use super::memory::Memory;
use super::request::Request;
use super::script::Script;
use super::store::{self, ACCOUNTS, REALM};
use crate::accounts::Store;

/// The body of every response.
pub(super) const PAGE: &[u8] = b"page";
const LIFETIME_SECS: u32 = 5;

/// The time, the channel and the binding of a request.
#[derive(Clone, Copy)]
pub(super) struct Weather {
    pub(super) now: Timestamp,
    pub(super) channel: Channel,
    pub(super) binding: &'static [u8],
}

/// The response of the server.
pub(super) enum Reply {
    /// 200, with an `Authentication-Info`.
    Granted(Option<FieldValue>),
    /// 401 with these challenges, or another refusal without any.
    Refused(Vec<FieldValue>),
}

/// The requests that users have sent.
#[derive(Default)]
pub(super) struct Sent {
    /// The account and the request, by response.
    digests: BTreeMap<String, (usize, Request)>,
}

impl Sent {
    pub(super) fn add(&mut self, account: usize, header: &[u8], request: &Request) {
        if let Ok(Authorization::Digest(credentials)) = Authorization::parse(header) {
            let response = credentials.response.to_string();
            self.digests.insert(response, (account, request.clone()));
        }
    }
}

/// What may be granted once: a nonce, an HA1, and the count if there is one. The user name is not
/// part of it.
type Use = (Vec<u8>, usize, usize, Option<u32>);

pub(super) struct Site {
    setup: [u8; 4],
    store: Store,
    realm: Realm,
    pub(super) memory: Rc<Memory>,
    /// The binding under which each nonce was issued.
    issued: BTreeMap<Vec<u8>, &'static [u8]>,
    granted: BTreeSet<Use>,
}

impl Site {
    pub(super) fn read(script: &mut Script<'_>) -> Self {
        let setup = [0; 4].map(|_| script.byte());
        let realm = realm(setup);
        Self {
            setup,
            store: script.pick(&Store::ALL),
            memory: Rc::new(Memory::read(script, &realm)),
            realm,
            issued: BTreeMap::new(),
            granted: BTreeSet::new(),
        }
    }

    /// A server with every scheme and enough memory to admit every client.
    pub(super) fn honest() -> Self {
        let realm = Realm::new(REALM)
            .expect("a plain realm")
            .with_algorithms(Algorithm::ALL)
            .with_qop(QopSet::BOTH)
            .with_userhash(true)
            .with_quirks(&[Quirk::UncountedForm]);
        Self {
            setup: [0; 4],
            store: Store::Exact,
            memory: Rc::new(Memory::ample(&realm)),
            realm,
            issued: BTreeMap::new(),
            granted: BTreeSet::new(),
        }
    }

    fn memory_mut(&mut self) -> &mut Memory {
        Rc::get_mut(&mut self.memory).expect("no request is being served")
    }

    /// Changes the key. With `keep`, nonces of the previous key stay valid for their lifetime.
    pub(super) fn rotate(&mut self, keep: bool) {
        self.memory_mut().rotate(keep);
    }

    pub(super) fn restart(&mut self) {
        let realm = self.realm.clone();
        self.memory_mut().restart(&realm);
    }

    pub(super) fn serve(
        &mut self,
        headers: &[&[u8]],
        request: &Request,
        weather: &Weather,
        sent: &Sent,
    ) -> Reply {
        let arrival = || Arrival::new(weather.channel, weather.now).bound_to(weather.binding);
        // The body may be known now, or hashed later if the response covers it.
        let body = match self.setup[3] & 2 {
            0 => EntityBody::Bytes(&request.body),
            _ => EntityBody::Unknown,
        };
        let target = Target::new(request.method, &*request.uri).with_body(body);
        let realm = self.realm.clone();
        let memory = Rc::clone(&self.memory);
        match self.admit(
            &memory, &realm, headers, request, &target, arrival, weather, sent,
        ) {
            Ok(grant) => {
                let info = grant.authentication_info(EntityBody::Bytes(PAGE));
                self.remember("nextnonce=\"", info.as_ref(), weather);
                // The receipt makes the same value as the grant.
                let (_, receipt) = grant.into_parts();
                assert_eq!(receipt.authentication_info(EntityBody::Bytes(PAGE)), info);
                Reply::Granted(info)
            }
            Err(refusal) => {
                let is_asking = matches!(refusal.status, 401 | 407);
                assert_eq!(is_asking, !refusal.challenges.is_empty());
                self.remember(" nonce=\"", refusal.challenges.first(), weather);
                Reply::Refused(refusal.challenges)
            }
        }
    }

    /// Records the nonce that follows `before` in a field of the server.
    fn remember(&mut self, before: &str, value: Option<&FieldValue>, weather: &Weather) {
        let text = value.map(|value| String::from_utf8_lossy(value.as_ref()).into_owned());
        let rest = text.as_ref().and_then(|text| text.split_once(before));
        if let Some((nonce, _)) = rest.and_then(|(_, rest)| rest.split_once('"')) {
            self.issued.insert(nonce.into(), weather.binding);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all of what a request is")]
    fn admit<'a>(
        &mut self,
        memory: &'a Memory,
        realm: &'a Realm,
        headers: &[&'a [u8]],
        request: &Request,
        target: &Target<'a>,
        arrival: impl Fn() -> Arrival<'a>,
        weather: &Weather,
        sent: &Sent,
    ) -> Result<Grant<'a, usize>, Refusal> {
        let mut attempt = memory.begin(realm, headers, target, arrival())?;
        if let Some(hash) = attempt.required_body_hash_function()
            && self.setup[3] & 4 == 0
            && (self.setup[3] & 8 == 0 || attempt.nonce_is_fresh())
        {
            let body = EntityBody::Hashed(request.body_hash(hash));
            let target = target.with_body(body);
            attempt = memory.begin(realm, headers, &target, arrival())?;
        }
        let account = store::find(self.store, &attempt.claimed_user());
        let verified = self.verify(attempt, account)?;
        let grant = memory.admit(verified, weather.now)?;

        assert_eq!(headers.len(), 1);
        let account = account.expect("granted to nobody");
        assert_eq!(*grant.account(), account);
        assert_eq!(
            store::find(self.store, &grant.claimed_user()),
            Some(account)
        );
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

    /// Verifies an attempt, by each of the methods for it.
    fn verify<'a>(
        &self,
        attempt: Attempt<'a>,
        account: Option<usize>,
    ) -> Result<Verified<'a, usize>, Refusal> {
        if attempt.required_body_hash_function().is_some() {
            if self.setup[3] & 8 != 0 && !attempt.nonce_is_fresh() {
                return Err(attempt.reject_unread());
            }
            let outcome = attempt.verify_by(account, |it, hash| Some(store::ha1(*it, hash)));
            return Err(outcome.expect_err("the body was never seen"));
        }
        let by_ha1 = |attempt: Attempt<'a>| {
            attempt.verify_by(account, |it, hash| Some(store::ha1(*it, hash)))
        };
        match self.setup[3] >> 3 & 3 {
            0 | 1 => by_ha1(attempt),
            2 => {
                attempt.verify_password(account, |it| (ACCOUNTS[*it].name, ACCOUNTS[*it].password))
            }
            _ => match attempt.basic() {
                Some(pair) => {
                    let is_it = |it: &usize| ACCOUNTS[*it].password.as_bytes() == pair.password();
                    let account = account.filter(is_it);
                    attempt.decide(account.map_or(Verdict::Wrong, Verdict::Right))
                }
                None => {
                    assert!(attempt.clone().decide(Verdict::Right(0)).is_err());
                    by_ha1(attempt)
                }
            },
        }
    }

    /// Checks a grant against the requests sent and the earlier grants.
    fn granted(
        &mut self,
        account: usize,
        credentials: &DigestCredentials<'_>,
        grant: &Grant<'_, usize>,
        request: &Request,
        weather: &Weather,
        sent: &Sent,
    ) {
        let sent = sent.digests.get(credentials.response.as_str());
        let (by, asked) = sent.expect("granted without the password");
        assert_eq!(*by, account, "granted to another user");
        assert_eq!(asked.method, request.method);
        assert!(credentials.uri == &*asked.uri);
        if uri_check(self.setup[2]) == UriCheck::Exact {
            assert_eq!(asked.uri, request.uri);
        }

        // Computed by the formula, independently of the server.
        let ha1 = store::ha1(account, credentials.algorithm().hash_function());
        let target =
            Target::new(request.method, &*asked.uri).with_body(EntityBody::Bytes(&request.body));
        let in_full = credentials.expected_response(ha1, &target) == Some(credentials.response);
        let counted = credentials.qop_params.filter(|_| in_full);
        assert_eq!(grant.qop().is_some(), counted.is_some());
        if credentials.qop_params.map(|it| it.qop()) == Some(Qop::AuthInt) {
            assert!(in_full && asked.body == request.body);
        }

        let nonce = credentials.nonce.to_bytes().into_owned();
        assert_eq!(self.issued.get(&nonce), Some(&weather.binding));
        let one_time = self.setup[0] & 64 != 0;
        let reusable = self.setup[1] & 2 != 0;
        let count = match counted {
            Some(protection) if !one_time => Some(protection.nc()),
            None if reusable && !one_time => return,
            _ => None,
        };
        let hash = store::number(credentials.algorithm().hash_function());
        assert!(
            self.granted.insert((nonce, account, hash, count)),
            "granted twice"
        );
    }

    const fn basic(&self) -> u8 {
        self.setup[1] >> 2 & 3
    }
}

const fn uri_check(setup: u8) -> UriCheck {
    match setup & 7 {
        1 => UriCheck::PathAndQuery,
        2 => UriCheck::Normalized,
        3 => UriCheck::Decoded,
        4 => UriCheck::UncheckedQuery,
        5 => UriCheck::DangerousUnchecked,
        6 => UriCheck::Shortened,
        _ => UriCheck::Exact,
    }
}

fn realm([offer, more, checks, _]: [u8; 4]) -> Realm {
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
        _ => QopSet::NONE,
    };
    let mut realm = Realm::new(REALM)
        .expect("a plain realm")
        .with_algorithms(algorithms)
        .with_qop(qop)
        .with_nonce_lifetime(LIFETIME_SECS)
        .with_uri_check(uri_check(checks))
        .with_one_time_nonces(offer & 64 != 0)
        .with_userhash(more & 1 != 0);
    realm = match more >> 2 & 3 {
        1 => realm.with_basic(),
        2 => realm.with_cleartext_basic(),
        _ => realm,
    };
    for (is_set, quirk) in [
        (offer & 32 != 0, Quirk::UncountedForm),
        (offer & 128 != 0, Quirk::Rfc2069),
        (more & 2 != 0, Quirk::ReplayableNonces),
        (more & 16 != 0, Quirk::HashLikeCnonces),
    ] {
        if is_set {
            realm = realm.with_quirks(&[quirk]);
        }
    }
    if more & 32 != 0 {
        realm = realm.with_opaque("o\"p\\q").expect("plain text");
    }
    if more & 64 != 0 {
        realm = realm
            .with_domain("/a / https://example.com/")
            .expect("plain text");
    }
    realm
}
