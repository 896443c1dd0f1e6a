//! The worlds that are searched.

use super::messages::*;
use crate::channel::Channel;
use crate::client::client::Client;
use crate::client::endpoint::Endpoint;
use crate::client::policy::Policy;

use super::secrets::{Secret, USER};

/// What is searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    pub(super) name: &'static str,
    pub(super) policy: Policy,
    /// The client starts with preemptive Basic credentials.
    pub(super) is_preemptive: bool,
    /// The number of exchanges at once.
    pub(super) exchanges: usize,
    /// The request-targets. The first belongs to the first realm, the second to the second.
    pub(super) paths: &'static [&'static str],
    pub(super) messages: &'static [Message],
    /// Some messages come from the second realm.
    pub(super) has_other_realm: bool,
    /// The user also sends requests again without a login that was asked for, and logs out.
    pub(super) is_careless: bool,
    /// States differ by which nonces were used, and by the nonce whose hash state is kept.
    pub(super) shows_uses: bool,
    /// How often a secret may be refused: states in which one was refused more often are checked,
    /// but nothing is sent from there.
    pub(super) refusals: u32,
    /// The longest histories, without optimisation and with it.
    pub(super) depth: [usize; 2],
    /// At least as many states, without optimisation and with it.
    pub(super) states: [usize; 2],
}

impl Setup {
    /// The number of realms: one for each path.
    pub(super) const fn realms(&self) -> usize {
        self.paths.len()
    }

    pub(super) fn client(&self) -> Client {
        let endpoint = Endpoint::origin("https", "example.com", None).expect("a known port");
        let endpoint = endpoint.with_channel(Channel::Encrypted);
        let client = Client::from_seed(endpoint, self.policy, [7; 32]);
        match self.is_preemptive {
            true => client
                .with_preemptive_basic(USER, &Secret::Preemptive.password())
                .expect("allowed"),
            false => client,
        }
    }
}

/// One request at a time, and all that a peer may say in one realm.
const ONE_REALM: &[Message] = &[
    A1,
    A2,
    A1_STALE,
    A2_STALE,
    A_AUTH_INT,
    A_NO_QOP,
    A2_USERHASH,
    NONE,
    UNKNOWN,
    OK,
    OK_UNREADABLE,
    OK_VALID,
    OK_WRONG,
    OK_NEXT,
    OK_VALID_NEXT,
    FORBIDDEN,
    FORBIDDEN_VALID,
    ERROR,
    INTERIM,
    PROXYS,
];

const BASE: Setup = Setup {
    name: "one exchange in one realm",
    policy: Policy::new(),
    is_preemptive: false,
    exchanges: 1,
    paths: &["/a/"],
    messages: ONE_REALM,
    has_other_realm: false,
    is_careless: true,
    shows_uses: false,
    refusals: 2,
    depth: [6, usize::MAX],
    states: [200, 22_000],
};

pub(super) const SETUPS: [Setup; 12] = [
    BASE,
    Setup {
        name: "server proof required",
        policy: Policy::new().require_server_proof(),
        is_careless: false,
        states: [120, 4_000],
        ..BASE
    },
    Setup {
        name: "one answer an exchange",
        policy: Policy::new().with_max_answers(1),
        is_careless: false,
        states: [120, 5_000],
        ..BASE
    },
    Setup {
        name: "four answers an exchange",
        policy: Policy::new().with_max_answers(4),
        is_careless: false,
        refusals: 1,
        states: [150, 2_400],
        ..BASE
    },
    Setup {
        name: "nonces used and not",
        messages: &[A1, A2, A2_STALE, OK, OK_NEXT, ERROR],
        is_careless: false,
        shows_uses: true,
        refusals: 1,
        states: [80, 4_400],
        ..BASE
    },
    Setup {
        name: "schemes of several strengths",
        policy: Policy::new().with_rfc2069(),
        messages: &[
            A1,
            A_MD5,
            A_NO_QOP,
            A_BASIC,
            A_MD5_AND_SHA2,
            A_BASIC_AND_SHA2,
            OK,
            OK_VALID,
            ERROR,
        ],
        is_careless: false,
        refusals: 1,
        states: [145, if cfg!(feature = "md5") { 12_000 } else { 1000 }],
        ..BASE
    },
    Setup {
        name: "two realms",
        paths: &["/a/", "/b/"],
        messages: &[A1_DOMAIN, B1, A_AND_B, OK, ERROR],
        has_other_realm: true,
        is_careless: false,
        refusals: 0,
        depth: [5, usize::MAX],
        states: [150, 19_000],
        ..BASE
    },
    Setup {
        name: "preemptive Basic",
        is_preemptive: true,
        paths: &["/a/", "/b/"],
        messages: &[A_BASIC, B_BASIC, A1, OK],
        has_other_realm: true,
        is_careless: false,
        refusals: 0,
        depth: [5, usize::MAX],
        states: [50, 95_000],
        ..BASE
    },
    Setup {
        name: "two exchanges in one realm",
        exchanges: 2,
        messages: &[A1, A2, A2_STALE, OK, OK_NEXT],
        is_careless: false,
        refusals: 1,
        depth: [6, 18],
        states: [190, 50_000],
        ..BASE
    },
    Setup {
        name: "two exchanges and one nonce",
        exchanges: 2,
        messages: &[A1, OK],
        is_careless: false,
        refusals: 1,
        states: [70, 50_000],
        ..BASE
    },
    Setup {
        name: "two exchanges in two realms",
        exchanges: 2,
        paths: &["/a/", "/b/"],
        messages: &[A1_DOMAIN, B1_DOMAIN, OK],
        has_other_realm: true,
        is_careless: false,
        refusals: 0,
        depth: [4, 12],
        states: [90, 50_000],
        ..BASE
    },
    Setup {
        name: "two exchanges with Basic",
        is_preemptive: true,
        exchanges: 2,
        messages: &[A1, A_BASIC, B_BASIC, OK],
        has_other_realm: true,
        is_careless: false,
        refusals: 0,
        depth: [4, 12],
        states: [30, 25_000],
        ..BASE
    },
];
