//! What may happen to a server, and how it may be set up.

use countersign::digest::{Algorithm, HashFunction};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::support::accounts::{Account, Spelling, Store};

pub(super) const LIFETIME_SECS: u32 = 10;

/// The realms of a history.
pub(super) const REALMS: usize = 4;

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

/// Nonces and requests are named by their place among the latest ones.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Asks for a nonce of a realm.
    Challenge(usize),
    /// Begins a request to a realm with a nonce, and copies the attempt so many times.
    Begin(Index, usize, Use, usize, usize),
    /// Begins a request with a header that was sent before, and copies the attempt.
    Again(Index, usize, usize),
    Verify(Index),
    Admit(Index),
    /// All of it at once. If the nonce is forgotten, takes up the challenge, and has the clock set back
    /// by so much before that is made.
    Use(Index, usize, Use, usize, u64),
    /// So many clients come, ask and log in once.
    Crowd(usize),
    /// Sets the clock on, or back.
    Clock(i64),
    /// Changes the key, and may keep the last for a while.
    Rotate {
        keep: bool,
    },
    /// Another server takes over.
    Restart,
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    let realm = || prop_oneof![1 => Just(0), 1 => 0..REALMS];
    let latest = || prop_oneof![3 => Just(2), 2 => Just(5), 1 => Just(usize::MAX)];
    let copies = || prop_oneof![3 => Just(0), 1 => 1..3_usize];
    let back = prop_oneof![3 => Just(0), 1 => 0..30_000_u64];
    let in_clear = a_use().prop_map(|a_use| Use {
        spelling: Spelling::Clear,
        ..a_use
    });
    let a_use = prop_oneof![a_use(), in_clear].boxed();
    prop_oneof![
        12 => realm().prop_map(Step::Challenge),
        20 => (any::<Index>(), latest(), a_use.clone(), realm(), copies())
            .prop_map(|(index, latest, a_use, realm, copies)| {
                Step::Begin(index, latest, a_use, realm, copies)
            }),
        15 => (any::<Index>(), realm(), copies())
            .prop_map(|(index, realm, copies)| Step::Again(index, realm, copies)),
        30 => any::<Index>().prop_map(Step::Verify),
        30 => any::<Index>().prop_map(Step::Admit),
        40 => (any::<Index>(), latest(), a_use, realm(), back)
            .prop_map(|(index, latest, a_use, realm, back)| {
                Step::Use(index, latest, a_use, realm, back)
            }),
        2 => (1..5_usize).prop_map(Step::Crowd),
        1 => (30..70_usize).prop_map(Step::Crowd),
        10 => (0..3_i64).prop_map(Step::Clock),
        5 => (-12_000..12_000_i64).prop_map(Step::Clock),
        1 => any::<bool>().prop_map(|keep| Step::Rotate { keep }),
        1 => Just(Step::Restart),
    ]
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) store: Store,
    pub(super) capacity: usize,
}

pub(super) fn settings() -> impl Strategy<Value = Settings> {
    let capacity =
        prop_oneof![1 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(8), 2 => Just(64)];
    let store = select(Store::ALL.to_vec());
    (store, capacity).prop_map(|(store, capacity)| Settings { store, capacity })
}
