//! Nonces: a time, a salt and a MAC, so that a server need not store them before they are used.

use core::fmt;

use crate::hash::Mac;
use crate::secret;
use crate::server::nonce_key::NonceKey;
use crate::syntax::Text;
use crate::time::Timestamp;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A nonce as it is sent: 40 characters of base64url, which encode:
///
/// ```text
///  0..6   issue time, milliseconds since the Unix epoch, big-endian
///  6..14  salt
/// 14..30  HMAC-SHA-256 of the time, the salt and the `Terms`, cut to 16 bytes, under a key made
///         of the NonceKey and the name of the realm that the server was made with
/// ```
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub(super) struct Nonce {
    text: [u8; TEXT_LEN],
}

const TIME_LEN: usize = 6;
const PAYLOAD_LEN: usize = TIME_LEN + 8;
const MAC_LEN: usize = 16;
const LEN: usize = PAYLOAD_LEN + MAC_LEN;
const TEXT_LEN: usize = LEN / 3 * 4;

impl Nonce {
    pub(super) fn text(&self) -> Text<'_> {
        Text::verbatim(&self.text)
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nonce({TEXT_LEN} bytes)")
    }
}

/// What is bound into a nonce: three settings of the realm, and the
/// [binding](super::Arrival::bound_to). Under any others the nonce is foreign.
///
/// Settings may differ by request (`Authenticator::begin_as`). If they were not part of the MAC, a
/// request that a shared store recorded under the nonce alone could be replayed where the nonce is
/// counted, because that use has another key; and a store could drop the key of a nonce with two
/// lifetimes too early. A realm that accepts cnonces with the form of a hash must not share nonces
/// with one that accepts responses without a protected count: see
/// [the `-sess` algorithms](super#the--sess-algorithms).
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    pub(super) lifetime_secs: u32,
    pub(super) one_time: bool,
    pub(super) hash_like_cnonces: bool,
    pub(super) binding: &'a [u8],
}

impl Terms<'_> {
    /// A fixed-length encoding, so that the binding can follow it unambiguously.
    const fn settings(&self) -> [u8; 5] {
        let [a, b, c, d] = self.lifetime_secs.to_be_bytes();
        let flags = match (self.one_time, self.hash_like_cnonces) {
            (false, false) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (true, true) => 3,
        };
        [a, b, c, d, flags]
    }
}

/// Identifies a nonce; after [`bind_to_ha1`](super::replay_key::bind_to_ha1), the pair of a nonce
/// and an HA1.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub(super) struct NonceId {
    pub(super) issued: Timestamp,
    /// Eight bytes of the MAC that are not sent, later mixed with the HA1. The replay table uses
    /// the result as its hash. Clients do not know these bytes, so they cannot collect nonces that
    /// collide there.
    pub(super) tag: u64,
}

/// Hides the tag, which clients must not learn.
impl fmt::Debug for NonceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NonceId(issued {})", self.issued.as_unix_millis())
    }
}

impl NonceId {
    /// Placeholder for a foreign nonce: one that was not issued with these keys under these terms.
    pub(super) const FOREIGN: Self = Self {
        issued: Timestamp::EPOCH,
        tag: 0,
    };
}

/// The latest time that fits in a nonce, in the year 10889.
const LATEST_MILLIS: u64 = (1 << (8 * TIME_LEN)) - 1;

/// The latest issue time that is taken from a clock. It leaves room for a trillion later ones,
/// which nonces need once a table has forgotten nonces of this time.
pub(super) const LATEST_ISSUE: Timestamp = Timestamp::from_unix_millis(LATEST_MILLIS - (1 << 40));

/// Encodes time and salt, the first 14 bytes of a [`Nonce`].
fn payload_bytes(issued: Timestamp, salt: u64) -> [u8; PAYLOAD_LEN] {
    let time = u128::from(issued.as_unix_millis().min(LATEST_MILLIS));
    let [_, _, payload @ ..] = (time << 64 | u128::from(salt)).to_be_bytes();
    payload
}

/// The number in the first eight bytes.
fn be_u64(bytes: &[u8]) -> u64 {
    let first = bytes.first_chunk().copied();
    u64::from_be_bytes(first.unwrap_or_default())
}

/// A key that nonces are issued and recognised with, made of a [`NonceKey`] and the name of the
/// realm that the server was made with.
#[derive(Clone, Debug)]
pub(super) struct RealmKey {
    mac: Mac,
}

impl RealmKey {
    pub(super) fn new(key: &NonceKey, realm: &str) -> Self {
        let mut key = Mac::new(key.as_bytes()).of(&[b"countersign nonce 1\0", realm.as_bytes()]);
        let mac = Mac::new(&key);
        secret::wipe(&mut key);
        Self { mac }
    }

    /// A number that identifies the key and the realm.
    pub(super) fn id(&self) -> u64 {
        // The MAC input of a nonce is longer, so this is not the MAC of a nonce.
        be_u64(&self.mac.of(&[b"id"]))
    }

    /// Issues a nonce. The pair of time and salt must not be used again with this key.
    pub(super) fn issue(&self, issued: Timestamp, salt: u64, terms: &Terms<'_>) -> Nonce {
        let payload = payload_bytes(issued, salt);
        let mac = self.mac.of(&[&payload, &terms.settings(), terms.binding]);
        let mut bytes = [0; LEN];
        let (payload_place, mac_place) = bytes.split_at_mut(PAYLOAD_LEN);
        payload_place.copy_from_slice(&payload);
        mac_place.copy_from_slice(mac.split_at(MAC_LEN).0);
        let mut text = [0; TEXT_LEN];
        // Cannot fail: 30 bytes encode to 40 characters.
        let _ = URL_SAFE_NO_PAD.encode_slice(bytes, &mut text);
        Nonce { text }
    }

