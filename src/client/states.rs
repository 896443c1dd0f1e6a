//! All states of a client, and all rules of giving up.
//!
//! A client keeps a protection space for each realm that it was challenged for, up to eight; the one
//! unused longest goes first. A space is in one of two states, and each exchange keeps what it sent:
//!
//! | the space is | [`challenged`] | [`login`] | [`authorize`] | [`accepted`] |
//! |---|---|---|---|---|
//! | not there | `Chosen`, [`Next::Login`] | [`Superseded`] | `None` | nothing to check |
//! | `Chosen` | `Chosen`, below | `Ready`; [`AlreadyRefused`] with one of the last four secrets that were refused there | `None` | nothing to check, unless it is the answer of a login that was refused: then that was right |
//! | `Ready` | below | with the same name and secret `Ready` as before, with others `Ready` without a nonce | an answer, count + 1; `None` without a nonce, outside of the protection space, below the [strength], and unasked with a nonce that cannot be answered | checks the proof; a next nonce: with a count of its own |
//!
//! Which space it is about: for [`challenged`] that of the challenge's realm, and if there are
//! several realms, one that is logged in to before others. For [`login`] that of the [`Ask`]. For
//! [`authorize`] the one that asked this exchange, and if none has, the one whose paths name most of
//! the request-target's; of several, one that is logged in to, then the one that was asked for
//! nearest, then the one used last. For [`accepted`] that of the answer.
//!
//! A challenge of another scheme or hash function than that of its space makes the space anew: it is
//! not there, and earlier asks are [`Superseded`]. So it is in `Ready` with another charset, where
//! the policy knows two and the user's name or password is not ASCII, but that asks stay good.
//!
//! In `Chosen`, a challenge is taken in place of the one before. Then:
//!
//! | the request carried | then |
//! |---|---|
//! | an answer with one of the last four secrets that were refused there | [`GiveUp::WrongCredentials`], to each exchange for its own answer |
//! | no answer, or another | [`Next::Login`] |
//!
//! In `Ready`, the first row that applies counts:
//!
//! | the request carried | the challenge has | then |
//! |---|---|---|
//! | no answer, or that of another login or realm | | [`Next::Retry`] with this challenge, because the nonce at hand may be one that cannot be answered |
//! | a nonce that is not the present one, with a secret that was accepted | another nonce than that | [`Next::Retry`] with this challenge: the refusal is late, and says nothing of the secret |
//! | a nonce that is not the present one, with a secret that was accepted | the same nonce | [`Next::Retry`] with the present one |
//! | a nonce that is not the present one | another nonce and `stale`, or another form as below | [`Next::Retry`] with this challenge |
//! | the present nonce, the first of the exchange | another algorithm or qop than the answer, or no `userhash` where that hashed the name | [`Next::Retry`] with this challenge: the form was refused, and not the secret |
//! | the present nonce | the same nonce | `Chosen`, [`GiveUp::WrongCredentials`] |
//! | the present nonce, accepted before | another nonce | [`Next::Retry`] with that: the secret is right, whatever the server forgot to say |
//! | the present nonce, the first of the exchange, its secret accepted with a nonce before | another nonce | [`Next::Retry`] with that, as above |
//! | the present nonce | another nonce and `stale` | [`Next::Retry`] with that |
//! | the present nonce, the second of the exchange | another nonce and `stale` | [`GiveUp::StaleAgain`]; the nonce is kept for the next exchange |
//! | any nonce, otherwise | | `Chosen`, [`GiveUp::WrongCredentials`] |
//! | the Basic credentials at hand | | `Chosen`, [`GiveUp::WrongCredentials`] |
//!
//! What is known of the secret and which counts were sent outlast the nonce, so no count is given
//! twice when a nonce comes back. A secret that was accepted is right, until an answer is refused
//! that was not called `stale`: then it counts as never accepted, until it is again.
//!
//! When as many answers of an exchange were refused as the policy allows, it is
//! [`GiveUp::TooManyAnswers`]; an answer that went out unasked, and that another realm than its own
//! has refused, does not count. An exchange that was given up is given no more answers. So every loop
//! ends, after at most one request more than the policy allows answers. If none of the challenges can
//! be used, it is [`GiveUp::NoUsableChallenge`], which changes nothing and leaves the exchange as it
//! was.
//!
//! With several requests under way a wrong password is sent once for each of them, and each hears of
//! it. It is not sent again: see [`AlreadyRefused`].
//!
//! [`challenged`]: Client::challenged
//! [`login`]: Client::login
//! [`authorize`]: Client::authorize
//! [`accepted`]: Client::accepted
//! [`Ask`]: super::Ask
//! [`Superseded`]: super::LoginError::Superseded
//! [`AlreadyRefused`]: super::LoginError::AlreadyRefused
//! [strength]: super::Strength

use core::mem;

