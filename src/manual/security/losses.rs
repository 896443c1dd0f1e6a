//! What it means if a key, a store or an HA1 is lost or leaks.
//!
//! # Lost
//!
//! | lost | what happens | what to do |
//! |---|---|---|
//! | the nonce key, at a restart | each Digest client is refused once, with `stale=true`, and prompts nobody if it supports `stale` | nothing; a new key at each start is fine |
//! | the used counts, while the key is kept | each request that was captured within the last nonce lifetime could be granted once more | the time in the [saved key](crate::server::SavedKey) refuses these nonces. After a crash there is none: use a new key |
//! | the data of a shared store | the same, once for all machines together | [rotate](crate::server::Authenticator::rotate) the key of every machine twice, to the same two new keys: see [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data) |
//! | the connection to a shared store | what needs a [claim](crate::server::Authenticator::claim) cannot be admitted; Basic and reusable nonces still can | answer 503 to a pending claim; never settle it without the store |
//! | entries of a full table | the nonces are [forgotten](crate::server::Rejection::NonceForgotten): their clients are refused once, or again and again while one account evicts all nonces within each round trip; nothing is granted twice | raise the [capacity](crate::server::Authenticator::new) |
//! | the right time | forward: nonces expire early. Back: unused nonces with a later time are forgotten, and new ones [live longer](crate::server::Realm::with_nonce_lifetime). With `admit`, neither grants twice, and neither locks clients out. With a shared store, clocks that differ by more than [`STORE_MARGIN_SECS`](crate::server::PendingClaim::STORE_MARGIN_SECS) can grant twice | correct the clock, and make a new `Authenticator` with a new key if it was far ahead; pass the store's time to [`settle`](crate::server::PendingClaim::settle) |
//! | a client's [strength](crate::client::Client::strength) | a weaker challenge from an attacker is answered if the policy allows it | [store it](crate::manual::cookbook::proof#keeping-the-strength), or exclude what you do not need by the [policy](crate::client::Policy) |
//! | a client, evicted from an [`AuthCache`](crate::client::AuthCache) | its user is prompted again; of as many evicted clients as its capacity, the cache keeps which strength each realm has proven | raise the capacity |
//!
//! # Leaked
//!
//! | leaked | what an attacker can do | what to do |
//! |---|---|---|
//! | an HA1 | log in to its realm as its user, and guess the password offline | give the user a new password, and replace all that is stored of the old one: the HA1s of all realms and hash functions, and a slow hash. No other realm is affected, except by guessing |
//! | a password | log in to each realm in which the user has it | the same |
//! | the nonce key | make nonces that the server accepts, also for later times. Without the secret they log nobody in, but a response that a client gave to such a nonce can be used later | rotate twice, and replace the key where it is stored |
//! | the data of a shared store | see when nonces were used, and whether somebody else's request used a nonce of theirs. Whoever can delete keys can replay what was captured | rotate twice after a deletion |
//! | a seed, of a client or a cache | predict cnonces, which helps an attacker in the server's place to guess the password from tables made in advance | make a new client or cache |
//! | a captured request, counted | guess the password offline. A replay is refused, because its count is used. If the request never arrived, it can be delivered until its nonce expires, or with a [slow body](crate::server::Attempt::required_body_hash_function) even later if the server does not begin again | [one-time nonces](crate::server::Realm::with_one_time_nonces), where a delayed request does harm: it is then refused once its repetition with the same nonce was granted. A short lifetime limits the rest |
//! | a captured request of RFC 2069 or in the [uncounted form](crate::server::Quirk::UncountedForm), with [reusable nonces](crate::server::Quirk::ReusableNonces) | guess the password offline, and repeat the request until its nonce expires | a short [lifetime](crate::server::Realm::with_nonce_lifetime) |
//! | a captured request of Basic | log in with the password | TLS, and a new password |
//!
//! # One key in two places
//!
//! Two servers with the same key and realm name, but separate memories, each grant a captured
//! request once: for example after a key file was copied, a backup restored or a process forked. So
//! give each a new key, or a [store](crate::manual::cookbook::nonces#several-machines) to all.
