//! The rules of a client: when it answers, retries and gives up.
//!
//! An *answer* is the `Authorization` value of a request, and a *refusal* a challenge that comes
//! back for it. The server *asks* for an answer by a challenge. A client also *volunteers* answers,
//! in requests that nobody has challenged yet, to save a round trip.
//!
//! A volunteered answer shares its nonce with other requests, so it may be refused because another
//! request used the nonce, or because the server has forgotten it. An answer that was asked for has
//! the nonce of the challenge that it follows. So there is one idea:
//!
//! > **A refusal decides about the secret only if the answer was asked for, and no answer with the
//! > secret was accepted since it was made. Any other refusal is a challenge like any other.**
//!
//! # What is kept
//!
//! - For each realm a *space*: scheme, hash function, the paths it covers (for Digest those of `domain`
//!   and all below them, without it all; for Basic the folder of each challenged path, which is the
//!   path up to its last `/`; at a proxy all), the paths that were challenged, the login (or none), the
//!   secret that was refused last, and for Digest the nonce *at hand*, to volunteer with (or none). Of
//!   either paths at most 64 are kept, in 8 KiB. A path with a malformed or double escape, a backslash,
//!   a control character, a segment `.` or `..`, or that is no UTF-8, is covered only where all are. Of
//!   nine realms, the one used longest ago goes, and before it those without a login. A challenge of
//!   another scheme or hash function, or without qop after one with it, makes the space anew: its login
//!   is forgotten, and earlier asks are [`Superseded`].
//! - For each exchange, the challenge that it has to answer, from when the server asks until an
//!   answer is accepted, or the request-target changes.
//! - The counts of the 17 nonces sent or accepted last, so that none of theirs is sent twice (an older
//!   nonce starts again at 1), and of eight realms the [`Strength`] that each has proved.
//!
//! # A request
//!
//! answers the challenge of its exchange if there is one (`answer.rs`). Else, if a space with a login
//! (for Digest, and a nonce at hand) covers its target, it volunteers an answer (unless
//! [`Quirk::OnlyWhenAsked`]). Else it goes without. If several spaces cover the target,
//! `Spaces::covering` (`space.rs`) leaves out those with a login for Digest and no nonce at hand. Of the
//! others it takes the one with the longest covering path; then one with a login; then the one with the
//! nearest challenged path (the path that shares the most whole segments with the target, and of several
//! such paths the shortest); then the one used last. If that space has no login, or its login is weaker
//! than what the realm has proved, the request goes without. So realms that take turns ask once for each
//! folder that is theirs alone, and for each page elsewhere, up to 64. Preemptive Basic logs in for a
//! space that covers all, before the server asks.
//!
//! An answer that cannot be made, because it would be too long or has to cover a body that was not
//! passed, is an error if the server asked for it. Otherwise the request goes without, except that a
//! [`Deferred`](crate::EntityBody::Deferred) body is asked for.
//!
//! # A challenge
//!
//! that is weaker than what its realm has accepted with a valid proof is left out, and so is one that
//! the policy or all accounts exclude ([`SkipReason`], `selector.rs`); if none is left: *Another
//! response*. Of the others the client chooses one of a realm with a login, then the strongest (although
//! RFC 7616, section 3.7, recommends the server's order) by [`Strength`] and then by hash function, then
//! one that offers `auth-int` if the policy prefers that, then the server's first; its exchange has to
//! answer this one from now on. The first row that matches says about the secret of the request
//! (`about_secret`):
//!
//! | | the request carried | its secret |
//! |---|---|---|
//! | 1 | no answer, or one of another login: another realm's, or from before the space was made anew | nothing |
//! | 2 | Basic | wrong |
//! | 3 | an answer, and the challenge says `stale` and has another nonce | nothing |
//! | 4 | an answer, and another with the secret was accepted after it was made | nothing |
//! | 5 | an answer that was asked for, or whose nonce comes back | wrong |
//! | 6 | a volunteered answer with count 1, where the space never had one accepted | wrong |
//! | 7 | a volunteered answer with the nonce at hand | a doubt; the fourth in a row: wrong |
//! | 8 | another volunteered answer | nothing |
//!
//! Then, in this order (`refuse`, `log_in`):
//!
//! 1. If the secret is wrong, the login is dropped, and the secret has to wait (below).
//! 2. If the request carried the secret that was refused last, here or in another request, and nobody
//!    has logged in since: [`GiveUp::WrongCredentials`]. It carries an [`Ask`] for the realm: log in
//!    with it, and start a new exchange.
//! 3. At the third refusal of the exchange ([`with_max_answers`]): [`GiveUp::TooManyAnswers`]. At the
//!    ninth challenge to requests without an answer, or with one that was volunteered for another
//!    login: [`GiveUp::NeverAnswered`]. An accepted answer starts both counts again. After a give-up
//!    other than `NoUsableChallenge`, the exchange carries no answer any more, and another challenge
//!    is `TooManyAnswers`.
//! 4. If the space has a login: [`Next::Retry`].
//! 5. If the client has no accounts: [`Next::Login`]. Else its [`Account`] for the realm logs in:
//!    [`Next::Retry`]; or, while the secret has to wait, [`GiveUp::WrongCredentials`].
//!
//! A nonce that was refused is at hand no more, and neither is one whose login is replaced. Whenever no
//! nonce is at hand, or there was no login, the challenge gives its own, for programs that cannot send a
//! request again: they lose one request for each nonce that expires. Rows 6 and 7 are for them, too. A
//! restart of the server refuses all requests in flight, and counts once in row 7, because only the
//! first has the nonce at hand; an accepted answer or a dropped login ends that row. A request-target
//! that may carry no answer is [`GiveUp::ForeignTarget`] at its first challenge. So every loop ends.
//!
//! # Another response
//!
//! *accepts* the answer if it has a valid proof, or by any final status but 400, 403, 406, 408, 413,
//! 414, 421, 425, 426, 429, 431 and 5xx. Then the nonce of the exchange's challenge is at hand
//! from now on, or the `nextnonce` of a response to the nonce at hand.
//!
//! **A response that neither accepts nor challenges the answer says nothing once. From the second in a
//! row of its space on, each takes the nonce of its answer out of hand; an accepted answer ends the row,
//! a new login does not.** Such are the statuses above, a wrong proof (unless
//! [`Quirk::IgnoreWrongProof`]), no proof where the policy requires one, a challenge of another realm,
//! and a 401 (407 from a proxy) without a challenge to answer, which is [`GiveUp::NoUsableChallenge`].
//! From the fourth in a row on, a 401 without a challenge to answer says that the secret is wrong (steps
//! 1 and 2), also by Basic, and volunteered or asked for. A 1xx, and a 407 for an origin's client,
//! change nothing, but a 101 outside of SIP accepts, and so does a 401 that a proxy passes on to its
//! client. What the program reports to [`refused`](super::Client::refused) goes by the rows.
//!
//! # Refused secrets
//!
//! A wrong secret is remembered until an answer with it is accepted that was asked for, or with a valid
//! proof, or until another is refused (`refused.rs`). It is [`AlreadyRefused`] for the ask of its
//! give-up, and until the server asks again; after the n-th refusal it waits for 2ⁿ⁻¹ - 1 further asks,
//! at most 63. So a program that keeps giving a wrong password sends it in its requests 1, 2, 4, 8, 16,
//! 32 and 64, and then in each 64th; and a forged refusal does not lock a right one out. For a client
//! with accounts, each challenge without a login counts as an ask, and for preemptive Basic that nobody
//! has asked for, each request. The secret is sent more often if the server always says `stale`, changes
//! its scheme, hash function or realm by turns, or accepts other requests meanwhile without a look at
//! it. And if the realm has accepted an answer before, and the program cannot send a request again, row
//! 7 lets the secret be sent up to four times where it is sent once above.
//!
//! [`Quirk::OnlyWhenAsked`]: super::Quirk::OnlyWhenAsked
//! [`Quirk::IgnoreWrongProof`]: super::Quirk::IgnoreWrongProof
//! [`with_max_answers`]: super::Policy::with_max_answers
//! [`Superseded`]: super::LoginError::Superseded
//! [`AlreadyRefused`]: super::LoginError::AlreadyRefused
//! [`SkipReason`]: super::SkipReason
//! [`Strength`]: super::Strength
//! [`Account`]: super::Account
//! [`Ask`]: super::Ask

