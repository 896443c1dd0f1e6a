//! Replay detection by a store that several machines share.

use alloc::format;
use alloc::string::String;

use rand_core::TryCryptoRng;

use crate::server::authenticator::Authenticator;
use crate::server::grant::{Grant, Verified};
use crate::server::nonce::{Issuer, NonceKey};
use crate::server::realm::Realm;
use crate::server::reason::Reason;
use crate::server::refusal::Refusal;
use crate::server::replay::ReplayKey;
use crate::time::Timestamp;

/// The used counts are in a store with a set-if-absent operation. The machines that share it have
/// the same key and realms. A request is admitted by [`claim`](Authenticator::claim), then `SET key
/// "" NX PXAT millis` (in Redis or Valkey), then [`settle`](PendingClaim::settle).
///
/// If the store cannot be reached, answer 503. There is no memory to fall back to, which would
/// grant a captured header once on each machine:
///
/// ```compile_fail,E0599
/// # use countersign::server::{Authenticator, SharedStore, Verified};
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
    /// An `Authenticator` with the key that all machines have. `rng` keeps their nonces apart.
    ///
    /// # Errors
    ///
    /// The error of `rng`.
    pub fn for_shared_store<R>(realm: Realm, key: NonceKey, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let first_salt = rng.try_next_u64()?;
        let issuer = Issuer::new(key, realm.name(), Some(first_salt));
        Ok(Self::of(realm, issuer, SharedStore))
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
                is_own: verified.request.is_of(&self.issuer),
                verified,
            }),
        }
    }
}

/// A verified request that waits for the shared store: set [`key`](Self::key) if it is absent, to
/// expire at [`expires`](Self::expires), and [`settle`](Self::settle). The store's verdict can be
/// applied only once:
///
/// ```compile_fail,E0382
/// # use countersign::{Timestamp, server::{Grant, PendingClaim, Use}};
/// fn twice<'a>(claim: PendingClaim<'a, ()>, now: Timestamp) -> [Grant<'a, ()>; 2] {
///     [claim.settle(Use::First, now).unwrap(), claim.settle(Use::First, now).unwrap()] // moved
/// }
/// ```
///
/// # A store that loses its data
///
/// After a restart without persistence, a failover to a lagging replica, or an early eviction, an
/// attacker can replay once each captured request whose nonce has not expired. So turn eviction off
/// (in Redis and Valkey, `maxmemory-policy noeviction`), with room for a key of some 100 bytes for
/// each request that is granted within a nonce lifetime and a minute. After a loss, make two new
/// keys, store the second, and [`rotate`](super::Authenticator::rotate) every machine to the first
/// and then to the second. Each Digest client is then refused once.
#[derive(Debug)]
#[must_use]
pub struct PendingClaim<'a, A> {
    key: ReplayKey,
    /// Whether this server verified the request.
    is_own: bool,
    verified: Verified<'a, A>,
}

impl<'a, A> PendingClaim<'a, A> {
    /// The seconds for which a store keeps a key after the nonce has expired. Its clock and those
    /// of the machines may differ by as much.
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
    /// [`Reason::Replayed`]; [`Reason::NonceExpired`] or [`Reason::NonceForgotten`] if the
    /// store may have dropped the key, because the nonce has expired or is from more than the
    /// margin in the future; [`Reason::NonceForeign`] if another server verified the request.
    pub fn settle(self, used: Use, now: Timestamp) -> Result<Grant<'a, A>, Refusal> {
        let ReplayKey {
            nonce, valid_until, ..
        } = self.key;
        let why = if !self.is_own {
            Reason::NonceForeign
        } else if used == Use::Seen {
            Reason::Replayed
        } else if valid_until < now {
            Reason::NonceExpired
        } else if nonce.issued > now.plus_secs(Self::STORE_MARGIN_SECS) {
            // The next nonce must not get the time of this one, or it would be refused, too.
            let until = Timestamp::EPOCH;
            Reason::NonceForgotten { until }
        } else {
            return Ok(Grant(self.verified));
        };
        Err(self.verified.request.reject(why))
    }
}
