//! Replays, recognised by a store that several machines share.

use alloc::format;
use alloc::string::String;

use crate::server::grant::Grant;
use crate::server::nonce::NonceId;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::replay_key::ReplayKey;
use crate::server::verified::Verified;
use crate::time::Timestamp;

/// What a store that several machines share has to do for a request: see
/// [`Verified::claim`].
#[derive(Debug)]
#[must_use]
pub enum Claim<'a, A> {
    /// Nothing: for Basic, which can always be replayed, and for a form without a count whose nonces
    /// [may be used again](super::Realm::with_reusable_nonces).
    Granted(Grant<'a, A>),
    /// To claim a key that nobody has claimed before.
    Pending(PendingClaim<'a, A>),
}

impl<'a, A> Verified<'a, A> {
    /// Asks what a store that several machines share must do for this request, in the place of
    /// [`Authenticator::admit`](super::Authenticator::admit). All machines must have the same key
    /// and the same realm.
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

/// A request that waits for the verdict of a store that several machines share. Only a verdict on
/// its own key lets it in, and only once:
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
/// A restart without persistence, a failover to a replica that lagged, or an eviction policy that
/// drops keys before they [expire](Self::expires) makes used counts look new: each request of the
/// last nonce lifetime is granted once more to whoever captured it. So run the store with eviction
/// off (`maxmemory-policy noeviction`). After a loss, give all machines a new key by
/// [`rotate`](super::Authenticator::rotate), and then another one, so that neither of the two they
/// keep was in use before; each client is then refused once. If the store cannot be reached, answer
/// 503.
#[derive(Debug)]
#[must_use]
pub struct PendingClaim<'a, A> {
    key: ReplayKey,
    verified: Verified<'a, A>,
}

impl<'a, A> PendingClaim<'a, A> {
    /// How much longer a store must keep a key than its nonce is good for, in seconds: so far may
    /// the clocks of the store and of the machines be apart.
    pub const STORE_MARGIN_SECS: u64 = 60;

    /// A key for the store, of the nonce, the account and the count: at most 38 ASCII characters.
    pub fn key(&self) -> String {
        match self.count() {
            Some(count) => format!("{}-{count:08x}", self.nonce_key()),
            None => self.nonce_key(),
        }
    }

    /// The key without the count, at most 29 ASCII characters: for a store that keeps the
    /// [counts](Self::count) of a nonce together, such as in a bitmap.
    pub fn nonce_key(&self) -> String {
        let NonceId { issued, tag } = self.key.nonce;
        format!("{:x}-{tag:016x}", issued.as_unix_millis())
    }

    /// The count. `None` if the nonce is good for one use without a count.
    pub const fn count(&self) -> Option<u32> {
        self.key.count
    }

    /// When the store may forget the key: [`STORE_MARGIN_SECS`](Self::STORE_MARGIN_SECS) after the
    /// nonce has expired.
    pub const fn expires(&self) -> Timestamp {
        self.key.good_until.plus_secs(Self::STORE_MARGIN_SECS)
    }

    /// Takes the store's verdict: whether the key was claimed for the first time.
    ///
    /// `now` is the time after the store answered, which may have taken a while: a store forgets, so
    /// its verdict counts only while the nonce is good. Where the clocks of the machines and of the
    /// store may be further apart than [`STORE_MARGIN_SECS`](Self::STORE_MARGIN_SECS), take the
    /// store's own time.
    ///
    /// # Errors
    ///
    /// [`Rejection::Replayed`] if the key had been claimed before; [`Rejection::NonceExpired`] if
    /// the nonce has expired meanwhile.
    pub fn settle(self, first: bool, now: Timestamp) -> Result<Grant<'a, A>, Rejected<'a>> {
        if !first {
            return Err(self.verified.reject(Rejection::Replayed));
        }
        if self.key.good_until < now {
            return Err(self.verified.reject(Rejection::NonceExpired));
        }
        Ok(Grant::new(self.verified))
    }
}
