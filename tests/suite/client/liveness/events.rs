//! What may happen to a client: requests, and all that a server that lies may send.

use std::fmt;

use countersign::client::{Policy, Quirk, Strength};
use countersign::digest::{HashFunction, HexDigest};
use countersign::{EntityBody, MAX_VALUE_BYTES, Target};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::world::SERVER_LIMIT;
use crate::support::generate::{self, Bytes};

pub(super) const REALM: &str = "files";

/// Stands for the nonce that the honest server sent last.
pub(super) const LAST_NONCE: &str = "LAST";

/// Stands for as much text as makes the value nearly as long as a value may be.
pub(super) const FILL: &str = "FILL";

/// What the user sends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) uri: &'static str,
    pub(super) body: BodyOf,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum BodyOf {
    Streams,
    Known,
    Hashed,
    None,
}

impl Request {
    pub(super) fn target(&self) -> Target<'_> {
        let hashed = || HexDigest::from_hex(HashFunction::Sha256, &"5".repeat(64)).expect("a hash");
        let (method, body) = match self.body {
            BodyOf::Streams => ("PUT", EntityBody::Unknown),
            BodyOf::Known => ("PUT", EntityBody::Bytes(b"a=1")),
            BodyOf::Hashed => ("PUT", EntityBody::Hashed(hashed())),
            BodyOf::None => ("GET", EntityBody::Bytes(b"")),
        };
        Target::new(method, self.uri).with_body(body)
    }
}

/// What happens before, to the exchange of this number or to the client.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// The exchange sends its request; this one, if it is its first. If one is under way, that was
    /// lost and is sent again.
    Send(usize, Request),
    /// Someone answers with 401 and these challenges. If that makes the client ask for a login, it
    /// is given the right password or a wrong one.
    Challenged(usize, Vec<Text>, bool),
    /// Someone answers with 200 and this `Authentication-Info`.
    Accepted(usize, Option<Text>),
    /// The honest server answers.
    Honest(usize, bool),
    /// The user gives the exchange up.
    Dropped(usize),
    Login(bool),
    Logout,
    Wait(u64),
}

/// A header value, in which [`LAST_NONCE`] and [`FILL`] are yet to be put.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) text: Bytes,
    /// What a value with a [`FILL`] comes near to.
    pub(super) limit: usize,
    /// How far from the limit it stays.
    pub(super) short_by: usize,
}

impl Text {
    pub(super) fn bytes(&self, last_nonce: &str) -> Bytes {
        let Ok(text) = str::from_utf8(&self.text) else {
            return self.text.clone();
        };
        let text = text.replace(LAST_NONCE, last_nonce);
        let length = self.limit.saturating_sub(text.len() + self.short_by);
        text.replace(FILL, &"f".repeat(length)).into_bytes()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = String::from_utf8_lossy(&self.text);
        write!(f, "{text:?} (short of {} by {})", self.limit, self.short_by)
    }
}

pub(super) fn text(value: impl Strategy<Value = Bytes>) -> impl Strategy<Value = Text> {
    // What an answer has and a challenge has not is up to about 500 bytes.
    let limits = vec![MAX_VALUE_BYTES, SERVER_LIMIT, 4500];
    (value, select(limits), 0..600_usize).prop_map(|(text, limit, short_by)| Text {
        text,
        limit,
        short_by,
    })
}

