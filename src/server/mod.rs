//! The server's side: challenge, check, admit.
//!
//! A program keeps one [`Authenticator`] for each [`Realm`], shared by all threads. A request takes
//! three steps. Each takes data and returns data; what comes between two steps is yours, and may
//! take as long as it likes:
//!
//! ```text
//!  auth.begin(header values, target, arrival)  -> Attempt    offered, right realm and uri
//!      you: look up attempt.claimed_user()                    (may await)
//!  attempt.verify(the account, or none)        -> Verified   knows the secret, by a nonce of ours
//!  auth.admit(verified)                        -> Grant      and has not said so before
//!  grant.authentication_info(body)                           the field for the response
//!
//!  any of these                                -> Rejected   why, and who was claimed
//!  auth.refuse(rejected)                       -> Refusal    status, field name, challenges
//! ```
//!
//! Basic takes the same way, with the same store: its password is hashed to an [`Ha1`] and
//! compared. Only a [`Grant`] is worth anything, and there is no other way to one.
//!
//! # A server
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use std::collections::HashMap;
//!
//! use countersign::digest::Ha1;
//! use countersign::server::{Arrival, Authenticator};
//! use countersign::{EntityBody, Channel, Target};
//!
//! /// Any type of the program will do, if it has an HA1.
//! #[derive(Clone)]
//! struct Account {
//!     ha1: Ha1,
//! }
//!
//! impl AsRef<Ha1> for Account {
//!     fn as_ref(&self) -> &Ha1 {
//!         &self.ha1
//!     }
//! }
//!
//! fn handle(
//!     auth: &Authenticator,
//!     users: &HashMap<String, Account>,
//!     request: &http::Request<()>,
//! ) -> http::Response<String> {
//!     let target = Target::new(request.method().as_str(), request.uri().path());
//!     let arrival = Arrival::now(Channel::Encrypted);
//!     let admitted = auth
//!         .begin(request.headers().get_all("authorization"), &target, &arrival)
//!         .and_then(|attempt| {
//!             let account = attempt.claimed_user().name().and_then(|name| users.get(name)).cloned();
//!             attempt.verify(account)
//!         })
//!         .and_then(|verified| auth.admit(verified));
//!     match admitted {
//!         Ok(grant) => {
//!             let mut response = http::Response::builder();
//!             if let Some(info) = grant.authentication_info(EntityBody::Unknown) {
//!                 response = response.header(grant.info_field(), info.as_ref());
//!             }
//!             response.body("hello".to_owned()).unwrap()
//!         }
//!         Err(rejected) => {
//!             let refusal = auth.refuse(&rejected);
//!             let mut response = http::Response::builder().status(refusal.status);
//!             for challenge in &refusal.challenges {
//!                 response = response.header(refusal.field, challenge.as_ref());
//!             }
//!             response.body(String::new()).unwrap()
//!         }
//!     }
//! }
//! # use countersign::digest::HashFunction;
//! # use countersign::server::Realm;
//! # let auth = Authenticator::new(Realm::new("files")?, 1000, &mut getrandom::SysRng)?;
//! # let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
//! # let users = HashMap::from([("Mufasa".to_owned(), Account { ha1 })]);
//! # let response = handle(&auth, &users, &http::Request::new(()));
//! # assert_eq!(response.status(), 401);
//! # assert_eq!(response.headers().get_all("www-authenticate").iter().count(), 2);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without `std`, or on one thread, [`Nonces`] are the same steps beside a [`Realm`].
//!
//! # Order of checks
//!
//! 1. One credentials field, a method that is a token, a scheme that is offered, and on this
//!    channel: Basic over cleartext is refused before the password is decoded.
//! 2. The header can be read. A repeated parameter, both `username` and `username*`, `qop` without
//!    `nc` and `cnonce`: status 400.
//! 3. Algorithm and qop are offered. A response without qop is refused where a qop is offered, unless
//!    [`with_rfc2069`](Realm::with_rfc2069) accepts it.
//! 4. The realm, compared whole. The uri, by the [`UriCheck`].
//! 5. The nonce: recognised by its MAC under the present or the previous key, and its age. What
//!    this finds is kept back until the response has been checked.
//! 6. The caller looks the user up.
//! 7. The response, in constant time. A user that does not exist takes the same work.
//! 8. Only now is the client told that its nonce was at fault: as `stale=true`. The one exception is
//!    asked for by name: [`reject_unread`](Attempt::reject_unread).
//! 9. The count, in [`admit`](Authenticator::admit).
//!
//! Nothing is remembered before step 9, so no request without the secret changes any state: it
//! can use up no count, fill no table and evict nobody.
//!
//! # What is remembered
//!
//! A nonce carries its own issue time under a MAC, so that issuing one costs no memory. All state is
//! a table of the nonces that were used: a window of 64 counts for each, in a fixed number of bytes.
//!
//! Counts are kept for each nonce and HA1, because these are what a response covers; it does not
//! cover the user's name (see [what a response
//! covers](crate::manual::security#what-a-response-covers)). So nobody who listens, and has an
//! account, can use up another's.
//!
//! Times come from the caller and may jump. A clock set forward makes nonces stale; one set back
//! makes those stale that carry a later time and were not used yet. Neither lets a count in twice,
//! because the table orders nonces by the time they carry. Neither a clock jump nor a full table
//! locks clients out, because no nonce is issued with an earlier time than one already used.
//!
//! # Defaults
//!
//! | default | reason | to change it |
//! |---|---|---|
//! | SHA-256, then MD5 | RFC 7616, section 3.7, wants SHA-256 first; most devices know nothing but MD5; [some clients](crate::manual::interoperability#what-to-offer-to-whom) need another order | [`with_algorithms`](Realm::with_algorithms) |
//! | `qop="auth"` | few clients get `auth-int` right | [`with_qop`](Realm::with_qop) |
//! | no RFC 2069, no uncounted form | their nonce count is missing or not covered, so they can be replayed | [`with_rfc2069`](Realm::with_rfc2069), [`with_uncounted_form`](Realm::with_uncounted_form) |
//! | their nonces are good for one use | as above | [`with_reusable_nonces`](Realm::with_reusable_nonces) |
//! | no Basic | it shows the password to the server, and to all if the channel is cleartext | [`with_basic`](Realm::with_basic) |
//! | nonces live five minutes | a captured header is worth nothing anyway; this bounds what must be remembered | [`with_nonce_lifetime`](Realm::with_nonce_lifetime) |
//! | a next nonce when half of that is over | it saves the client a refused request | [`with_next_nonce`](Realm::with_next_nonce) |
//! | uri byte for byte | what may differ is not protected | [`with_uri_check`](Realm::with_uri_check) |
//! | no `userhash` | it needs a store that finds users by it | [`with_userhash`](Realm::with_userhash) |
//! | no `-sess` cnonce in the form of a hash | a response without a qop could be its session key | [`with_hash_like_cnonces`](Realm::with_hash_like_cnonces) |
//! | `charset=UTF-8` | the only value there is (RFC 7616, section 4); it asks clients for NFC, so store names and passwords in NFC | – |
//! | `opaque` only if given, never checked | clients lose it, and it proves nothing that the nonce does not | [`with_opaque`](Realm::with_opaque) |
//!
//! # The `-sess` algorithms
//!
//! RFC 7616, section 3.4.2, makes the session key from the nonce and cnonce of the *first* request
//! of a session, but has no way to say which that was. This server makes it from those of the
//! request at hand, as most do. A client that keeps one cnonce for one nonce, as ours does, agrees
//! with both readings; one that changes its cnonce and keeps the key of its first request is
//! refused with [`Rejection::WrongCredentials`] from its second request on, and gets in again
//! with the next nonce. The session is bound to the nonce, and ends with it.
//!
//! The session key is `H(HA1:nonce:cnonce)`, and the response of a plain algorithm is
//! `H(HA1:nonce:nc:cnonce:qop:HA2)`: whoever has captured one has the session key for a cnonce of
//! `nc:cnonce:qop:HA2`, and could sign any request with it. The response of RFC 2069 is such a key
//! for a cnonce that is HA2. So a `-sess` cnonce that holds a colon is refused; that rule was found
//! in the formulas and is not in RFC 7616. One in the form of a hash is refused, too, unless
//! [`with_hash_like_cnonces`](Realm::with_hash_like_cnonces) allows it for the clients that send
//! them.
//!
//! # Many threads, many machines
//!
//! An [`Authenticator`] spreads its memory over several tables with a lock each, so threads seldom
//! wait for each other.
//!
//! Several machines either have a key each, and a client that moves pays one refused request; or they
//! share the key and a store: any that can set a key if it is absent. See
//! [`Authenticator::for_shared_store`] and [`Verified::claim`].
//!
//! [`Ha1`]: crate::digest::Ha1

// A module imports from those above it on this page only (tests/layers.rs holds it to that), so
// this list is also an order to read them in.

// Nouns that depend on no other.
mod arrival;
mod nonce_key;
mod rejection;
mod settings;
mod uri;
mod window;

// Nonces, and how they are made and recognised.
mod nonce;

mod keys;

// The configuration.
mod realm;

// The steps, first to last.
mod rejected;
mod replay_key;

mod claimed;

mod refusal;
mod verified;

mod attempt;
mod receipt;

mod grant;

// What admits: a store that machines share, one thread, many threads.
mod claim;
mod replay;

mod nonces;

#[cfg(feature = "std")]
mod authenticator;

pub use arrival::Arrival;
pub use attempt::Attempt;
#[cfg(feature = "std")]
pub use authenticator::Authenticator;
pub use claim::{Claim, PendingClaim};
pub use grant::Grant;
pub use nonce_key::NonceKey;
pub use nonces::Nonces;
pub use realm::Realm;
pub use receipt::Receipt;
pub use refusal::Refusal;
pub use rejected::Rejected;
pub use rejection::{Rejection, RejectionClass};
pub use settings::{BasicOffer, NextNonce};
pub use uri::UriCheck;
pub use verified::Verified;