use crate::client::client::Client;
use crate::client::exchange::Exchange;
use crate::client::login::Login;
use crate::client::next::{GiveUp, Next};
use crate::client::nonce::{Accepted, NonceState};
use crate::client::proof::{ServerProof, ServerProofError};
use crate::client::selector::Choice;
use crate::client::sent::Sent;
use crate::client::space::{ProtectionSpace, Scheme};
use crate::digest::Challenge;
use crate::header::AuthenticationInfo;

/// How often a server may ask in one exchange without being sent an answer: enough for a task that
/// waits while others log in.
const MAX_UNANSWERED: u8 = 8;

/// What a refused answer says of a login.
enum Verdict {
    /// Nothing.
    Retry,
    Wrong,
    StaleAgain,
}

impl Client {
    /// Takes the challenge that was chosen.
    pub(super) fn on_challenge(&mut self, choice: &Choice<'_>, exchange: &mut Exchange) -> Next {
        // Which credentials a request carries unasked is a guess; another realm asks for others.
        let guessed = exchange.guessed.and_then(|id| self.spaces.by_id(id));
        let guessed = guessed.and_then(ProtectionSpace::realm);
        let is_bad_guess = guessed.is_some_and(|realm| choice.realm() != *realm);
        match exchange.answer {
            Some(_) if is_bad_guess => {}
            Some(_) => exchange.refused = exchange.refused.saturating_add(1),
            None => exchange.unanswered = exchange.unanswered.saturating_add(1),
        }
        let next = self.judge(choice, exchange);
        let next = match next {
            Next::Login(_) | Next::Retry
                if exchange.closed || exchange.refused >= self.policy.max_answers =>
            {
                Next::GiveUp(GiveUp::TooManyAnswers)
            }
            Next::Login(_) | Next::Retry if exchange.unanswered > MAX_UNANSWERED => {
                Next::GiveUp(GiveUp::NeverAnswered)
            }
            next => next,
        };
        exchange.closed |= matches!(next, Next::GiveUp(_));
        next
    }

    /// What a challenge means to its space.
    fn judge(&mut self, choice: &Choice<'_>, exchange: &mut Exchange) -> Next {
        let Some((space, is_new)) = self.spaces.of(choice, &mut self.last_id) else {
            return Next::Retry;
        };
        space.learn(choice, exchange, &self.endpoint);
        exchange.asked = Some(space.id);
        // Where a charset makes a difference, credentials are good for the one they were made for.
        let is_other_charset = self.policy.latin1 && space.utf8 != choice.is_utf8();
        space.utf8 = choice.is_utf8();
        let verdict = match (&mut space.scheme, choice) {
            (Scheme::Digest { nonce, login }, Choice::Digest(challenge)) => {
                if login
                    .as_ref()
                    .is_some_and(|login| is_other_charset && !login.is_ascii)
                {
                    *login = None;
                }
                match login {
                    Some(login) => Some(Self::judge_digest(nonce, login, challenge, exchange)),
                    None => {
                        if !is_new {
                            nonce.replace(challenge, false);
                        }
                        None
                    }
                }
            }
            (Scheme::Basic { login, .. }, _) => {
                if login
                    .as_ref()
                    .is_some_and(|login| is_other_charset && !login.is_ascii)
                {
                    *login = None;
                }
                login.as_ref().map(|login| match &exchange.answer {
                    Some(answer) if *answer == login.value => Verdict::Wrong,
                    _ => Verdict::Retry,
                })
            }
            // A space of the scheme was looked for.
            (Scheme::Digest { .. }, Choice::Basic(_)) => None,
        };
        match verdict {
            Some(Verdict::Retry) => Next::Retry,
            Some(Verdict::StaleAgain) => Next::GiveUp(GiveUp::StaleAgain),
            Some(Verdict::Wrong) => {
                space.refuse();
                Next::GiveUp(GiveUp::WrongCredentials(space.ask(&self.endpoint, false)))
            }
            None if space.refused.has_sent(exchange) => {
                Next::GiveUp(GiveUp::WrongCredentials(space.ask(&self.endpoint, false)))
            }
            None => Next::Login(space.ask(&self.endpoint, true)),
        }
    }

