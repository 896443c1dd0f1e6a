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
/// the server's place cannot lock out the real one. To keep it for later clients, store
/// [`Client::strength`](super::Client::strength), and pass it to
/// [`Policy::require_strength`](super::Policy::require_strength). If a server has become weaker for
/// good reason, make a new client, or call `AuthCache::forget`.
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
    pub(super) const fn of(hash: HashFunction, has_qop: bool) -> Self {
        match hash {
            _ if !has_qop => Self::DigestRfc2069,
            #[cfg(feature = "md5")]
            HashFunction::Md5 => Self::DigestMd5,
            HashFunction::Sha256 | HashFunction::Sha512_256 => Self::DigestSha2,
        }
    }
}

/// The rank of a hash function; a stronger one has a higher rank.
pub(super) const fn hash_rank(hash: HashFunction) -> u8 {
    match hash {
        #[cfg(feature = "md5")]
        HashFunction::Md5 => 0,
        HashFunction::Sha256 => 1,
        HashFunction::Sha512_256 => 2,
    }
}

/// The strength that each realm of an endpoint has accepted and proved.
#[derive(Default)]
pub(super) struct Strengths {
    /// The caller's minimum for all realms.
    floor: Strength,
    /// Oldest first.
    realms: Vec<RealmStrength>,
}

struct RealmStrength {
    realm: InlineBytes<64>,
    /// The weakest credentials accepted.
    accepted: Strength,
    /// The strongest credentials accepted with a proof that the server knows the secret.
    proven: Strength,
}

impl RealmStrength {
    fn has_proof(&self) -> bool {
        self.proven > Strength::Nothing
    }
}

impl Strengths {
    /// The most realms to keep: as many as protection spaces.
    const CAPACITY: usize = 8;

    pub(super) const fn set_floor(&mut self, floor: Strength) {
        self.floor = floor;
    }

    /// Returns whether any realm has given a proof.
    pub(super) fn has_proof(&self) -> bool {
        self.realms.iter().any(RealmStrength::has_proof)
    }

    /// The most that is required of any realm.
    pub(super) fn strongest(&self) -> Strength {
        let proven = self.realms.iter().map(|entry| entry.proven);
        self.floor.max(proven.max().unwrap_or_default())
    }

    /// The minimum strength of credentials for a realm.
    pub(super) fn required(&self, realm: Text<'_>) -> Strength {
        let mut realms = self.realms.iter();
        let entry = realms.find(|entry| realm.is(entry.realm.as_bytes()));
        let proven = entry.map(|entry| entry.proven);
        self.floor.max(proven.unwrap_or_default())
    }

    /// Records that a realm accepted credentials. Only a server that knows the secret may raise the
    /// requirement, because a raised one locks out a server that cannot meet it.
    pub(super) fn accept(&mut self, realm: &[u8], strength: Strength, is_proven: bool) {
        let proven = match is_proven {
            true => strength,
            false => Strength::Nothing,
        };
        let mut realms = self.realms.iter_mut();
        if let Some(entry) = realms.find(|entry| entry.realm.as_bytes() == realm) {
            entry.accepted = entry.accepted.min(strength);
            entry.proven = entry.proven.max(proven);
            return;
        }
        if self.realms.len() >= Self::CAPACITY {
            // A realm without a proof never evicts one with a proof.
            match self.realms.iter().position(|entry| !entry.has_proof()) {
                Some(at) => drop(self.realms.remove(at)),
                None if is_proven => drop(self.realms.remove(0)),
                None => return,
            }
        }
        self.realms.push(RealmStrength {
            realm: InlineBytes::new(realm),
            accepted: strength,
            proven,
        });
    }

    /// The strongest requirement for all realms together that locks out none of those kept here,
    /// but at least the floor. Before the first proof, only the floor.
    pub(super) fn overall(&self) -> Strength {
        if !self.has_proof() {
            return self.floor;
        }
        // What is accepted without a proof may be forged, so it can only lower the result.
        let usable = self.realms.iter().map(|entry| match entry.has_proof() {
            true => entry.proven,
            false => entry.accepted,
        });
        self.floor.max(usable.min().unwrap_or_default())
    }
}
