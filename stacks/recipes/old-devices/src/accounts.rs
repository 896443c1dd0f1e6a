//! Accounts whose names come in several forms.
use std::collections::HashMap;
use std::sync::Arc;

use countersign::digest::{Ha1, HashFunction, User, userhash};

const HASHES: [HashFunction; 2] = [HashFunction::Sha256, HashFunction::Md5];

pub struct Account {
    pub name: String,
    pub ha1: HashMap<HashFunction, Ha1>,
}

/// Each account by everything that a client may send for its name.
#[derive(Default)]
pub struct Accounts(HashMap<User<'static>, Arc<Account>>);

impl Accounts {
    pub fn add(&mut self, realm: &str, name: &str, password: &str) {
        let account = |octets: &[u8]| {
            let ha1 = |hash| (hash, Ha1::new(hash, octets, realm, password));
            Arc::new(Account {
                name: name.into(),
                ha1: HASHES.map(ha1).into(),
            })
        };
        let utf8 = account(name.as_bytes());
        for hash in HASHES {
            let user = User::Hash(userhash(hash, name, realm));
            self.0.insert(user, Arc::clone(&utf8));
        }
        self.0.insert(User::Name(name.to_owned().into()), utf8);
        // A client that sends a name in ISO-8859-1 hashes it so, too: its HA1 is another one.
        let latin1: Result<Vec<u8>, _> = name.chars().map(u8::try_from).collect();
        if let Ok(latin1) = latin1
            && !latin1.is_ascii()
        {
            let account = account(&latin1);
            self.0.insert(User::Octets(latin1.into()), account);
        }
    }

    pub fn find(&self, user: &User<'_>) -> Option<Arc<Account>> {
        self.0.get(user).cloned()
    }
}
