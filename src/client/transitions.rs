//! What the client does at a challenge and at another response. [`states`](super::states) has the
//! rules.

use alloc::boxed::Box;
use core::mem;

use crate::client::client::Client;
use crate::client::exchange::{Exchange, MAX_CONTENDED, MAX_CONTENDED_DOUBTFUL};
use crate::client::meaning::Meaning;
use crate::client::next::{GiveUp, Next};
use crate::client::nonce::NonceState;
use crate::client::paths::OwnTarget;
use crate::client::proof::{ServerProof, ServerProofError};
use crate::client::selector::Candidate;
use crate::client::skip_reason::SkipReason;
use crate::client::space::{ProtectionSpace, Scheme};
use crate::client::verdict::Verdict;
use crate::header::AuthenticationInfo;

impl Client {
    /// Processes the chosen challenge, or the reasons why none can be answered.
    pub(super) fn on_challenge(
        &mut self,
        choice: Result<Candidate<'_>, Box<[SkipReason]>>,
        exchange: &mut Exchange,
    ) -> Next {
        let choice = match choice {
            Ok(choice) => choice,
            // The exchange stays open, because the caller may find challenges in another field.
            Err(skipped) => return Next::GiveUp(GiveUp::NoUsableChallenge(skipped)),
        };
        // The realm of credentials sent before the server asks is a guess, so a challenge of
        // another realm says nothing about the secret.
        let guessed_space = exchange.answering_space.filter(|_| exchange.is_preemptive);
        let guessed_space = guessed_space.and_then(|id| self.spaces.by_id(id));
        let guessed_realm = guessed_space.and_then(ProtectionSpace::realm);
        let is_for_other_realm = guessed_realm.is_some_and(|realm| choice.realm() != *realm);
        let next = self.apply_challenge(&choice, exchange, is_for_other_realm);
        if let Some(id) = exchange.challenging_space
            && let Some(target) = exchange
                .uri()
                .and_then(|target| OwnTarget::of(target, &self.endpoint))
        {
            self.spaces.reclaim(id, &target);
        }
        exchange.closed |= matches!(next, Next::GiveUp(_));
        next
    }

    /// Applies a challenge to its space. `is_for_other_realm` if the request carried an answer that
    /// was meant for another realm.
    fn apply_challenge(
        &mut self,
        choice: &Candidate<'_>,
        exchange: &mut Exchange,
        is_for_other_realm: bool,
    ) -> Next {
        let Some((space, is_new)) = self.spaces.of(choice, &mut self.last_id) else {
            // Impossible, because `Spaces::of` makes a space if there is none.
            return Next::Retry;
        };
        exchange.challenging_space = Some(space.id);
        let is_dropped = space.set_charset(choice.is_utf8(), self.policy.latin1);
        let verdict = match (&mut space.scheme, choice) {
            (Scheme::Digest { nonce, login }, Candidate::Digest(challenge)) => match login {
                Some(login) => {
                    let counts = &self.counts;
                    Some(Verdict::of(nonce, login, challenge, exchange, counts))
                }
                None => {
                    // A new space was made from this challenge.
                    if !is_new {
                        nonce.replace(challenge);
                    }
                    None
                }
            },
            (Scheme::Basic { login, .. }, _) => {
                login.as_ref().map(|login| match &exchange.answer {
                    Some(answer) if *answer == login.value => Verdict::Wrong,
                    _ => Verdict::MayBeRight,
                })
            }
            // Impossible, because `Spaces::of` returns a space of the challenge's scheme.
            (Scheme::Digest { .. }, Candidate::Basic(_)) => None,
        };
        // One wrong guess does not count. Two could be made by turns, for ever.
        if !is_for_other_realm || mem::replace(&mut exchange.has_guessed_wrong, true) {
            exchange.count_challenge(match verdict {
                Some(Verdict::Contended) => MAX_CONTENDED,
                Some(Verdict::Doubtful { is_contended: true }) => MAX_CONTENDED_DOUBTFUL,
                _ => 0,
            });
        }
        let bound = exchange.reason_to_give_up(self.policy.max_answers);
        if let Some(Verdict::Wrong) = verdict {
            space.refuse();
        }
        // After the refusal, which takes back what preemptive credentials cover.
        space.record_paths(choice, exchange, &self.endpoint);
        match verdict {
            Some(Verdict::MayBeRight | Verdict::Contended | Verdict::Doubtful { .. }) => {
                bound.map_or(Next::Retry, Next::GiveUp)
            }
            Some(Verdict::StaleAgain) => Next::GiveUp(GiveUp::StaleAgain),
            Some(Verdict::Wrong) => {
                let ask = space.ask_after_refusal(&self.endpoint);
                Next::GiveUp(GiveUp::WrongCredentials(ask))
            }
            // After a change of charset, the same password is another secret.
            None if !is_dropped && space.refused.has_sent(exchange) => {
                let ask = space.ask_after_refusal(&self.endpoint);
                Next::GiveUp(GiveUp::WrongCredentials(ask))
            }
            None => match bound {
                Some(bound) => Next::GiveUp(bound),
                None => Next::Login(space.ask(&self.endpoint)),
            },
        }
    }

