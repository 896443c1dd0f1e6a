//! Where users are kept: here in memory, elsewhere in a file or a database.

use countersign::digest::{Algorithm, Ha1, HashFunction, HexDigest, User, userhash};

/// The users of one realm. Of their passwords, only the HA1s are kept.
pub(crate) struct Users {
    accounts: Vec<Account>,
    latin1: bool,
}

/// What is kept of one user for one hash function.
pub(crate) struct Account {
    pub(crate) name: String,
    userhash: HexDigest,
    pub(crate) ha1: Ha1,
}

impl AsRef<Ha1> for Account {
    fn as_ref(&self) -> &Ha1 {
        &self.ha1
    }
}

impl Users {
    /// Makes an account for each user and each hash function: an HA1 is of one of them.
    pub(crate) fn new<'a>(
        realm: &str,
        passwords: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut accounts = Vec::new();
        for (name, password) in passwords {
            for algorithm in Algorithm::ALL.iter().filter(|a| !a.is_sess()) {
                let hash = algorithm.hash_function();
                accounts.push(Account {
                    name: name.to_owned(),
                    userhash: userhash(hash, name, realm),
                    ha1: Ha1::new(hash, name, realm, password),
                });
            }
        }
        Self {
            accounts,
            latin1: false,
        }
    }

    /// Takes names in ISO-8859-1, too: some clients send them so, and hash them in UTF-8.
    #[allow(dead_code, reason = "`exchange` has no such user")]
    pub(crate) const fn with_latin1(mut self) -> Self {
        self.latin1 = true;
        self
    }

    /// Finds a user by name, or by the hash of it where the client sends that instead.
    pub(crate) fn find(&self, user: &User<'_>, hash: HashFunction) -> Option<&Account> {
        let mut accounts = self
            .accounts
            .iter()
            .filter(|a| a.ha1.hash_function() == hash);
        accounts.find(|account| match user {
            User::Name(name) => account.name == *name,
            User::Hash(hash) => account.userhash == *hash,
            User::Octets(octets) if self.latin1 => {
                let octets = octets.iter().copied();
                octets.map(char::from).eq(account.name.chars())
            }
            _ => false,
        })
    }
}
