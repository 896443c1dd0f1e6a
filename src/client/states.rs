//! All states of a client, and the rules for retrying and giving up.
//!
//! A client keeps one protection space per realm that challenged it, up to eight. For a ninth, the
//! least recently used space without a login is evicted; if all have one, the least recently used.
//! A space is in one of two states, and each exchange keeps what it sent:
//!
//! | the space | [`challenged`] | [`login`] | [`authorize`] | [`completed`] |
//! |---|---|---|---|---|
//! | does not exist | becomes `Chosen`: [`Next::Login`] | [`Superseded`] | `None` | nothing to check |
//! | is `Chosen` | see below | becomes `Ready`, or [`AlreadyRefused`] | `None` | nothing to check, except for a secret that was refused meanwhile: if it is accepted now, the refusal is forgotten |
//! | is `Ready` | see below | same name and secret: keeps the nonce; others: drops it | an answer, with the next count; `None` outside the protection space, below the required [strength], or while the nonce is in doubt | checks the proof; takes the next nonce; or puts the nonce in doubt, as its table says |
//!
//! Which space is meant:
//!
//! - for [`challenged`], the space of the challenge's realm; among challenges of several realms,
//!   one that is logged in to first;
//! - for [`login`], the space of the [`Ask`];
//! - for [`authorize`], the space that challenged this exchange, or else the one with the longest
//!   path that covers the request-target; among equals one that is logged in to, then the one that
//!   was challenged nearest to it, then the one used last;
//! - for [`completed`], the space of the answer.
//!
//! A challenge with another scheme or hash function than its space, or one without qop (RFC 2069)
//! after one with qop, replaces the space: logins there are forgotten, and earlier asks are
//! [`Superseded`]. So an attacker who weakens a challenge gets another prompt, not an answer made
//! with the stored secret. With [`with_latin1`], a change of charset drops a login that is not
//! ASCII, and earlier asks stay valid.
//!
//! # A challenge to a space that is `Chosen`
//!
//! The challenge replaces the previous one.
//!
//! | the request carried | result |
//! |---|---|
//! | an answer with one of the last four secrets that were refused there | [`GiveUp::WrongCredentials`], for each exchange that sent it |
//! | no answer, or another one | [`Next::Login`] |
//!
//! # A challenge to a space that is `Ready`
//!
//! The first matching row applies. The *present* nonce is the one that the next answer would use.
//! *Another form* means that the challenge offers another algorithm or qop than the answer used, or
//! no `userhash` where the answer hashed the name. Both it and a changed nonce are believed once
//! per exchange: *first* and *second* count the present nonces that were refused in this exchange.
//!
//! | the request carried | the challenge has | result |
//! |---|---|---|
//! | no answer, or an answer of another login or realm; or the nonce is in doubt | | [`Next::Retry`] with this challenge, because the server may not be able to read the present nonce |
//! | an earlier nonce, with a secret that was accepted | another nonce | [`Next::Retry`] with this challenge: the refusal is late, and says nothing about the secret |
//! | an earlier nonce, with a secret that was accepted | the same nonce | [`Next::Retry`] with the present nonce |
//! | an earlier nonce | `stale` and another nonce, or another form (first) | [`Next::Retry`] with this challenge; with the present nonce, if the challenge repeats the refused one |
//! | the present nonce | another form (first) | [`Next::Retry`] with this challenge: the form was refused, not the secret |
//! | the present nonce | the same nonce | becomes `Chosen`: [`GiveUp::WrongCredentials`] |
//! | the present nonce, first | `stale` and another nonce | [`Next::Retry`] with this challenge |
//! | the present nonce, first, with a secret that was accepted | another nonce | [`Next::Retry`] with this challenge: the server forgot to say `stale`, or the challenge is forged |
//! | the present nonce, second | `stale` and another nonce, or just another nonce if the present one was accepted | [`GiveUp::StaleAgain`]; the new nonce is kept for the next exchange |
//! | any nonce, otherwise | | becomes `Chosen`: [`GiveUp::WrongCredentials`] |
//! | the present Basic credentials | | becomes `Chosen`: [`GiveUp::WrongCredentials`] |
//!
//! A secret counts as accepted until an answer made with it is refused for good. That and the
//! counts outlast the nonce, so no count is sent twice when a server returns to an earlier nonce.
//!
//! # Refused secrets
//!
//! Anyone on a cleartext channel can forge a refusal, so a refused secret is not banned forever.
//! [`login`] returns [`AlreadyRefused`] for the ask of [`GiveUp::WrongCredentials`] and for asks
//! older than the refusal. A later [`Next::Login`], which follows a challenge to a request without
//! an answer, may use the secret again: the first such ask after the first refusal, the second
//! after the second refusal, then the fourth, the eighth, and so on up to the 64th. So a forged
//! refusal costs one request, and a program that keeps using a wrong password sends it about twenty
//! times in a thousand requests.
//!
//! With several requests under way, a wrong password is sent once by each, and each exchange learns
//! that it is wrong.
//!
//! # Giving up
//!
//! - [`GiveUp::TooManyAnswers`] when the server has refused as many answers of the exchange as
//!   [`with_max_answers`] allows. An answer that was sent before the server asked, and that another
//!   realm refuses, does not count.
//! - [`GiveUp::NeverAnswered`] when the server challenges a ninth request of the exchange that
//!   carried no answer.
//! - [`GiveUp::NoUsableChallenge`] when no challenge can be used. It changes nothing, and the
//!   exchange stays open.
//!
//! An exchange that was given up gets no more answers. So every loop ends.
//!
//! [`challenged`]: Client::challenged
//! [`login`]: Client::login
//! [`authorize`]: Client::authorize
//! [`completed`]: Client::completed
//! [`with_latin1`]: super::Policy::with_latin1
//! [`with_max_answers`]: super::Policy::with_max_answers
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

