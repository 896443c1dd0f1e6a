//! Nonces, keys and machines.
//!
//! # Nonces bound to a client
//!
//! [`Arrival::bound_to`](crate::server::Arrival::bound_to) takes any bytes that the next request of
//! the same client will present again. Bind to an address only if addresses are stable.
//!
//! # Key rotation
//!
//! [`Authenticator::rotate`](crate::server::Authenticator::rotate) takes a new key. Nonces of the
//! previous one stay valid for their lifetime, and used counts are still remembered. To void all
//! nonces at once, rotate twice. That logs nobody out: clients retry with a new nonce, without a
//! prompt. To end a user's access, change the account.
//!
//! # Several machines
//!
//! If each machine has its own key, a client is refused at each move to another machine, with
//! `stale=true`, and does not prompt its user. To avoid these refusals, use sticky sessions, or let
//! all machines share one key and a store with a set-if-absent operation: see
//! [`Authenticator::for_shared_store`](crate::server::Authenticator::for_shared_store) and
//! [`Verified::claim`](crate::server::Verified::claim).
//! [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data) says what to do when
//! the store loses its data.
//!
//! # A restart
//!
//! A new key at each start is fine, so no key file is needed: every client with a nonce of the
//! previous key is refused once, with `stale=true`, and does not prompt its user. Keeping the key
//! saves only nonces that were issued later than every used one, and only after a clean shutdown,
//! which stores the horizon: see
//! [`with_key`](crate::server::Authenticator::with_key).
