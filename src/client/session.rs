//! What a client knows of one nonce.

use alloc::boxed::Box;
use core::mem;

use crate::client::answer::Answer;
use crate::client::counts::NonceHash;
use crate::client::next::{Next, Refusal};
use crate::digest::{Algorithm, Challenge, Credentials, Hash, QopSet, User};
use crate::syntax::Text;

/// What a Digest challenge leaves behind, unescaped, and what became of its nonce.
#[derive(Clone)]
pub(super) struct Session {
    /// Known: nothing in realm, nonce and opaque is to be escaped. In an algorithm that is
    /// supported nothing ever is.
    is_verbatim: bool,
    pub(super) realm: Box<[u8]>,
    pub(super) nonce: Box<[u8]>,
    pub(super) nonce_hash: NonceHash,
    opaque: Option<Box<[u8]>>,
    pub(super) algorithm: Algorithm,
    algorithm_text: Option<Box<[u8]>>,
    pub(super) qop: QopSet,
    pub(super) userhash: Option<bool>,
    pub(super) utf8: bool,
    pub(super) accepted: Accepted,
}

/// Whether an answer with this secret was accepted, and so the secret is right.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Accepted {
    /// Not that we know.
    No,
    /// With a nonce before this one.
    Before,
    /// With this nonce.
    Now,
}

impl Session {
    pub(super) fn of(challenge: &Challenge<'_>) -> Self {
        let keep = |text: Text<'_>| text.to_bytes().into_owned().into_boxed_slice();
        let nonce = keep(challenge.nonce());
        let is_verbatim = challenge.realm().is_verbatim()
            && challenge.nonce().is_verbatim()
            && challenge.opaque().is_none_or(|opaque| opaque.is_verbatim());
        Self {
            is_verbatim,
            realm: keep(challenge.realm()),
            nonce_hash: NonceHash::of(&nonce),
            nonce,
            opaque: challenge.opaque().map(keep),
            algorithm: challenge.algorithm(),
            algorithm_text: challenge.algorithm_text().map(keep),
            qop: challenge.qop(),
            userhash: challenge.userhash(),
            utf8: challenge.is_utf8(),
            accepted: Accepted::No,
        }
    }

    /// What a Digest challenge means to credentials that fit it. `answer` is what was refused,
    /// unless it was made with other credentials; `replaced` is whether a nonce that the exchange
    /// had answered was replaced.
    pub(super) fn weigh(
        session: &mut Option<Self>,
        challenge: &Challenge<'_>,
        answer: Option<&Answer>,
        replaced: &mut bool,
    ) -> Next {
        let Some(current) = session else {
            *session = Some(Self::of(challenge));
            return Next::Retry;
        };
        // The newest challenge wins, because the nonce at hand may be one that cannot be answered.
        let Some(answered) = answer.and_then(Answer::digest) else {
            current.replace(challenge, true);
            return Next::Retry;
        };
        if answered.nonce() != *current.nonce {
            // Except with a nonce that has just been refused.
            if challenge.nonce() != answered.nonce() {
                current.replace(challenge, true);
            }
            return Next::Retry;
        }
        // Servers look at the form before the response, so its refusal says nothing of the secret.
        // Once in an exchange that is believed.
        let is_other_form = !*replaced && !offers_form(challenge, &answered);
        let is_right = match current.accepted {
            Accepted::No => false,
            // The password may have been changed meanwhile: once it is given the benefit of the
            // doubt.
            Accepted::Before => !*replaced,
            Accepted::Now => true,
        };
        let is_other_nonce = challenge.nonce() != *current.nonce;
        let is_stale = is_other_nonce && challenge.is_stale();
        if !(is_stale || is_other_form || (is_other_nonce && is_right)) {
            return Next::Refused(Refusal::WrongCredentials);
        }
        current.replace(challenge, is_stale || is_other_form);
        if mem::replace(replaced, true) {
            return Next::Refused(Refusal::StaleAgain);
        }
        Next::Retry
    }

    /// Goes on with another challenge. What is known of the secret is kept if it still holds.
    fn replace(&mut self, challenge: &Challenge<'_>, holds: bool) {
        let accepted = match holds {
            true => self.accepted.min(Accepted::Before),
            false => Accepted::No,
        };
        *self = Self {
            accepted,
            ..Self::of(challenge)
        };
    }

    /// The same challenge with another nonce, of which a `-sess` key is made anew.
    pub(super) fn renew(&mut self, nonce: Text<'_>) {
        if nonce == *self.nonce {
            return;
        }
        self.is_verbatim &= nonce.is_verbatim();
        self.nonce = nonce.to_bytes().into();
        self.nonce_hash = NonceHash::of(&self.nonce);
        self.accepted = self.accepted.min(Accepted::Before);
    }

    /// Whether the challenge shows that the server knows RFC 7616, which brought `username*`: it has
    /// something else that came with it.
    pub(super) fn reads_extended_usernames(&self) -> bool {
        let is_sha2 = match self.algorithm.hash() {
            #[cfg(feature = "md5")]
            Hash::Md5 => false,
            Hash::Sha256 | Hash::Sha512_256 => true,
        };
        is_sha2 || self.utf8 || self.userhash.is_some()
    }

    /// The challenge, as far as an answer returns it.
    pub(super) fn challenge(&self) -> Challenge<'_> {
        let text = |bytes| match self.is_verbatim {
            true => Text::verbatim(bytes),
            false => Text::literal(bytes),
        };
        let mut challenge = Challenge::of(text(&self.realm), text(&self.nonce), self.algorithm)
            .with_algorithm_text(self.algorithm_text.as_deref().map(text));
        if let Some(opaque) = self.opaque.as_deref() {
            challenge = challenge.with_opaque(text(opaque));
        }
        challenge
    }
}

/// Whether an answer has the algorithm, the qop and the form of user name that a challenge offers.
fn offers_form(challenge: &Challenge<'_>, answer: &Credentials<'_>) -> bool {
    let offers_qop = match answer.qop() {
        Some(qop) => challenge.qop().contains(qop),
        None => challenge.qop().is_legacy(),
    };
    let is_hashed = matches!(answer.user(), User::Hash(_));
    offers_qop
        && answer.algorithm() == challenge.algorithm()
        && (challenge.has_userhash() || !is_hashed)
}

impl core::fmt::Debug for Session {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Session")
            .field("algorithm", &self.algorithm)
            .field("qop", &self.qop)
            .field("accepted", &self.accepted)
            .finish_non_exhaustive()
    }
}
