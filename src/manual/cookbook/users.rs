//! User stores.
//!
//! # Slow password hashes
//!
//! Digest cannot be checked with an Argon2 or bcrypt hash, because the server never sees the
//! password. So a realm whose users have nothing else offers Basic only: it has
//! [`with_algorithms(&[])`](crate::server::Realm::with_algorithms) and
//! [`with_basic`](crate::server::Realm::with_basic), and its
//! [`Authenticator`](crate::server::Authenticator) can have the capacity 0, because Basic has no
//! nonces to remember.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::server::{
//!     Attempt, Authenticator, BasicOffer, Realm, Rejected, Verdict, Verified,
//! };
//!
//! struct Account {
//!     name: String,
//!     slow_hash: String,
//! }
//!
//! fn verify<'a>(
//!     attempt: Attempt<'a>,
//!     dummy_hash: &str,
//! ) -> Result<Verified<'a, Account>, Rejected> {
//!     let account = attempt.claimed_user().name().and_then(look_up);
//!     let password = attempt.basic().map_or(&b""[..], |pair| pair.password());
//!     // Hash for an unknown user, too, so that both cases take the same time.
//!     let stored = account.as_ref().map_or(dummy_hash, |account| &account.slow_hash);
//!     let matches = slow_compare(stored, password);
//!     attempt.decide(match account {
//!         Some(account) if matches => Verdict::Right(account),
//!         _ => Verdict::Wrong,
//!     })
//! }
//!
//! let realm = Realm::new("files")?.with_algorithms(&[]).with_basic(BasicOffer::Encrypted);
//! let auth = Authenticator::new(realm, 0, &mut getrandom::SysRng)?;
//! # let _ = auth;
//! # fn look_up(name: &str) -> Option<Account> {
//! #     Some(Account { name: name.to_owned(), slow_hash: String::new() })
//! # }
//! # fn slow_compare(_: &str, _: &[u8]) -> bool { false }
//! # let _ = |attempt| { let _ = verify(attempt, "").map(|_| ()); };
//! # let _ = |account: Account| account.name;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An async server runs the slow hash on a blocking thread. Bound the number of hashes that run at
//! once, because anyone can cause one. Use a semaphore with about one permit for each core: take a
//! permit before the hash is handed to the blocking thread, hold it there until the hash is made,
//! and answer with status 503 if the permit takes longer than a few seconds.
//!
//! An `Attempt` borrows from the request, so move a clone of the
//! [pair](crate::server::Attempt::basic) to the blocking thread; it, too, is wiped when dropped. To
//! look up the account there as well, also move the claimed user, made owned by
//! [`User::into_owned`](crate::digest::User::into_owned).
//!
//! `dummy_hash` is a real hash of a random password, made at startup with the same algorithm and
//! cost as all others. A string that is not a valid hash is usually rejected at once, and the time
//! reveals that the user does not exist.
//!
//! Users who also have an HA1 can use Digest in the same realm. But most clients that can do Digest
//! then use it for the other users, too, who are refused with
//! [`MissingHa1`](crate::server::Rejection::MissingHa1). To offer both schemes nevertheless, set
//! algorithms, give the `Authenticator` a capacity for Digest nonces, and branch on
//! [`Attempt::basic`](crate::server::Attempt::basic): if it returns `None`, the attempt is Digest,
//! so check it with [`verify_by`](crate::server::Attempt::verify_by). How to get from slow hashes
//! to HA1s is on the page [`storage`](crate::manual::security::storage#from-slow-hashes).
//!
//! # Hashed user names
//!
//! Beside each HA1 of a user, store the [`userhash`](crate::digest::userhash) made with the same
//! hash function. Look users up by [`User::Hash`](crate::digest::User::Hash), too. Then set
//! [`with_userhash`](crate::server::Realm::with_userhash).
