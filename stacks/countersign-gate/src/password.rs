//! The hashes that `htpasswd` writes.

use md5::{Digest, Md5};
use sha_crypt::{PasswordHash, PasswordVerifier, ShaCrypt};

/// Longer ones are wrong: `htpasswd` makes none, and SHA-crypt takes time by the square of it.
const MAX_LENGTH: usize = 255;

/// The hash of a password.
pub enum Hash {
    Bcrypt(Box<str>),
    Apr1(Box<str>),
    ShaCrypt(Box<PasswordHash>),
}

impl Hash {
    /// `None` if it is of another kind, or not complete.
    pub fn parse(text: &str) -> Option<Self> {
        match text.get(..3)? {
            "$2y" | "$2b" | "$2a" => {
                text.parse::<bcrypt::HashParts>().ok()?;
                Some(Self::Bcrypt(text.into()))
            }
            "$5$" | "$6$" => {
                let digest = text.rsplit('$').next()?;
                let length = if text.starts_with("$5") { 43 } else { 86 };
                let hash = (digest.len() == length).then(|| PasswordHash::new(text).ok())??;
                Some(Self::ShaCrypt(hash.into()))
            }
            "$ap" => {
                let (salt, digest) = text.strip_prefix("$apr1$")?.split_once('$')?;
                (salt.len() <= 8 && digest.len() == 22).then(|| Self::Apr1(text.into()))
            }
            _ => None,
        }
    }

    /// Takes as long as the hash is made to take: off the threads of the runtime.
    pub fn is_of(&self, password: &[u8]) -> bool {
        if password.len() > MAX_LENGTH {
            return false;
        }
        match self {
            Self::Bcrypt(hash) => bcrypt::verify(password, hash).unwrap_or(false),
            Self::Apr1(hash) => {
                let salt = hash.split('$').nth(2).unwrap_or_default();
                // Both are hashes, which the time to compare tells nothing about.
                apr1(password, salt.as_bytes()) == hash.as_bytes()
            }
            Self::ShaCrypt(hash) => ShaCrypt::default()
                .verify_password(password, &**hash)
                .is_ok(),
        }
    }
}

/// Computes `$apr1$` with a salt of up to 8 bytes. No kept crate has it: it is the MD5-crypt of
/// FreeBSD with another prefix.
fn apr1(password: &[u8], salt: &[u8]) -> Vec<u8> {
    const PREFIX: &[u8] = b"$apr1$";
    const DIGITS: &[u8; 64] = b"./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let hash = |parts: &[&[u8]]| -> [u8; 16] {
        let mut hasher = Md5::new();
        parts.iter().for_each(|part| hasher.update(part));
        hasher.finalize().into()
    };
    let inner = hash(&[password, salt, password]);
    let mut first = [password, PREFIX, salt].concat();
    first.extend(inner.iter().cycle().take(password.len()));
    let mut bits = password.len();
    while bits > 0 {
        let start = password.first().copied().unwrap_or_default();
        first.push(if bits & 1 == 1 { 0 } else { start });
        bits >>= 1;
    }
    let mut digest = hash(&[&first]);
    for round in 0..1000 {
        let (odd, salted, passworded) = (round % 2 == 1, round % 3 != 0, round % 7 != 0);
        let last = digest;
        let (start, end) = if odd {
            (password, &last[..])
        } else {
            (&last[..], password)
        };
        let salt = if salted { salt } else { b"" };
        let middle = if passworded { password } else { b"" };
        digest = hash(&[start, salt, middle, end]);
    }
    let mut text = [PREFIX, salt, b"$"].concat();
    let mut write = |mut value: u32, digits: usize| {
        for _ in 0..digits {
            text.extend(DIGITS.get((value & 63) as usize));
            value >>= 6;
        }
    };
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = digest.map(u32::from);
    for [x, y, z] in [[a, g, m], [b, h, n], [c, i, o], [d, j, p], [e, k, f]] {
        write(x << 16 | y << 8 | z, 4);
    }
    write(l, 2);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_hash() {
        // By `openssl passwd` with -apr1, -5 and -6, and by `htpasswd -B`.
        for hash in [
            "$apr1$abcdefgh$nJrtNnpaiqD4QakhsmtlN0",
            "$5$abcdefgh$iMQK/ak1KQeYJoUWqwUqH52kzfvJvsRUJhmEMNtDft4",
            "$5$rounds=2000$abcdefgh$/fogDQMBasqlGg8xiLLbLKeRHYQ2nJIGewt87nWrNrD",
            "$6$abcdefgh$ojdPqjtHW6tP9jMsiA8qy00tbRDRt/JzZA9IP3XRvICPPwzvyiG/WOjFsb/fibt2Pna9H/OI2RMy9zqU2pSNT.",
            "$2y$05$PGUvu8TPHs1EpYNOeJVHdexDZjCATbao9XJkihVMbT60N/kbKfPva",
        ] {
            let parsed = Hash::parse(hash).expect(hash);
            assert!(parsed.is_of(b"Circle of Life"), "{hash}");
            assert!(!parsed.is_of(b"Circle of life"), "{hash}");
            assert!(!parsed.is_of(b""), "{hash}");
            let cut = &hash[..hash.len() - 1];
            assert!(Hash::parse(cut).is_none(), "{cut}");
        }
        assert!(Hash::parse("{SHA}Circle").is_none());
        assert!(Hash::parse("secret").is_none());
    }

    #[test]
    fn a_password_that_no_tool_hashes_is_wrong_at_once() {
        // By `crypt`, of 255 and of 256 bytes.
        for (hash, length) in [
            (
                "$5$rounds=1000$abcdefgh$jVXLUiZyhV0zzDomu/w2aCiM0M0WbH5v1udVVxo5smD",
                255,
            ),
            (
                "$5$rounds=1000$abcdefgh$dGbsJ9ntRyh/9aotN.scfRRyOt6dIx6RHKfZk0zVQi5",
                256,
            ),
        ] {
            let is_right = Hash::parse(hash)
                .unwrap()
                .is_of("a".repeat(length).as_bytes());
            assert_eq!(is_right, length <= MAX_LENGTH, "{length}");
        }
    }
}
