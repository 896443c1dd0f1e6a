//! The client side of authentication: it answers challenges and checks the server's proof.
//!
//! A [`Client`] holds the credentials for one origin or proxy, and an `AuthCache` holds the clients
//! of many. Neither sends anything. The [first page](crate) has a program.
//!
//! ```text
//!  client.authorize(exchange, target)   -> Field        set the field of the request, or remove it
//!      caller: send the request                         (may await)
//!  client.received(exchange, response)  -> Done(proof)  the response is for the caller
//!                                       -> Retry        authorize again, with the same exchange
//!                                       -> Login(ask)   client.login(ask, account), then the same
//!                                       -> GiveUp(why)  the exchange has ended
//! ```
//!
//! A program whose users type their passwords makes a client without accounts, and gets
//! [`Next::Login`] with an [`Ask`]. What the client does when an answer is refused is in [`rules`].
//! All tasks that talk to one server for one account share its client, behind a lock that is held for
//! one call only; an [`Exchange`] belongs to one task.

// A module imports from those above it on this page only.

mod generator; // Cnonces, derived from one seed.
mod strength; // How strong credentials are, and what each realm has proved.

mod endpoint; // The origin or proxy: scheme, host, port and channel.
mod policy; // The settings.

mod ask; // The request for a login.
mod nonce; // Nonces with their challenges, and the counts that were sent.
mod paths; // Where credentials may be sent before the server asks (`domain`, folders).

mod common; // What one answer has in common with the next.

mod error; // Reasons to give up, to skip a challenge, and errors.

mod login; // What answers are made with: HA1, Basic value, encoded name.

mod account; // Who may log in where, and in which encoding.

mod exchange; // One request with its retries, what was sent, and the check of the proof.

mod refused; // The secret that was refused last.

mod space; // The challenge, login and paths of each realm, and which a request belongs to.

#[expect(clippy::module_inception, reason = "it defines the type `Client`")]
mod client; // Accounts, logins and settings.

#[cfg(feature = "cache")]
mod cache; // The clients of many endpoints.
mod selector; // Which of several challenges is answered.

pub mod rules; // The table: when the client answers, retries and gives up.

mod answer; // `Client::authorize`.
mod response; // `Client::received`, `challenged`, `completed`; `judge`: which proof is an error.

mod kept; // The answer to a challenge that the program keeps itself.
#[cfg(feature = "http")]
mod run; // The loop around a request.

pub use account::Account;
pub use answer::Field;
pub use ask::Ask;
#[cfg(feature = "cache")]
pub use cache::AuthCache;
pub use client::Client;
pub use endpoint::Endpoint;
pub use error::{Error, GiveUp, LoginError, SkipReason};
pub use exchange::{Exchange, Next, ServerProof};
pub use policy::{Policy, Quirk};
#[cfg(feature = "http")]
pub use run::{run, run_blocking};
pub use strength::Strength;