pub(super) fn digest_challenge() -> impl Strategy<Value = Bytes> {
    let nonces = vec!["0", "0", "1", "2", r"\3", LAST_NONCE];
    let opaques = vec!["", "", "", r#", opaque="o""#];
    (
        select([&[REALM; 12][..], &["r", "", "FILE"]].concat()),
        prop_oneof![20 => select(nonces), 1 => Just(FILL)],
        select(vec![
            r#", qop="auth""#,
            r#", qop="auth""#,
            r#", qop="auth-int""#,
            r#", qop="auth-int""#,
            r#", qop="auth,auth-int""#,
            r#", qop="crazy""#,
            "",
        ]),
        select(vec![
            ", algorithm=SHA-256",
            ", algorithm=SHA-256",
            ", algorithm=SHA-256",
            r#", algorithm="sha-256""#,
            ", algorithm=SHA-256-sess",
            ", algorithm=SHA-256-sess",
            ", algorithm=SHA-512-256",
            ", algorithm=MD5",
            ", algorithm=SHA-3",
            "",
        ]),
        select(vec!["", ", stale=true"]),
        prop_oneof![20 => select(opaques), 1 => Just(r#", opaque="FILL""#)],
        select(vec![
            "",
            "",
            ", userhash=true",
            ", userhash=false",
            ", charset=UTF-8",
            ", nonce=again",
        ]),
        select(vec![
            "",
            "",
            "",
            r#", domain="/in""#,
            r#", domain="foo :: //""#,
            r#", domain="https://evil.example/""#,
        ]),
    )
        .prop_map(
            |(realm, nonce, qop, algorithm, stale, opaque, more, domain)| {
                let start = format!(r#"Digest realm="{realm}", nonce="{nonce}""#);
                [&start, qop, algorithm, stale, opaque, more, domain]
                    .concat()
                    .into()
            },
        )
}

pub(super) fn hostile_challenge() -> impl Strategy<Value = Text> {
    let others = [
        r#"Basic realm="files""#,
        r#"Basic realm="r", charset=UTF-8"#,
        r#"Digest realm="files, nonce="n""#,
        "Digest",
        "Newauth",
        "",
    ];
    text(prop_oneof![
        10 => digest_challenge(),
        2 => select(others.map(|value| value.as_bytes().to_vec()).to_vec()),
        1 => generate::digest_challenge(),
        1 => generate::any_challenges(),
    ])
}

pub(super) fn hostile_info() -> impl Strategy<Value = Option<Text>> {
    let infos = [
        r#"nextnonce="0""#,
        r#"nextnonce="1""#,
        r#"nextnonce="1""#,
        r#"nextnonce="LAST""#,
        r#"nextnonce="""#,
        r#"nextnonce="FILL""#,
        r#"rspauth="00000000000000000000000000000000""#,
        "rspauth",
        "nextnonce=a, nextnonce=b",
    ];
    prop_oneof![
        3 => Just(None),
        6 => text(select(infos.map(|value| value.as_bytes().to_vec()).to_vec())).prop_map(Some),
        1 => text(generate::any_info()).prop_map(Some),
    ]
}

pub(super) fn request() -> impl Strategy<Value = Request> {
    let uris = vec!["/in/a", "/in/b", "/out", "/", "/in/../out"];
    let bodies = vec![
        BodyOf::Streams,
        BodyOf::Streams,
        BodyOf::Known,
        BodyOf::Hashed,
        BodyOf::None,
    ];
    (select(uris), select(bodies)).prop_map(|(uri, body)| Request { uri, body })
}

pub(super) const EXCHANGES: usize = 3;

pub(super) fn event() -> impl Strategy<Value = Event> {
    let right = || prop::bool::weighted(0.7);
    prop_oneof![
        12 => (0..EXCHANGES, request()).prop_map(|(at, request)| Event::Send(at, request)),
        7 => (0..EXCHANGES, vec(hostile_challenge(), 0..3), right())
            .prop_map(|(at, values, right)| Event::Challenged(at, values, right)),
        3 => (0..EXCHANGES, hostile_info()).prop_map(|(at, info)| Event::Accepted(at, info)),
        5 => (0..EXCHANGES, right()).prop_map(|(at, right)| Event::Honest(at, right)),
        1 => (0..EXCHANGES).prop_map(Event::Dropped),
        1 => right().prop_map(Event::Login),
        1 => Just(Event::Logout),
        1 => (0..200_u64).prop_map(Event::Wait),
    ]
}

pub(super) fn policy() -> impl Strategy<Value = Policy> {
    let settings: Vec<fn(Policy) -> Policy> = vec![
        |policy| policy,
        Policy::prefer_auth_int,
        |policy: Policy| policy.with_quirk(Quirk::Rfc2069),
        Policy::with_cleartext_basic,
        |policy: Policy| policy.require_strength(Strength::DigestRfc2069),
        |policy: Policy| policy.with_quirk(Quirk::NoUserhash),
        |policy: Policy| policy.with_quirk(Quirk::PlainUsernames),
        |policy: Policy| policy.with_quirk(Quirk::ExtendedUsernames),
        Policy::require_server_proof,
        |policy: Policy| policy.with_quirk(Quirk::IgnoreWrongProof),
        |policy| policy.with_max_answers(5),
    ];
    vec(select(settings), 0..4).prop_map(|settings| {
        settings
            .iter()
            .fold(Policy::new(), |policy, set| set(policy))
    })
}
