//! Header text can be a password, so `Debug` and `Display` show none.

mod client;

use std::any::type_name;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Mutex;

use countersign::client::{ServerProof, Strength};
use countersign::digest::{Algorithm, HashFunction, Qop, QopSet};
use countersign::server::{
    Arrival, Authenticator, Quirk, Realm, Reason, Refusal, UriCheck, Use, Verdict,
};
use countersign::wire::{
    AuthenticationInfo, DigestChallenge, DigestCredentials, QopParams, basic_challenge,
    basic_credentials, ha2, response,
};
use countersign::{
    Authorization, Challenge, Challenger, Channel, HeaderError, InvalidText, RawChallenge, Scheme,
    Target, Text, Timestamp, challenges, digest, raw_challenges,
};

use crate::support::server::{
    authenticator, digest_challenge, no_field, nonce_keys, reply, shared,
};

/// Stands wherever a header can have text.
const MARK: &str = "hunter2";

/// In hex, for where digits must stand.
const HEX: &str = "68756e746572320068756e746572320068756e746572320068756e7465723200";

/// The types of all values that were looked at.
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// Panics if `value` shows the mark: as text, as the bytes it is made of, or as a number made from
/// the first ones of a seed, which is [`HEX`].
fn hides<T: Debug>(value: &T) {
    SEEN.lock().unwrap().insert(public_name(type_name::<T>()));
    let bytes: Vec<String> = MARK.bytes().map(|byte| byte.to_string()).collect();
    let number = u64::from_le_bytes(*HEX.as_bytes().first_chunk().unwrap());
    // Without the last digits, because a client may have counted on.
    let number = (number / 1000).to_string();
    for shown in [format!("{value:?}"), format!("{value:#?}")] {
        let flat: String = shown.split_whitespace().collect();
        for mark in [MARK, &bytes.join(","), &HEX[..14], &number] {
            assert!(!flat.to_ascii_lowercase().contains(mark), "{shown}");
        }
    }
}

fn hides_error<E: std::error::Error + Debug>(error: &E) {
    hides(error);
    assert!(!error.to_string().contains(MARK), "{error}");
    assert!(error.source().is_none());
}

/// Every form of a header, read as each field.
#[test]
fn headers_are_redacted() {
    let mut values = vec![
        format!("{MARK} {MARK}={MARK}, {MARK}=\"{MARK}\", realm=\"\\{MARK} \\\"\""),
        format!("{MARK} {MARK}=="),
        format!("Basic realm=\"{MARK}\", {MARK}={MARK}, charset={MARK}"),
        MARK.to_owned(),
        String::from_utf8(basic_credentials(MARK, MARK).unwrap().into()).unwrap(),
    ];
    let nextnonce = format!("nextnonce=\"{MARK}\", rspauth=\"{HEX}\"");
    for qop in ["auth", MARK] {
        let counted = format!("qop={qop}, cnonce={MARK}, nc=00000001");
        values.push(format!("{nextnonce}, {counted}, {MARK}={MARK}"));
        for name in [
            format!("username={MARK}"),
            format!("username=\"\\{MARK}\""),
            format!("username*=UTF-8''{MARK}"),
            format!("username={HEX}, userhash=true"),
            format!("username={MARK}, userhash=true"),
            format!("username=\"{MARK}\", username*=UTF-8''{MARK}"),
        ] {
            values.push(format!(
                "Digest {name}, realm={MARK}, nonce=\"{MARK}\", uri=\"{MARK}\", response={HEX}, \
                 algorithm=SHA-256, {counted}, opaque=\"{MARK}\", {MARK}={MARK}"
            ));
        }
    }
    for algorithm in ["SHA-256", "\"SHA-256-sess\"", MARK] {
        values.push(format!(
            "Digest realm={MARK}, nonce=\"{MARK}\", opaque={MARK}, domain=\"\\{MARK}\", \
             algorithm={algorithm}, qop=\"auth, {MARK}\", stale={MARK}, charset={MARK}, \
             userhash={MARK}, {MARK}={MARK}",
        ));
    }
    hides(&Scheme::Basic);
    for value in &values {
        for found in raw_challenges([value]) {
            hides(&found);
            found.iter().for_each(hides);
            let params = found.iter().flat_map(RawChallenge::params);
            params.for_each(|(_, value)| hides(&value));
        }
        for found in challenges([value]) {
            hides(&found);
            if let Ok(Challenge::Digest(found)) = found {
                hides(&found);
            }
        }
        let found = Authorization::parse(value);
        hides(&found);
        found.iter().for_each(hides);
        match found {
            Ok(Authorization::Basic(pair)) => {
                hides(&pair);
                let encoded = &value["Basic ".len()..];
                assert!(!format!("{:?}", Authorization::parse(value)).contains(encoded));
            }
            Ok(Authorization::Digest(found)) => {
                hides(&found);
                hides(&found.user());
                hides(&found.user().into_owned());
                hides(&found.qop_params);
                hides(&found.response);
            }
            _ => {}
        }
        hides(&AuthenticationInfo::parse([value]));
    }
}

