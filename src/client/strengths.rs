//! The strength required of each realm of an endpoint.

use alloc::vec::Vec;

use crate::client::inline_bytes::InlineBytes;
use crate::client::strength::Strength;
use crate::syntax::Text;

/// The strength that each realm has accepted and proved.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(super) struct Strengths {
    /// The caller's minimum for all realms.
    floor: Strength,
    /// Oldest first.
    realms: Vec<RealmStrength>,
}

/// What one realm has accepted.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
struct RealmStrength {
    realm: InlineBytes<64>,
    /// The weakest credentials accepted.
    accepted: Strength,
    /// The strongest credentials accepted with a proof that the server knows the secret.
    proven: Strength,
}

impl Strengths {
    /// The most realms to keep: as many as protection spaces.
    const CAPACITY: usize = 8;

    pub(super) const fn new() -> Self {
        Self {
            floor: Strength::Nothing,
            realms: Vec::new(),
        }
    }

    /// Raises the minimum for all realms; a lower value has no effect.
    pub(super) fn raise_floor(&mut self, floor: Strength) {
        self.floor = self.floor.max(floor);
    }

    /// The minimum strength of credentials for a realm.
    pub(super) fn required(&self, realm: Text<'_>) -> Strength {
        let mut realms = self.realms.iter();
        let entry = realms.find(|entry| realm == *entry.realm.as_bytes());
        let proven = entry.map(|entry| entry.proven);
        self.floor.max(proven.unwrap_or_default())
    }

    /// The strongest credentials that a realm accepted, and the strongest with a proof.
    #[cfg(test)]
    pub(super) fn of(&self, realm: &[u8]) -> Option<(Strength, Strength)> {
        let mut realms = self.realms.iter();
        let entry = realms.find(|entry| entry.realm.as_bytes() == realm)?;
        Some((entry.accepted, entry.proven))
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
            let is_unproven = |entry: &RealmStrength| entry.proven == Strength::Nothing;
            match self.realms.iter().position(is_unproven) {
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
        let is_proven = |entry: &RealmStrength| entry.proven > Strength::Nothing;
        if !self.realms.iter().any(is_proven) {
            return self.floor;
        }
        // What is accepted without a proof may be forged, so it can only lower the result.
        let usable = self.realms.iter().map(|entry| match is_proven(entry) {
            true => entry.proven,
            false => entry.accepted,
        });
        self.floor.max(usable.min().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;

    const WEAK: Strength = Strength::Basic;
    const STRONG: Strength = Strength::DigestSha2;

    fn required(strengths: &Strengths, realm: &str) -> Strength {
        strengths.required(Text::new(realm).unwrap())
    }

    #[test]
    fn a_proof_raises_what_its_own_realm_requires() {
        let mut strengths = Strengths::new();
        strengths.accept(b"a", STRONG, false);
        assert_eq!(required(&strengths, "a"), Strength::Nothing);
        assert_eq!(strengths.overall(), Strength::Nothing);
        strengths.accept(b"a", STRONG, true);
        assert_eq!(required(&strengths, "a"), STRONG);
        assert_eq!(required(&strengths, "b"), Strength::Nothing);
        assert_eq!(strengths.overall(), STRONG);
        // A weaker realm of the same endpoint stays usable, for the next client as well.
        strengths.accept(b"b", WEAK, false);
        assert_eq!(required(&strengths, "a"), STRONG);
        assert_eq!(required(&strengths, "b"), Strength::Nothing);
        assert_eq!(strengths.overall(), WEAK);
    }

    /// An attacker in the server's place accepts anything, but has no proof.
    #[test]
    fn only_a_proof_raises_what_later_clients_require() {
        let mut strengths = Strengths::new();
        strengths.accept(b"a", Strength::DigestMd5, true);
        strengths.accept(b"a", STRONG, false);
        assert_eq!(strengths.overall(), Strength::DigestMd5);
        strengths.accept(b"b", WEAK, false);
        strengths.accept(b"b", STRONG, false);
        assert_eq!(strengths.overall(), WEAK);
        strengths.accept(b"b", STRONG, true);
        assert_eq!(strengths.overall(), Strength::DigestMd5);
        strengths.accept(b"a", STRONG, true);
        assert_eq!(strengths.overall(), STRONG);
    }

    #[test]
    fn the_floor_holds_for_every_realm_and_is_never_lowered() {
        let mut strengths = Strengths::new();
        strengths.raise_floor(STRONG);
        strengths.raise_floor(WEAK);
        assert_eq!(required(&strengths, "a"), STRONG);
        assert_eq!(strengths.overall(), STRONG);
    }

    #[test]
    fn a_realm_without_a_proof_evicts_none_with_a_proof() {
        let mut strengths = Strengths::new();
        strengths.accept(b"a", STRONG, true);
        for n in 0..100 {
            strengths.accept(format!("{n}").as_bytes(), WEAK, false);
            assert!(strengths.realms.len() <= Strengths::CAPACITY);
            assert_eq!(required(&strengths, "a"), STRONG);
        }
    }

    #[test]
    fn only_a_proof_evicts_a_realm_with_a_proof() {
        let mut strengths = Strengths::new();
        let name = |n: usize| format!("{n}");
        for n in 0..Strengths::CAPACITY {
            strengths.accept(name(n).as_bytes(), STRONG, true);
        }
        strengths.accept(b"unproven", STRONG, false);
        for n in 0..Strengths::CAPACITY {
            assert_eq!(required(&strengths, &name(n)), STRONG, "{n}");
        }
        strengths.accept(b"proven", STRONG, true);
        assert_eq!(required(&strengths, "0"), Strength::Nothing);
        assert_eq!(required(&strengths, "1"), STRONG);
        assert_eq!(required(&strengths, "proven"), STRONG);
        assert_eq!(strengths.realms.len(), Strengths::CAPACITY);
    }
}