use alloc::boxed::Box;

use crate::client::account::Accounts;
use crate::client::client::Client;
use crate::client::endpoint::Endpoint;
use crate::client::error::{GiveUp, LoginError, SkipReason};
use crate::client::exchange::{Asked, Exchange, Next, ServerProof};
use crate::client::nonce::Nonce;
use crate::client::policy::Policy;
use crate::client::space::ProtectionSpace;
use crate::client::strength::{Strength, Strengths};
use crate::digest::DigestChallenge;
use crate::header::{AuthenticationInfo, Challenge};
use crate::syntax::Text;

/// The refusals of answers with the nonce at hand (row 7), or the 401s in a row without a challenge
/// to answer, after which a secret counts as wrong.
const MAX_DOUBTS: u8 = 4;

/// What a refusal says about the secret of a space.
enum About {
    Nothing,
    /// One of four.
    Doubt,
    Wrong,
}

/// Rows 1 to 8 of the table above. There is no challenge if the program told of the refusal.
fn about_secret(
    space: &ProtectionSpace,
    exchange: &Exchange,
    challenge: Option<&DigestChallenge<'_>>,
) -> About {
    if !space.has_sent(exchange) {
        return About::Nothing; // Row 1.
    }
    let Some(sent) = &exchange.sent else {
        return About::Wrong; // Row 2.
    };
    let nonce = sent.nonce.nonce();
    let is_same_nonce = challenge.is_some_and(|challenge| challenge.nonce.is(nonce));
    let is_stale = challenge.is_some_and(|challenge| challenge.stale);
    let is_first_ever = space.accepted == 0 && sent.nc == 1;
    let is_at_hand = space.nonce.as_ref().is_some_and(|it| it.nonce() == nonce);
    match () {
        () if is_stale && !is_same_nonce => About::Nothing, // Row 3.
        () if exchange.accepted != space.accepted => About::Nothing, // Row 4.
        () if exchange.asked.is_some() || is_same_nonce => About::Wrong, // Row 5.
        () if is_first_ever => About::Wrong,                // Row 6.
        () if is_at_hand => About::Doubt,                   // Row 7.
        () => About::Nothing,                               // Row 8.
    }
}

