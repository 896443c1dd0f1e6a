//! Nonces: a time, a salt and a MAC over both, so that a server need not remember them.

use core::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand_core::CryptoRng;

use crate::hash::Mac;
use crate::secret;
use crate::syntax::Text;
use crate::time::Timestamp;

/// The key of a server's nonces: 32 bytes. `Debug` hides it, and it is wiped when dropped.
///
/// Whoever has it can make nonces that the server takes for its own, but cannot log in with that.
/// There is no default: two servers that do not share a key refuse each other's nonces.
#[derive(Clone)]
pub struct NonceKey([u8; 32]);

impl NonceKey {
    /// A given key, shared by all who serve the realm.
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// A fresh key, for a server that can do without the nonces of its last run.
    pub fn generate<R>(rng: &mut R) -> Self
    where
        R: CryptoRng + ?Sized,
    {
        let mut key = [0; 32];
        rng.fill_bytes(&mut key);
        Self(key)
    }
}

impl Drop for NonceKey {
    fn drop(&mut self) {
        secret::wipe(&mut self.0);
    }
}

impl fmt::Debug for NonceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NonceKey(..)")
    }
}

/// A nonce, as text: 40 characters of base64url.
///
/// ```text
///  0..6   issue time, milliseconds since the Unix epoch, big-endian
///  6..14  salt
/// 14..30  HMAC-SHA-256 of both and the binding, cut to 16 bytes, under a key made of the
///         NonceKey and the realm
/// ```
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct Nonce {
    text: [u8; TEXT_LEN],
}

const TIME_LEN: usize = 6;
const ID_LEN: usize = TIME_LEN + 8;
const MAC_LEN: usize = 16;
const LEN: usize = ID_LEN + MAC_LEN;
const TEXT_LEN: usize = LEN / 3 * 4;

impl Nonce {
    /// As text.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.text).unwrap_or_default()
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nonce({TEXT_LEN} bytes)")
    }
}

/// Identifies a nonce of one key; after [`used_by`](super::claimed::used_by), one user's use of it.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub(super) struct NonceId {
    pub(super) issued: Timestamp,
    /// Eight bytes of the MAC that are not sent: nobody can choose where in a table a nonce goes,
    /// as its holder could if that were the salt.
    pub(super) tag: u64,
}

/// Hides the tag, which clients must not learn.
impl fmt::Debug for NonceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NonceId(issued {})", self.issued.as_unix_millis())
    }
}

impl NonceId {
    /// Stands for a nonce that is not ours.
    pub(super) const NOBODYS: Self = Self {
        issued: Timestamp::from_unix_millis(0),
        tag: 0,
    };
}

/// The last time a nonce can carry: some time in the year 10889.
const LATEST: u64 = (1 << (8 * TIME_LEN)) - 1;

/// Time and salt, as they stand in a nonce.
fn id_bytes(issued: Timestamp, salt: u64) -> [u8; ID_LEN] {
    let mut bytes = [0; ID_LEN];
    let time = issued.as_unix_millis().min(LATEST).to_be_bytes();
    let time = time.iter().skip(time.len() - TIME_LEN);
    let salt = salt.to_be_bytes();
    for (place, byte) in bytes.iter_mut().zip(time.chain(&salt)) {
        *place = *byte;
    }
    bytes
}

fn number<'a>(bytes: impl IntoIterator<Item = &'a u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0, |n, &byte| n << 8 | u64::from(byte))
}

/// Makes and knows the nonces of one key and one realm.
#[derive(Clone, Debug)]
pub(super) struct Minter {
    mac: Mac,
}

impl Minter {
    pub(super) fn new(key: &NonceKey, realm: &str) -> Self {
        let mut key = Mac::new(&key.0).of(&[b"countersign nonce 1\0", realm.as_bytes()]);
        let mac = Mac::new(&key);
        secret::wipe(&mut key);
        Self { mac }
    }

    pub(super) fn mint<R>(&self, issued: Timestamp, binding: &[u8], rng: &mut R) -> Nonce
    where
        R: CryptoRng + ?Sized,
    {
        let id = id_bytes(issued, rng.next_u64());
        let mac = self.mac.of(&[&id, binding]);
        let mut bytes = [0; LEN];
        for (place, byte) in bytes.iter_mut().zip(id.iter().chain(&mac)) {
            *place = *byte;
        }
        let mut text = [0; TEXT_LEN];
        // 30 bytes are 40 characters, always.
        let _ = URL_SAFE_NO_PAD.encode_slice(bytes, &mut text);
        Nonce { text }
    }

