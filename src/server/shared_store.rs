//! Replay detection by a store that several machines share.

use alloc::format;
use alloc::string::String;
use core::time::Duration;

use rand_core::TryCryptoRng;

use crate::server::authenticator::Authenticator;
use crate::server::grant::Grant;
use crate::server::issuer::Issuer;
use crate::server::key::NonceKeys;
use crate::server::realm::Realm;
use crate::server::reason::Reason;
use crate::server::refusal::Refusal;
use crate::server::replay::ReplayKey;
use crate::server::verified::Verified;
use crate::time::Timestamp;

/// The used counts are in a store with a set-if-absent operation. The machines that share it have
/// the same keys and realms. A request is admitted by [`claim`](Authenticator::claim), then `SET key
/// "" NX PX millis` (in Redis or Valkey), then [`settle`](PendingClaim::settle).
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
///
/// # A store that loses its data
///
/// After a restart without persistence, a failover to a lagging replica, or an early eviction, an
/// attacker can repeat once each captured request whose nonce has not expired, unless the store
/// [says what it lost](StoreReply::lost_until). So turn eviction off (in Redis and Valkey,
/// `maxmemory-policy noeviction`), with room for a key of some 160 bytes for each request that is
/// granted within a nonce lifetime and a minute. The crate `countersign-redis` is a store that says
/// so; the page [`machines`](crate::manual::machines) has both ways to serve by several machines.
#[derive(Debug)]
#[non_exhaustive]
pub struct SharedStore;

/// What the shared store replies to a [claim](PendingClaim).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct StoreReply {
    /// Whether the key is new.
    pub used: Use,
    /// The time of the store, which then judges the age of all nonces. If the store does not tell
    /// its time, the time of this machine after the reply.
    pub now: Timestamp,
    /// If the store may have lost keys: its time after the loss, plus
    /// [`STORE_MARGIN_SECS`](PendingClaim::STORE_MARGIN_SECS). Nonces that were issued until then
    /// are refused once, as [forgotten](Reason::NonceForgotten). A store says so in each reply from
    /// the loss on. Only a script can tell: in Redis, by a replication id (`master_replid`) that it
    /// compares with the id it has stored.
    pub lost_until: Option<Timestamp>,
}

/// Whether a [claim](PendingClaim) is the first with its key.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Use {
    /// The key was absent, and has now been set.
    First,
    /// The key was there.
    Seen,
}

impl Authenticator<SharedStore> {
    /// An `Authenticator` with the keys that all machines have. `rng` keeps their nonces apart: after
    /// a `fork`, each child makes its own `Authenticator`.
    ///
    /// # Errors
    ///
    /// The error of `rng`.
    pub fn for_shared_store<R>(
        realm: Realm,
        keys: &NonceKeys,
        rng: &mut R,
    ) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let first_salt = rng.try_next_u64()?;
        let issuer = Issuer::new(keys, Some(first_salt));
        Ok(Self::of(realm, issuer, SharedStore))
    }

    /// Replaces all keys. Requests that have [begun](Self::begin) are not affected.
    pub fn set_keys(&self, keys: &NonceKeys) {
        self.issuer.set_keys(keys);
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

/// A verified request that waits for the shared store: set [`key`](Self::key) if it is absent, for
/// its [`time_to_live`](Self::time_to_live), and [`settle`](Self::settle). The store's reply can be
/// applied only once:
///
/// ```compile_fail,E0382
/// # use countersign::server::{Grant, PendingClaim, StoreReply};
/// fn twice<'a>(claim: PendingClaim<'a, ()>, reply: StoreReply) -> [Grant<'a, ()>; 2] {
///     [claim.settle(reply).unwrap(), claim.settle(reply).unwrap()] // moved
/// }
/// ```
#[derive(Debug)]
#[must_use]
pub struct PendingClaim<'a, A> {
    key: ReplayKey,
    /// Whether this server verified the request.
    is_own: bool,
    verified: Verified<'a, A>,
}

impl<'a, A> PendingClaim<'a, A> {
    /// The seconds by which the clocks of two machines may differ, and for which a store keeps a key
    /// beyond the lifetime of the nonce.
    pub const STORE_MARGIN_SECS: u64 = 60;

    /// The key for the store, made of the nonce, the HA1 and the nonce count, if any: at most 38
    /// ASCII characters, which are lower-case hexadecimal digits and `-`. A store with scripts may
    /// keep the counts of a nonce together: they are what follows the second `-`.
    pub fn key(&self) -> String {
        let (issued, tag) = (self.key.nonce.issued.as_unix_millis(), self.key.nonce.tag);
        match self.key.count {
            Some(count) => format!("{issued:x}-{tag:016x}-{count:08x}"),
            None => format!("{issued:x}-{tag:016x}"),
        }
    }

    /// How long the store has to keep the key from now on, for which it needs no clock. Later no
    /// request with the key is granted, by any machine.
    pub const fn time_to_live(&self) -> Duration {
        let (from, until) = (self.key.nonce.issued, self.key.valid_until);
        let lifetime = until.as_unix_millis().saturating_sub(from.as_unix_millis());
        Duration::from_millis(lifetime.saturating_add(1000 * Self::STORE_MARGIN_SECS + 1))
    }

    /// Applies the reply of the store.
    ///
    /// # Errors
    ///
    /// [`Reason::Replayed`]; [`Reason::NonceExpired`]; [`Reason::NonceForgotten`] if the store may
    /// have lost the key, or if the nonce is from more than the margin in the future;
    /// [`Reason::NonceForeign`] if another server verified the request.
    pub fn settle(self, reply: StoreReply) -> Result<Grant<'a, A>, Refusal> {
        let (now, key) = (reply.now, &self.key);
        let until = reply.lost_until.unwrap_or(Timestamp::EPOCH);
        let earliest = reply.lost_until.map_or(until, |until| until.plus_millis(1));
        // The nonces issued after a loss, which the store's clock has not reached, are the latest.
        let latest = now.plus_secs(Self::STORE_MARGIN_SECS).max(earliest);
        if self.is_own {
            // This machine may not have heard of the loss yet, or its clock may be late.
            self.verified.request.issuer.set_floor(earliest.max(now));
        }
        let why = if !self.is_own {
            Reason::NonceForeign
        } else if reply.used == Use::Seen {
            Reason::Replayed
        } else if key.valid_until < now {
            Reason::NonceExpired
        } else if !(earliest..=latest).contains(&key.nonce.issued) {
            Reason::NonceForgotten { until }
        } else {
            return Ok(Grant(self.verified));
        };
        Err(self.verified.request.reject(why))
    }
}