fn arrival() -> Arrival<'static> {
    Arrival::new(
        Channel::Encrypted,
        Timestamp::from_unix_millis(1_700_000_000 * 1000),
    )
}

/// The user's name is mixed into the number by which a nonce is known, and with a nonce that is not
/// the server's that number is nothing else.
#[test]
fn attempts_are_redacted() {
    let auth = Authenticator::from_fresh_seed(Realm::new("files").unwrap(), 1, [7; 32]);
    let target = Target::new("GET", "/");
    let [one, other] = [MARK, "hunter3"].map(|name| {
        let value = format!(
            "Digest username={name}, realm=files, nonce={MARK}, uri=\"/\", algorithm=SHA-256, \
             response={HEX}, qop=auth, nc=00000001, cnonce={MARK}",
        );
        let attempt = auth
            .begin([&value].into_iter(), &target, arrival())
            .unwrap();
        hides(&attempt);
        let rejected = attempt.clone().reject_unread();
        hides(&rejected);
        format!("{attempt:?}")
    });
    assert_eq!(one, other);
}

/// All that a server makes of credentials, to the end.
#[test]
fn server_steps_are_redacted() {
    let realm = Realm::new("files").unwrap().with_basic();
    hides(&nonce_keys(&[0xAB]));
    let auth = authenticator(realm.clone(), 1);
    let store = shared(realm.clone(), 1);
    let target = Target::new("GET", "/hunter2");

    hides(&realm);
    hides(&arrival().bound_to(MARK.as_bytes()));
    hides::<Authenticator>(&auth);
    hides(&store);
    // What these two show of themselves.
    for used in ["server::Memory", "server::SharedStore"] {
        SEEN.lock().unwrap().insert(used.to_owned());
    }

    let rejected = auth.begin(no_field(), &target, arrival());
    let rejected = rejected.unwrap_err();
    hides_error::<Reason>(&rejected.reason);
    let refusal = rejected;
    hides(&refusal);
    refusal.challenges.iter().for_each(hides);
    let value = refusal.challenges[0].to_str().unwrap();
    let challenge = digest_challenge(value);

    let ha1 = digest::Ha1::new(HashFunction::Sha256, MARK, "files", MARK);
    let nonce = challenge.nonce.to_str().unwrap();
    let protection = QopParams::new("auth", "00000001", MARK).unwrap();
    let ha2 = ha2(HashFunction::Sha256, "GET", "/hunter2", None);
    let response = response(&ha1, nonce.as_bytes(), Some(&protection), &ha2);
    let digest = format!(
        "Digest username={MARK}, realm=files, nonce=\"{nonce}\", uri=\"/{MARK}\", algorithm=SHA-256, \
         response={response}, qop=auth, nc=00000001, cnonce={MARK}",
    );
    let basic = String::from_utf8(basic_credentials(MARK, MARK).unwrap().into()).unwrap();
    let as_bytes = |value: &str| format!("{:?}", value.as_bytes());
    let encoded = as_bytes(&basic["Basic ".len()..]);
    let encoded = encoded.trim_matches(['[', ']']).to_owned();
    for value in [digest, basic] {
        let attempt = auth
            .begin([&value].into_iter(), &target, arrival())
            .unwrap();
        hides(&attempt);
        hides(&attempt.basic());
        assert!(!format!("{attempt:?}").contains(&encoded));
        let verified = attempt.verify(Some(&ha1)).unwrap();
        hides(&verified);
        assert!(!format!("{verified:?}").contains(&encoded));
        let grant = auth.admit(verified).unwrap();
        hides(&grant);
        assert!(!format!("{grant:?}").contains(&encoded));
        hides(&grant.authentication_info(countersign::EntityBody::Unknown));
        hides(&grant.claimed_user());
        hides(&grant.into_parts().1);
        hides(&auth);

        let attempt = auth
            .begin([&value].into_iter(), &target, arrival())
            .unwrap();
        let claim = store.claim(attempt.verify(Some(&ha1)).unwrap());
        hides(&claim);
        if let Err(claim) = claim {
            hides(&claim);
            let reply = reply(false, Timestamp::from_unix_millis(0));
            hides(&reply);
            let settled = claim.settle(reply);
            hides::<Refusal>(&settled.unwrap_err());
        }
    }
}