    /// What a Digest challenge means to a login.
    fn judge_digest(
        nonce: &mut NonceState,
        login: &Login,
        challenge: &Challenge<'_>,
        exchange: &mut Exchange,
    ) -> Verdict {
        // The refusal of another user's answer says nothing of this one.
        let sent = exchange.sent.as_ref().filter(|sent| sent.ha1 == login.ha1);
        // The newest challenge wins, because the nonce at hand may be one that cannot be answered.
        let Some(sent) = sent.filter(|_| nonce.is_at_hand) else {
            nonce.replace(challenge, true);
            return Verdict::Retry;
        };
        // Servers look at the form before the response, so its refusal says nothing of the secret.
        // Once in an exchange that is believed.
        let is_other_form = !exchange.replaced && !sent.is_offered_by(challenge);
        if sent.nonce.as_bytes() != nonce.nonce() {
            return Self::judge_late(nonce, sent, challenge, is_other_form);
        }
        let is_right = match nonce.accepted {
            Accepted::No => false,
            // The password may have been changed meanwhile: once it is given the benefit of the
            // doubt.
            Accepted::Before => !exchange.replaced,
            Accepted::Now => true,
        };
        let is_other_nonce = challenge.nonce() != *nonce.nonce();
        let is_stale = is_other_nonce && challenge.is_stale();
        if !(is_stale || is_other_form || (is_other_nonce && is_right)) {
            nonce.replace(challenge, false);
            return Verdict::Wrong;
        }
        // A secret that was accepted keeps the benefit of the doubt, because anyone may have made the
        // nonce that it was refused with. Not in this exchange, which has replaced one.
        nonce.replace(challenge, true);
        match mem::replace(&mut exchange.replaced, true) {
            true => Verdict::StaleAgain,
            false => Verdict::Retry,
        }
    }

    /// What the refusal of a nonce means that was replaced since.
    fn judge_late(
        nonce: &mut NonceState,
        sent: &Sent,
        challenge: &Challenge<'_>,
        is_other_form: bool,
    ) -> Verdict {
        let is_other_nonce = challenge.nonce() != *sent.nonce.as_bytes();
        let is_stale = is_other_nonce && challenge.is_stale();
        let is_wrong = nonce.accepted == Accepted::No && !is_stale && !is_other_form;
        // The newest challenge wins, except with a nonce that has just been refused.
        if is_other_nonce {
            nonce.replace(challenge, !is_wrong);
        }
        match is_wrong {
            true => Verdict::Wrong,
            false => Verdict::Retry,
        }
    }

    /// Takes a response that does not ask for credentials.
    pub(super) fn on_response(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        info: &AuthenticationInfo<'_>,
        proof: Result<ServerProof, ServerProofError>,
    ) {
        match proof {
            _ if exchange.answer.is_none() => {}
            Ok(proof) if proof == ServerProof::Valid || tells_acceptance(status) => {
                self.on_acceptance(exchange, info, proof);
            }
            _ => self.on_doubt(exchange),
        }
    }

    /// The answer of an exchange was accepted, and this was said with it.
    fn on_acceptance(
        &mut self,
        exchange: &mut Exchange,
        info: &AuthenticationInfo<'_>,
        proof: ServerProof,
    ) {
        exchange.refused = 0;
        exchange.unanswered = 0;
        exchange.replaced = false;
        exchange.closed = false;
        let (strength, is_proven) = (exchange.strength(), proof == ServerProof::Valid);
        // Whatever was chosen or forgotten since.
        if let Some(sent) = &exchange.sent {
            let realm = sent.realm.as_bytes();
            self.strengths.accept(realm, strength, is_proven);
        }
        for space in self.spaces.iter_mut() {
            // What was refused meanwhile is right after all.
            if space.refused.has_sent(exchange) {
                space.refused.take_back(exchange);
            }
            // The answer of another login says nothing of this one.
            if let Scheme::Digest {
                nonce,
                login: Some(login),
            } = &mut space.scheme
                && let Some(sent) = &exchange.sent
                && sent.ha1 == login.ha1
            {
                space.refused.take_back(exchange);
                if sent.nonce.as_bytes() != nonce.nonce() || !nonce.is_at_hand {
                    // One that has moved on has no use for the next nonce of an old one.
                    nonce.accepted = nonce.accepted.max(Accepted::Before);
                    continue;
                }
                nonce.accepted = Accepted::Now;
                if let Some(next) = info.nextnonce() {
                    nonce.renew(next);
                }
            } else if let Scheme::Basic {
                realm,
                login: Some(login),
            } = &space.scheme
                && exchange.answer.as_ref() == Some(&login.value)
            {
                space.refused.take_back(exchange);
                let realm = realm.as_deref().unwrap_or_default();
                self.strengths.accept(realm, strength, false);
            }
        }
    }

    /// Nobody knows whether the answer of an exchange was accepted: the response may come from
    /// something that could not read it. If the nonce was made by someone else for that, another
    /// is needed, so the next request goes without an answer.
    fn on_doubt(&mut self, exchange: &Exchange) {
        let Some(sent) = &exchange.sent else {
            return;
        };
        for space in self.spaces.iter_mut() {
            if let Scheme::Digest { nonce, .. } = &mut space.scheme
                && sent.nonce.as_bytes() == nonce.nonce()
            {
                nonce.is_at_hand = false;
            }
        }
    }
}

/// Whether a response with this status tells that the credentials of the request were read and
/// accepted. These do not: 400, 403, 406, 413, 414, 431 and 5xx also come from servers, and from
/// what stands before them, that could not read or did not like a header.
const fn tells_acceptance(status: u16) -> bool {
    !matches!(status, 400 | 403 | 406 | 413 | 414 | 431 | 500..=599)
}
