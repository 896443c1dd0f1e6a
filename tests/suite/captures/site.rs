//! A server that takes part in a recording: its realm, its clock, and the nonce it is to have
//! issued.

use std::cell::Cell;

use countersign::digest::{Algorithm, Ha1, QopSet, User, userhash};
use countersign::server::{
    Arrival, Attempt, Authenticator, Quirk, Realm, Reason, UriCheck, Verified,
};
use countersign::wire::DigestCredentials;
use countersign::{Authorization, Channel, EntityBody, RawChallenge, Target, raw_challenges};

use crate::support::captures::{Exchange, has_nonce};
use crate::support::digest::{named_algorithm, qop_set};
use crate::support::server::{START, Why, authenticator, nonce_of, texts};

/// What a server must be told, beside what was offered in the recording, to grant a request. With
/// `Latin1Names` its store also finds users by a name in ISO-8859-1.
pub(super) const SETTINGS: [Setting; 6] = [
    "Default",
    "Latin1Names",
    "Rfc2069",
    "HashLikeCnonces",
    "PathAndQuery",
    "UncheckedQuery",
];

pub(super) type Setting = &'static str;

/// A recorded request, and a server that offers what was offered in the recording, with one user.
pub(super) struct Site<'a> {
    exchange: &'a Exchange,
    realm: Realm,
    /// Leaked, because what is verified borrows it.
    auth: Cell<&'static Authenticator>,
    latin1_names: bool,
}

fn leaked(auth: Authenticator) -> &'static Authenticator {
    Box::leak(Box::new(auth))
}

impl<'a> Site<'a> {
    pub(super) fn new(exchange: &'a Exchange, setting: Setting) -> Self {
        let offered = exchange.challenges();
        let sent = Authorization::parse(&exchange.authorization);
        let mut algorithms: Vec<_> = offered.iter().filter_map(named_algorithm).collect();
        let (mut realm, mut qop) = ("test realm".to_owned(), QopSet::BOTH);
        if !offered.is_empty() {
            realm = answered_realm(exchange, &offered);
            qop = offered_qop(&offered);
        } else {
            // The challenge was not recorded.
            algorithms = Algorithm::ALL.to_vec();
            if let Ok(Authorization::Digest(sent)) = &sent {
                realm = sent.realm.to_str().unwrap().into_owned();
            }
        }
        if algorithms.is_empty() {
            // Only such as we do not speak.
            algorithms.push(Algorithm::SHA_256);
        }
        // MD5 does not protect a body, so a realm for `auth-int` alone does not offer it: one that
        // accepts it offers `auth`, too, and one that must refuse it has another algorithm.
        if qop == QopSet::AUTH_INT && algorithms.iter().any(|it| it.as_str().starts_with("MD5")) {
            let header = String::from_utf8_lossy(&exchange.authorization);
            match header.contains("auth-int") || !header.contains("qop=") {
                true => qop = QopSet::BOTH,
                false => algorithms.push(Algorithm::SHA_256),
            }
        }
        let server = Realm::new(&realm).expect("a realm");
        let server = server
            .with_algorithms(&algorithms)
            .with_qop(qop)
            .with_userhash(true)
            .with_basic();
        let server = match setting {
            "Rfc2069" => server.with_quirks(&[Quirk::Rfc2069]),
            "HashLikeCnonces" => server.with_quirks(&[Quirk::HashLikeCnonces]),
            "PathAndQuery" => server.with_uri_check(UriCheck::PathAndQuery),
            "UncheckedQuery" => server.with_uri_check(UriCheck::UncheckedQuery),
            _ => server,
        };
        Self {
            exchange,
            auth: Cell::new(leaked(authenticator(server.clone(), 4))),
            realm: server,
            latin1_names: setting == "Latin1Names",
        }
    }

