//! The server that a program keeps.

use alloc::boxed::Box;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use rand_core::TryCryptoRng;

use crate::server::arrival::Arrival;
use crate::server::attempt::{Attempt, one_value};
use crate::server::claimed::Issuing;
use crate::server::grant::Grant;
use crate::server::keys::Keys;
use crate::server::nonce_key::NonceKey;
use crate::server::realm::Realm;
use crate::server::refusal::Refusal;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::replay::{ReplayTable, admit};
use crate::server::replay_key::ReplayKey;
use crate::server::verified::Verified;
use crate::target::Target;
use crate::time::Timestamp;

/// The server of one realm: what a program makes once and shares between all threads and tasks.
///
/// It owns the realm's configuration, the key of its nonces and the memory of the counts that were
/// used, so that the three cannot come apart. Requests draw no randomness, and none of its methods
/// blocks for longer than a look into a table. See the [module](super) for an example and for the
/// order of checks.
///
/// Its memory is fixed when it is made. Make one, outside of any closure that a framework calls
/// once a worker: each has a key of its own, so a client that meets another one is refused once at
/// every change between them.
pub struct Authenticator {
    realm: Realm,
    keys: RwLock<Keys>,
    /// The same whichever keys they are.
    keys_id: u64,
    /// Each nonce of one HA1 belongs to one of them.
    tables: Box<[Mutex<ReplayTable>]>,
    /// The latest horizon of the tables, in milliseconds: beside them, so that reading it takes no
    /// lock.
    horizon: AtomicU64,
    /// The last number that kept nonces of one millisecond apart.
    salt: AtomicU64,
}

