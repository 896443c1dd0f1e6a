//! Why the crate is as it is.
//!
//! # Everything from outside is an argument
//!
//! Time, randomness, users and the network come in as arguments and go out as return values. There
//! is no trait to implement and no callback to hold: between two steps the caller does what it
//! likes, asynchronously or not, and holds nothing but data. A test holds the clock itself.
//!
//! # The server's steps are types
//!
//! [`Attempt`](crate::server::Attempt), [`Verified`](crate::server::Verified) and
//! [`Grant`](crate::server::Grant) each carry what the step before has shown, and there is no other
//! way to them. This rules out the mistakes most implementations make: to count before the response
//! was checked, to skip the nonce, to take a replay for a login. The account that the store found
//! travels with them, and a refusal carries all that its response needs.
//!
//! # One owner of key and memory
//!
//! Two replay memories under one key grant a captured header once each. So one value owns the key,
//! the memory and the counter of nonces: an [`Authenticator`](crate::server::Authenticator) for many
//! threads, [`Nonces`](crate::server::Nonces) for one. The key cannot be cloned, and what one server
//! verified another does not admit.
//!
//! Randomness is drawn once, when that value is made. A nonce is a time, a counter and a MAC: the
//! counter makes it unique, and the MAC unpredictable.
//!
//! The nonce is judged before the secret is known, but the verdict is kept until the response has
//! been found right. RFC 7616, section 3.3, wants `stale` to be said only then, and a server that
//! says it earlier tells an attacker which of his guesses had a chance. So an expired nonce with a
//! wrong password is a wrong password.
//!
//! # Forgetting is a round trip, never a replay
//!
//! A table of fixed size must forget. Ours remembers up to which issue time it has forgotten
//! anything, and takes an older nonce that it does not know for forgotten, not for new. The
//! challenge that follows carries a later time, whatever the clock shows, and so does every other
//! challenge: a clock that was set back locks nobody out.
//!
//! # The client's state is not the request's
//!
//! A [`Client`](crate::client::Client) is one origin or proxy with its realms; an
//! [`Exchange`](crate::client::Exchange) is one request of the user with all its repetitions; an
//! [`Ask`](crate::client::Ask) is one login that was asked for, so that a password goes to that and
//! to nothing else, however long the user takes.
//! Requests under way at the same time each have their own exchange, so a late refusal of an old
//! nonce is told from a wrong password, and each is bounded by itself.
//!
//! # Borrowed in, written once out
//!
//! A parsed header is slices of it. Escapes are resolved when asked for, and piece by piece where
//! they are hashed.
//! What is written goes into one buffer that is large enough.
//!
//! # What was left out
//!
//! - *No umbrella error.* The peer's fault ([`HeaderError`](crate::HeaderError),
//!   [`Rejection`](crate::server::Rejection)) and the caller's ([`InvalidText`](crate::InvalidText))
//!   are different types: one is logged, the other is a bug.
//! - *No `http` crate.* Whatever gives bytes is a header value.
//! - *No features for schemes.* The linker drops what is not used. `md5` is one because some must
//!   not have it in their program at all.