/// The most challenges in one exchange to requests without an answer. Enough for a task that waits
/// while others log in.
const MAX_UNANSWERED: u8 = 8;

/// What a refused answer says about a login.
enum Verdict {
    /// The secret may still be right.
    Retry,
    Wrong,
    StaleAgain,
}

impl Client {
    /// Processes the chosen challenge.
    pub(super) fn on_challenge(&mut self, choice: &Choice<'_>, exchange: &mut Exchange) -> Next {
        // Credentials sent before the server asks are a guess; another realm refuses them
        // whatever the secret is.
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

    /// Applies a challenge to its space.
    fn judge(&mut self, choice: &Choice<'_>, exchange: &mut Exchange) -> Next {
        let Some((space, is_new)) = self.spaces.of(choice, &mut self.last_id) else {
            return Next::Retry;
        };
        space.learn(choice, exchange, &self.endpoint);
        exchange.asked = Some(space.id);
        // A login that is not ASCII is encoded for one charset.
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
            // `Spaces::of` returned a space of the challenge's scheme.
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

    /// Applies a Digest challenge to a login.
    fn judge_digest(
        nonce: &mut NonceState,
        login: &Login,
        challenge: &Challenge<'_>,
        exchange: &mut Exchange,
    ) -> Verdict {
        // The refusal of another user's answer says nothing about this login.
        let sent = exchange.sent.as_ref().filter(|sent| sent.ha1 == login.ha1);
        // The newest challenge wins, because the server may not be able to read the present nonce.
        let Some(sent) = sent.filter(|_| nonce.is_usable) else {
            nonce.replace(challenge, true);
            return Verdict::Retry;
        };
        // Servers check the form before the response, so a refused form says nothing about the
        // secret. This is believed once per exchange.
        let is_other_form = !exchange.replaced && !sent.is_offered_by(challenge);
        if sent.nonce.as_bytes() != nonce.nonce() {
            return Self::judge_late(nonce, sent, challenge, is_other_form);
        }
        let is_right = match nonce.accepted {
            Accepted::No => false,
            // The password may have been changed since, so this is believed once per exchange.
            Accepted::Before => !exchange.replaced,
            Accepted::Now => true,
        };
        let is_other_nonce = challenge.nonce() != *nonce.nonce();
        let is_stale = is_other_nonce && challenge.is_stale();
        if !(is_stale || is_other_form || (is_other_nonce && is_right)) {
            nonce.replace(challenge, false);
            return Verdict::Wrong;
        }
        // The secret stays accepted, because the refused nonce may have been forged. A second nonce
        // in the same exchange is not believed.
        nonce.replace(challenge, true);
        match mem::replace(&mut exchange.replaced, true) {
            true => Verdict::StaleAgain,
            false => Verdict::Retry,
        }
    }

    /// Applies a challenge that refuses a nonce which was replaced in the meantime.
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

    /// Processes a response without a challenge.
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

    /// Records that the answer of an exchange was accepted.
    fn on_acceptance(
        &mut self,
        exchange: &mut Exchange,
        info: &AuthenticationInfo<'_>,
        proof: ServerProof,
    ) {
        exchange.refused = 0;
        exchange.unanswered = 0;
        exchange.replaced = false;
        let (strength, is_proven) = (exchange.strength(), proof == ServerProof::Valid);
        // Even if the space was replaced or forgotten since.
        if let Some(sent) = &exchange.sent {
            let realm = sent.realm.as_bytes();
            self.strengths.accept(realm, strength, is_proven);
        }
        for space in self.spaces.iter_mut() {
            // The secret was refused in the meantime, but is right after all.
            if space.refused.has_sent(exchange) {
                space.refused.take_back(exchange);
            }
            // The answer of another login says nothing about this one.
            if let Scheme::Digest {
                nonce,
                login: Some(login),
            } = &mut space.scheme
                && let Some(sent) = &exchange.sent
                && sent.ha1 == login.ha1
            {
                space.refused.take_back(exchange);
                if sent.nonce.as_bytes() != nonce.nonce() || !nonce.is_usable {
                    // The present nonce is newer, so ignore the next nonce of an old one.
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

    /// Puts the nonce of an exchange in doubt. The response may come from a server or intermediary
    /// that could not read the answer, and an attacker may have chosen the nonce to cause that. So
    /// the next request goes without an answer and gets another nonce.
    fn on_doubt(&mut self, exchange: &Exchange) {
        let Some(sent) = &exchange.sent else {
            return;
        };
        for space in self.spaces.iter_mut() {
            if let Scheme::Digest { nonce, .. } = &mut space.scheme
                && sent.nonce.as_bytes() == nonce.nonce()
            {
                nonce.is_usable = false;
            }
        }
    }
}

/// Returns whether a response with this status shows that the credentials were read and accepted.
/// The statuses listed here also come from servers and intermediaries that could not read a header
/// or refuse its contents.
const fn tells_acceptance(status: u16) -> bool {
    !matches!(status, 400 | 403 | 406 | 413 | 414 | 431 | 500 | 502..=504)
}