#[test]
fn outgoing_values_are_redacted() {
    let text = Text::new(MARK).unwrap();
    let hash = HashFunction::Sha256;
    let value =
        format!("Digest username=x, realm=x, nonce=x, uri=x, response={HEX}, algorithm=SHA-256");
    let hex = match Authorization::parse(&value).unwrap() {
        Authorization::Digest(credentials) => credentials.response,
        _ => unreachable!(),
    };
    let mut challenge = DigestChallenge::new(MARK, MARK, Algorithm::SHA_256).unwrap();
    challenge.opaque = Some(text);
    challenge.domain = Some(text);
    let protection = QopParams::new("auth", "1", MARK).unwrap();
    for user in [
        digest::User::from(MARK),
        digest::User::from("hunter2ä"),
        digest::User::Hash(hex),
    ] {
        let protection = Some(protection);
        hides(&DigestCredentials::new(&challenge, &user, text, protection, hex).unwrap());
    }
    hides(&challenge);
    hides(&protection);
    hides(&text);
    hides(&hex);
    hides(&digest::Ha1::from_hex(hash, HEX).unwrap());
    hides(&digest::Ha1::new(hash, MARK, MARK, MARK));
    let mut info = AuthenticationInfo::default();
    (info.rspauth, info.cnonce) = (
        Some(Text::new(hex.as_str()).unwrap()),
        Some(protection.cnonce()),
    );
    info.nextnonce = Some(text);
    hides(&info);
}

