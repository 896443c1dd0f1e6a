//! The users of a realm.
use std::collections::HashMap;

use countersign::digest::{Ha1, HashFunction, User};

/// The users of a realm, by name. Of their passwords only the HA1s are kept.
pub struct Users(HashMap<String, Account>);

/// A user, and an HA1 of each hash function.
#[derive(Clone)]
pub struct Account {
    pub name: String,
    ha1: HashMap<HashFunction, Ha1>,
}

impl Users {
    /// One user of a realm.
    pub fn one(realm: &str, (name, password): (&str, &str)) -> Self {
        let ha1 = |hash| (hash, Ha1::new(hash, name, realm, password));
        let account = Account {
            name: name.to_owned(),
            ha1: [HashFunction::Sha256, HashFunction::Md5].map(ha1).into(),
        };
        Self(HashMap::from([(name.to_owned(), account)]))
    }

    /// Adds one who has an HA1 of MD5 only, as if it came from an old store.
    #[must_use]
    pub fn with_old(mut self, realm: &str, (name, password): (&str, &str)) -> Self {
        let ha1 = Ha1::new(HashFunction::Md5, name, realm, password);
        let account = Account {
            name: name.to_owned(),
            ha1: HashMap::from([(HashFunction::Md5, ha1)]),
        };
        self.0.insert(name.to_owned(), account);
        self
    }

    pub fn find(&self, user: &User<'_>) -> Option<&Account> {
        self.0.get(user.name()?)
    }
}

impl Account {
    pub fn ha1(&self, hash: HashFunction) -> Option<&Ha1> {
        self.ha1.get(&hash)
    }
}
