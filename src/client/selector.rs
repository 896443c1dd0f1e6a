//! Selection of the challenge to answer.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::basic::BasicChallenge;
use crate::channel::Channel;
use crate::client::nonce::{MAX_REPEATED_BYTES, is_too_long};
use crate::client::policy::{AuthInt, Policy};
use crate::client::skip_reason::SkipReason;
use crate::client::strength::{Strength, hash_rank};
use crate::client::strengths::Strengths;
use crate::digest::{DigestChallenge, Qop, QopSet};
use crate::error::HeaderError;
use crate::header::Challenge;
use crate::syntax::Text;

/// A challenge of a scheme that the client implements. [`Selector::choose`] returns the one to
/// answer.
#[derive(Clone, Copy, Debug)]
pub(super) enum Candidate<'a> {
    Basic(BasicChallenge<'a>),
    Digest(DigestChallenge<'a>),
}

impl Candidate<'_> {
    /// The rank of a challenge: by [`Strength`], then by hash function, then by whether it offers
    /// `auth-int`, if the policy prefers that.
    ///
    /// RFC 7616, section 3.7, recommends the server's order, unless local policy dictates
    /// otherwise. Here it does, because many servers put MD5 or Basic first for the sake of old
    /// clients, and because an attacker could change the order.
    fn rank(&self, policy: &Policy) -> (Strength, u8, bool) {
        match self {
            Self::Basic(_) => (Strength::Basic, 0, false),
            Self::Digest(challenge) => {
                let (algorithm, qop) = (challenge.algorithm(), challenge.qop);
                let hash = algorithm.hash_function();
                // As a last resort, `wants_auth_int` is true for a challenge that offers nothing else,
                // which must not rank higher for that.
                let offers_preferred_auth_int =
                    policy.auth_int != AuthInt::LastResort && policy.wants_auth_int(qop);
                let strength = Strength::of(hash, !qop.is_empty());
                (strength, hash_rank(hash), offers_preferred_auth_int)
            }
        }
    }

    pub(super) fn realm(&self) -> Text<'_> {
        match self {
            Self::Basic(challenge) => challenge.realm,
            Self::Digest(challenge) => challenge.realm,
        }
    }

    /// Returns whether the challenge has `charset=UTF-8`.
    pub(super) const fn is_utf8(&self) -> bool {
        match self {
            Self::Basic(challenge) => challenge.utf8,
            Self::Digest(challenge) => challenge.utf8,
        }
    }
}

/// What decides which challenge is answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selector<'s> {
    pub(super) policy: Policy,
    pub(super) channel: Channel,
    /// The minimum strength for each realm.
    pub(super) strengths: &'s Strengths,
}

impl Selector<'_> {
    /// Returns the challenge to answer. Of those that may be answered, the ones whose realm has a
    /// login come first, because they usually need no prompt. Among these the highest rank wins.
    ///
    /// # Errors
    ///
    /// If none can be answered, the reason for each, in the order of the challenges.
    pub(super) fn choose<'a>(
        &self,
        challenges: impl Iterator<Item = Result<Challenge<'a>, HeaderError>>,
        is_logged_in: impl Fn(Text<'_>) -> bool,
    ) -> Result<Candidate<'a>, Box<[SkipReason]>> {
        let mut best: Option<Candidate<'a>> = None;
        let mut skipped = Vec::new();
        for challenge in challenges {
            match challenge
                .map_err(SkipReason::from)
                .and_then(|challenge| self.check(challenge))
            {
                Ok(candidate) => {
                    let rank = |candidate: &Candidate<'_>| {
                        (
                            is_logged_in(candidate.realm()),
                            candidate.rank(&self.policy),
                        )
                    };
                    // `>` and not `>=`: of equal ranks, the server's first stays.
                    if best.is_none_or(|best| rank(&candidate) > rank(&best)) {
                        best = Some(candidate);
                    }
                }
                Err(why) => skipped.push(why),
            }
        }
        best.ok_or_else(|| skipped.into())
    }

    /// Checks that a challenge may be answered.
    fn check<'a>(&self, challenge: Challenge<'a>) -> Result<Candidate<'a>, SkipReason> {
        let candidate = match challenge {
            Challenge::Basic(challenge) => Candidate::Basic(challenge),
            Challenge::Digest(challenge) => Candidate::Digest(challenge),
            Challenge::Other(_) => return Err(SkipReason::UnknownScheme),
        };
        // Checked before the policy, because this may be a downgrade attack. The error text for a
        // violated policy names the setting that allows the challenge. A user who changed it would
        // usually restart the program, and a strength that was not stored would be forgotten.
        let (strength, ..) = candidate.rank(&self.policy);
        if strength < self.strengths.required(candidate.realm()) {
            return Err(SkipReason::BelowStrength);
        }
        match &candidate {
            Candidate::Basic(challenge) => self.check_basic(challenge)?,
            Candidate::Digest(challenge) => self.check_digest(challenge)?,
        }
        Ok(candidate)
    }

    fn check_basic(&self, challenge: &BasicChallenge<'_>) -> Result<(), SkipReason> {
        if !self.policy.basic {
            return Err(SkipReason::Basic);
        }
        if !self.policy.allows_basic_over(self.channel) {
            return Err(SkipReason::CleartextBasic);
        }
        if self.policy.requires_proof {
            return Err(SkipReason::NoServerProof);
        }
        if !self.policy.meets_required_qop(QopSet::NONE) {
            return Err(SkipReason::NoAuthInt);
        }
        // A Basic answer does not repeat the realm, but the client keeps it in memory, so the same
        // limit applies.
        if challenge.realm.raw().len() > MAX_REPEATED_BYTES {
            return Err(SkipReason::TooLong);
        }
        Ok(())
    }

    fn check_digest(&self, challenge: &DigestChallenge<'_>) -> Result<(), SkipReason> {
        let algorithm = challenge.algorithm();
        let qop = challenge.qop;
        if !self.policy.meets_floor(algorithm.hash_function()) {
            return Err(SkipReason::WeakAlgorithm);
        }
        if !self.policy.meets_required_hash(algorithm.hash_function()) {
            return Err(SkipReason::OtherHash);
        }
        // Without a qop no cnonce is sent, so the server could not compute the session key.
        if algorithm.is_sess() && (!self.policy.sess_algorithms || qop.is_empty()) {
            return Err(SkipReason::SessionAlgorithm);
        }
        if qop.is_empty() && !self.policy.rfc2069 {
            return Err(SkipReason::Rfc2069);
        }
        // The server's proof (`rspauth`) would cover nothing that is new in this request, so an
        // attacker could replay an earlier proof for the same nonce and request-target. (The session
        // key of a `-sess` algorithm covers a cnonce, but the same one for all uses of the nonce.)
        if (qop.is_empty() || self.policy.uncounted_form) && self.policy.requires_proof {
            return Err(SkipReason::NoServerProof);
        }
        // The response of the uncounted form does not cover the qop, so an answer with `auth-int`
        // could be valid with `auth` for another request: see `Policy::with_uncounted_form`.
        if !qop.is_empty() && self.policy.uncounted_form {
            let requires_auth_int = self.policy.auth_int == AuthInt::Required;
            if requires_auth_int || !qop.contains(Qop::Auth) {
                return Err(SkipReason::UncountedAuthInt);
            }
        }
        if !self.policy.meets_required_qop(qop) {
            return Err(SkipReason::NoAuthInt);
        }
        if is_too_long(challenge.realm, challenge.nonce, challenge.opaque) {
            return Err(SkipReason::TooLong);
        }
        Ok(())
    }
}
