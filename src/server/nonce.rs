//! Nonces, which a server need not store before they are used.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::hash::Mac;
use crate::secret;
use crate::server::arrival::When;
use crate::server::realm::Settings;
use crate::syntax::Text;
use crate::time::Timestamp;

/// A nonce as it is sent: 40 characters of base64url, which encode:
///
/// ```text
///  0..6   issue time, milliseconds since the Unix epoch, big-endian
///  6..14  salt, of which the first 12 bits may name the machine
/// 14..30  HMAC-SHA-256 of the time, the salt and the `Terms`, cut to 16 bytes, under the key of
///         the server
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
    /// The pair of time and salt must not be used again with this key.
    pub(super) fn issue(key: &Mac, issued: Timestamp, salt: u64, terms: &Terms<'_>) -> Self {
        let payload = payload_bytes(issued, salt);
        let mac = key.of(&[&payload, &terms.settings(), terms.binding]);
        let mut bytes = [0; LEN];
        let (payload_place, mac_place) = bytes.split_at_mut(PAYLOAD_LEN);
        payload_place.copy_from_slice(&payload);
        mac_place.copy_from_slice(mac.split_at(MAC_LEN).0);
        let mut text = [0; TEXT_LEN];
        // Cannot fail: 30 bytes encode to 40 characters.
        let _ = URL_SAFE_NO_PAD.encode_slice(bytes, &mut text);
        Self { text }
    }

    pub(super) fn text(&self) -> Text<'_> {
        Text::verbatim(&self.text)
    }
}

secret::hide!(Nonce);

/// What is bound into a nonce. Otherwise a request recorded under the nonce alone could be replayed
/// where the nonce is counted, a shared store could drop its key too early, and a realm with
/// hash-like cnonces would share nonces with one that accepts [uncounted
/// responses](crate::manual::server#the--sess-algorithms).
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms<'a> {
    lifetime_secs: u32,
    one_time: bool,
    hash_like_cnonces: bool,
    binding: &'a [u8],
}

impl<'a> Terms<'a> {
    pub(super) const fn new(realm: &Settings, when: &When<'a>) -> Self {
        Self {
            lifetime_secs: realm.nonce_lifetime_secs,
            one_time: realm.one_time_nonces,
            hash_like_cnonces: realm.accepts_hash_like_cnonces(),
            binding: when.binding,
        }
    }

    /// Of fixed length, so that the binding can follow it unambiguously.
    fn settings(&self) -> [u8; 5] {
        let [a, b, c, d] = self.lifetime_secs.to_be_bytes();
        let flags = u8::from(self.one_time) | u8::from(self.hash_like_cnonces) << 1;
        [a, b, c, d, flags]
    }
}

/// A nonce, or after [`bind_to_ha1`](super::replay::bind_to_ha1) the pair of a nonce and an HA1.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub(super) struct NonceId {
    pub(super) issued: Timestamp,
    /// Eight bytes of the MAC that are not sent, later mixed with the HA1, and the hash in the
    /// replay table: clients do not know them, so they cannot collect nonces that collide there.
    pub(super) tag: u64,
}

secret::hide!(NonceId);

impl NonceId {
    /// In place of a nonce that is not valid, so that its check costs the same work.
    pub(super) const NONE: Self = Self {
        issued: Timestamp::EPOCH,
        tag: 0,
    };

    /// The identity of a nonce that was issued with this key under these terms.
    pub(super) fn recognise(key: &Mac, text: Text<'_>, terms: &Terms<'_>) -> Option<Self> {
        let mut bytes = [0; LEN];
        // Our nonces need no escaping, so an escaped one is treated as foreign.
        if text.raw().len() != TEXT_LEN
            || URL_SAFE_NO_PAD.decode_slice(text.raw(), &mut bytes).ok() != Some(LEN)
        {
            return None;
        }
        let (payload, mac) = bytes.split_first_chunk::<PAYLOAD_LEN>()?;
        let mac = mac.first_chunk::<MAC_LEN>()?;
        let expected = key.of(&[payload, &terms.settings(), terms.binding]);
        let (expected, kept_back) = expected.split_first_chunk()?;
        secret::eq(mac, expected).then(|| Self {
            issued: Timestamp::from_unix_millis(be_u64(payload) >> (64 - 8 * TIME_LEN)),
            tag: be_u64(kept_back),
        })
    }

