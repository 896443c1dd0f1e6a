//! What Apache's two files say.
use std::collections::HashMap;

use countersign::digest::{Ha1, HashFunction, Htdigest, User};
use loopback::Error;

/// What the two files say of one user of one realm.
#[derive(Default)]
pub struct Account {
    pub name: String,
    pub ha1: HashMap<HashFunction, Ha1>,
    pub bcrypt: Option<String>,
}

/// The users of one realm, by name.
pub struct Accounts(HashMap<String, Account>);

impl Accounts {
    pub fn read(htdigest: &str, htpasswd: &str, realm: &str) -> Result<Self, Error> {
        let mut accounts = HashMap::<String, Account>::new();
        // Apache's tool writes MD5; whoever adds SHA-256 adds lines with 64 digits.
        for (number, line) in Htdigest::lines(htdigest) {
            let line = line.map_err(|error| format!("line {number}: {error}"))?;
            if line.realm() == realm {
                let account = accounts.entry(line.username().to_owned()).or_default();
                let ha1 = line.ha1().clone();
                account.ha1.insert(ha1.hash_function(), ha1);
            }
        }
        for (name, hash) in htpasswd.lines().filter_map(|line| line.split_once(':')) {
            accounts.entry(name.to_owned()).or_default().bcrypt = Some(hash.to_owned());
        }
        for (name, account) in &mut accounts {
            account.name.clone_from(name);
        }
        Ok(Self(accounts))
    }

    pub fn find(&self, user: &User<'_>) -> Option<&Account> {
        self.0.get(user.name()?)
    }

    /// Whether all that have an HA1 have one of SHA-256.
    pub fn have_sha256(&self) -> bool {
        let has_it = |ha1: &HashMap<HashFunction, Ha1>| ha1.contains_key(&HashFunction::Sha256);
        let mut accounts = self.0.values();
        accounts.all(|account| account.ha1.is_empty() || has_it(&account.ha1))
    }
}