    /// Returns the identity of the nonce if it was issued with this key under these terms.
    pub(super) fn recognise(&self, text: Text<'_>, terms: &Terms<'_>) -> Option<NonceId> {
        let mut bytes = [0; LEN];
        // Our nonces need no escaping, so an escaped one is treated as foreign.
        if text.raw().len() != TEXT_LEN
            || URL_SAFE_NO_PAD.decode_slice(text.raw(), &mut bytes).ok() != Some(LEN)
        {
            return None;
        }
        let (payload, mac) = bytes.split_first_chunk::<PAYLOAD_LEN>()?;
        let mac = mac.first_chunk::<MAC_LEN>()?;
        let expected = self.mac.of(&[payload, &terms.settings(), terms.binding]);
        let (expected, kept_back) = expected.split_first_chunk()?;
        secret::eq(mac, expected).then(|| NonceId {
            issued: Timestamp::from_unix_millis(be_u64(payload) >> (64 - 8 * TIME_LEN)),
            tag: be_u64(kept_back),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::vec::Vec;

    use super::*;

    fn bound_to(binding: &[u8]) -> Terms<'_> {
        Terms {
            lifetime_secs: 300,
            one_time: false,
            hash_like_cnonces: false,
            binding,
        }
    }

    #[test]
    fn a_nonce_carries_its_time_and_salts_make_different_tags() {
        let realm_key = RealmKey::new(&NonceKey::from_bytes([1; 32]), "realm");
        for issued in [0, 1, 1_700_000_000_123, LATEST_MILLIS, u64::MAX] {
            let issue = |salt| {
                let nonce =
                    realm_key.issue(Timestamp::from_unix_millis(issued), salt, &bound_to(b"b"));
                realm_key.recognise(nonce.text(), &bound_to(b"b")).unwrap()
            };
            let (one, other) = (issue(1), issue(2));
            assert_eq!(one.issued.as_unix_millis(), issued.min(LATEST_MILLIS));
            assert_eq!(one.issued, other.issued);
            assert_ne!(one.tag, other.tag);
        }
    }

    /// The replay table uses the tag as the hash of the nonce. If clients could compute the tag
    /// from the bytes sent, they could collect nonces that collide there.
    #[test]
    fn the_tag_comes_from_mac_bytes_that_are_not_sent() {
        let realm_key = RealmKey::new(&NonceKey::from_bytes([1; 32]), "realm");
        for (time, binding) in [(0, b"".as_slice()), (1_700_000_000_123, b"192.0.2.7")] {
            for salt in 0..500_u64 {
                let salt = salt.wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let nonce =
                    realm_key.issue(Timestamp::from_unix_millis(time), salt, &bound_to(binding));
                let tag = realm_key
                    .recognise(nonce.text(), &bound_to(binding))
                    .unwrap()
                    .tag;
                let sent = URL_SAFE_NO_PAD.decode(nonce.text).unwrap();
                let terms = bound_to(binding).settings();
                let mac = realm_key.mac.of(&[&sent[..PAYLOAD_LEN], &terms, binding]);
                let (sent_mac, kept_back) = mac.split_at(MAC_LEN);
                assert_eq!(sent[PAYLOAD_LEN..], *sent_mac);

                let holds_tag = |bytes: &[u8]| bytes.windows(8).any(|part| be_u64(part) == tag);
                assert!(
                    holds_tag(kept_back),
                    "the tag is not among the bytes kept back"
                );
                let backwards: Vec<u8> = sent.iter().rev().copied().collect();
                assert!(!holds_tag(&sent), "the tag is sent");
                assert!(!holds_tag(&backwards), "the tag is sent, in reverse order");
                assert!(!holds_tag(&nonce.text), "the tag is part of the text");
            }
        }
    }

    /// Nonces with equal salts have different tags if the key, the realm, the time or the binding
    /// differs.
    #[test]
    fn equal_salts_do_not_make_equal_tags() {
        let tag = |key: u8, realm: &str, time: u64, binding: &[u8]| {
            let realm_key = RealmKey::new(&NonceKey::from_bytes([key; 32]), realm);
            let nonce = realm_key.issue(Timestamp::from_unix_millis(time), 7, &bound_to(binding));
            realm_key
                .recognise(nonce.text(), &bound_to(binding))
                .unwrap()
                .tag
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

    #[test]
    fn a_nonce_is_recognised_only_under_the_terms_it_was_issued_under() {
        let realm_key = RealmKey::new(&NonceKey::from_bytes([1; 32]), "realm");
        let mut all = Vec::new();
        for lifetime_secs in [0, 1, 300, u32::MAX] {
            for flags in 0..4 {
                for binding in [b"".as_slice(), b"\x01", b"192.0.2.7"] {
                    all.push(Terms {
                        lifetime_secs,
                        one_time: flags & 1 != 0,
                        hash_like_cnonces: flags & 2 != 0,
                        binding,
                    });
                }
            }
        }
        for (at, terms) in all.iter().enumerate() {
            let nonce = realm_key.issue(Timestamp::EPOCH, 7, terms);
            for (other, others) in all.iter().enumerate() {
                let recognised = realm_key.recognise(nonce.text(), others);
                assert_eq!(recognised.is_some(), at == other, "{terms:?} {others:?}");
            }
        }
    }
}
