//! Why the crate is built as it is.
//!
//! # Everything from outside is an argument
//!
//! Time, randomness, users and messages come in as arguments, and decisions go out as return
//! values. There is no trait to implement and no callback to register: between two steps the caller
//! holds plain data and does its own work, synchronously or not. Tests control time directly.
//!
//! # The server's steps are types
//!
//! [`Attempt`](crate::server::Attempt), [`Verified`](crate::server::Verified) and
//! [`Grant`](crate::server::Grant) each prove that the previous step succeeded, and can only be
//! obtained from it. This rules out the mistakes that most implementations make: counting before
//! the response is checked, skipping the nonce check, accepting a replay as a login. The account
//! that the store found is carried along, and a rejection carries everything that its response
//! needs.
//!
//! # One owner of key and replay table
//!
//! Two replay tables under one key would each admit a captured header once. So one value owns the
//! key, the table and the nonce counter: an [`Authenticator`](crate::server::Authenticator) for
//! many threads, [`Nonces`](crate::server::Nonces) for one. The key cannot be cloned, and a request
//! verified by one server is not admitted by another.
//!
//! Randomness is drawn once, when that value is made. A nonce consists of a time, a counter and a
//! MAC: the counter makes it unique, and the MAC makes it unpredictable.
//!
//! The nonce is checked before the secret is known, but the result is withheld until the response
//! has been verified. RFC 7616, section 3.3, allows `stale` only then, and a server that sends it
//! earlier tells an attacker which guesses had a valid nonce. So an expired nonce with a wrong
//! password is reported as a wrong password.
//!
//! # Eviction costs a round trip and never admits a replay
//!
//! A table of fixed size has to evict entries. Ours keeps the latest issue time that it has
//! evicted, and treats an unknown nonce that is no later than that as forgotten instead of new. The
//! challenge that follows carries a later time, whatever the clock shows, and so does every other
//! challenge, so setting the clock back locks no client out.
//!
//! # Client, exchange and login are separate
//!
//! A [`Client`](crate::client::Client) is one origin or proxy with its realms. An
//! [`Exchange`](crate::client::Exchange) is one request of the user with all its retries. An
//! [`Ask`](crate::client::Ask) is one login prompt, so that a password is used for that prompt
//! only, however long the user takes.
//!
//! Concurrent requests each have their own exchange. So a late refusal of an old nonce can be told
//! from a wrong password, and the number of retries is limited for each request.
//!
//! # Zero-copy parsing, one buffer per value written
//!
//! A parsed header borrows from its input. Escapes are resolved on access, and hashed without a
//! copy. A value is written into a single buffer of sufficient size.
//!
//! # What was left out
//!
//! - *One error type for everything.* The peer's faults ([`HeaderError`](crate::HeaderError),
//!   [`Rejection`](crate::server::Rejection)) and the caller's
//!   ([`InvalidText`](crate::InvalidText)) are different types: the former are logged, the latter
//!   are bugs.
//! - *A dependency on the `http` crate.* Anything that gives bytes is a header value.
//! - *Features for schemes.* The linker drops unused code. `md5` is a feature because some programs
//!   must not contain it at all.
