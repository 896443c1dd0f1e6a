//! Replay detection by a store that several machines share.

use alloc::format;
use alloc::string::String;

use crate::server::grant::Grant;
use crate::server::nonce::NonceId;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::replay_key::ReplayKey;
use crate::server::verified::Verified;
use crate::time::Timestamp;

/// What a shared store has to do to admit a request: see [`Verified::claim`].
#[derive(Debug)]
#[must_use]
pub enum Claim<'a, A> {
    /// Nothing: for Basic, which can always be replayed, and for a response that covers no nonce
    /// count (RFC 2069 and the uncounted form) if the nonce [may be
    /// reused](super::Realm::with_reusable_nonces).
    Granted(Grant<'a, A>),
    /// Set a key if it is absent.
    Pending(PendingClaim<'a, A>),
}

impl<'a, A> Verified<'a, A> {
    /// Returns what a store shared by several machines must do to admit this request. Use it
    /// instead of [`Authenticator::admit`](super::Authenticator::admit). All machines must have the
    /// same key and the same realms.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use countersign::Timestamp;
    /// use countersign::server::{Claim, Grant, Rejected, Verified};
    ///
    /// fn admit<'a, A>(
    ///     store: &Store,
    ///     verified: Verified<'a, A>,
    /// ) -> Result<Grant<'a, A>, Rejected<'a>> {
    ///     match verified.claim() {
    ///         Claim::Granted(grant) => Ok(grant),
    ///         Claim::Pending(claim) => {
    ///             // In Redis or Valkey: SET key "" NX PXAT millis
    ///             let first = store.set_if_absent(&claim.key(), claim.expires().as_unix_millis());
    ///             claim.settle(first, Timestamp::now())
    ///         }
    ///     }
    /// }
    /// # struct Store;
    /// # impl Store {
    /// #     fn set_if_absent(&self, _: &str, _: u64) -> bool { true }
    /// # }
    /// # let _ = |verified| { let _ = admit::<()>(&Store, verified); };
    /// # }
    /// ```
    pub fn claim(self) -> Claim<'a, A> {
        match self.replay_key() {
            None => Claim::Granted(Grant::new(self)),
            Some(key) => Claim::Pending(PendingClaim {
                key,
                verified: self,
            }),
        }
    }
}

/// A verified request that waits for the shared store. The store's verdict can be applied only
/// once, because [`settle`](Self::settle) consumes the claim:
///
/// ```compile_fail,E0382
/// # use countersign::Timestamp;
/// # use countersign::server::{Grant, PendingClaim};
/// fn twice<'a>(claim: PendingClaim<'a, ()>) -> [Grant<'a, ()>; 2] {
///     let now = Timestamp::now();
///     [claim.settle(true, now).unwrap(), claim.settle(true, now).unwrap()] // moved
/// }
/// ```
///
/// # A store that loses its data
///
/// A restart without persistence, a failover to a lagging replica, or an eviction policy that drops
/// keys before they [expire](Self::expires) makes used counts look new: an attacker can then replay
/// once each captured request whose nonce has not expired. So run the store with eviction off (in
/// Redis and Valkey, `maxmemory-policy noeviction`), and give it room of its own: a key of some 100
/// bytes for each request that is granted within a nonce lifetime and a minute. After a loss of
/// data, make two new keys, store the second in place of the old one, so that no machine starts
/// with that, and on every machine [`rotate`](super::Authenticator::rotate) to the first and then
/// to the second: a machine keeps its current and its previous key, so this drops every key that
/// was in use before. Requests that have begun keep their nonce until they [begin
/// again](super::Attempt::required_body_hash_function) after their body. Each Digest client is then
/// refused once. If the store cannot be reached, answer 503.
#[derive(Debug)]
#[must_use]
pub struct PendingClaim<'a, A> {
    key: ReplayKey,
    verified: Verified<'a, A>,
}

impl<'a, A> PendingClaim<'a, A> {
    /// The time in seconds for which a store keeps a key after the nonce has expired. The clocks of
    /// the store and of the machines may differ by as much.
    pub const STORE_MARGIN_SECS: u64 = 60;

    /// The key for the store, made of the nonce, the HA1 and the [count](Self::count), if any: at
    /// most 38 ASCII characters, which are lower-case hexadecimal digits and `-`.
    pub fn key(&self) -> String {
        match self.count() {
            Some(count) => format!("{}-{count:08x}", self.nonce_key()),
            None => self.nonce_key(),
        }
    }

    /// The key without the count, at most 29 ASCII characters, for a store that keeps the
    /// [counts](Self::count) of a nonce together. Use a set: in a bitmap, a single request with the
    /// count `ffffffff` would take 512 MB.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use countersign::Timestamp;
    /// use countersign::server::{Grant, PendingClaim, Rejected};
    ///
    /// fn settle<'a, A>(
    ///     store: &Store,
    ///     claim: PendingClaim<'a, A>,
    /// ) -> Result<Grant<'a, A>, Rejected<'a>> {
    ///     let count = claim.count().unwrap_or(0); // without a count, any number marks the use
    ///     // In Redis or Valkey, in one transaction: SADD key count, PEXPIREAT key millis
    ///     let millis = claim.expires().as_unix_millis();
    ///     let added = store.add_to_set(&claim.nonce_key(), count, millis);
    ///     claim.settle(added == 1, Timestamp::now())
    /// }
    /// # struct Store;
    /// # impl Store {
    /// #     fn add_to_set(&self, _: &str, _: u32, _: u64) -> u64 { 1 }
    /// # }
    /// # let _ = |claim| { let _ = settle::<()>(&Store, claim); };
    /// # }
    /// ```
    pub fn nonce_key(&self) -> String {
        let NonceId { issued, tag } = self.key.nonce;
        format!("{:x}-{tag:016x}", issued.as_unix_millis())
    }

    /// The nonce count. `None` if the nonce is valid for one use, even if the request has a count.
    pub const fn count(&self) -> Option<u32> {
        self.key.count
    }

    /// The time from which the store may drop the key: more than
    /// [`STORE_MARGIN_SECS`](Self::STORE_MARGIN_SECS) after the last time at which the nonce is
    /// valid.
    pub const fn expires(&self) -> Timestamp {
        let margin = self.key.valid_until.plus_secs(Self::STORE_MARGIN_SECS);
        margin.plus_millis(1)
    }

    /// Applies the store's verdict: `first` is whether the key was absent and has now been set.
    ///
    /// `now` is the time after the store answered. The store drops expired keys, so its verdict
    /// says nothing about an expired nonce. If the clocks of machines and store may differ by more
    /// than [`STORE_MARGIN_SECS`](Self::STORE_MARGIN_SECS), pass the store's own time.
    ///
    /// # Errors
    ///
    /// [`Rejection::Replayed`] if `first` is false; [`Rejection::NonceExpired`] if the nonce has
    /// expired in the meantime.
    pub fn settle(self, first: bool, now: Timestamp) -> Result<Grant<'a, A>, Rejected<'a>> {
        if !first {
            return Err(self.verified.reject(Rejection::Replayed));
        }
        if self.key.valid_until < now {
            return Err(self.verified.reject(Rejection::NonceExpired));
        }
        Ok(Grant::new(self.verified))
    }
}
