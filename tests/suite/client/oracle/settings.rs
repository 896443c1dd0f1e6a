//! Random policies.

use countersign::client::{Policy, Quirk, Strength};
use countersign::digest::HashFunction;

use super::Dice;

#[cfg(feature = "md5")]
pub(super) const HASHES: [HashFunction; 2] = [HashFunction::Md5, HashFunction::Sha256];
#[cfg(not(feature = "md5"))]
pub(super) const HASHES: [HashFunction; 1] = [HashFunction::Sha256];

type Method = fn(Policy) -> Policy;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Settings {
    pub(super) floor: Strength,
    pub(super) cleartext_basic: bool,
    pub(super) hash: Option<HashFunction>,
    pub(super) prefers_auth_int: bool,
    pub(super) requires_auth_int: bool,
    pub(super) max_answers: u8,
    pub(super) requires_proof: bool,
    pub(super) rfc2069: bool,
    pub(super) without_qop: bool,
    pub(super) only_when_asked: bool,
}

impl Settings {
    pub(super) fn random(dice: &mut Dice) -> Self {
        let default = Self {
            max_answers: 3,
            ..Self::default()
        };
        if dice.one_in(3) {
            return default;
        }
        let floors = [
            Strength::Nothing,
            Strength::Basic,
            Strength::DigestRfc2069,
            Strength::DigestMd5,
            Strength::DigestSha2,
        ];
        Self {
            floor: match dice.one_in(5) {
                true => dice.pick(&floors),
                false => Strength::Nothing,
            },
            cleartext_basic: dice.one_in(3),
            hash: dice.one_in(8).then(|| dice.pick(&HASHES)),
            prefers_auth_int: dice.one_in(8),
            requires_auth_int: dice.one_in(8),
            max_answers: 1 + dice.below(5) as u8,
            requires_proof: dice.one_in(6),
            rfc2069: dice.one_in(4),
            without_qop: dice.one_in(12),
            only_when_asked: dice.one_in(6),
        }
    }

    pub(super) fn policy(&self) -> Policy {
        let policy = Policy::new().with_max_answers(self.max_answers);
        let mut policy = policy.require_strength(self.floor);
        if let Some(hash) = self.hash {
            policy = policy.require_hash(hash);
        }
        let methods: [(bool, Method); 7] = [
            (self.cleartext_basic, Policy::with_cleartext_basic),
            (self.prefers_auth_int, Policy::prefer_auth_int),
            (self.requires_auth_int, Policy::require_auth_int),
            (self.requires_proof, Policy::require_server_proof),
            (self.rfc2069, |it| it.with_quirk(Quirk::Rfc2069)),
            (self.without_qop, |it| it.with_quirk(Quirk::WithoutQop)),
            (self.only_when_asked, |it| {
                it.with_quirk(Quirk::OnlyWhenAsked)
            }),
        ];
        let set = methods.into_iter().filter(|(is_on, _)| *is_on);
        set.fold(policy, |policy, (_, method)| method(policy))
    }
}
