//! Selection of the challenge to answer.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::client::client::Client;
use crate::client::error::SkipReason;
use crate::client::nonce::{MAX_REPEATED_BYTES, is_too_long};
use crate::client::policy::{AuthInt, Policy, Quirk};
use crate::client::strength::{Strength, is_sha2};
use crate::digest::{DigestChallenge, HashFunction, QopSet};
use crate::error::HeaderError;
use crate::header::Challenge;
use crate::syntax::Text;

/// The rank of a challenge: by [`Strength`], then by hash function, then by whether it offers
/// `auth-int`, if the policy prefers that.
fn rank(challenge: &Challenge<'_>, policy: &Policy) -> (Strength, Option<HashFunction>, bool) {
    let Challenge::Digest(challenge) = challenge else {
        return (Strength::Basic, None, false);
    };
    let (hash, qop) = (challenge.algorithm().hash_function(), challenge.qop);
    // As a last resort, `wants_auth_int` is true for a challenge that offers nothing else, which
    // must not rank higher for that.
    let is_preferred = policy.auth_int != AuthInt::LastResort && policy.wants_auth_int(qop);
    let strength = Strength::of(hash, !qop.is_empty());
    (strength, Some(hash), is_preferred)
}

impl Client {
    /// Returns the challenge to answer. Of those that may be answered, the ones whose realm has a
    /// login come first, because they usually need no prompt. Among these the highest rank wins.
    ///
    /// # Errors
    ///
    /// If none can be answered, the reason for each, in the order of the challenges.
    pub(super) fn choose<'a>(
        &self,
        challenges: impl IntoIterator<Item = Result<Challenge<'a>, HeaderError>>,
    ) -> Result<Challenge<'a>, Box<[SkipReason]>> {
        let is_logged_in = |realm: Text<'_>| {
            (self.spaces.iter()).any(|space| space.is_ready() && space.is_of_realm(realm))
        };
        let rank = |it: &Challenge<'_>| (is_logged_in(it.realm()), rank(it, &self.policy));
        let mut best: Option<Challenge<'a>> = None;
        let mut skipped = Vec::new();
        for challenge in challenges {
            match challenge {
                Err(error) => skipped.push(SkipReason::Header(error)),
                Ok(mut challenge) => match self.check(&mut challenge) {
                    Err(why) => skipped.push(why),
                    // `>` and not `>=`: of equal ranks, the server's first stays.
                    Ok(())
                        if best
                            .as_ref()
                            .is_none_or(|best| rank(&challenge) > rank(best)) =>
                    {
                        best = Some(challenge);
                    }
                    Ok(()) => {}
                },
            }
        }
        best.ok_or_else(|| skipped.into())
    }

    /// Checks that a challenge may be answered.
    fn check(&self, challenge: &mut Challenge<'_>) -> Result<(), SkipReason> {
        match challenge {
            Challenge::Other(_) => return Err(SkipReason::UnknownScheme),
            Challenge::Digest(it) if self.policy.has(Quirk::WithoutQop) => it.qop = QopSet::NONE,
            _ => {}
        }
        // Checked before the policy, because this may be a downgrade attack: a reason of the policy could
        // lead the user to weaken it.
        let (strength, ..) = rank(challenge, &self.policy);
        let proven = self.strengths.proven(Some(challenge.realm()));
        if strength < self.policy.strength.max(proven) {
            return Err(SkipReason::BelowStrength);
        }
        let (qop, is_too_long) = match &*challenge {
            Challenge::Digest(digest) => {
                self.check_algorithm(digest)?;
                (digest.qop, is_too_long(digest))
            }
            _ if !self.policy.allows_basic_over(self.endpoint.channel()) => {
                return Err(SkipReason::CleartextBasic);
            }
            // An answer does not repeat this realm, but the client keeps it in memory.
            other => (QopSet::NONE, other.realm().raw().len() > MAX_REPEATED_BYTES),
        };
        // Without a qop, the server's proof (`rspauth`) would cover nothing that is new in this
        // request, so an attacker could replay an earlier proof for the same nonce and target.
        if qop.is_empty() && self.policy.requires_proof {
            return Err(SkipReason::NoServerProof);
        }
        if !self.policy.meets_required_qop(qop) {
            return Err(SkipReason::NoAuthInt);
        }
        if is_too_long {
            return Err(SkipReason::TooLong);
        }
        if !self.accounts.is_empty() {
            let (realm, hash) = (challenge.realm(), challenge.hash_function());
            let account = self.accounts.of(realm, hash, &self.strengths);
            account.map_err(SkipReason::Account)?;
        }
        Ok(())
    }

    fn check_algorithm(&self, challenge: &DigestChallenge<'_>) -> Result<(), SkipReason> {
        let hash = challenge.algorithm().hash_function();
        if self.policy.auth_int == AuthInt::Required && !is_sha2(hash) {
            return Err(SkipReason::WeakAlgorithm);
        }
        if self.policy.required_hash.is_some_and(|only| only != hash) {
            return Err(SkipReason::OtherHash);
        }
        // Without a qop no cnonce is sent, so the server could not compute the session key.
        if challenge.algorithm().is_sess() && challenge.qop.is_empty() {
            return Err(SkipReason::SessionAlgorithm);
        }
        let allows_rfc2069 = self.policy.has(Quirk::Rfc2069) || self.policy.has(Quirk::WithoutQop);
        if challenge.qop.is_empty() && !allows_rfc2069 {
            return Err(SkipReason::Rfc2069);
        }
        Ok(())
    }
}