impl Authenticator {
    /// A server with a key of its own. A new key at each start is fine: clients whose nonces are of
    /// the key before are refused once, with `stale=true`, and no user is asked for a password.
    ///
    /// `capacity` is how many nonces are remembered, at most 2³⁰: at most 48 bytes each, and a
    /// reserve because they are spread over several tables (40 % at 1,000 nonces, 5 % at 10,000). All
    /// of it is reserved now. Give it room
    /// for the nonces that are in use within one [lifetime](Realm::with_nonce_lifetime): one or two
    /// for each client. When it is full, the nonce that was first used longest ago is forgotten,
    /// which costs its client a refused request and never lets one in twice. With 0 no counted Digest
    /// request is ever let in; that is enough for Basic alone.
    ///
    /// Any one account can fill the memory, and so cost all others a refused request each time. To
    /// rule that out, add room for the nonces that the accounts you do not trust can use in one
    /// lifetime: at 100 requests a second for each of them and 300 seconds, 30,000 nonces or 1.4 MB
    /// an account.
    ///
    /// # Errors
    ///
    /// The generator's own. Nothing else fails, and nothing is drawn later.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had, as every allocation does.
    ///
    /// ```
    /// use countersign::server::{Authenticator, Realm};
    ///
    /// let auth = Authenticator::new(Realm::new("files")?, 10_000, &mut getrandom::SysRng)?;
    /// # let _ = auth;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new<R>(realm: Realm, capacity: usize, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let key = NonceKey::random(rng)?;
        Self::restarted(realm, key, Timestamp::EPOCH, capacity, rng)
    }

    /// A server with a key that was used before, so that clients keep their unused nonces over a
    /// restart. This gains little over [`new`](Self::new): what was used is forgotten all the same.
    ///
    /// `used_until` must be no earlier than the [`horizon`](Self::horizon) when the key was last
    /// used: nonces issued up to it are refused as
    /// [forgotten](Rejection::NonceForgotten), because it is not known which counts were
    /// used. The present time will do if the clock is right, and was, and the memory was never filled
    /// anew within a millisecond; where that may not be so, store the horizon with the key, or make
    /// a new key. [`Timestamp::EPOCH`] is for a key that was never
    /// used.
    ///
    /// # Errors
    ///
    /// The generator's own.
    ///
    /// ```
    /// use countersign::Timestamp;
    /// use countersign::server::{Authenticator, NonceKey, Realm};
    ///
    /// let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"; // from a file
    /// let key = NonceKey::from_hex(hex)?;
    /// let rng = &mut getrandom::SysRng;
    /// let auth = Authenticator::restarted(Realm::new("files")?, key, Timestamp::now(), 10_000, rng)?;
    /// # let _ = auth;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restarted<R>(
        realm: Realm,
        key: NonceKey,
        used_until: Timestamp,
        capacity: usize,
        rng: &mut R,
    ) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let salt = rng.try_next_u64()?;
        let tables: Box<[_]> = (0..table_count(capacity))
            .map(|_| {
                let table = ReplayTable::with_capacity(table_capacity(capacity));
                match used_until {
                    Timestamp::EPOCH => table,
                    time => table.restarted_at(time),
                }
            })
            .collect();
        let horizon = tables.iter().map(ReplayTable::horizon).max();
        let keys = Keys::new(&key, realm.name());
        Ok(Self {
            keys_id: keys.id,
            keys: RwLock::new(keys),
            realm,
            horizon: AtomicU64::new(horizon.map_or(0, Timestamp::as_unix_millis)),
            tables: tables.into_iter().map(Mutex::new).collect(),
            salt: AtomicU64::new(salt),
        })
    }

    /// A server whose replays are recognised by a store that several machines share, all with this
    /// key: by [`Verified::claim`] in the place of [`admit`](Self::admit), which lets no counted
    /// request in here.
    ///
    /// # Errors
    ///
    /// The generator's own.
    pub fn for_shared_store<R>(realm: Realm, key: NonceKey, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        Self::restarted(realm, key, Timestamp::EPOCH, 0, rng)
    }

    /// The configuration.
    pub const fn realm(&self) -> &Realm {
        &self.realm
    }

    fn keys(&self) -> RwLockReadGuard<'_, Keys> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn issuing<'k>(&'k self, keys: &'k Keys) -> Issuing<'k, impl FnMut() -> u64> {
        Issuing {
            keys,
            floor: self.horizon(),
            salt: || self.salt.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Checks all that can be checked without the user's secret.
    ///
    /// `credentials` is all values of `Authorization`, or for a proxy of `Proxy-Authorization`,
    /// of whatever type the HTTP library has; an `Option` will do where there cannot be two. Without
    /// any it is `None::<&str>`. `target` is the method and the request-target as they stand on the
    /// request line.
    ///
    /// # Errors
    ///
    /// Those that the table at [`Rejection`] marks `begin`.
    pub fn begin<'a, I, V>(
        &'a self,
        credentials: I,
        target: &Target<'a>,
        arrival: &Arrival<'a>,
    ) -> Result<Attempt<'a>, Rejected<'a>>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        self.begin_as(&self.realm, credentials, target, arrival)
    }

    /// [`begin`](Self::begin) with other settings for this request: RFC 2069 for the routes of old
    /// devices, one-time nonces for `POST`. Keys and memory are the same.
    ///
    /// A nonce is good for all settings but those that decide how often and how long it is good:
    /// [lifetime](Realm::with_nonce_lifetime), [one use](Realm::with_one_time_nonces) and
    /// [cnonces](Realm::with_hash_like_cnonces). A request with a nonce of other such settings is
    /// refused once, with `stale=true`.
    ///
    /// What follows, up to the response, goes by that realm: its settings, its name, its challenges.
    /// It should have the same name as this server's, because the nonces of a challenge are good
    /// for both, and a client asks its user for each name.
    ///
    /// # Errors
    ///
    /// Those of [`begin`](Self::begin).
    pub fn begin_as<'a, I, V>(
        &self,
        realm: &'a Realm,
        credentials: I,
        target: &Target<'a>,
        arrival: &Arrival<'a>,
    ) -> Result<Attempt<'a>, Rejected<'a>>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let value = one_value(credentials);
        let keys = self.keys();
        Attempt::begin(realm, self.issuing(&keys), value, target, arrival)
    }

    /// Lets a verified request in, once.
    ///
    /// # Errors
    ///
    /// [`Rejection::Replayed`] if its count was used before, or is so far
    /// behind that it must be taken for used;
    /// [`Rejection::NonceForgotten`] if it is no longer known
    /// whether it was; [`Rejection::NonceForeign`] if another
    /// `Authenticator` verified it.
    #[inline]
    pub fn admit<'a, A>(&self, verified: Verified<'a, A>) -> Result<Grant<'a, A>, Rejected<'a>> {
        admit(verified, self.keys_id, |key| {
            let until = key.nonce.issued;
            let mut table = self.table(key).ok_or(Rejection::NonceForgotten { until })?;
            let claimed = table.claim(key);
            let horizon = table.horizon().as_unix_millis();
            // Seldom, because the load of what all threads read is cheap and the store is not.
            if horizon > self.horizon.load(Ordering::Relaxed) {
                self.horizon.fetch_max(horizon, Ordering::Relaxed);
            }
            claimed
        })
    }

    /// The table that a nonce belongs to. Tables go by the upper half of the tag, and places in them
    /// by the lower one.
    fn table(&self, key: &ReplayKey) -> Option<MutexGuard<'_, ReplayTable>> {
        let tables = u64::try_from(self.tables.len()).ok()?;
        // Below the number of tables, evenly spread.
        let at = usize::try_from(((key.nonce.tag >> 32) * tables) >> 32).ok()?;
        let table = self.tables.get(at)?;
        Some(table.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The response to a request that may not go on: its status and its challenges, those of the
    /// realm that the request was checked against.
    pub fn refuse(&self, rejected: &Rejected<'_>) -> Refusal {
        let keys = self.keys();
        Refusal::new(rejected, self.issuing(&keys))
    }

    /// Changes the key, for one that was never used. The present one becomes the previous one, whose
    /// nonces stay good for as long as they live; the previous one is dropped. To void all nonces at
    /// once, do it twice.
    ///
    /// No client is refused if a nonce lifetime lies between two changes.
    pub fn rotate(&self, key: NonceKey) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.rotate(&key, &self.realm.name);
    }

    /// No nonce that was used so far carries a later time: to store with the key, for
    /// [`restarted`](Self::restarted).
    pub fn horizon(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.horizon.load(Ordering::Relaxed))
    }

    /// How many nonces are remembered.
    pub fn len(&self) -> usize {
        let len =
            |table: &Mutex<ReplayTable>| table.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.tables.iter().map(len).sum()
    }

    /// Returns whether no nonce is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A small memory is one table, so that it holds just as many nonces as was asked for.
const fn table_count(capacity: usize) -> usize {
    if capacity < 1024 { 1 } else { 16 }
}

/// Nonces spread by chance, so each table has room for four standard deviations more than its share.
const fn table_capacity(capacity: usize) -> usize {
    let tables = table_count(capacity);
    let capacity = if capacity < 1 << 30 {
        capacity
    } else {
        1 << 30
    };
    let share = capacity.div_ceil(tables);
    if tables == 1 {
        share
    } else {
        share + 4 * share.isqrt()
    }
}

impl fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticator")
            .field("realm", &self.realm)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