/// What follows from the rows for the exchange: the reason to give up, if there is one.
fn refuse(
    space: &mut ProtectionSpace,
    exchange: &mut Exchange,
    challenge: Option<&DigestChallenge<'_>>,
    (policy, endpoint): (&Policy, &Endpoint),
) -> Option<GiveUp> {
    exchange.count_challenge(space.has_sent(exchange));
    match about_secret(space, exchange, challenge) {
        About::Nothing => {}
        About::Doubt if space.doubts + 1 < MAX_DOUBTS => space.doubts += 1,
        About::Doubt | About::Wrong => space.refuse(),
    }
    match space.has_just_refused(exchange) {
        true => Some(GiveUp::WrongCredentials(space.ask(endpoint))),
        false => exchange.reason_to_give_up(policy.max_answers),
    }
}

/// The login that row 1 needs: from an account if there are any, else from the user.
fn log_in(
    space: &mut ProtectionSpace,
    accounts: &Accounts,
    strengths: &Strengths,
    (policy, endpoint): (&Policy, &Endpoint),
) -> Next {
    let ask = space.fresh_ask(endpoint);
    if accounts.is_empty() {
        return Next::Login(ask);
    }
    let account = accounts.of(Text::assume_checked(space.realm()), space.hash, strengths);
    match account.and_then(|account| space.log_in(&ask, account, policy)) {
        Ok(()) => Next::Retry,
        Err(LoginError::AlreadyRefused) => Next::GiveUp(GiveUp::WrongCredentials(ask)),
        Err(error) => {
            let skipped = [SkipReason::Account(error)];
            Next::GiveUp(GiveUp::NoUsableChallenge(skipped.into()))
        }
    }
}

/// Returns whether a final status accepts the answer: a firewall, a proxy or an overloaded server
/// may send the others before anybody looks at it.
const fn is_acceptance(status: u16) -> bool {
    !matches!(
        status,
        400 | 403 | 406 | 408 | 413 | 414 | 421 | 425 | 426 | 429 | 431 | 500..=599
    )
}

impl Client {
    /// Processes the chosen challenge, or the reasons why none can be answered.
    pub(super) fn on_challenge(
        &mut self,
        choice: Result<Challenge<'_>, Box<[SkipReason]>>,
        exchange: &mut Exchange,
    ) -> Next {
        if exchange.is_foreign {
            exchange.closed = true;
            return Next::GiveUp(GiveUp::ForeignTarget);
        }
        let choice = match choice {
            Ok(choice) => choice,
            // The exchange stays open, because the caller may find challenges in another field.
            Err(skipped) => {
                let why = self.on_silence(exchange, true);
                return Next::GiveUp(why.unwrap_or(GiveUp::NoUsableChallenge(skipped)));
            }
        };
        let guess = self.spaces.by_id(exchange.answering_space);
        if guess.is_some_and(|space| !space.is_of_realm(choice.realm())) {
            let _ = self.on_silence(exchange, false);
        }
        let Some(space) = self.spaces.of(&choice, &mut self.last_id) else {
            return Next::Retry; // Impossible: `of` makes a space if there is none.
        };
        let challenge = match &choice {
            Challenge::Digest(challenge) => Some(challenge),
            _ => None,
        };
        if self.is_cached {
            exchange.hold = Some(self.hold.get_or_insert_default().clone());
        }
        let client = (&self.policy, &self.endpoint);
        let why = refuse(space, exchange, challenge, client);
        let nonce = challenge.map(Nonce::of);
        // A later login starts with the latest nonce.
        let is_logged_out = !space.is_ready();
        space.record_paths(&choice, exchange, &self.endpoint);
        self.accounts.end_preemption();
        let next = match why {
            Some(why) => Next::GiveUp(why),
            None if space.is_ready() => Next::Retry,
            None => log_in(space, &self.accounts, &self.strengths, client),
        };
        exchange.close_after(&next);
        space.forget_nonce_of(exchange);
        if space.nonce.is_none() || is_logged_out {
            space.nonce.clone_from(&nonce);
        }
        exchange.asked = Some(Asked {
            space: space.id,
            nonce,
        });
        next
    }

