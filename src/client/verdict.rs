//! What a refusal says about the secret.

use core::mem;

use crate::client::counts::Counts;
use crate::client::evidence::Accepted;
use crate::client::exchange::Exchange;
use crate::client::login::Login;
use crate::client::nonce::NonceState;
use crate::client::sent::Sent;
use crate::digest::DigestChallenge;

/// What a refused answer says about the secret of a login.
#[derive(Clone, Copy)]
pub(super) enum Verdict {
    /// The secret may be right.
    MayBeRight,
    /// The server says `stale`, and other requests may be the reason: a response to one has
    /// replaced the nonce, or one has used it, too. Some servers refuse a count if a higher one
    /// arrived first, and any second use of a one-time nonce.
    Contended,
    /// The secret may be wrong: it was accepted before, and is refused without `stale`, because the
    /// server forgot to say `stale`, the challenge is forged, or the password was changed; or the
    /// parameters were refused, and nobody looked at the secret.
    Doubtful {
        /// Other requests may be the reason, and an answer with the secret was accepted since this
        /// one was made.
        is_contended: bool,
    },
    /// The secret is wrong.
    Wrong,
    /// The secret may be right, but this exchange has already forgiven one refusal for other
    /// parameters or another nonce.
    StaleAgain,
}

impl Verdict {
    /// Judges the answer, if any, that a Digest challenge refuses, and takes the challenge's nonce,
    /// unless the answer used that nonce and a usable one has replaced it.
    pub(super) fn of(
        nonce: &mut NonceState,
        login: &Login,
        challenge: &DigestChallenge<'_>,
        exchange: &mut Exchange,
        counts: &Counts,
    ) -> Self {
        // The refusal of another login's answer says nothing about this one.
        let sent = exchange.sent.as_ref().filter(|sent| sent.ha1 == login.ha1);
        let Some(sent) = sent else {
            // Take the newest challenge, because the current nonce may be old or unreadable.
            nonce.replace(challenge);
            return Self::MayBeRight;
        };
        let is_shared = sent.is_shared(counts);
        let verdict = Self::of_one(
            nonce,
            sent,
            challenge,
            &mut exchange.has_forgiven,
            is_shared,
        );
        let request = exchange.request.as_ref();
        match verdict {
            Self::Doubtful { .. } if nonce.evidence.refuse(sent.made, request, is_shared) => {
                Self::Wrong
            }
            _ => verdict,
        }
    }

    /// The verdict without regard to earlier refusals in other exchanges.
    fn of_one(
        nonce: &mut NonceState,
        sent: &Sent,
        challenge: &DigestChallenge<'_>,
        has_forgiven: &mut bool,
        is_shared: bool,
    ) -> Self {
        // Servers usually check the parameters first, so refused parameters say nothing about the
        // secret. This is forgiven once per exchange.
        let forgives_params = !*has_forgiven && !sent.is_offered_by(challenge);
        let is_late = sent.nonce.as_bytes() != nonce.nonce();
        let may_be_others = is_late || is_shared;
        // An accepted password may have been changed since, so this is forgiven once per exchange,
        // unless other requests may be the reason.
        let accepted = nonce.evidence.accepted();
        let forgives_secret = match accepted {
            Accepted::No => false,
            Accepted::Unasked => !*has_forgiven,
            Accepted::Yes => !*has_forgiven || may_be_others,
        };
        let refused_params = Self::Doubtful {
            is_contended: false,
        };
        let doubtful = Self::Doubtful {
            is_contended: may_be_others && nonce.evidence.has_accepted_since(sent.made),
        };
        if is_late {
            let verdict = match Self::of_late(nonce, sent, challenge) {
                Some(verdict) => verdict,
                None if forgives_params => refused_params,
                None if forgives_secret => doubtful,
                None => Self::Wrong,
            };
            let is_doubtful = matches!(verdict, Self::Doubtful { .. });
            *has_forgiven |= forgives_params || (accepted == Accepted::Unasked && is_doubtful);
            return verdict;
        }
        let is_other_nonce = challenge.nonce != *nonce.nonce();
        let is_stale = is_other_nonce && challenge.stale;
        if !(is_stale || forgives_params || (is_other_nonce && forgives_secret)) {
            nonce.replace(challenge);
            return Self::Wrong;
        }
        // An accepted secret stays so, because the refused nonce may have been forged. The same
        // exchange does not forgive a second refusal, unless other requests may be the reason.
        nonce.replace(challenge);
        match mem::replace(has_forgiven, true) {
            _ if may_be_others && is_stale => Self::Contended,
            true if is_stale => Self::StaleAgain,
            false if is_stale => Self::MayBeRight,
            false if forgives_params => refused_params,
            _ => doubtful,
        }
    }

    /// Takes the nonce of a challenge that refuses an answer whose nonce was replaced before.
    /// Returns the verdict if the server says `stale`.
    fn of_late(
        nonce: &mut NonceState,
        sent: &Sent,
        challenge: &DigestChallenge<'_>,
    ) -> Option<Self> {
        let is_other_nonce = challenge.nonce != *sent.nonce.as_bytes();
        // Take the newest challenge, unless it repeats the refused nonce and the current one can be
        // used.
        if is_other_nonce || !nonce.is_usable {
            nonce.replace(challenge);
        }
        (is_other_nonce && challenge.stale).then_some(Self::Contended)
    }
}
