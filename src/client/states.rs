//! The states of a client, and the rules for retrying and giving up.
//!
//! An *answer* is the `Authorization` or `Proxy-Authorization` value that a client sends, and a
//! *refusal* a challenge that comes back for it.
//!
//! A client keeps one protection space per realm whose challenge it chose, up to eight. For a
//! ninth, the least recently used space without a login is evicted; if all have a login, the least
//! recently used of all. [Preemptive Basic credentials] are kept in a space without a realm. The
//! first challenge chosen gives the space its realm if it is Basic, and removes it if it is Digest.
//! Once the preemptive credentials are dropped, the space covers only what was challenged.
//!
//! A space is `Chosen` (its challenge is chosen, but there is no login) or `Ready` (there is a
//! login). An exchange keeps its last answer even if the space changes in the meantime. The methods
//! of the client do this:
//!
//! | the space | [`challenged`] | [`login`] | [`authorize`] | [`completed`] |
//! |---|---|---|---|---|
//! | does not exist | becomes `Chosen`: [`Next::Login`] | [`Superseded`] | `None` | checks the proof if the request carried a Digest answer, and records the [strength] if the answer was accepted |
//! | is `Chosen` | see below | becomes `Ready`, or [`AlreadyRefused`] | `None` | as above; an answer that [shows that its secret is right](Client::completed) ends the refusal of the secret, another response may put the nonce *in doubt* |
//! | is `Ready` | see below | with the same name and secret: keeps the nonce; with others: replaces the login and makes the nonce unusable; or [`AlreadyRefused`] | an answer, which has the next nonce count if there is a qop; `None`, for example, while the nonce is *unusable* | as above; an accepted answer may also bring the next nonce |
//!
//! Which responses put the nonce in doubt is in the table at [`completed`] and [below](#giving-up).
//! A nonce is unusable while it is in doubt, once [`authorize`] failed because all its counts were
//! used, and when it belonged to another login.
//!
//! How the space is found:
//!
//! - for [`challenged`], by the challenge's realm; among challenges of several realms, a realm with
//!   a login is preferred;
//! - for [`login`], by the [`Ask`];
//! - for [`authorize`], the space that challenged this exchange since its last accepted answer, or
//!   else the one with the longest path that covers the request-target; among equals one with a
//!   login, then the one whose last challenged path shares the longest folder prefix with it, then
//!   the one used last;
//! - for [`completed`], by the answer.
//!
//! If the space of a challenge covers the request-target, the other spaces lose longer paths that
//! cover it, because the server has just named the realm of that target.
//!
//! A challenge with another scheme or hash function than its space, or one without qop (RFC 2069)
//! after one with qop, replaces the space: its login is forgotten, and earlier asks are
//! [`Superseded`]. So a challenge that is weaker in one of these ways is never answered with the
//! stored secret. With [`with_latin1`], a change of charset drops a login that is not ASCII, and
//! earlier asks stay valid.
//!
//! # Answers sent before the server asks
//!
//! Within a space that is `Ready`, [`authorize`] usually returns an answer before the exchange is
//! challenged. If a challenge of the same realm comes back, the tables below apply. If another
//! realm challenges while the client still has the space, the client had guessed the realm wrongly:
//! the first such refusal of an exchange does not count towards [`GiveUp::TooManyAnswers`], the
//! login is kept, and the tables apply to the other realm's space. Preemptive Basic credentials
//! have no realm before the first challenge, so a first challenge to a request that carried them
//! always counts as a refusal.
//!
//! # A challenge to a space that is `Chosen`
//!
//! The challenge replaces the previous one. The first matching row applies.
//!
//! | the request carried | result |
//! |---|---|
//! | anything, if this challenge has just dropped the login because of its charset | [`Next::Login`] |
//! | an answer with a secret that was refused there, of which the client remembers four | [`GiveUp::WrongCredentials`], for each exchange that sent it |
//! | no answer, or another one | [`Next::Login`] |
//!
//! # A challenge to a space that is `Ready`
//!
//! The first matching row applies. The *current* nonce is the one that the next answer would use;
//! an *earlier* one has been replaced since the answer was made with it. The *same* and *another*
//! nonce are compared with the one in the answer. *Other parameters* means that the challenge does
//! not offer the algorithm or the qop that the answer used, offers a qop where the answer had none,
//! or no `userhash` where the answer hashed the name. Each exchange forgives one refusal for other
//! parameters, or of the current nonce for another nonce. *First* means that the exchange has not
//! forgiven one yet, *second* that it has. *Shared* means that another request has used the nonce,
//! too, since the client got it: that may have arrived first, and some servers refuse lower counts
//! then, or any second use. A secret *was accepted* if an acceptance has [shown that it is
//! right](Client::completed). In an exchange that has not forgiven a refusal yet, any other
//! acceptance counts, too.
//!
//! | the request carried | the challenge has | result |
//! |---|---|---|
//! | no answer | | [`Next::Retry`] with this challenge |
//! | an answer of another login | | [`Next::Retry`] with this challenge |
//! | an earlier nonce, with a secret that was accepted | another nonce | [`Next::Retry`] with this challenge: the refusal is late |
//! | an earlier nonce, with a secret that was accepted | the same nonce | [`Next::Retry`] with the current nonce, or with this challenge while the current nonce is unusable |
//! | an earlier nonce | `stale` and another nonce | [`Next::Retry`] with this challenge |
//! | an earlier nonce, first | other parameters and another nonce | [`Next::Retry`] with this challenge |
//! | an earlier nonce, first | other parameters and the same nonce | as for a secret that was accepted |
//! | the current nonce, first | other parameters | [`Next::Retry`] with this challenge: the parameters were refused, not the secret |
//! | the current nonce | the same nonce | becomes `Chosen`: [`GiveUp::WrongCredentials`] |
//! | the current nonce, first | `stale` and another nonce | [`Next::Retry`] with this challenge |
//! | the current nonce, first, with a secret that was accepted | another nonce without `stale` | [`Next::Retry`] with this challenge: the server forgot to say `stale`, or the challenge is forged |
//! | the current nonce, shared | `stale` and another nonce | [`Next::Retry`] with this challenge |
//! | the current nonce, shared, with a secret that was accepted | another nonce without `stale` | [`Next::Retry`] with this challenge |
//! | the current nonce, second | `stale` and another nonce | [`GiveUp::StaleAgain`]; the new nonce is kept for the next exchange |
//! | any nonce | anything else | becomes `Chosen`: [`GiveUp::WrongCredentials`] |
//! | the current Basic credentials | | becomes `Chosen`: [`GiveUp::WrongCredentials`] |
//!
//! Once accepted, a secret counts as accepted until the space drops or replaces its login. Still,
//! it may have been changed at the server, and an exchange may end before that can be told. So the
//! space counts the refusals without `stale` that the rows above answer with [`Next::Retry`]: of an
//! accepted secret, or for other parameters. The fourth of a nonce that no other request has used
//! makes the space `Chosen`, with [`GiveUp::WrongCredentials`]; two others count as one, because
//! their nonces may have been used up. Answers that were made before the last refusal or acceptance
//! that counted do not count, because one event, such as a restart of the server, can refuse all
//! requests in flight. The count starts again when an acceptance shows that the secret is right, or
//! is for the method and request-target that was refused last. A server that refuses right answers
//! without saying `stale` can cause this, too: because they overtook each other, or because their
//! nonces expired, if the program never sends a refused request again.
//!
//! The client keeps the counts of the 17 nonces used last, for all logins together. So no count is
//! sent twice when a server returns to one of these nonces.
//!
//! # Refused secrets
//!
//! Anyone on a cleartext channel can forge a refusal, so a refused secret is not banned forever. A
//! space remembers the last four, until they are accepted. Given one of these, [`login`] returns
//! [`AlreadyRefused`] for the ask of [`GiveUp::WrongCredentials`] and for asks older than the
//! refusal. Every later [`Next::Login`] counts: after the n-th refusal of a secret, the 2ⁿ⁻¹-th of
//! them (at most the 64th) may use it again. So the first forged refusal costs one request, and a
//! program that keeps using a wrong password sends it about twenty times in a thousand requests
//! (and several times as often if the server refuses it for other parameters, or if it was accepted
//! where nobody had asked for it).
//!
//! There are exceptions. A space that is replaced or evicted forgets what was refused: servers that
//! change their algorithm, scheme or (with [`with_rfc2069`]) qop by turns, more than eight realms
//! in turn, or an [`AuthCache`](super::AuthCache) that is too small can have a wrong password sent
//! twice by each request. So can a server that says `stale` each time, and up to ten times if
//! several requests are in flight. So can a server that refuses without a challenge that can be
//! used, or in the name of another realm than the one it asks for, and, with [`with_latin1`] and a
//! name or password that is not ASCII, one that changes its charset by turns. The exchanges may end
//! with [`GiveUp::TooManyAnswers`], [`GiveUp::StaleAgain`] or [`GiveUp::NoUsableChallenge`] then,
//! so a program that must not lock an account stops at these, too, if they come repeatedly.
//!
//! With several requests in flight, each usually sends a wrong password once and gets
//! [`GiveUp::WrongCredentials`], unless another login was made before its challenge came; so the
//! numbers above are multiplied by the number of requests in flight. A changed password is sent two
//! to four times by each of them, at most eight: several exchanges get [`GiveUp::TooManyAnswers`]
//! before one gets [`GiveUp::WrongCredentials`].
//!
//! Responses that show that a secret is right can come from other servers of the endpoint, too.
//! Whoever sends these beside the refusals keeps a changed password, or a wrong one, from being
//! recorded.
//!
//! # Giving up
//!
//! - [`GiveUp::TooManyAnswers`] when the server has refused as many answers of the exchange as
//!   [`with_max_answers`] allows, and no row above gives up. After the first refusal of an
//!   exchange, those of an earlier nonce or a shared one do not count, because other requests may
//!   be the reason: up to eight if they say `stale`, and up to two (with these included) if an
//!   answer with the same secret was accepted since the refused one was made.
//! - [`GiveUp::NeverAnswered`] when the server has challenged nine requests of the exchange that
//!   carried no answer, and no row above gives up. An accepted answer sets these numbers to zero,
//!   and the exchange may forgive again.
//! - [`GiveUp::NoUsableChallenge`] when no challenge can be used. The exchange stays open, and the
//!   login is kept: the response may come from an application behind the server, or be about
//!   another scheme. The second such response in a row to answers with a nonce puts the nonce in
//!   doubt, because it may be used up; the next request then goes without an answer, so check
//!   [`readiness`](Client::readiness) before one that cannot be sent again. (With
//!   [`challenged_by`](Client::challenged_by), which may have been given the challenges of one
//!   realm only, nothing changes.)
//!
//! After any other [`GiveUp`], an exchange gets no more answers. A challenge that comes all the
//! same gives up again, with [`GiveUp::TooManyAnswers`] if nothing else above applies. With these
//! limits, every retry loop ends.
//!
//! [`challenged`]: Client::challenged
//! [`login`]: Client::login
//! [`authorize`]: Client::authorize
//! [`completed`]: Client::completed
//! [`with_latin1`]: super::Policy::with_latin1
//! [`with_max_answers`]: super::Policy::with_max_answers
//! [`with_rfc2069`]: super::Policy::with_rfc2069
//! [`Ask`]: super::Ask
//! [`Superseded`]: super::LoginError::Superseded
//! [`AlreadyRefused`]: super::LoginError::AlreadyRefused
//! [strength]: super::Strength
//! [Preemptive Basic credentials]: Client::with_preemptive_basic