    pub(super) fn expires(self, realm: &Settings) -> Timestamp {
        self.issued.plus_secs(realm.nonce_lifetime_secs.into())
    }

    /// Returns whether the nonce may be used again without a protected count. One from the future
    /// may not: after the clock was set back, it would be valid for longer than its lifetime.
    pub(super) fn is_reusable(self, realm: &Settings, now: Timestamp) -> bool {
        realm.replayable_nonces && self.issued <= now
    }

    pub(super) fn is_old(self, realm: &Settings, now: Timestamp) -> bool {
        let half = u64::from(realm.nonce_lifetime_secs) * 500;
        self.issued.plus_millis(half) <= now
    }
}

/// The latest time that fits in a nonce, in the year 10889.
const LATEST_MILLIS: u64 = (1 << (8 * TIME_LEN)) - 1;

/// The latest issue time taken from a clock. It leaves room for a trillion later ones, which nonces
/// need once a table has forgotten nonces of this time.
pub(super) const LATEST_ISSUE: Timestamp = Timestamp::from_unix_millis(LATEST_MILLIS - (1 << 40));

fn payload_bytes(issued: Timestamp, salt: u64) -> [u8; PAYLOAD_LEN] {
    let time = u128::from(issued.as_unix_millis().min(LATEST_MILLIS));
    let [_, _, payload @ ..] = (time << 64 | u128::from(salt)).to_be_bytes();
    payload
}

pub(super) fn be_u64(bytes: &[u8]) -> u64 {
    let first = bytes.first_chunk().copied();
    u64::from_be_bytes(first.unwrap_or_default())
}

#[cfg(test)]
mod tests {
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

    /// The replay table uses the tag as the hash of the nonce. If clients could compute the tag
    /// from the bytes sent, they could collect nonces that collide there.
    #[test]
    fn the_tag_comes_from_mac_bytes_that_are_not_sent() {
        let key = Mac::new(&[1; 32]);
        for salt in 0..1000_u64 {
            let salt = salt.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let (time, terms) = (
                Timestamp::from_unix_millis(salt >> 20),
                bound_to(b"192.0.2.7"),
            );
            let nonce = Nonce::issue(&key, time, salt, &terms);
            let tag = NonceId::recognise(&key, nonce.text(), &terms).unwrap().tag;
            let sent = URL_SAFE_NO_PAD.decode(nonce.text).unwrap();
            let mac = [&sent[..PAYLOAD_LEN], &terms.settings(), terms.binding];
            let mac = key.of(&mac);
            let (sent_mac, kept_back) = mac.split_at(MAC_LEN);
            assert_eq!(sent[PAYLOAD_LEN..], *sent_mac);
            let holds_tag = |bytes: &[u8]| bytes.windows(8).any(|part| be_u64(part) == tag);
            let backwards: Vec<u8> = sent.iter().rev().copied().collect();
            assert!(holds_tag(kept_back));
            assert!(!holds_tag(&sent) && !holds_tag(&backwards) && !holds_tag(&nonce.text));
        }
    }

    #[test]
    fn a_nonce_is_recognised_only_under_the_terms_it_was_issued_under() {
        let key = Mac::new(&[1; 32]);
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
            let nonce = Nonce::issue(&key, Timestamp::EPOCH, 7, terms);
            for (other, others) in all.iter().enumerate() {
                let recognised = NonceId::recognise(&key, nonce.text(), others);
                assert_eq!(recognised.is_some(), at == other, "{terms:?} {others:?}");
            }
        }
    }
}
