//! The server side: challenge, verify, admit.
//!
//! A program keeps one [`Authenticator`] and shares it between all threads. It serves one [`Realm`]
//! or [several](crate::manual::cookbook::realms). A request goes through three steps. None of them
//! does I/O; between two steps the caller does its own work, blocking or async:
//!
//! ```text
//!  auth.begin(header values, target, arrival)  -> Attempt    scheme offered, realm and uri match
//!      caller: look up attempt.claimed_user()                 (may await)
//!  attempt.verify(the account, or none)        -> Verified   response right, nonce valid
//!  auth.admit(verified)                        -> Grant      and not a replay
//!  grant.authentication_info(body)                           the field for the response
//!
//!  any of the three steps                      -> Rejected   the reason, and the claimed user
//!  auth.refuse(&rejected)                      -> Refusal    status, field name, challenges
//! ```
//!
//! Basic takes the same path with the same store: its password is hashed to an [`Ha1`] and
//! compared, unless the store [decides](Attempt::decide). Let a request in only once it has become
//! a [`Grant`].
//!
//! Three types describe a request that is not let in:
//!
//! | type | content | for |
//! |---|---|---|
//! | [`Rejected`] | the error of each step: a `Rejection`, the claimed user, if any, and what `refuse` needs | the program |
//! | [`Rejection`] | the reason, as an enum | the log and the rate limiter |
//! | [`Refusal`] | the response: status, field name and challenges | the client |
//!
//! # A server
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use std::collections::HashMap;
//!
//! use countersign::digest::Ha1;
//! use countersign::server::{Arrival, Authenticator};
//! use countersign::{Channel, EntityBody, Target};
//!
//! /// Any type that has an HA1 will do.
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
//!     let uri = request.uri().path_and_query().map_or("/", |uri| uri.as_str());
//!     let target = Target::new(request.method().as_str(), uri);
//!     // Cleartext, if the connection is not TLS: Basic is then neither offered nor accepted.
//!     let arrival = Arrival::now(Channel::Encrypted);
//!     let admitted = auth
//!         .begin(request.headers().get_all("authorization"), &target, &arrival)
//!         .and_then(|attempt| {
//!             let user = attempt.claimed_user();
//!             let account = user.name().and_then(|name| users.get(name)).cloned();
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
//! # use countersign::digest::{Algorithm, HashFunction};
//! # use countersign::server::Realm;
//! # let realm = Realm::new("files")?.with_algorithms(&[Algorithm::SHA_256]);
//! # let auth = Authenticator::new(realm, 1000, &mut getrandom::SysRng)?;
//! # let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
//! # let users = HashMap::from([("Mufasa".to_owned(), Account { ha1 })]);
//! # let response = handle(&auth, &users, &http::Request::new(()));
//! # assert_eq!(response.status(), 401);
//! # assert_eq!(response.headers().get_all("www-authenticate").iter().count(), 1);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without `std`, use [`Nonces`] with a [`Realm`]: it has the same steps, for a single thread.
//!
//! # The user store
//!
//! | the store has | the step |
//! |---|---|
//! | accounts with one HA1 each | [`verify`](Attempt::verify), as above |
//! | accounts with a `HashMap<HashFunction, Ha1>`, or the like | [`verify_by`](Attempt::verify_by) |
//! | a query for one HA1 by hash function | `verify`, with the HA1 made with [`hash_function`](Attempt::hash_function) |
//! | several passwords for an account, such as one for each device | [`verify_any`](Attempt::verify_any), with one HA1 of each |
//! | passwords | [`verify_password`](Attempt::verify_password) |
//! | slow password hashes (Basic only) | [`decide`](Attempt::decide), with the verdict of the store |
//! | slow hashes for Basic, and HA1s | `decide` if [`Attempt::basic`] returns a pair: compare it with the HA1 first, which is fast, and then with the slow hash; otherwise `verify` |
//! | an `htdigest` file | `user:realm:HA1` in each line: see [`storage`](crate::manual::security::storage#from-htdigest) |
//!
//! A client that hashes its user name (`userhash=true`) claims a [`User::Hash`]. The crate only
//! passes the hash on: the store finds the account by it, among the [`userhash`]es of all users.
//! See [hashed user names](crate::manual::cookbook::users#hashed-user-names).
//!
//! # Order of checks
//!
//! `begin` checks, in this order:
//!
//! 1. There is exactly one credentials field, the method is a token, and the scheme is offered on
//!    this channel. Where Basic is offered on encrypted channels only, Basic over cleartext is
//!    refused without decoding the password. ([`Rejected::claimed_user`] and
//!    [`Rejected::into_owned`] decode it.)
//! 2. The header parses. For example, a repeated Digest parameter, a `qop` without `nc` or
//!    `cnonce`, or a `-sess` algorithm without `qop` is answered with status 400. An algorithm or
//!    qop that the crate does not support is refused here, as not offered.
//! 3. The realm, without its escapes, is this one, byte for byte.
//! 4. The algorithm and the qop are offered. A response without qop is refused where a qop is
//!    offered, unless [`with_rfc2069`](Realm::with_rfc2069) accepts it. The user name is hashed
//!    only where [`with_userhash`](Realm::with_userhash) offers it, and the cnonce of a `-sess`
//!    algorithm [is safe](#the--sess-algorithms).
//! 5. The `uri` passes the [`UriCheck`].
//! 6. The nonce has a valid MAC under the current or the previous key, and is not too old. A
//!    failure is reported in step 8.
//!
//! The caller looks the user up. Then `verify` checks:
//!
//! 7. The response or password is correct; for `qop=auth-int` this needs the body. It is compared
//!    in constant time, and an unknown user costs the same work as a wrong password
//!    ([`verify_password`](Attempt::verify_password) has a limit). The response covers the count,
//!    or the `uri` does not end with [a colon and a hash](Rejection::UriMismatch).
//! 8. The nonce was valid in step 6. If not, the client is told only now, by `stale=true`. The one
//!    exception is [`reject_unread`](Attempt::reject_unread), which the caller has to choose.
//!
//! Last, [`admit`](Authenticator::admit) or [a shared store](Verified::claim):
//!
//! 9. The nonce count is new, or the nonce where it is valid for one request, and is recorded. If
//!    it is not new, the challenge also has `stale=true`; [`Rejection`] lists when `stale` is sent.
//!    A response without a protected count skips this step if its nonce is
//!    [reusable](Realm::with_reusable_nonces).
//!
//! Basic skips steps 3 to 6, 8 and 9: it has no nonce, so its credentials can be replayed.
//!
//! Nothing is recorded before step 9, so a request whose response is wrong cannot use up a count,
//! fill a table or evict a nonce.
//!
//! # What the server remembers
//!
//! A nonce carries its issue time under a MAC, so issuing one costs no memory. The server remembers
//! the nonces that were used, each with a sliding window of 64 counts, in tables of fixed size. A
//! count below the window is treated as used. When a table is full, it forgets the nonce whose
//! first use is the oldest. From then on it refuses every nonce that it does not remember and that
//! was issued no later than the forgotten one: this costs the client of each one request, and never
//! admits a replay.
//!
//! Counts are kept per nonce and HA1, because [a response
//! covers](crate::manual::security#what-a-response-covers) these two, but not the spelling of the
//! user name. So an eavesdropper who has an account cannot use up another user's counts.
//!
//! Times come from the caller and may jump. A clock that is set forward makes nonces expire early;
//! one that is set back can make unused nonces stale whose issue time is then in the future.
//! Neither admits a count twice: whatever the clock shows, a table admits a nonce that it does not
//! remember only if the nonce was issued later than every one that the table has forgotten. Neither
//! a clock jump nor a full table locks clients out for long, because a new nonce always has a later
//! issue time than every forgotten one. But an account that gets more requests granted between a
//! challenge and the answer to it than the table has room for keeps the other clients out while it
//! goes on.
//!
//! # Defaults
//!
//! | default | reason | to change it |
//! |---|---|---|
//! | SHA-256, then MD5 with the feature `md5` | RFC 7616, section 3.7, wants SHA-256 first; most devices support only MD5; [some clients](crate::manual::interoperability#what-to-offer-to-whom) need another order | [`with_algorithms`](Realm::with_algorithms) |
//! | `qop="auth"` | few clients implement `auth-int` correctly | [`with_qop`](Realm::with_qop) |
//! | no RFC 2069, no uncounted form | their nonce count is missing or not covered by the response, so it cannot reveal a replay | [`with_rfc2069`](Realm::with_rfc2069), [`with_uncounted_form`](Realm::with_uncounted_form) |
//! | where these two are accepted, their nonces are valid for one request | as above | [`with_reusable_nonces`](Realm::with_reusable_nonces) |
//! | no Basic | it reveals the password to the server, and to everyone on a cleartext channel | [`with_basic`](Realm::with_basic) |
//! | a nonce lifetime of five minutes | replays are refused anyway; this bounds what must be remembered | [`with_nonce_lifetime`](Realm::with_nonce_lifetime) |
//! | `nextnonce` once half of the lifetime has passed, or the nonce is used up | it saves the client a refused request | [`with_next_nonce`](Realm::with_next_nonce) |
//! | `uri` compared byte for byte; at a proxy, its path and query | parts that may differ are not protected | [`with_uri_check`](Realm::with_uri_check) |
//! | no `userhash` | it needs a store that finds users by their hash | [`with_userhash`](Realm::with_userhash) |
//! | no `-sess` cnonce in the form of a hash | a response without a qop could serve as the session key for it: see [below](#the--sess-algorithms) | [`with_hash_like_cnonces`](Realm::with_hash_like_cnonces) |
//! | `charset=UTF-8` | the only value defined (RFC 7616, section 4); it asks clients for NFC, so store names and passwords in NFC | – |
//! | `opaque` only if set, never checked | some clients lose it, and it proves nothing that the nonce does not | [`with_opaque`](Realm::with_opaque) |
//!
//! # The `-sess` algorithms
//!
//! RFC 7616, section 3.4.2, derives the session key from the nonce and cnonce of the *first*
//! request of a session, but the protocol does not tell the server which request that was. This
//! server uses those of the current request, as most do. A client that keeps one cnonce per nonce,
//! as the one in this crate does, satisfies both readings. One that changes its cnonce but keeps
//! the key of its first request is refused with [`Rejection::WrongCredentials`] from its second
//! request on, until it starts a session with another nonce.
//!
//! The session key is `H(HA1:nonce:cnonce)`, and the response of a plain algorithm is
//! `H(HA1:nonce:nc:cnonce:qop:HA2)`. So a captured response is the session key for the cnonce
//! `nc:cnonce:qop:HA2`, and an attacker could sign any request with it. Likewise, a response of RFC
//! 2069, `H(HA1:nonce:HA2)`, is the session key for a cnonce equal to HA2. Therefore a `-sess`
//! cnonce with a colon is refused; this rule follows from the formulas and is not in RFC 7616. One
//! in the form of a hash is refused, too, unless
//! [`with_hash_like_cnonces`](Realm::with_hash_like_cnonces) allows it for the clients that send
//! such cnonces.
//!
//! # Many threads, many machines
//!
//! From a capacity of 1,024 nonces on, an [`Authenticator`] has 16 tables with one lock each, so
//! threads rarely wait for each other.
//!
//! Several machines either have one key each, and a client that moves between them pays one refused
//! request, and never gets in if it moves at each request; or they share a key and a store, which
//! can be any store with a set-if-absent operation. See [several
//! machines](crate::manual::cookbook::nonces#several-machines), [`Authenticator::for_shared_store`]
//! and [`Verified::claim`].
//!
//! [`Ha1`]: crate::digest::Ha1
//! [`User::Hash`]: crate::digest::User::Hash
//! [`userhash`]: crate::digest::userhash()

// A module imports from those above it on this page only (enforced by
// tests/suite/project/layers.rs), so the list is also a reading order.

// Types that depend on no other module of this folder.
mod arrival;
mod nonce_key;
mod rejection;
mod settings;
#[cfg(feature = "std")]
mod sync;
mod uri;
mod window;

// What a nonce is made of.
mod nonce;

mod keys;
mod replay_key;

// The configuration.
mod realm;

// Issuing nonces, and checking those that clients send.
mod nonce_issuer;

// The steps, first to last: `credentials` makes the checks 1 to 6 above, `secret_check` 7 and 8.
mod rejected;

mod credentials;
mod refusal;

mod secret_check;
mod verified;

mod attempt;
mod receipt;

mod grant;

// Admission, check 9: by a shared store, on one thread, on many threads.
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