use alloc::boxed::Box;
use core::mem;

use crate::client::client::Client;
use crate::client::counts::Counts;
use crate::client::exchange::{Exchange, MAX_CONTENDED, MAX_CONTENDED_DOUBTFUL};
use crate::client::login::Login;
use crate::client::next::{GiveUp, Next};
use crate::client::nonce::{Accepted, NonceState};
use crate::client::paths::OwnTarget;
use crate::client::proof::{ServerProof, ServerProofError};
use crate::client::selector::Candidate;
use crate::client::sent::Sent;
use crate::client::skip_reason::SkipReason;
use crate::client::space::{ProtectionSpace, Scheme};
use crate::digest::Challenge;
use crate::header::AuthenticationInfo;

/// What a refused answer says about the secret of a login.
#[derive(Clone, Copy)]
enum Verdict {
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
                    Some(Self::judge_answer(
                        nonce, login, challenge, exchange, counts,
                    ))
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
        let verdict = match (verdict, &exchange.sent) {
            (Some(Verdict::Doubtful { .. }), Some(sent))
                if space.doubts.add(exchange, sent.is_shared(&self.counts)) =>
            {
                Some(Verdict::Wrong)
            }
            (verdict, _) => verdict,
        };
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

    /// Judges the answer, if any, that a Digest challenge refuses, and takes the challenge's nonce,
    /// unless the answer used that nonce and a usable one has replaced it.
    fn judge_answer(
        nonce: &mut NonceState,
        login: &Login,
        challenge: &Challenge<'_>,
        exchange: &mut Exchange,
        counts: &Counts,
    ) -> Verdict {
        // The refusal of another login's answer says nothing about this one.
        let sent = exchange.sent.as_ref().filter(|sent| sent.ha1 == login.ha1);
        let Some(sent) = sent else {
            // Take the newest challenge, because the current nonce may be old or unreadable.
            nonce.replace(challenge);
            return Verdict::MayBeRight;
        };
        // Servers usually check the parameters first, so refused parameters say nothing about the
        // secret. This is forgiven once per exchange.
        let forgives_params = !exchange.has_forgiven && !sent.is_offered_by(challenge);
        let is_late = sent.nonce.as_bytes() != nonce.nonce();
        let may_be_others = is_late || sent.is_shared(counts);
        // An accepted password may have been changed since, so this is forgiven once per exchange,
        // unless other requests may be the reason.
        let forgives_secret = match nonce.accepted {
            Accepted::No => false,
            Accepted::Unasked => !exchange.has_forgiven,
            Accepted::Yes => !exchange.has_forgiven || may_be_others,
        };
        let refused_params = Verdict::Doubtful {
            is_contended: false,
        };
        let doubtful = Verdict::Doubtful {
            is_contended: may_be_others && nonce.has_accepted_since(sent.acceptances),
        };
        if is_late {
            let is_unasked = nonce.accepted == Accepted::Unasked;
            let verdict = match Self::judge_late_answer(nonce, sent, challenge) {
                Some(verdict) => verdict,
                None if forgives_params => refused_params,
                None if forgives_secret => doubtful,
                None => Verdict::Wrong,
            };
            let is_doubtful = matches!(verdict, Verdict::Doubtful { .. });
            exchange.has_forgiven |= forgives_params || (is_unasked && is_doubtful);
            return verdict;
        }
        let is_other_nonce = challenge.nonce() != *nonce.nonce();
        let is_stale = is_other_nonce && challenge.is_stale();
        if !(is_stale || forgives_params || (is_other_nonce && forgives_secret)) {
            nonce.replace(challenge);
            return Verdict::Wrong;
        }
        // An accepted secret stays so, because the refused nonce may have been forged. The same
        // exchange does not forgive a second refusal, unless other requests may be the reason.
        nonce.replace(challenge);
        let has_forgiven = mem::replace(&mut exchange.has_forgiven, true);
        match has_forgiven {
            _ if may_be_others && is_stale => Verdict::Contended,
            true if is_stale => Verdict::StaleAgain,
            false if is_stale => Verdict::MayBeRight,
            false if forgives_params => refused_params,
            _ => doubtful,
        }
    }

