//! A server that takes part in a recording.

use countersign::digest::{Algorithm, Ha1, QopSet, User, userhash};
use countersign::server::{Arrival, Attempt, Quirk, Realm, Reason, UriCheck};
use countersign::{Authorization, Channel, EntityBody, RawChallenge, Target};

use crate::support::captures::{Exchange, has_nonce};
use crate::support::digest::{named_algorithm, qop_set};
use crate::support::server::{START, Why, authenticator};

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

/// What is wrong with the recorded header, beside its nonce, for a server that offers what was offered in
/// the recording, with one user.
pub(super) fn refusal(exchange: &Exchange, setting: Setting) -> Option<Reason> {
    let auth = authenticator(realm(exchange, setting), 4);
    let Exchange {
        method, uri, body, ..
    } = exchange;
    let target = Target::new(method, uri).with_body(EntityBody::Bytes(body.as_bytes()));
    let values = [&exchange.authorization].into_iter();
    let arrival = Arrival::new(Channel::Encrypted, START);
    let attempt = match auth.begin(values, &target, arrival) {
        Ok(attempt) => attempt,
        Err(refusal) => return Some(refusal.reason),
    };
    let is_basic = attempt.basic().is_some();
    let ha1 = look_up(exchange, &attempt, setting == "Latin1Names");
    match attempt.verify(ha1).why() {
        Err(Reason::NonceForeign) => None,
        Ok(_) => {
            assert!(is_basic, "a nonce that is not ours was accepted");
            None
        }
        Err(reason) => Some(reason),
    }
}

fn realm(exchange: &Exchange, setting: Setting) -> Realm {
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
    match setting {
        "Rfc2069" => server.with_quirks(&[Quirk::Rfc2069]),
        "HashLikeCnonces" => server.with_quirks(&[Quirk::HashLikeCnonces]),
        "PathAndQuery" => server.with_uri_check(UriCheck::PathAndQuery),
        "UncheckedQuery" => server.with_uri_check(UriCheck::UncheckedQuery),
        _ => server,
    }
}

fn look_up(exchange: &Exchange, attempt: &Attempt<'_>, latin1_names: bool) -> Option<Ha1> {
    let name = exchange.username.as_slice();
    let (hash, realm) = (attempt.hash_function(), attempt.realm().name());
    let known = match attempt.claimed_user() {
        User::Name(claimed) => claimed.as_bytes() == name,
        User::Octets(octets) => {
            let decoded: String = octets.iter().copied().map(char::from).collect();
            *octets == *name || latin1_names && decoded.as_bytes() == name
        }
        User::Hash(hashed) => hashed == userhash(hash, name, realm),
        _ => false,
    };
    known.then(|| Ha1::new(hash, name, realm, &exchange.password))
}

/// The realm of the challenge that the client answered, or else of the first that has one.
pub(super) fn answered_realm(exchange: &Exchange, offered: &[RawChallenge<'_>]) -> String {
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
