//! Replay detection by a store that several machines share.

use alloc::format;
use alloc::string::String;

use rand_core::TryCryptoRng;

use crate::server::authenticator::Authenticator;
use crate::server::grant::{Grant, Verified};
use crate::server::nonce::{Keys, NonceKey};
use crate::server::realm::Realm;
use crate::server::refusal::Rejected;
use crate::server::rejection::Rejection;
use crate::server::replay::ReplayKey;
use crate::time::Timestamp;

/// The used counts are in a store that several machines share, and that has a set-if-absent
/// operation. All machines must have the same key and the same realms.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use countersign::Timestamp;
/// use countersign::server::{
///     Authenticator, Grant, NonceKey, PendingClaim, Realm, Rejected, SharedStore, Use, Verified,
/// };
///
/// fn admit<'a, A>(
///     auth: &Authenticator<SharedStore>,
///     store: &Store,
///     verified: Verified<'a, A>,
/// ) -> Result<Grant<'a, A>, Rejected> {
///     auth.claim(verified).or_else(|claim: PendingClaim<'_, A>| {
///         // In Redis or Valkey: SET key "" NX PXAT millis
///         let is_new = store.set_if_absent(&claim.key(), claim.expires().as_unix_millis());
///         claim.settle(if is_new { Use::First } else { Use::Seen }, Timestamp::now())
///     })
/// }
/// # struct Store;
/// # impl Store {
/// #     fn set_if_absent(&self, _: &str, _: u64) -> bool { true }
/// # }
/// # let _ = |auth, verified| { let _ = admit::<()>(auth, &Store, verified); };
///
/// // The key is the same on all machines, for example from a file of 32 bytes.
/// let (realm, key) = (Realm::new("files")?, NonceKey::from_bytes([7; 32]));
/// let auth = Authenticator::for_shared_store(realm, key, &mut getrandom::SysRng)?;
/// # let _ = auth;
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// If the store cannot be reached, answer 503. There is no memory to fall back to, which would
/// grant a captured header once on each machine:
///
/// ```compile_fail,E0599
/// use countersign::server::{Authenticator, Rejected, SharedStore, Verified};
///
/// fn fall_back(auth: &Authenticator<SharedStore>, verified: Verified<'_, ()>) {
///     let _ = auth.admit(verified); // no such method
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct SharedStore;

/// What the shared store says about a [claim](PendingClaim).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Use {
    /// The key was absent, and has now been set.
    First,
    /// The key was there.
    Seen,
}

impl Authenticator<SharedStore> {
    /// An `Authenticator` that leaves replay detection to a store shared by several machines with
    /// the same key. `rng` serves to keep apart the nonces of machines.
    ///
    /// # Errors
    ///
    /// The error of `rng`.
    pub fn for_shared_store<R>(realm: Realm, key: NonceKey, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let first_salt = rng.try_next_u64()?;
        let keys = Keys::new(key, realm.name());
        Ok(Self::of(realm, keys, first_salt, None, SharedStore))
    }

    /// Admits a verified request that need not be recorded, as
    /// [`admit`](super::Authenticator::admit) does.
    ///
    /// # Errors
    ///
    /// For any other, what the store has to do.
    #[expect(
        clippy::result_large_err,
        reason = "a box would cost an allocation per request"
    )]
    pub fn claim<'a, A>(
        &self,
        verified: Verified<'a, A>,
    ) -> Result<Grant<'a, A>, PendingClaim<'a, A>> {
        match verified.replay_key() {
            None => Ok(Grant(verified)),
            Some(key) => Err(PendingClaim {
                key,
                is_own: verified.request.server_id == self.server_id,
                verified,
            }),
        }
    }
}

/// A verified request that waits for the shared store: set [`key`](Self::key) if it is absent, and
/// [`settle`](Self::settle). The store's verdict can be applied only once:
///
/// ```compile_fail,E0382
/// # use countersign::Timestamp;
/// # use countersign::server::{Grant, PendingClaim, Use};
/// fn twice<'a>(claim: PendingClaim<'a, ()>, now: Timestamp) -> [Grant<'a, ()>; 2] {
///     [claim.settle(Use::First, now).unwrap(), claim.settle(Use::First, now).unwrap()] // moved
/// }
/// ```
///
/// # A store that loses its data
///
/// A restart without persistence, a failover to a lagging replica, or keys dropped before they
/// [expire](Self::expires) make used counts look new: an attacker can then replay once each
/// captured request whose nonce has not expired. So run the store with eviction off (in Redis and Valkey,
/// `maxmemory-policy noeviction`), with room for a key of some 100 bytes for each request that is
/// granted within a nonce lifetime and a minute.
///
/// After a loss of data, make two new keys, store the second in place of the old one, and on every
/// machine [`rotate`](super::Authenticator::rotate) to the first and then to the second, which
/// drops every key that was in use before. Each Digest client is then refused once.
#[derive(Debug)]
#[must_use]
pub struct PendingClaim<'a, A> {
    key: ReplayKey,
    /// Whether the server that verified the request has this key and realm name.
    is_own: bool,
    verified: Verified<'a, A>,
}

impl<'a, A> PendingClaim<'a, A> {
    /// The time in seconds for which a store keeps a key after the nonce has expired. The clocks of
    /// the store and of the machines may differ by as much.
    pub const STORE_MARGIN_SECS: u64 = 60;

    /// The key for the store, made of the nonce, the HA1 and the nonce count, if any: at most 38
    /// ASCII characters, which are lower-case hexadecimal digits and `-`.
    pub fn key(&self) -> String {
        let (issued, tag) = (self.key.nonce.issued.as_unix_millis(), self.key.nonce.tag);
        match self.key.count {
            Some(count) => format!("{issued:x}-{tag:016x}-{count:08x}"),
            None => format!("{issued:x}-{tag:016x}"),
        }
    }

    /// The time from which the store may drop the key.
    pub const fn expires(&self) -> Timestamp {
        let margin = self.key.valid_until.plus_secs(Self::STORE_MARGIN_SECS);
        margin.plus_millis(1)
    }

    /// Applies the store's verdict. `now` is the time after the store answered, by its own clock if
    /// that may differ by more than [`STORE_MARGIN_SECS`](Self::STORE_MARGIN_SECS).
    ///
    /// # Errors
    ///
    /// - [`Rejection::Replayed`] for [`Use::Seen`].
    /// - [`Rejection::NonceExpired`] if the nonce has expired in the meantime, and
    ///   [`Rejection::NonceForgotten`] if its issue time is more than
    ///   [`STORE_MARGIN_SECS`](Self::STORE_MARGIN_SECS) in the future: in both cases the store may
    ///   have dropped the key.
    /// - [`Rejection::NonceForeign`] if an `Authenticator` made with another key or realm name
    ///   verified the request.
    pub fn settle(self, used: Use, now: Timestamp) -> Result<Grant<'a, A>, Rejected> {
        let ReplayKey {
            nonce, valid_until, ..
        } = self.key;
        let why = if !self.is_own {
            Rejection::NonceForeign
        } else if used == Use::Seen {
            Rejection::Replayed
        } else if valid_until < now {
            Rejection::NonceExpired
        } else if nonce.issued > now.plus_secs(Self::STORE_MARGIN_SECS) {
            // The next nonce must not get the time of this one, or it would be refused, too.
            let until = Timestamp::EPOCH;
            Rejection::NonceForgotten { until }
        } else {
            return Ok(Grant(self.verified));
        };
        Err(self.verified.request.reject(why))
    }
}