    /// Processes a response without a challenge.
    pub(super) fn on_response(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        info: &AuthenticationInfo<'_>,
        proof: Result<ServerProof, ServerProofError>,
    ) {
        match (proof, Meaning::of(status)) {
            _ if exchange.answer.is_none() => {}
            (Ok(proof @ ServerProof::Valid), _) | (Ok(proof), Meaning::Accepted) => {
                self.on_acceptance(exchange, info, proof);
            }
            (Ok(_), Meaning::Unread) => {}
            (_, _) => self.on_doubt(exchange),
        }
    }

    /// Records that the answer of an exchange was accepted.
    fn on_acceptance(
        &mut self,
        exchange: &mut Exchange,
        info: &AuthenticationInfo<'_>,
        proof: ServerProof,
    ) {
        exchange.start_again();
        let (strength, is_proven) = (exchange.strength(), proof == ServerProof::Valid);
        // A resource that did not ask for credentials may not have looked at them.
        let is_secret_right = is_proven || !exchange.is_preemptive;
        // Recorded even if the space is gone or was replaced since.
        if let Some(sent) = &exchange.sent {
            let realm = sent.realm.as_bytes();
            self.strengths.accept(realm, strength, is_proven);
        }
        let space = exchange.answering_space;
        let Some(space) = space.and_then(|id| self.spaces.by_id_mut(id)) else {
            return;
        };
        let has_sent = space.has_sent(exchange);
        // A secret that was refused in the meantime is right after all.
        if is_secret_right && (has_sent || space.refused.has_sent(exchange)) {
            space.refused.take_back(exchange);
        }
        // The answer of another login says nothing about this one.
        if !has_sent {
            return;
        }
        match &mut space.scheme {
            Scheme::Basic { realm, .. } => {
                let realm = realm.as_deref().unwrap_or_default();
                self.strengths.accept(realm, strength, false);
            }
            Scheme::Digest { nonce, .. } => {
                nonce.is_unanswered = false;
                let request = exchange.request.as_ref();
                nonce.evidence.accept(request, is_secret_right);
                let sent = exchange.sent.as_ref();
                let is_current = sent.is_some_and(|sent| sent.nonce.as_bytes() == nonce.nonce());
                // Ignore a nextnonce that follows an earlier nonce or an unusable one.
                if is_current
                    && nonce.is_usable
                    && let Some(next) = info.nextnonce
                {
                    nonce.renew(next);
                }
            }
        }
    }

    /// Processes a 401 (407 from a proxy) without a challenge that can be answered. The nonce may
    /// be used up, or the response may not be about this login, such as one of an application
    /// behind the server. So only the second one in a row puts the nonce in doubt.
    pub(super) fn on_no_challenge(&mut self, exchange: &Exchange) {
        for nonce in self.nonces_of(exchange) {
            nonce.is_usable &= !mem::replace(&mut nonce.is_unanswered, true);
        }
    }

    /// Puts the nonce of an exchange in doubt. The response may come from a server or intermediary
    /// that could not read the answer, and an attacker may have chosen the nonce to cause that. So
    /// the next request goes without an answer, to get another nonce.
    fn on_doubt(&mut self, exchange: &Exchange) {
        for nonce in self.nonces_of(exchange) {
            nonce.is_usable = false;
        }
    }

    /// The states with the nonce of an exchange's answer.
    fn nonces_of(&mut self, exchange: &Exchange) -> impl Iterator<Item = &mut NonceState> {
        let sent = exchange.sent.as_ref();
        self.spaces
            .iter_mut()
            .filter_map(move |space| match &mut space.scheme {
                Scheme::Digest { nonce, .. }
                    if sent.is_some_and(|sent| sent.nonce.as_bytes() == nonce.nonce()) =>
                {
                    Some(nonce)
                }
                _ => None,
            })
    }
}
