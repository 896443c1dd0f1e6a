//! Which of several challenges to answer.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::challenge::challenges;
use crate::channel::Channel;
use crate::client::pin::Pin;
use crate::client::policy::{AuthInt, Policy, strength};
use crate::client::skipped::Skipped;
use crate::digest::{Qop, QopSet};
use crate::syntax::Text;
use crate::typed::TypedChallenge;
use crate::{basic, digest};

/// The challenge to answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice<'a> {
    Basic(basic::Challenge<'a>),
    Digest(digest::Challenge<'a>),
}

impl Choice<'_> {
    /// As a [`Pin`] orders them; then a stronger hash before a weaker; then the qop that is
    /// preferred. What is equal stays in the server's order.
    fn rank(&self, policy: &Policy) -> (Pin, u8, bool) {
        match self {
            Self::Basic(_) => (Pin::Basic, 0, false),
            Self::Digest(challenge) => {
                let (algorithm, qop) = (challenge.algorithm(), challenge.qop());
                let hash = strength(algorithm.hash());
                let preferred =
                    policy.auth_int != AuthInt::LastResort && qop.contains(Qop::AuthInt);
                let pin = Pin::of(algorithm.hash(), !qop.is_legacy());
                (pin, hash, preferred)
            }
        }
    }

    pub(super) fn realm(&self) -> Text<'_> {
        match self {
            Self::Basic(challenge) => challenge.realm(),
            Self::Digest(challenge) => challenge.realm(),
        }
    }
}

/// What decides on challenges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judge {
    pub(super) policy: Policy,
    pub(super) channel: Channel,
    pub(super) pin: Pin,
}

impl Judge {
    /// The best challenge; or, if there is none, why each was skipped.
    pub(super) fn choose<'a, I, V>(&self, values: I) -> Result<Choice<'a>, Box<[Skipped]>>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let mut best: Option<Choice<'a>> = None;
        let mut skipped = Vec::new();
        for challenge in challenges(values).typed() {
            match challenge
                .map_err(Skipped::from)
                .and_then(|challenge| self.judge(challenge))
            {
                Ok(choice) => {
                    let rank = |choice: &Choice<'_>| choice.rank(&self.policy);
                    if best.is_none_or(|best| rank(&choice) > rank(&best)) {
                        best = Some(choice);
                    }
                }
                Err(why) => skipped.push(why),
            }
        }
        best.ok_or_else(|| skipped.into())
    }

    fn judge<'a>(&self, challenge: TypedChallenge<'a>) -> Result<Choice<'a>, Skipped> {
        let choice = match challenge {
            TypedChallenge::Basic(challenge) => Choice::Basic(self.judge_basic(challenge)?),
            TypedChallenge::Digest(challenge) => Choice::Digest(self.judge_digest(challenge)?),
            TypedChallenge::Other(_) => return Err(Skipped::UnknownScheme),
        };
        let (strength, ..) = choice.rank(&self.policy);
        if strength < self.pin {
            return Err(Skipped::WeakerThanPin);
        }
        Ok(choice)
    }

    fn judge_basic<'a>(
        &self,
        challenge: basic::Challenge<'a>,
    ) -> Result<basic::Challenge<'a>, Skipped> {
        if !self.policy.basic {
            return Err(Skipped::Basic);
        }
        if !self.policy.allows_basic(self.channel) {
            return Err(Skipped::CleartextBasic);
        }
        if !self.policy.allows_unproven() {
            return Err(Skipped::Unproven);
        }
        if !self.policy.allows_qop(QopSet::LEGACY) {
            return Err(Skipped::NoAuthInt);
        }
        Ok(challenge)
    }

    fn judge_digest<'a>(
        &self,
        challenge: digest::Challenge<'a>,
    ) -> Result<digest::Challenge<'a>, Skipped> {
        let algorithm = challenge.algorithm();
        let qop = challenge.qop();
        if !self.policy.is_strong(algorithm.hash()) {
            return Err(Skipped::WeakAlgorithm);
        }
        if !self.policy.allows_hash(algorithm.hash()) {
            return Err(Skipped::OtherHash);
        }
        // Without a qop no cnonce is sent, so the session key could not be checked.
        if algorithm.is_session() && (!self.policy.sessions || qop.is_legacy()) {
            return Err(Skipped::SessionAlgorithm);
        }
        if qop.is_legacy() && !self.policy.rfc2069 {
            return Err(Skipped::Rfc2069);
        }
        if qop.is_legacy() && !self.policy.allows_unproven() {
            return Err(Skipped::Unproven);
        }
        if !qop.is_legacy() && self.policy.overview_form {
            let required = self.policy.auth_int == AuthInt::Required;
            if required || !qop.contains(Qop::Auth) {
                return Err(Skipped::OverviewAuthInt);
            }
        }
        if !self.policy.allows_qop(qop) {
            return Err(Skipped::NoAuthInt);
        }
        Ok(challenge)
    }
}