    fn target(&self) -> Target<'a> {
        let Exchange {
            method, uri, body, ..
        } = self.exchange;
        Target::new(method, uri).with_body(EntityBody::Bytes(body.as_bytes()))
    }

    /// Looks the user up, with this password.
    fn look_up(&self, attempt: &Attempt<'_>, password: &[u8]) -> Option<Ha1> {
        let name = self.exchange.username.as_slice();
        let (hash, realm) = (attempt.hash_function(), self.realm.name());
        let known = match attempt.claimed_user() {
            User::Name(claimed) => claimed.as_bytes() == name,
            User::Octets(octets) => {
                let decoded: String = octets.iter().copied().map(char::from).collect();
                *octets == *name || self.latin1_names && decoded.as_bytes() == name
            }
            User::Hash(hashed) => hashed == userhash(hash, name, realm),
            _ => false,
        };
        known.then(|| Ha1::new(hash, name, realm, password))
    }

    /// Takes the first two steps.
    fn verify<'s>(
        &'s self,
        header: &'s [u8],
        target: &Target<'s>,
        arrival: Arrival<'s>,
        password: Option<&[u8]>,
    ) -> Result<Verified<'s, Ha1>, Reason> {
        let attempt = self
            .auth
            .get()
            .begin_as(&self.realm, [header].into_iter(), target, arrival)
            .why()?;
        let ha1 = password.and_then(|password| self.look_up(&attempt, password));
        attempt.verify(ha1).why()
    }

    /// Forgets all that it let in, and has room for so many nonces.
    fn with_capacity(&self, capacity: usize) {
        let auth = authenticator(self.realm.clone(), capacity);
        self.auth.set(leaked(auth));
    }

    /// What is wrong with the recorded header, beside its nonce.
    pub(super) fn refusal(&self) -> Option<Reason> {
        let header = &self.exchange.authorization;
        let password = Some(self.exchange.password.as_slice());
        let is_basic = matches!(Authorization::parse(header), Ok(Authorization::Basic(_)));
        match self.verify(header, &self.target(), now(), password) {
            Err(Reason::NonceForeign) => None,
            Ok(_) => {
                assert!(is_basic, "a nonce that is not ours was accepted");
                None
            }
            Err(reason) => Some(reason),
        }
    }

    pub(super) fn grants_once(&self) {
        match Authorization::parse(&self.exchange.authorization) {
            Ok(Authorization::Basic(_)) => self.grants_basic(),
            Ok(Authorization::Digest(sent)) => self.grants_digest_once(&sent),
            other => panic!("{other:?}"),
        }
    }

    /// Basic covers no request and no count, so there is less to refuse.
    fn grants_basic(&self) {
        let header = &self.exchange.authorization;
        let target = self.target();
        let password = Some(self.exchange.password.as_slice());
        let cleartext = Arrival::new(Channel::Cleartext, START);
        for (arrival, password, reason) in [
            (
                now(),
                Some(&b"not the password"[..]),
                Reason::WrongCredentials,
            ),
            (now(), None, Reason::WrongCredentials),
            (cleartext, password, Reason::CleartextBasic),
        ] {
            let refused = self.verify(header, &target, arrival, password);
            assert_eq!(refused.unwrap_err(), reason);
        }

        self.with_capacity(0);
        for _ in 0..2 {
            let verified = self.verify(header, &target, now(), password).unwrap();
            let grant = self.auth.get().admit(verified).unwrap();
            assert_eq!(grant.algorithm(), None);
            assert!(grant.qop().is_none());
        }
    }

    fn grants_digest_once(&self, sent: &DigestCredentials<'_>) {
        let header = self.with_nonce_of_ours(sent);
        let target = self.target();
        let password = Some(self.exchange.password.as_slice());
        self.with_capacity(4);

        // What uses up nothing, since it is refused before the table is asked.
        let other_uri = other_resource(&self.exchange.uri);
        let elsewhere = Target::new(target.method, &other_uri).with_body(target.body);
        let otherwise = Target::new("OTHER", target.uri).with_body(target.body);
        let later = Arrival::new(Channel::Encrypted, START.plus_millis(1000 * 301));
        let wrong = Some(&b"not the password"[..]);
        for (target, arrival, password, reason) in [
            (&elsewhere, now(), password, Reason::UriMismatch),
            (&otherwise, now(), password, Reason::WrongCredentials),
            (&target, now(), wrong, Reason::WrongCredentials),
            (&target, now(), None, Reason::WrongCredentials),
            (&target, later, password, Reason::NonceExpired),
        ] {
            let refused = self.verify(&header, target, arrival, password);
            assert_eq!(refused.unwrap_err(), reason);
        }

        assert_eq!(self.auth.get().len(), 0);
        let verified = self.verify(&header, &target, now(), password).unwrap();
        let grant = self.auth.get().admit(verified).unwrap();
        assert_eq!(grant.algorithm(), Some(sent.algorithm()));
        assert_eq!(grant.qop(), sent.qop_params.map(|params| params.qop()));
        assert!(grant.claimed_user() == sent.user());

        for _ in 0..2 {
            let verified = self.verify(&header, &target, now(), password).unwrap();
            let again = self.auth.get().admit(verified).why();
            assert_eq!(again.unwrap_err(), Reason::Replayed);
        }
        assert_eq!(self.auth.get().len(), 1);
    }

    /// The recorded header, byte for byte but for nonce and response.
    fn with_nonce_of_ours(&self, sent: &DigestCredentials<'_>) -> Vec<u8> {
        let nonce = nonce_of(&texts(&self.auth.get().challenge(now())));
        let recorded = &self.exchange.authorization;
        let draft = replace(recorded, sent.nonce.raw(), &nonce);

        let Ok(Authorization::Digest(read)) = Authorization::parse(&draft) else {
            panic!("the nonce is no longer readable");
        };
        let (name, password) = (&self.exchange.username, &self.exchange.password);
        let hash = read.algorithm().hash_function();
        let ha1 = Ha1::new(hash, name, self.realm.name(), password);
        let (uri, target) = (read.uri.to_bytes(), self.target());
        let target = Target::new(target.method, &*uri).with_body(target.body);
        let right = read.expected_response(&ha1, &target);
        let mut right = right.expect("a known body").as_str().to_owned();

        let params = raw_challenges([&draft]).next().unwrap().unwrap();
        let response = params.param("response").expect("a response").raw();
        if response.iter().any(u8::is_ascii_uppercase) {
            right.make_ascii_uppercase();
        }
        assert_eq!(right.len(), response.len());
        replace(&draft, response, &right)
    }
}

