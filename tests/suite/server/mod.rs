//! The server: what it grants, what it refuses and why, and what it remembers.
//!
//! - `outcomes`, `challenges`: the reasons, and the challenges that go with them.
//! - `users`: names, and the stores they are looked up in.
//! - `responses`: bodies, the proof of the server, and the next nonce.
//! - `authenticator`: the server that a program keeps; `claims`: replays recognised by a store that
//!   several machines share.
//! - `model`, `inputs`: nothing is granted twice, whatever happens and whatever is changed; threads
//!   are in `tests/interleavings`.
//! - `threats`, `past_attacks`: what went wrong in other servers, and in this one.

#[cfg(feature = "std")]
mod authenticator;
mod challenges;
mod claims;
mod inputs;
mod model;
mod outcomes;
mod past_attacks;
mod responses;
mod threats;
mod users;
