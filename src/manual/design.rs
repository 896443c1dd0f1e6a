//! Why the crate is built as it is.
//!
//! # Inputs are arguments, decisions are return values
//!
//! Time, randomness, users and messages come in as arguments; only
//! [`Arrival::now`](crate::server::Arrival::now) and [`Timestamp::now`](crate::Timestamp::now),
//! which a program may call, read a clock. A decision is a return value. Between two steps the
//! caller does its own work, synchronously or not: it looks a user up, reads a body, asks a store.
//! So the crate fits any runtime, and tests control time.
//!
//! # The server's steps are types
//!
//! An [`Attempt`](crate::server::Attempt), a [`Verified`](crate::server::Verified) or a
//! [`Grant`](crate::server::Grant) exists only if the step before it succeeded; the one step that a
//! program can skip has a name to match,
//! [`dangerous_skip_replay_check`](crate::server::Verified::dangerous_skip_replay_check). This
//! prevents frequent mistakes, such as counting a request before its response is checked. The
//! account that the store found travels along, and a [`Rejected`](crate::server::Rejected) carries
//! what [`refuse`](crate::server::Authenticator::refuse) has to know of the request.
//!
//! # One value owns the key and the used counts
//!
//! Two replay tables for the nonces of one key would each admit a captured header once. So one
//! value owns the key, the tables and the counter that makes nonces unique: an
//! [`Authenticator`](crate::server::Authenticator). The key type is not `Clone`. Machines that share a
//! key leave the used counts to one shared store instead. A request must be admitted by the value
//! that verified it: one made with another key refuses it, because it does not know the nonce.
//!
//! Randomness is needed for a key and the start of the counter, never for a nonce. A nonce consists
//! of a time, a counter and a MAC: the counter makes it unique, and the MAC makes it unpredictable.
//!
//! # The state of a nonce is withheld until the response is right
//!
//! The server checks the nonce before it has the secret, but tells the result only to a client
//! whose response was right, unless the caller chooses
//! [`reject_unread`](crate::server::Attempt::reject_unread). RFC 2617, section 3.2.1, wants `stale`
//! only then, and a server that sends it earlier tells an attacker which nonces are valid. So a
//! request with an expired nonce and a wrong password is rejected for its wrong password.
//!
//! # Eviction costs a round trip and never admits a replay
//!
//! A table of fixed size has to evict entries. Ours keeps the latest issue time that it has
//! evicted. An unknown nonce that was issued no later than that is treated as forgotten, not as
//! new. Every challenge from then on carries a later time, whatever the clock shows. So the client
//! usually gets in with its next request, even if the clock was set back.
//!
//! # Client, exchange and ask are separate
//!
//! A [`Client`](crate::client::Client) is one origin or proxy with its realms. An
//! [`Exchange`](crate::client::Exchange) is one request of the caller with all its retries. An
//! [`Ask`](crate::client::Ask) is one login that a challenge asked for: a password that was typed
//! for it is used only in that realm, with that scheme and hash function, however long the user
//! takes.
//!
//! Concurrent requests each have their own exchange. So a late refusal of an old nonce can usually
//! be told from a wrong password, and the number of retries is limited for each request.
//!
//! # Zero-copy parsing, one buffer per value written
//!
//! A parsed header borrows from its input, except for decoded Basic credentials. Escapes are
//! resolved on access; a text that has some is hashed piece by piece, without a copy. A value is
//! written into one buffer.
//!
//! # What was left out
//!
//! - *One error type for everything.* What is wrong with a message
//!   ([`HeaderError`](crate::HeaderError)), why a request is refused
//!   ([`Rejection`](crate::server::Rejection)) and what is wrong with an argument
//!   ([`InvalidText`](crate::InvalidText)) are different types: the first two are logged, the last
//!   is usually a bug.
//! - *A dependency on the `http` crate.* Anything that gives bytes is a header value.
//! - *Features for schemes.* The linker drops unused code. `md5` is a feature because some programs
//!   must not contain it at all, and `precis` because it adds a dependency and its tables.
