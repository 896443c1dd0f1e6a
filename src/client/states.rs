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
//! | is `Chosen` | see below | becomes `Ready`, or [`AlreadyRefused`] | `None` | as above; an answer that [shows that its secret is right](super::Client::completed) ends the refusal of the secret, another response may put the nonce *in doubt* |
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
//! right](super::Client::completed). In an exchange that has not forgiven a refusal yet, any other
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
//! A wrong password is sent more often:
//!
//! - twice by each request, if its space is replaced or evicted each time, which forgets what was
//!   refused there: by a server that changes its algorithm, scheme or (with [`with_rfc2069`]) qop
//!   by turns, by more than eight realms in turn, or in an [`AuthCache`](super::AuthCache) that is
//!   too small;
//! - twice by each request, or up to ten times with several requests in flight, if the server says
//!   `stale` each time;
//! - by each request, if the server refuses without a challenge that can be used, or in the name of
//!   another realm than the one it asks for;
//! - by each request, with [`with_latin1`] and a name or password that is not ASCII, if the server
//!   changes its charset by turns.
//!
//! Their exchanges may end with [`GiveUp::TooManyAnswers`], [`GiveUp::StaleAgain`] or
//! [`GiveUp::NoUsableChallenge`], so a program that must not lock an account stops at these, too,
//! if they come repeatedly.
//!
//! With several requests in flight, each usually sends a wrong password once and gets
//! [`GiveUp::WrongCredentials`], unless another login was made before its challenge came; so the
//! numbers above are multiplied by the number of requests in flight. A changed password is sent two
//! to four times by each of them, at most eight: several exchanges get [`GiveUp::TooManyAnswers`]
//! before one gets [`GiveUp::WrongCredentials`].
//!
//! Responses that show that a secret is right can come from other servers of the endpoint, too.
//! Whoever sends these beside the refusals keeps a changed password, or a wrong one, from being
//! recorded. So does an acceptance of the method and request-target that was refused last, whenever
//! it comes between two refusals: for example if one of two servers behind an address checks no
//! passwords.
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
//!   [`readiness`](super::Client::readiness) before one that cannot be sent again. (With
//!   [`challenged_by`](super::Client::challenged_by), which may have been given the challenges of
//!   one realm only, nothing changes.)
//!
//! After any other [`GiveUp`], an exchange gets no more answers. A challenge that comes all the
//! same gives up again, with [`GiveUp::TooManyAnswers`] if nothing else above applies. With these
//! limits, every retry loop ends.
//!
//! [`challenged`]: super::Client::challenged
//! [`login`]: super::Client::login
//! [`authorize`]: super::Client::authorize
//! [`completed`]: super::Client::completed
//! [`with_latin1`]: super::Policy::with_latin1
//! [`with_max_answers`]: super::Policy::with_max_answers
//! [`with_rfc2069`]: super::Policy::with_rfc2069
//! [`GiveUp::NeverAnswered`]: super::GiveUp::NeverAnswered
//! [`GiveUp::NoUsableChallenge`]: super::GiveUp::NoUsableChallenge
//! [`GiveUp::StaleAgain`]: super::GiveUp::StaleAgain
//! [`GiveUp::TooManyAnswers`]: super::GiveUp::TooManyAnswers
//! [`GiveUp::WrongCredentials`]: super::GiveUp::WrongCredentials
//! [`GiveUp`]: super::GiveUp
//! [`Next::Login`]: super::Next::Login
//! [`Next::Retry`]: super::Next::Retry
//! [`Ask`]: super::Ask
//! [`Superseded`]: super::LoginError::Superseded
//! [`AlreadyRefused`]: super::LoginError::AlreadyRefused
//! [strength]: super::Strength
//! [Preemptive Basic credentials]: super::Client::with_preemptive_basic