    /// The nonce, if it is one that this key has made for this binding.
    pub(super) fn recognise(&self, text: Text<'_>, binding: &[u8]) -> Option<NonceId> {
        let mut bytes = [0; LEN];
        // Nonces of ours have nothing to escape; whoever escapes them nevertheless gets a new one.
        if text.raw().len() != TEXT_LEN
            || URL_SAFE_NO_PAD.decode_slice(text.raw(), &mut bytes).ok() != Some(LEN)
        {
            return None;
        }
        let (id, mac) = bytes.split_first_chunk::<ID_LEN>()?;
        let mac = mac.first_chunk::<MAC_LEN>()?;
        let expected = self.mac.of(&[id, binding]);
        let (expected, kept_back) = expected.split_first_chunk()?;
        secret::eq(mac, expected).then(|| NonceId {
            issued: Timestamp::from_unix_millis(number(id.iter().take(TIME_LEN))),
            tag: number(kept_back.iter().take(8)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::convert::Infallible;
    use std::vec::Vec;

    use super::*;
    use crate::rand_core::{TryCryptoRng, TryRng, UnwrapErr};

    #[test]
    fn times_survive_and_ids_differ() {
        let rng = &mut UnwrapErr(getrandom::SysRng);
        let minter = Minter::new(&NonceKey::new([1; 32]), "realm");
        for issued in [0, 1, 1_700_000_000_123, LATEST, u64::MAX] {
            let mut mint = || {
                let nonce = minter.mint(Timestamp::from_unix_millis(issued), b"b", rng);
                let text = Text::literal(nonce.as_str().as_bytes());
                minter.recognise(text, b"b").unwrap()
            };
            let (one, other) = (mint(), mint());
            assert_eq!(one.issued.as_unix_millis(), issued.min(LATEST));
            assert_eq!(one.issued, other.issued);
            assert_ne!(one.tag, other.tag);
        }
    }

    /// The tag decides where a nonce goes in the replay table. If it could be computed from what
    /// is sent, a user could collect nonces that collide there.
    #[test]
    fn the_tag_comes_from_mac_bytes_that_are_not_sent() {
        let rng = &mut UnwrapErr(getrandom::SysRng);
        let minter = Minter::new(&NonceKey::new([1; 32]), "realm");
        for (time, binding) in [(0, b"".as_slice()), (1_700_000_000_123, b"192.0.2.7")] {
            for _ in 0..500 {
                let nonce = minter.mint(Timestamp::from_unix_millis(time), binding, rng);
                let text = nonce.as_str().as_bytes();
                let tag = minter.recognise(Text::literal(text), binding).unwrap().tag;
                let sent = URL_SAFE_NO_PAD.decode(text).unwrap();
                let mac = minter.mac.of(&[&sent[..ID_LEN], binding]);
                let (sent_mac, kept_back) = mac.split_at(MAC_LEN);
                assert_eq!(sent[ID_LEN..], *sent_mac);

                let holds_tag = |bytes: &[u8]| bytes.windows(8).any(|part| number(part) == tag);
                assert!(
                    holds_tag(kept_back),
                    "the tag is no part of what is kept back"
                );
                let backwards: Vec<u8> = sent.iter().rev().copied().collect();
                assert!(!holds_tag(&sent), "the tag is sent");
                assert!(!holds_tag(&backwards), "the tag is sent, in reverse order");
                assert!(!holds_tag(text), "the tag is part of the text");
            }
        }
    }

    /// Nonces of equal salts get different tags wherever anything else under the MAC differs.
    #[test]
    fn equal_salts_do_not_make_equal_tags() {
        let tag = |key: u8, realm: &str, time: u64, binding: &[u8]| {
            let minter = Minter::new(&NonceKey::new([key; 32]), realm);
            let nonce = minter.mint(Timestamp::from_unix_millis(time), binding, &mut Constant);
            let text = Text::literal(nonce.as_str().as_bytes());
            minter.recognise(text, binding).unwrap().tag
        };
        let tags = HashSet::from([
            tag(1, "realm", 0, b""),
            tag(2, "realm", 0, b""),
            tag(1, "other realm", 0, b""),
            tag(1, "realm", 1, b""),
            tag(1, "realm", 0, b"192.0.2.7"),
        ]);
        assert_eq!(tags.len(), 5);
    }

    /// Draws the same number each time.
    struct Constant;

    impl TryRng for Constant {
        type Error = Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Infallible> {
            Ok(7)
        }

        fn try_next_u64(&mut self) -> Result<u64, Infallible> {
            Ok(7)
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
            bytes.fill(7);
            Ok(())
        }
    }

    impl TryCryptoRng for Constant {}
}