fn now() -> Arrival<'static> {
    Arrival::new(Channel::Encrypted, START)
}

/// The header with `part`, which must be a slice of it, replaced.
fn replace(header: &[u8], part: &[u8], by: &str) -> Vec<u8> {
    let start = part.as_ptr().addr() - header.as_ptr().addr();
    assert_eq!(&header[start..start + part.len()], part);
    [
        &header[..start],
        by.as_bytes(),
        &header[start + part.len()..],
    ]
    .concat()
}

/// The realm of the challenge that the client answered, or else of the first that has one.
fn answered_realm(exchange: &Exchange, offered: &[RawChallenge<'_>]) -> String {
    let answered = match Authorization::parse(&exchange.authorization) {
        Ok(Authorization::Digest(sent)) => offered.iter().find(|one| has_nonce(one, sent.nonce)),
        _ => None,
    };
    let mut realms = answered
        .into_iter()
        .chain(offered)
        .filter_map(|one| one.param("realm"));
    let realm = realms.next().expect("a realm");
    realm.to_str().expect("UTF-8").into_owned()
}

/// The qop values that were offered in any challenge. A challenge with unknown ones alone counts as
/// one for `auth`: a server of ours has nothing nearer to it.
fn offered_qop(offered: &[RawChallenge<'_>]) -> QopSet {
    let lists = offered
        .iter()
        .filter_map(|challenge| challenge.param("qop"));
    let lists: Vec<_> = lists.map(|list| list.to_str().unwrap()).collect();
    let has = |value| {
        lists
            .iter()
            .any(|list| list.split(',').any(|item| item.trim() == value))
    };
    let knows_none = !lists.is_empty() && !has("auth-int");
    qop_set(has("auth") || knows_none, has("auth-int"))
}

/// Another path, with the same query.
fn other_resource(uri: &str) -> String {
    match uri.split_once('?') {
        Some((path, query)) => format!("{path}/other?{query}"),
        None => format!("{uri}/other"),
    }
}
