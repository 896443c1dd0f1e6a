//! The server side: challenge, verify, admit.
//!
//! A program keeps one [`Authenticator`] and shares it between all threads. If the user store
//! answers at once, [`check`](Authenticator::check) is enough:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use std::collections::HashMap;
//!
//! use countersign::server::{Arrival, Authenticator};
//! use countersign::{Channel, EntityBody, Target, digest::Ha1};
//!
//! type Users = HashMap<String, Ha1>;
//!
//! fn handle(auth: &Authenticator, users: &Users, request: &http::Request<()>) -> http::Response<()> {
//!     let uri = request.uri().path_and_query().map_or("/", |uri| uri.as_str());
//!     let target = Target::new(request.method().as_str(), uri);
//!     let fields = request.headers().get_all("authorization").iter();
//!     let arrival = Arrival::now(Channel::Encrypted); // Cleartext, if the connection is not TLS
//!     let checked = auth.check(fields, &target, arrival, |user, _| users.get(user.name()?));
//!     let (status, name, values) = match checked {
//!         Ok(grant) => {
//!             let info = grant.authentication_info(EntityBody::Unknown);
//!             (200, grant.info_field(), Vec::from_iter(info))
//!         }
//!         Err(refusal) => (refusal.status, refusal.field, refusal.challenges),
//!     };
//!     let response = http::Response::builder().status(status);
//!     values.iter().fold(response, |it, value| it.header(name, value.as_ref())).body(()).unwrap()
//! }
//! # let realm = countersign::server::Realm::new("files")?;
//! # let auth = Authenticator::new(realm, 1000, &mut getrandom::SysRng)?;
//! # assert_eq!(handle(&auth, &Users::new(), &http::Request::new(())).status(), 401);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It takes three steps, none of which does I/O. Between two of them a program does its own work,
//! blocking or async:
//!
//! ```text
//!  auth.begin(header values, target, arrival)  -> Attempt    scheme offered, realm and uri match
//!      caller: look up attempt.claimed_user()                 (may await)
//!  attempt.verify(the account, or none)        -> Verified   response right, nonce valid
//!  auth.admit(verified)                        -> Grant      and not a replay
//!  grant.authentication_info(body)                           the field for the response
//!
//!  any of the three steps                      -> Refusal    status, challenges, and the reason
//! ```
//!
//! Basic takes the same path: its password is hashed to an HA1 and compared, unless the store
//! [decides](Attempt::decide). Let a request in only once it has become a [`Grant`].
//!
//! # The user store
//!
//! | the store has | the step |
//! |---|---|
//! | accounts with one HA1 each, made with [`hash_function`](Attempt::hash_function) | [`verify`](Attempt::verify) |
//! | several passwords for an account, such as one for each device | `verify`, with an iterator |
//! | accounts with a `HashMap<HashFunction, Ha1>`, or the like | [`verify_by`](Attempt::verify_by) |
//! | passwords | [`verify_password`](Attempt::verify_password) |
//! | slow password hashes (Basic only) | [`decide`](Attempt::decide), with the verdict of the store |
//! | slow hashes for Basic, and HA1s | `decide` if [`Attempt::basic`] returns a pair: compare it with the HA1 first, which is fast, and then with the slow hash; otherwise `verify` |
//!
//! # Order of checks
//!
//! `begin`:
//!
//! 1. There is one credentials field, the method is a token, and the scheme is offered on this
//!    channel: otherwise the credentials are not decoded.
//! 2. The header parses: otherwise the status is 400.
//! 3. The realm, without its escapes, is this one, byte for byte.
//! 4. The algorithm and the qop are offered, and so is a hashed user name; the cnonce of a `-sess`
//!    algorithm [is safe](#the--sess-algorithms).
//! 5. The `uri` passes the [`UriCheck`].
//! 6. The nonce has a valid MAC under the current or the previous key, and is not too old. A
//!    failure is reported in step 8.
//!
//! `verify`:
//!
//! 7. The response or password is right; an unknown user costs the same work as a wrong password.
//! 8. The nonce was valid in step 6. If not, `stale=true` is sent only now, or by `reject_unread`.
//!
//! [`admit`](Authenticator::admit), or [a shared store](SharedStore):
//!
//! 9. The nonce count is new, or the nonce where it is valid for one request, and is recorded.
//!
//! Basic skips steps 3 to 6, 8 and 9: it has no nonce, so its credentials can be replayed. Nothing
//! is recorded before step 9, so a request whose response is wrong cannot use up a count, fill a
//! table or evict a nonce.
//!
//! # What the server remembers
//!
//! A nonce carries its issue time under a MAC, so issuing one costs no memory. The server remembers
//! the nonces that were used, each with a sliding window of 64 counts for each HA1, in one table of
//! fixed size, or from a capacity of 1,024 on in 16, with a lock each. A full table forgets the
//! nonce whose first use is the oldest, and then refuses every other nonce that was issued no
//! later: this costs each client one request, and never admits a replay. [A clock that
//! jumps](crate::manual::security#if-something-is-lost) admits none either.
//!
//! # Defaults
//!
//! | default | reason | to change it |
//! |---|---|---|
//! | SHA-256, then MD5 with the feature `md5` | RFC 7616, section 3.7, wants SHA-256 first; most devices support only MD5; [some clients](crate::manual::odd_peers#what-to-offer-to-whom) need another order | [`with_algorithms`](Realm::with_algorithms) |
//! | `qop="auth"` | few clients implement `auth-int` correctly | [`with_qop`](Realm::with_qop) |
//! | no [`Quirk`] | each weakens the protection of all clients | [`with_quirks`](Realm::with_quirks) |
//! | no Basic | it reveals the password to the server, and to everyone on a cleartext channel | [`with_basic`](Realm::with_basic) |
//! | a nonce lifetime of five minutes | replays are refused anyway; this bounds what must be remembered | [`with_nonce_lifetime`](Realm::with_nonce_lifetime) |
//! | `nextnonce` once half of the lifetime has passed, or the nonce is used up | it saves the client a refused request | – |
//! | `uri` compared byte for byte; at a proxy, its path and query | parts that may differ are not protected | [`with_uri_check`](Realm::with_uri_check) |
//! | no `userhash` | it needs a store that finds users by their hash | [`with_userhash`](Realm::with_userhash) |
//! | `charset=UTF-8` | the only value defined (RFC 7616, section 4); it asks for NFC, so store names and passwords in NFC | – |
//! | `opaque` only if set, never checked | some clients lose it, and it proves nothing that the nonce does not | [`with_opaque`](Realm::with_opaque) |
//!
//! # The `-sess` algorithms
//!
//! The server computes the session key from the nonce and cnonce of the current request, as most
//! do. RFC 7616, section 3.4.2, takes those of the *first*, which the protocol does not tell the
//! server. A client that changes its cnonce but keeps its first key is refused.
//!
//! The session key is `H(HA1:nonce:cnonce)`, and the response of a plain algorithm is
//! `H(HA1:nonce:nc:cnonce:qop:HA2)`. So a captured response is the session key for the cnonce
//! `nc:cnonce:qop:HA2`, and one of RFC 2069, `H(HA1:nonce:HA2)`, for a cnonce equal to HA2: with it
//! an attacker could sign any request. Therefore a `-sess` cnonce with a colon is refused, and one
//! in the form of a hash unless [`Quirk::HashLikeCnonces`] accepts it.

// A module imports from those above it on this page only (enforced by
// tests/suite/project/layers.rs), so the list is also a reading order.

mod arrival;
mod rejection;
mod sync;

// The configuration.
mod realm;

// What a nonce is made of.
mod nonce;

// Which counts were used.
mod replay;

mod refusal;

// The steps, first to last: `credentials` makes the checks 1 to 6 above, `attempt` 7 and 8.
mod credentials;

mod grant;

mod attempt;

// Admission, check 9: by its own memory, by a shared store.
mod authenticator;

mod claim;

pub use arrival::Arrival;
pub use attempt::{Attempt, Verdict};
pub use authenticator::{Authenticator, Memory};
pub use claim::{PendingClaim, SharedStore, Use};
pub use grant::{Grant, Receipt, Verified};
pub use nonce::{NonceKey, SavedKey};
pub use realm::{Quirk, Realm, UriCheck};
pub use refusal::Refusal;
pub use rejection::Rejection;
