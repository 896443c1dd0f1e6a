//! The key that identifies a replay.

use crate::digest::Ha1;
use crate::server::nonce::NonceId;
use crate::time::Timestamp;

/// One use of one nonce by the holder of one HA1. Two requests with equal nonce and count are a
/// request and its replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReplayKey {
    /// The nonce, [bound to the HA1](bind_to_ha1).
    pub(super) nonce: NonceId,
    /// `None` if the nonce is valid for one use.
    pub(super) count: Option<u32>,
    /// The latest issue time that a nonce of this server can have by now, unless the clock was set
    /// back.
    pub(super) latest_issue_time: Timestamp,
    pub(super) valid_until: Timestamp,
}

/// Mixes an HA1 into the tag of a nonce, so that each user of a nonce has separate counts.
///
/// The HA1 is used rather than the user name, because the response does not cover the spelling of
/// the name: an attacker can rewrite it in a captured header, and a store may accept several
/// spellings for one account. The result is used only if the response was correct for this HA1.
///
/// Each step is a bijection of the tag, so different tags stay different for one user. Two users of
/// one nonce collide with a probability of about 2⁻⁶⁴, and then share a window, which can refuse a
/// request but never admit a replay. Clients do not know the tag, so they cannot search for such a
/// pair.
pub(super) fn bind_to_ha1(nonce: NonceId, ha1: &Ha1) -> NonceId {
    let NonceId { issued, mut tag } = nonce;
    // 32 hex digits (128 bits) are enough to tell users apart.
    for word in ha1.digest().as_bytes().as_chunks().0.iter().take(4) {
        tag = (tag ^ u64::from_le_bytes(*word))
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .rotate_left(29);
    }
    NonceId { issued, tag }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;
    use crate::digest::HashFunction;

    #[test]
    fn every_bit_of_the_tag_and_of_the_ha1_matters() {
        let ha1 = |password: &str| Ha1::new(HashFunction::Sha256, "Mufasa", "files", password);
        let issued = Timestamp::from_unix_millis(0);
        let bound = |tag, ha1: &Ha1| bind_to_ha1(NonceId { issued, tag }, ha1).tag;
        let tag = 0x0123_4567_89AB_CDEF;
        for password in ["Circle of Life", "Hakuna Matata"] {
            let ha1 = ha1(password);
            let mut seen = BTreeSet::from([bound(tag, &ha1)]);
            for bit in 0..64 {
                assert!(seen.insert(bound(tag ^ (1 << bit), &ha1)), "bit {bit}");
            }
            // A changed digit may equal a changed tag, so these are another set.
            let mut seen = BTreeSet::from([bound(tag, &ha1)]);
            let digits = ha1.digest();
            for at in 0..32 {
                let mut other = digits.as_bytes().to_vec();
                other[at] = if other[at] == b'0' { b'1' } else { b'0' };
                let other = core::str::from_utf8(&other).unwrap();
                let other = Ha1::from_hex(HashFunction::Sha256, other).unwrap();
                assert!(seen.insert(bound(tag, &other)), "digit {at}");
            }
        }
    }
}
