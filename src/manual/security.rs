//! What the crate promises, what it asks of you, and what it cannot do.
//!
//! # What it promises
//!
//! - No input makes it panic, and reading takes time in proportion to the length of the header and
//!   no memory of its own. The limits are [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES),
//!   [`MAX_PARAMS`](crate::MAX_PARAMS) and [`MAX_CHALLENGES`](crate::MAX_CHALLENGES).
//! - No request without the secret changes any state of a server: it uses up no nonce count, fills
//!   no table and evicts nobody. See the order of checks in [`server`](crate::server).
//! - No count of a nonce is granted twice, whatever the clock does, however full the table is.
//! - An unknown user costs the work of a wrong password, and responses, MACs and passwords are
//!   compared in constant time. Looking the user up is your part: let it take the same time for
//!   both if that matters to you.
//! - What is written reads back equal, and no control byte but HTAB ever gets into a header.
//! - `Debug` and errors show no header text and no secret. HA1s, keys, passwords and header values
//!   that hold one are wiped when dropped; copies that the compiler makes on the stack are not.
//! - A client answers one request of the user a bounded number of times, keeps to its protection
//!   space, and does not fall back to a weaker form unless a [`Policy`](crate::client::Policy)
//!   says so.
//!
//! # What it asks of you
//!
//! - Say the truth about the [`Channel`](crate::Channel), and give the method and the
//!   request-target as they stand on the request line.
//! - Randomness must be of a quality fit for keys, and a [`Cnonce`](crate::digest::Cnonce) fresh
//!   for each request.
//! - Keep the [`NonceKey`](crate::server::NonceKey) secret, and an [`Ha1`](crate::digest::Ha1) as
//!   secret as a password: who has it can log in to its realm.
//! - One [`Client`](crate::client::Client) for each origin: the
//!   [`Keyring`](crate::client::Keyring) sees to it.
//! - A request with more than one `Authorization` field is not one to guess about: answer 400.
//! - Count the rejections whose class is [`Suspicious`](crate::server::Class::Suspicious), by user
//!   and by address, and slow down who makes many. Digest with a weak password can be guessed
//!   online, and, by who has captured an exchange, offline.
//! - Keep the [`ReplayTable`](crate::server::ReplayTable) as long as the key. If a key outlives a
//!   table, say [`restarted_at`](crate::server::ReplayTable::restarted_at).
//!
//! # What it cannot do
//!
//! - Digest protects the request line, and with `auth-int` the body; never the other headers, and
//!   the response only by `rspauth`. Over a cleartext channel someone on the way can read all and
//!   change most. Use TLS.
//! - MD5 is broken as a hash. No attack on its use in Digest is known that is better than guessing
//!   the password, but guessing is fast. Leave it out where clients allow: by policy and by
//!   configuration, because the feature `md5` may be switched on by another crate of the program.
//! - Basic gives the server the password itself.
//! - RFC 2069 and the overview form have no count that is protected. Both roles speak them only
//!   when told to by name.
