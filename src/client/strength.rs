//! The strength of credentials, and what each realm of an endpoint has proved.

use alloc::vec::Vec;

use crate::digest::HashFunction;
use crate::inline_bytes::InlineBytes;
use crate::syntax::Text;

/// The strength of credentials, weakest first. A client uses it to resist downgrades: once a realm
/// has accepted strong credentials and proved that it knows the secret, weaker challenges for that
/// realm are skipped as [`BelowStrength`](super::SkipReason::BelowStrength).
///
/// Only a [valid proof](super::ServerProof::Valid) raises a realm's strength, so that an attacker in
/// the server's place cannot lock out the real one. To require a strength from the first request on,
/// set [`Policy::require_strength`](super::Policy::require_strength). If a server has become weaker
/// for good reason, make a new client, or call `AuthCache::forget`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Strength {
    /// Nothing is known, and nothing is required.
    #[default]
    Nothing,
    /// Basic.
    Basic,
    /// Digest without a qop (RFC 2069), with any hash function: a captured request may be replayed.
    DigestRfc2069,
    /// Digest with MD5.
    DigestMd5,
    /// Digest with SHA-256 or SHA-512/256.
    DigestSha2,
}

impl Strength {
    /// The strength of Digest with a hash function, with or without a qop.
    pub(super) fn of(hash: HashFunction, has_qop: bool) -> Self {
        match (has_qop, is_sha2(hash)) {
            (false, _) => Self::DigestRfc2069,
            (true, false) => Self::DigestMd5,
            (true, true) => Self::DigestSha2,
        }
    }
}

/// Returns whether a hash function is stronger than MD5.
pub(super) fn is_sha2(hash: HashFunction) -> bool {
    hash >= HashFunction::Sha256
}

/// The strength that each realm of an endpoint has proved.
#[derive(Default)]
pub(super) struct Strengths {
    /// The strongest credentials that a realm has accepted with a proof. Oldest first.
    proven: Vec<(InlineBytes<64>, Strength)>,
}

impl Strengths {
    /// The most realms to keep: as many as protection spaces.
    const CAPACITY: usize = 8;

    /// The realms that have given a proof.
    pub(super) fn proven_realms(&self) -> impl Iterator<Item = &[u8]> {
        self.proven.iter().map(|(realm, _)| realm.as_bytes())
    }

    /// What a realm has proved; without a realm, the most that any has.
    pub(super) fn proven(&self, realm: Option<Text<'_>>) -> Strength {
        let of_realm = |own: &[u8]| realm.is_none_or(|realm| realm.is(own));
        let proven = self
            .proven
            .iter()
            .filter(|(own, _)| of_realm(own.as_bytes()));
        proven.map(|(_, proven)| *proven).max().unwrap_or_default()
    }

    /// Records that a realm accepted credentials, and proved that it knows the secret.
    pub(super) fn prove(&mut self, realm: &[u8], strength: Strength) {
        let mut proven = self.proven.iter_mut();
        if let Some((_, proven)) = proven.find(|(own, _)| own.as_bytes() == realm) {
            *proven = strength.max(*proven);
            return;
        }
        if self.proven.len() >= Self::CAPACITY {
            self.proven.remove(0);
        }
        self.proven.push((InlineBytes::new(realm), strength));
    }
}
