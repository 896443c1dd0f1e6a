//! What Apache's two files say.
use std::collections::HashMap;

use bcrypt::HashParts;
use countersign::digest::{Algorithm, Ha1, HashFunction, User};
use loopback::Error;

/// What the two files say of one user of one realm.
#[derive(Default)]
pub struct Account {
    pub name: String,
    pub ha1: HashMap<HashFunction, Ha1>,
    pub bcrypt: Option<String>,
}

/// The users of one realm.
pub struct Accounts {
    by_name: HashMap<String, Account>,
    bcrypt_cost: Option<u32>,
}

impl Accounts {
    pub fn read(htdigest: &str, htpasswd: &str, realm: &str) -> Result<Self, Error> {
        let mut accounts = HashMap::<String, Account>::new();
        for (number, line) in (1..).zip(htdigest.lines()) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // Never print the line itself: it holds a secret.
            let line = htdigest_line(line).map_err(|error| format!("line {number}: {error}"))?;
            let (name, line_realm, ha1) = line;
            if line_realm == realm {
                let account = accounts.entry(name.to_owned()).or_default();
                // Of two lines, the first counts, as in Apache: its tool changes that one only.
                account.ha1.entry(ha1.hash_function()).or_insert(ha1);
            }
        }
        let mut bcrypt_cost = None;
        for (number, line) in (1..).zip(htpasswd.lines()) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let pair = line.split_once(':');
            let (name, hash) = pair.ok_or_else(|| format!("line {number}: no colon"))?;
            // `htpasswd` writes other hashes, too. They take another time to compare, as does
            // another cost, and so would tell users apart from names that do not exist.
            let parts: Result<HashParts, _> = hash.parse();
            let cost = parts
                .map_err(|_| format!("line {number}: not bcrypt"))?
                .get_cost();
            if *bcrypt_cost.get_or_insert(cost) != cost {
                return Err(format!("line {number}: another cost than before").into());
            }
            let account = accounts.entry(name.to_owned()).or_default();
            if !account.ha1.is_empty() {
                return Err(format!("line {number}: a name of htdigest, too").into());
            }
            account.bcrypt.get_or_insert_with(|| hash.to_owned());
        }
        for (name, account) in &mut accounts {
            account.name.clone_from(name);
        }
        Ok(Self {
            by_name: accounts,
            bcrypt_cost,
        })
    }

    /// The cost of all bcrypt hashes; `None` if there are none.
    pub const fn bcrypt_cost(&self) -> Option<u32> {
        self.bcrypt_cost
    }

    pub fn find(&self, user: &User<'_>) -> Option<&Account> {
        self.by_name.get(user.name()?)
    }

    /// What all that have an HA1 can do; nothing if none has one.
    pub fn algorithms(&self) -> &'static [Algorithm] {
        let has_it = |ha1: &HashMap<HashFunction, Ha1>| ha1.contains_key(&HashFunction::Sha256);
        let accounts = self.by_name.values().map(|account| &account.ha1);
        let with_ha1 = accounts.filter(|ha1| !ha1.is_empty());
        match with_ha1.map(has_it).reduce(|all, has_it| all && has_it) {
            None => &[],
            Some(true) => &[Algorithm::SHA_256, Algorithm::MD5],
            Some(false) => &[Algorithm::MD5],
        }
    }
}

/// Reads `user:realm:HA1`. Only the realm can contain colons: no user name does, because Basic could
/// not carry it.
fn htdigest_line(line: &str) -> Result<(&str, &str, Ha1), String> {
    let fields = line
        .split_once(':')
        .and_then(|(name, rest)| Some((name, rest.rsplit_once(':')?)));
    let (name, (realm, digits)) = fields.ok_or("expected `user:realm:HA1`")?;
    // Apache's tool writes MD5; whoever adds SHA-256 adds lines with 64 digits, as lighttpd reads.
    let hash = match digits.len() {
        32 => HashFunction::Md5,
        _ => HashFunction::Sha256,
    };
    let ha1 = Ha1::from_hex(hash, digits).map_err(|error| format!("in the last field: {error}"))?;
    Ok((name, realm, ha1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_digits_tells_the_hash() {
        let (md5, sha256) = ("0A".repeat(16), "0a".repeat(32));
        let file = format!("# two hashes\r\n\r\nMufasa:a:b:{md5}\r\nMufasa:a:b:{sha256}\r\n");
        let accounts = Accounts::read(&file, "", "a:b").unwrap();
        let ha1 = &accounts.find(&User::from("Mufasa")).unwrap().ha1;
        assert_eq!(ha1[&HashFunction::Md5].as_hex(), md5.to_lowercase());
        assert_eq!(ha1[&HashFunction::Sha256].as_hex(), sha256);
    }

    #[test]
    fn errors_have_a_line_number_and_no_secret() {
        for line in ["Mufasa", "Mufasa:files", "a:b:0g", "a:b:hunter2"] {
            let file = format!("# comment\n{line}\n");
            let error = Accounts::read(&file, "", "files").err().expect(line);
            let error = error.to_string();
            assert!(error.starts_with("line 2: "), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