    /// Takes the nonce of a challenge that refuses an answer whose nonce was replaced before.
    /// Returns the verdict if the server says `stale`.
    fn judge_late_answer(
        nonce: &mut NonceState,
        sent: &Sent,
        challenge: &Challenge<'_>,
    ) -> Option<Verdict> {
        let is_other_nonce = challenge.nonce() != *sent.nonce.as_bytes();
        // Take the newest challenge, unless it repeats the refused nonce and the current one can be
        // used.
        if is_other_nonce || !nonce.is_usable {
            nonce.replace(challenge);
        }
        (is_other_nonce && challenge.is_stale()).then_some(Verdict::Contended)
    }

    /// Processes a response without a challenge.
    pub(super) fn on_response(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        info: &AuthenticationInfo<'_>,
        proof: Result<ServerProof, ServerProofError>,
    ) {
        match (proof, meaning(status)) {
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
        space.doubts.settle(exchange, is_secret_right);
        match &mut space.scheme {
            Scheme::Basic { realm, .. } => {
                let realm = realm.as_deref().unwrap_or_default();
                self.strengths.accept(realm, strength, false);
            }
            Scheme::Digest { nonce, .. } => {
                nonce.record_acceptance(is_secret_right);
                let sent = exchange.sent.as_ref();
                let is_current = sent.is_some_and(|sent| sent.nonce.as_bytes() == nonce.nonce());
                // Ignore a nextnonce that follows an earlier nonce or an unusable one.
                if is_current
                    && nonce.is_usable
                    && let Some(next) = info.nextnonce()
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

/// What the status of a response says about the credentials of the request.
enum Meaning {
    /// They were read and accepted.
    Accepted,
    /// They were probably not looked at, whatever they were.
    Unread,
    /// The server or an intermediary may have failed to read them, because of the nonce.
    Doubtful,
}

const fn meaning(status: u16) -> Meaning {
    match status {
        // From limits of time and of requests, from servers that want another connection, and from
        // captive portals (511).
        408 | 421 | 425 | 426 | 429 | 511 => Meaning::Unread,
        // The header could not be parsed (400), a filter refused its contents (403, 406) or a limit
        // its size (413, 414, 431), reading it failed, or the server behind could not be reached. The
        // last two are not registered, so RFC 9110, section 15, has them read as 500. CDNs use some
        // of them in place of 502.
        400 | 403 | 406 | 413 | 414 | 431 | 500 | 502..=504 | 509 | 512..=599 => Meaning::Doubtful,
        // Including the statuses of 4xx that are not registered for HTTP, which RFC 9110 has read as
        // 400: SIP and RTSP use them for what happens after the check of the credentials, such as
        // 486 (Busy Here).
        _ => Meaning::Accepted,
    }
}
