//! The accounts and their lookup.

use std::sync::LazyLock;

use countersign::digest::{Ha1, HashFunction, User};

use crate::accounts::{Account, Store};

pub(super) const REALM: &str = "realm";

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
        password: "Asante \"sana\"\\",
    },
];

pub(super) const HASHES: [HashFunction; 3] = [
    HashFunction::Sha256,
    HashFunction::Sha512_256,
    HashFunction::Md5,
];

/// The index of a hash function in [`HASHES`].
pub(super) fn number(hash: HashFunction) -> usize {
    let at = HASHES.iter().position(|it| *it == hash);
    at.expect("one of them")
}

/// All HA1s, hashed once.
static HA1S: LazyLock<[[Ha1; HASHES.len()]; ACCOUNTS.len()]> = LazyLock::new(|| {
    ACCOUNTS.map(|it| HASHES.map(|hash| Ha1::new(hash, it.name, REALM, it.password)))
});

pub(super) fn ha1(account: usize, hash: HashFunction) -> &'static Ha1 {
    &HA1S[account][number(hash)]
}

/// Returns the account that the store finds for a user name.
pub(super) fn find(store: Store, user: &User<'_>) -> Option<usize> {
    ACCOUNTS
        .iter()
        .position(|account| store.finds(account, REALM, user))
}
