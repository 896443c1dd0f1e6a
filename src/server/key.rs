//! The keys that authenticate nonces.

use alloc::vec::Vec;
use core::str::FromStr;

use rand_core::TryCryptoRng;

use crate::error::InvalidText;
use crate::hash::Mac;
use crate::secret;

/// The keys of machines with a [shared store](super::SharedStore), read from one text that all of
/// them have: one to three words of 64 hexadecimal digits (`openssl rand -hex 32` makes one).
/// Machines issue nonces with the first key, and accept nonces of all three. `Debug` hides them, and
/// they are wiped when dropped. Whoever has a key can make nonces, but not log in.
///
/// To rotate, write the three in this order: the key that was second, a new one, the key that was
/// first. So `B C A` becomes `C D B`. Machines may [read the new text](super::Authenticator::set_keys)
/// in any order, because each accepts what the others issue. Before the next rotation all must have
/// read it, and a nonce lifetime must have passed.
pub struct NonceKeys {
    pub(super) issuing: NonceKey,
    /// Those that are only accepted. No `Option`, whose unused bytes could hold a copy of a key.
    pub(super) accepted: Vec<NonceKey>,
}

/// # Errors
///
/// [`InvalidText::NotHex`]; [`InvalidText::Digits`] for a word of another length;
/// [`InvalidText::Empty`]; [`InvalidText::TooManyKeys`] for more than three words.
impl FromStr for NonceKeys {
    type Err = InvalidText;

    fn from_str(text: &str) -> Result<Self, InvalidText> {
        let words = text.split_ascii_whitespace();
        let count = words.clone().count();
        if count > 3 {
            return Err(InvalidText::TooManyKeys(count));
        }
        let mut keys = words.map(|word| NonceKey::from_hex(word, text));
        let issuing = keys.next().ok_or(InvalidText::Empty)??;
        // A vector that grows would leave a copy behind.
        let mut accepted = Vec::with_capacity(2);
        for key in keys {
            accepted.push(key?);
        }
        Ok(Self { issuing, accepted })
    }
}

secret::hide!(NonceKeys);

/// The key of a server with its own memory is never text.
impl From<NonceKey> for NonceKeys {
    fn from(issuing: NonceKey) -> Self {
        let accepted = Vec::new();
        Self { issuing, accepted }
    }
}

pub(super) struct NonceKey([u8; 32]);

impl NonceKey {
    pub(super) const fn from_bytes(key: [u8; 32]) -> Self {
        Self(key)
    }

    pub(super) fn random<R>(rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let mut key = Self([0; 32]);
        rng.try_fill_bytes(&mut key.0)?;
        Ok(key)
    }

    /// `word` is a part of `text`, in which an error has its offset.
    fn from_hex(word: &str, text: &str) -> Result<Self, InvalidText> {
        let mut key = Self([0; 32]);
        // Words before this one have digits alone, so none of them contains it.
        let start = text.find(word).unwrap_or_default();
        match word.bytes().position(|byte| !byte.is_ascii_hexdigit()) {
            Some(at) => Err(InvalidText::NotHex(start + at)),
            None => match hex::decode_to_slice(word, &mut key.0) {
                Ok(()) => Ok(key),
                Err(_) => Err(InvalidText::Digits {
                    wanted: 64,
                    found: word.len(),
                }),
            },
        }
    }

    pub(super) fn mac(&self) -> Mac {
        Mac::new(&self.0)
    }
}

impl Drop for NonceKey {
    fn drop(&mut self) {
        secret::wipe(&mut self.0);
    }
}
