//! What may happen to a client, and how it may be set up.

use countersign::Channel;
use countersign::client::{Client, Policy};
use countersign::digest::HashFunction;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::support::client::client_on;
use crate::support::generate::{self, Bytes};

/// Neither name nor password is a text that a header might hold by chance.
pub(super) const USERS: [(&str, &str); 2] = [
    ("user-7fa3", "password-d1c8"),
    ("user-04be", "password-5e92"),
];

pub(super) const URIS: &[&str] = &[
    "/",
    "/in/a",
    "/in/b?c=/out",
    "/out",
    "/in/../out",
    "/inn",
    "https://example.com/in/a",
    "https://example.com/out",
    "https://evil.example/in/a",
    "https://example.com:8443/in/a",
    "*",
    "/\"quoted\"",
];

pub(super) fn is_elsewhere(uri: &str) -> bool {
    uri.contains("evil") || uri.contains("8443")
}

/// What happens next, to the exchange of this number or to the client.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// The exchange sends its request if it has none under way: this one, if it is its first.
    Send(usize, &'static str),
    /// Its request is answered with 401 and these challenges.
    Challenged(usize, Vec<Bytes>),
    /// Its request is answered with something else.
    Accepted(usize, Option<Bytes>),
    Login(usize),
    Logout,
}

/// A Digest challenge that a client may well be able to use, and has perhaps seen before.
pub(super) fn likely_digest(
    domains: &'static [&'static str],
) -> impl Strategy<Value = Bytes> + Clone {
    (
        select(vec!["r", "r", "r", "r", "s", "", r#"a\"b"#]),
        prop_oneof![(0..3_u32).boxed(), any::<u32>().boxed()],
        select(vec![
            r#", qop="auth""#,
            r#", qop="auth""#,
            r#", qop="auth,auth-int""#,
            r#", qop="auth-int""#,
            r#", qop="crazy""#,
            "",
        ]),
        select(vec![
            ", algorithm=SHA-256",
            ", algorithm=SHA-256",
            ", algorithm=SHA-256-sess",
            ", algorithm=SHA-512-256",
            ", algorithm=MD5",
            ", algorithm=SHA-3",
            "",
        ]),
        select(vec!["", "", ", stale=true", ", stale=FALSE"]),
        select(vec![
            "",
            r#", opaque="o\"p""#,
            ", userhash=true",
            ", charset=UTF-8",
            ", nonce=again",
        ]),
        select(domains),
    )
        .prop_map(|(realm, nonce, qop, algorithm, stale, more, domain)| {
            let start = format!(r#"Digest realm="{realm}", nonce="{nonce}""#);
            [&start, qop, algorithm, stale, more, domain]
                .concat()
                .into()
        })
}

pub(super) const DOMAINS: &[&str] = &[
    "",
    "",
    r#", domain="/in""#,
    r#", domain="/in https://evil.example/""#,
    r#", domain="https://evil.example/""#,
    r#", domain="foo""#,
];

pub(super) fn challenge() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        6 => likely_digest(DOMAINS),
        1 => select(vec![r#"Basic realm="r""#, "Basic realm=s, charset=UTF-8"])
            .prop_map(|value| value.as_bytes().to_vec()),
        1 => generate::digest_challenge(),
        1 => generate::any_challenges(),
    ]
}

pub(super) fn info() -> impl Strategy<Value = Option<Bytes>> {
    prop_oneof![
        2 => Just(None),
        2 => (0..3_u32).prop_map(|n| Some(format!(r#"nextnonce="{n}""#).into())),
        1 => generate::info().prop_map(Some),
        1 => generate::any_info().prop_map(Some),
    ]
}

pub(super) fn event(exchanges: usize) -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => (0..exchanges, select(URIS)).prop_map(|(at, uri)| Event::Send(at, uri)),
        9 => (0..exchanges, vec(challenge(), 0..3))
            .prop_map(|(at, values)| Event::Challenged(at, values)),
        3 => (0..exchanges, info()).prop_map(|(at, info)| Event::Accepted(at, info)),
        1 => (0..USERS.len()).prop_map(Event::Login),
        1 => Just(Event::Logout),
    ]
}

/// A policy, and what of it the checks need to know.
#[derive(Clone, Copy, Debug)]
pub(super) struct Config {
    pub(super) channel: Channel,
    pub(super) basic: bool,
    pub(super) rfc2069: bool,
    pub(super) uncounted: bool,
    pub(super) strong: bool,
    pub(super) prefer_auth_int: bool,
    pub(super) max_answers: u8,
}

impl Config {
    pub(super) fn client(&self) -> Client {
        let mut policy = Policy::new().with_max_answers(self.max_answers);
        for (on, with) in [
            (!self.basic, Policy::without_basic as fn(Policy) -> Policy),
            (self.rfc2069, Policy::with_rfc2069),
            (self.uncounted, Policy::with_uncounted_form),
            (self.strong, |policy| {
                policy.with_floor(HashFunction::Sha512_256)
            }),
            (self.prefer_auth_int, Policy::prefer_auth_int),
        ] {
            policy = if on { with(policy) } else { policy };
        }
        client_on(self.channel, policy)
    }
}

pub(super) fn config() -> impl Strategy<Value = Config> {
    let channel = select(vec![Channel::Encrypted, Channel::Cleartext]);
    let often = || prop::bool::weighted(0.8);
    let seldom = || prop::bool::weighted(0.2);
    (
        channel,
        often(),
        often(),
        seldom(),
        seldom(),
        any::<bool>(),
        1..6_u8,
    )
        .prop_map(
            |(channel, basic, rfc2069, uncounted, strong, prefer_auth_int, max_answers)| Config {
                channel,
                basic,
                rfc2069,
                uncounted,
                strong,
                prefer_auth_int,
                max_answers,
            },
        )
}
