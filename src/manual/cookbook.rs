//! How to do what the examples do not show.
//!
//! # A proxy
//!
//! The same calls with the names of [`Issuer::Proxy`](crate::Issuer::Proxy): status 407,
//! `Proxy-Authenticate`, `Proxy-Authorization`, `Proxy-Authentication-Info`. A server gives
//! `rejection.status(Issuer::Proxy)`; a client is made with
//! [`for_proxy`](crate::client::Client::for_proxy). The target is what stands on the request line:
//! the absolute form, or for `CONNECT` the authority.
//!
//! # Slow password hashes
//!
//! Who keeps Argon2 or bcrypt of passwords can offer Basic only:
//!
//! ```
//! use countersign::server::{Attempt, Proof, Rejection};
//!
//! fn verify<'a>(attempt: Attempt<'a>) -> Result<Proof<'a>, Rejection> {
//!     let stored = attempt.claimed_user().name().and_then(stored_hash);
//!     let password = attempt.password().unwrap_or_default();
//!     // Hash also where there is no such user, so that both take as long.
//!     let matches = slow_compare(stored.as_deref().unwrap_or("$none$"), password);
//!     attempt.decide(matches && stored.is_some())
//! }
//! # fn stored_hash(_: &str) -> Option<String> { None }
//! # fn slow_compare(_: &str, _: &[u8]) -> bool { false }
//! # let _ = |attempt| { let _ = verify(attempt); };
//! ```
//!
//! # A body that streams
//!
//! Where the response covers the body, the attempt says which hash it needs:
//!
//! ```
//! use countersign::digest::{BodyHasher, Ha1};
//! use countersign::server::{Attempt, Proof, Rejection};
//!
//! fn verify<'a>(
//!     mut attempt: Attempt<'a>,
//!     ha1: &Ha1,
//!     body: &[&[u8]],
//! ) -> Result<Proof<'a>, Rejection> {
//!     if let Some(hash) = attempt.wants_body() {
//!         let mut hasher = BodyHasher::new(hash);
//!         for piece in body {
//!             hasher.update(piece);
//!         }
//!         attempt = attempt.with_body(hasher.finish());
//!     }
//!     attempt.verify(Some(ha1))
//! }
//! # let _ = verify;
//! ```
//!
//! # Hashed user names
//!
//! Keep [`userhash`](crate::digest::userhash) of each user beside the HA1, for each algorithm
//! offered, and look up by [`User::Hash`](crate::digest::User::Hash); then say
//! [`with_userhash`](crate::server::Server::with_userhash).
//!
//! # SIP and RTSP
//!
//! Method and target are bytes and never interpreted: `REGISTER sip:example.org` and
//! `DESCRIBE rtsp://camera/stream1` are targets like any other. Over UDP a retransmission looks
//! like a replay: answer it from the transaction, before it gets here.
//!
//! # Nonces bound to a client
//!
//! [`Arrival::bound_to`](crate::server::Arrival::bound_to) takes any bytes that the next request of
//! the same client will show again. Bind to an address only where addresses are stable.
//!
//! # A key that changes
//!
//! Make a new server with the new key and
//! [`with_previous_key`](crate::server::Server::with_previous_key), and put it in the place of the
//! old. The replay table stays. After one nonce lifetime the previous key may go.
