//! The server side: challenge, verify, admit.
//!
//! A program keeps one [`Authenticator`] and shares it between all threads. If the user store
//! answers at once, [`check`](Authenticator::check) is enough, as on the [first page](crate).
//!
//! It takes three steps, none of which does I/O. Between two of them a program does its own work,
//! blocking or async:
//!
//! ```text
//!  auth.begin(header values, target, arrival)  -> Attempt    scheme offered, realm and uri match
//!      caller: look up attempt.claimed_user()                 (may await)
//!  attempt.verify(the account, or none)        -> Verified   response right, nonce valid
//!  auth.admit(verified)                        -> Grant      the count is new, for nonce and HA1
//!  grant.authentication_info(body)                           the field for the response
//!
//!  any of the three steps                      -> Refusal    status, challenges, and the reason
//! ```
//!
//! Basic takes the same path: its password is hashed to an HA1 and compared, unless the store
//! [decides](Attempt::decide). Let a request in only once it has become a [`Grant`]. The page
//! [`checks`] has what each step checks, and what is answered otherwise.
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

// A module imports from those above it on this page only (enforced by
// tests/suite/project/layers.rs), so the list is also a reading order.

mod arrival; // Channel, time and binding of a request.
mod reason; // Why a request is rejected, and the status of each reason.
mod sync; // Locks and atomics: of std, of loom, or for one thread.
mod uri_check; // How the `uri` may differ from the request-target.

mod realm; // The configuration: what is offered and accepted.

mod nonce; // What a nonce is made of, and what is bound into it.

mod key; // The keys of nonces, and their text.

mod issuer; // Makes nonces, recognises them, rotates the key.

mod replay; // Which counts of which nonces were used: window, table, eviction.

mod refusal; // The response to a rejected request: status and challenges.

mod verified; // What the steps hand on, whether a count is recorded, whether `nextnonce` is due.

mod memory; // The used counts, in tables with a lock each.

pub mod checks; // The page and its code: which checks there are, and in which order.

mod grant; // The account, and `Authentication-Info` for the response.

mod attempt; // `verify` and its variants: HA1s, passwords, the verdict of a store.

mod authenticator; // `begin`, `admit`, `check`, and the rotation of the key.

mod shared_store; // `claim` and `settle`, in place of `admit`, for several machines.

pub use arrival::Arrival;
pub use attempt::{Attempt, Verdict};
pub use authenticator::Authenticator;
pub use grant::{Grant, Receipt};
pub use key::NonceKeys;
pub use memory::Memory;
pub use realm::{Quirk, Realm};
pub use reason::Reason;
pub use refusal::Refusal;
pub use shared_store::{PendingClaim, SharedStore, StoreReply, Use};
pub use uri_check::UriCheck;
pub use verified::Verified;
