//! What may happen to a server, and how it may be set up.

use countersign::digest::{Algorithm, HashFunction};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::accounts::{Account, Spelling, Store};

pub(super) const LIFETIME_SECS: u32 = 10;

pub(super) const ACCOUNTS: [Account; 3] = [
    Account {
        name: "Mufasa",
        alias: "mufasa@example.org",
        password: "Circle of Life",
    },
    Account {
        name: "Jäsøn",
        alias: "jason@example.org",
        password: "Circle of Life",
    },
    Account {
        name: "Ra\"fik\\é",
        alias: "rafiki@example.org",
        password: "Asante sana",
    },
];

/// What a user sends with a nonce.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) account: usize,
    pub(super) spelling: Spelling,
    pub(super) algorithm: Algorithm,
    pub(super) form: Form,
    /// Sent in every form except RFC 2069.
    pub(super) nc: u32,
}

/// The formulas of the response.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    Auth,
    AuthInt,
    /// `qop`, `nc` and `cnonce` are sent, but not hashed.
    Uncounted,
    Rfc2069,
}

impl Use {
    /// The first with a new nonce.
    pub(super) fn first(self) -> Self {
        Self {
            spelling: Spelling::Clear,
            form: Form::Auth,
            nc: 1,
            ..self
        }
    }

    /// The count, if the response covers it. Without one, the nonce is valid for one use.
    pub(super) const fn count(self) -> Option<u32> {
        match self.form {
            Form::Auth | Form::AuthInt => Some(self.nc),
            Form::Uncounted | Form::Rfc2069 => None,
        }
    }

    /// Whose use it is, as far as a response tells.
    pub(super) const fn holder(self) -> Holder {
        (self.account, self.algorithm.hash_function())
    }
}

/// An account and the hash of its HA1.
pub(super) type Holder = (usize, HashFunction);

pub(super) fn a_use() -> impl Strategy<Value = Use> {
    let nc = prop_oneof![
        8 => 0..6_u32,
        4 => 0..200_u32,
        1 => any::<u32>(),
        1 => u32::MAX - 70..=u32::MAX,
    ];
    let form = prop_oneof![
        8 => Just(Form::Auth),
        4 => Just(Form::AuthInt),
        2 => Just(Form::Uncounted),
        2 => Just(Form::Rfc2069),
    ];
    let account = prop_oneof![3 => Just(0), 1 => 1..ACCOUNTS.len()];
    let spelling = prop_oneof![1 => Just(Spelling::Clear), 3 => select(Spelling::ALL.to_vec())];
    let algorithm = prop_oneof![
        2 => Just(Algorithm::SHA_256),
        1 => select(Algorithm::ALL.to_vec()),
    ];
    (account, spelling, algorithm, form, nc).prop_map(|(account, spelling, algorithm, form, nc)| {
        Use {
            account,
            spelling,
            // A session key needs a cnonce, which the form of RFC 2069 does not have.
            algorithm: match form {
                Form::Rfc2069 if algorithm.is_sess() => Algorithm::SHA_256,
                _ => algorithm,
            },
            form,
            nc,
        }
    })
}

#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Asks for a nonce.
    Challenge,
    /// Uses one of so many that are the latest. If it is forgotten, takes up the challenge, and has
    /// the clock set back by so much before that is made.
    Use(Index, usize, Use, u64),
    /// So many clients come, ask and log in once.
    Crowd(usize),
    /// Sets the clock on, or back.
    Clock(i64),
    /// Changes the key, and may keep the last for a while.
    Rotate { keep: bool },
    /// Another server takes over.
    Restart,
}

pub(super) fn action() -> impl Strategy<Value = Action> {
    let latest = prop_oneof![Just(3), Just(10), Just(usize::MAX)];
    let back = prop_oneof![3 => Just(0), 1 => 0..30_000_u64];
    prop_oneof![
        20 => Just(Action::Challenge),
        70 => (any::<Index>(), latest, a_use(), back)
            .prop_map(|(index, latest, a_use, back)| Action::Use(index, latest, a_use, back)),
        2 => (1..5_usize).prop_map(Action::Crowd),
        1 => (30..70_usize).prop_map(Action::Crowd),
        20 => (0..3_i64).prop_map(Action::Clock),
        6 => (-12_000..12_000_i64).prop_map(Action::Clock),
        2 => (9_000..12_000_i64).prop_map(Action::Clock),
        1 => any::<bool>().prop_map(|keep| Action::Rotate { keep }),
        1 => Just(Action::Restart),
    ]
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) store: Store,
    pub(super) capacity: usize,
    pub(super) one_time: bool,
}

pub(super) fn settings() -> impl Strategy<Value = Settings> {
    let capacity =
        prop_oneof![1 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(8), 2 => Just(64)];
    (
        select(Store::ALL.to_vec()),
        capacity,
        prop::bool::weighted(0.2),
    )
        .prop_map(|(store, capacity, one_time)| Settings {
            store,
            capacity,
            one_time,
        })
}