    /// Processes, in place of [`received`](Self::received), a response that refuses the answer by
    /// another status than 401 or 407, as SIP registrars do by 403. Without this call, a wrong
    /// password is sent again with each request.
    ///
    /// Returns [`Next::GiveUp`] if the server refused the secret, [`Next::Retry`] if it may have
    /// refused the nonce, and [`Next::Done`] if the request carried no answer.
    pub fn refused(&mut self, exchange: &mut Exchange) -> Next {
        if exchange.answer.is_none() {
            return Next::Done(ServerProof::Absent);
        }
        let Some(space) = self.spaces.by_id_mut(exchange.answering_space) else {
            return Next::Retry;
        };
        let why = refuse(space, exchange, None, (&self.policy, &self.endpoint));
        space.forget_nonce_of(exchange);
        let next = why.map_or(Next::Retry, Next::GiveUp);
        exchange.close_after(&next);
        next
    }

    /// Processes a response that neither accepts the answer nor challenges it.
    fn on_silence(&mut self, exchange: &mut Exchange, is_401: bool) -> Option<GiveUp> {
        let space = self.spaces.by_id_mut(exchange.answering_space)?;
        if space.count_silent(exchange) < MAX_DOUBTS || !is_401 {
            return None;
        }
        if space.has_sent(exchange) {
            space.refuse();
        }
        let is_refused = space.has_just_refused(exchange);
        exchange.closed |= is_refused;
        is_refused.then(|| GiveUp::WrongCredentials(space.ask(&self.endpoint)))
    }

    pub(super) fn on_response(
        &mut self,
        exchange: &mut Exchange,
        status: u16,
        info: &AuthenticationInfo<'_>,
        proof: Option<&ServerProof>,
    ) {
        let is_proven = proof == Some(&ServerProof::Valid);
        if !is_proven && (proof.is_none() || !is_acceptance(status)) {
            let _ = self.on_silence(exchange, false);
            return;
        }
        if exchange.answer.is_none() {
            return;
        }
        // Recorded even if the space is gone or was replaced since.
        if let Some(sent) = exchange.sent.as_ref().filter(|_| is_proven) {
            let strength = Strength::of(sent.ha1.hash_function(), sent.qop.is_some());
            self.strengths.prove(sent.nonce.realm(), strength);
        }
        // A closed exchange stays closed.
        (exchange.refused, exchange.without_answer) = (0, 0);
        let asked = exchange.asked.take();
        let Some(space) = self.spaces.by_id_mut(exchange.answering_space) else {
            return;
        };
        let has_sent = space.has_sent(exchange);
        // A resource that did not ask for credentials may not have looked at them.
        let is_secret_right = is_proven || asked.is_some();
        if is_secret_right && (has_sent || space.refused.has_sent(exchange)) {
            space.refused.take_back(exchange);
        }
        // The answer of another login says nothing about this one.
        if !has_sent {
            return;
        }
        space.accepted = space.accepted.wrapping_add(1);
        (space.doubts, space.silent) = (0, 0);
        let Some(sent) = &exchange.sent else {
            return;
        };
        if let Some(nonce) = asked.and_then(|asked| asked.nonce) {
            // More may have been in flight than are kept.
            self.counts
                .keep(&nonce, sent.nc, sent.qop.map(|sent| sent.cnonce));
            space.nonce = Some(nonce);
        }
        // A `nextnonce` that follows another nonce than the one at hand is older than that.
        if let (Some(nonce), Some(next)) = (&mut space.nonce, info.nextnonce)
            && sent.nonce.nonce() == nonce.nonce()
            && let Some(next) = nonce.renewed(next)
        {
            *nonce = next;
        }
    }
}