#[test]
fn errors_are_redacted() {
    for value in [
        format!("={MARK}"),
        format!("A \"{MARK}\""),
        format!("A {MARK} {MARK}"),
        format!("A b= ;{MARK}"),
        format!("A b={MARK}/;{MARK}"),
        format!("A {MARK}={MARK} {MARK}"),
        format!("{MARK}@"),
        format!("A b=\"{MARK}"),
        format!("A b=\"{MARK}\0\""),
        format!("A b={}", MARK.repeat(countersign::MAX_VALUE_BYTES)),
        format!("{MARK},").repeat(countersign::MAX_CHALLENGES + 1),
    ] {
        let error = raw_challenges([&value]).find_map(Result::err);
        hides_error(&error.unwrap());
        hides_error(&Authorization::parse(&value).unwrap_err());
        hides_error(&AuthenticationInfo::parse([&value]).unwrap_err());
    }
    for value in [
        format!("Basic {MARK}"),
        format!("Basic {MARK}={MARK}"),
        format!("Digest realm={MARK}, realm={MARK}"),
        format!("Digest username*=\"{MARK}\""),
        format!("{MARK}, {MARK}"),
    ] {
        hides_error(&Authorization::parse(&value).unwrap_err());
    }
    let info = format!("nc={MARK}");
    hides_error::<HeaderError>(&AuthenticationInfo::parse([&info]).unwrap_err());
    for error in [
        basic_credentials(format!("{MARK}:"), "").unwrap_err(),
        basic_credentials(format!("{MARK}\0"), "").unwrap_err(),
        basic_challenge(&format!("{MARK}\0"), true).unwrap_err(),
        digest::Ha1::from_hex(HashFunction::Sha256, MARK).unwrap_err(),
    ] {
        hides_error::<InvalidText>(&error);
    }
    hides_error::<HeaderError>(&QopParams::new("auth", MARK, "").unwrap_err());
    hides_error(&MARK.parse::<Algorithm>().unwrap_err());
}

/// All public structs and enums, by the listing that `.ci/public-api` holds to the code.
fn public_types() -> BTreeSet<String> {
    let listing = include_str!("../../../public-api.txt").lines();
    let types = listing.filter_map(|line| {
        let item = line.strip_prefix("#[non_exhaustive] ").unwrap_or(line);
        let path = ["pub struct countersign::", "pub enum countersign::"]
            .iter()
            .find_map(|start| item.strip_prefix(start))?;
        let is_name = |c: char| c.is_alphanumeric() || "_:".contains(c);
        Some(path.chars().take_while(|&c| is_name(c)).collect())
    });
    let types: BTreeSet<String> = types.collect();
    assert!(types.len() > 40, "{types:?}");
    types
}

/// `server::Grant` of `countersign::server::grant::Grant<..>`.
fn public_name(name: &str) -> String {
    let name = name.split('<').next().unwrap();
    let (path, name) = name.rsplit_once("::").unwrap_or(("", name));
    let on_the_wire = format!("wire::{name}");
    if public_types().contains(&on_the_wire) {
        return on_the_wire;
    }
    match path.split("::").nth(1) {
        Some("hash") => format!("digest::{name}"),
        Some(folder @ ("client" | "digest" | "server")) => format!("{folder}::{name}"),
        _ => name.to_owned(),
    }
}

/// The name of a type that has no room for text or a secret, and borrows none.
fn small<T: Copy + Debug + 'static>() -> String {
    let name = public_name(type_name::<T>());
    assert!(size_of::<T>() <= 8, "{name}");
    name
}

fn small_types() -> Vec<String> {
    vec![
        small::<Challenger>(),
        small::<Channel>(),
        small::<Timestamp>(),
        small::<ServerProof>(),
        small::<Strength>(),
        small::<Algorithm>(),
        small::<HashFunction>(),
        small::<Qop>(),
        small::<QopSet>(),
        small::<Quirk>(),
        small::<Use>(),
        small::<Verdict<()>>(),
        small::<UriCheck>(),
    ]
}

/// All that this file shows, in one test, so that nothing is left out.
#[test]
fn every_public_type_is_looked_at() {
    for test in [
        headers_are_redacted,
        attempts_are_redacted,
        server_steps_are_redacted,
        outgoing_values_are_redacted,
        errors_are_redacted,
        client::client_steps_are_redacted,
        client::client_errors_are_redacted,
        client::other_types_are_redacted,
    ] {
        test();
    }
    let seen = SEEN.lock().unwrap().clone();
    let types = public_types();
    let listed = seen.into_iter().chain(small_types()).collect();
    let missing: Vec<_> = types.difference(&listed).collect();
    // One type needs the feature.
    let all = missing.is_empty() || cfg!(not(feature = "std")) && missing.len() == 1;
    assert!(all, "nobody looks at {missing:#?}");
}
