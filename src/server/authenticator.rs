//! The thread-safe server side of authentication.

use alloc::boxed::Box;
use core::fmt;
use core::sync::atomic::Ordering;
use std::sync::PoisonError;

use rand_core::TryCryptoRng;

use crate::server::arrival::Arrival;
use crate::server::attempt::Attempt;
use crate::server::credentials::one_value;
use crate::server::grant::Grant;
use crate::server::keys::Keys;
use crate::server::nonce_issuer::NonceIssuer;
use crate::server::nonce_key::NonceKey;
use crate::server::realm::Realm;
use crate::server::refusal::Refusal;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::replay::{ReplayTable, admit};
use crate::server::replay_key::ReplayKey;
use crate::server::sync::{AtomicU64, Mutex, MutexGuard, RwLock, RwLockReadGuard};
use crate::server::verified::Verified;
use crate::target::Target;
use crate::time::Timestamp;

/// Authenticates requests to a realm, or to [several](Self::begin_as). A program makes one
/// `Authenticator` and shares it between all threads and tasks.
///
/// An `Authenticator` owns the realm's configuration, the nonce key and the used counts, so that
/// the three cannot get separated. Requests draw no randomness. Locks are held only for short
/// computations, never across your code. See the [module](super) for an example and for the order
/// of checks.
///
/// The memory for used counts is allocated at construction. Make only one, outside of any closure
/// that a framework calls once per worker: each `Authenticator` made by [`new`](Self::new) has its
/// own key, so a Digest client is refused once whenever it moves from one to another.
pub struct Authenticator {
    realm: Realm,
    keys: RwLock<Keys>,
    /// [`Keys::server_id`], kept outside the lock.
    server_id: u64,
    /// The replay tables. [`table`](Self::table) selects one for each pair of a nonce and an HA1.
    tables: Box<[Mutex<ReplayTable>]>,
    /// The earliest time that a new nonce may carry, in milliseconds: the latest
    /// [issue floor](ReplayTable::issue_floor) of all tables. Kept here so that reading it takes no
    /// lock.
    issue_floor: AtomicU64,
    /// A counter: the salt of the next nonce, which keeps nonces of the same millisecond apart.
    next_salt: AtomicU64,
}

impl Authenticator {
    /// An `Authenticator` with a random key. A new key at each start is fine, so no key file is
    /// needed: a client with a nonce from before the start is refused once, with `stale=true`, and
    /// browsers usually do not prompt again.
    ///
    /// `capacity` is the number of nonces to remember; a nonce counts once for each user that it
    /// was used by. A capacity above 2³⁰ is treated as 2³⁰. A capacity of 1,024 or more is divided
    /// among 16 tables, which have room for more: for 50 % more at 1,024 nonces, 16 % at 10,000 and
    /// 5 % at 100,000. Each place takes at most 48 bytes, and all memory is allocated now. Make
    /// room for the nonces in use within one [lifetime](Realm::with_nonce_lifetime): usually one or
    /// two per client, but one per request where a nonce is valid for one request, where [every
    /// response](super::NextNonce::Always) carries the next nonce, or where the client forgets it
    /// with each request, as curl and wget do.
    ///
    /// A full table forgets the nonce whose first use is the oldest. From then on, the table also
    /// refuses every unused nonce that is no newer than the forgotten one. Each costs its client
    /// one refused request, and no replay is admitted.
    ///
    /// A capacity of 0 is enough for Basic alone: [`admit`](Self::admit) then refuses every Digest
    /// request whose nonce or count it has to record.
    ///
    /// A single account can fill the tables again and again, and each time cost other Digest
    /// clients a refused request. If it does that within each of their round trips (1,000 granted
    /// requests in 100 milliseconds, say, at a capacity of 1,000), they are refused again and
    /// again. To rule both out, add room for the nonces that untrusted accounts can use in one
    /// lifetime: at 100 requests a second and a lifetime of 300 seconds, 30,000 nonces or 1.4 MB
    /// per account. Where anybody can open accounts, limit the granted requests of each account
    /// instead.
    ///
    /// # Errors
    ///
    /// The error of `rng`, which is used only during this call.
    ///
    /// # Panics
    ///
    /// If the memory cannot be allocated. This may abort the process instead.
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
        Self::with_key(realm, key, None, capacity, rng)
    }

    /// An `Authenticator` with a given key: a new one, or one that an earlier process has used and
    /// stored.
    ///
    /// `used_until` is `None` for a key that was never used. Otherwise `used_until` is the
    /// [`horizon`](Self::horizon) that was stored with the key at a clean shutdown, or a later time
    /// up to now. Nonces issued up to `used_until` are refused as
    /// [forgotten](Rejection::NonceForgotten), because their used counts are no longer known. Of
    /// the nonces from before the start, only those issued after `used_until` stay valid, and none
    /// of these was used. So keeping the key saves few refusals, compared with a new one. (Where
    /// nonces [may be reused](Realm::with_reusable_nonces), a response that covers no count is not
    /// recorded, so none of this applies to it: it is admitted until the nonce expires.)
    ///
    /// New nonces get an issue time after `used_until`. If that is in the future, they stay valid
    /// for longer by as much. If it is in the year 10889 or later, no nonce can have such a time,
    /// and every Digest request that has to be recorded is refused.
    ///
    /// After a crash the horizon is not known, and may be later than now if the clock was set back:
    /// use [`new`](Self::new).
    ///
    /// # Errors
    ///
    /// The error of `rng`.
    ///
    /// # Panics
    ///
    /// As [`new`](Self::new).
    ///
    /// ```
    /// use countersign::Timestamp;
    /// use countersign::server::{Authenticator, NonceKey, Realm};
    ///
    /// let (realm, rng) = (Realm::new("files")?, &mut getrandom::SysRng);
    /// let key = NonceKey::random(rng)?;
    /// let stored_key = key.to_hex();
    /// let auth = Authenticator::with_key(realm.clone(), key, None, 10_000, rng)?;
    /// // At a clean shutdown, when the last request has been admitted:
    /// let stored_horizon = auth.horizon().as_unix_millis();
    ///
    /// // At the next start. Delete the stored pair before the first request is served, so that a
    /// // start after a crash finds none.
    /// let key = NonceKey::from_hex(&stored_key)?;
    /// let used_until = Some(Timestamp::from_unix_millis(stored_horizon));
    /// let auth = Authenticator::with_key(realm, key, used_until, 10_000, rng)?;
    /// # let _ = auth;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_key<R>(
        realm: Realm,
        key: NonceKey,
        used_until: Option<Timestamp>,
        capacity: usize,
        rng: &mut R,
    ) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let first_salt = rng.try_next_u64()?;
        let tables: Box<[_]> = (0..table_count(capacity))
            .map(|_| {
                let table = ReplayTable::with_capacity(table_capacity(capacity));
                match used_until {
                    None => table,
                    Some(time) => table.with_forgotten(time),
                }
            })
            .collect();
        let issue_floor = tables.iter().map(ReplayTable::issue_floor).max();
        let keys = Keys::new(&key, realm.name());
        Ok(Self {
            server_id: keys.server_id,
            keys: RwLock::new(keys),
            realm,
            issue_floor: AtomicU64::new(issue_floor.map_or(0, Timestamp::as_unix_millis)),
            tables: tables.into_iter().map(Mutex::new).collect(),
            next_salt: AtomicU64::new(first_salt),
        })
    }

    /// An `Authenticator` that leaves replay detection to a store shared by several machines with
    /// the same key. Call [`Verified::claim`] instead of [`admit`](Self::admit): this one has
    /// the capacity [0](Self::new), so `admit` refuses every request that has to be recorded.
    ///
    /// # Errors
    ///
    /// The error of `rng`.
    ///
    /// ```
    /// use countersign::server::{Authenticator, NonceKey, Realm};
    ///
    /// let hex = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"; // from a file
    /// let key = NonceKey::from_hex(hex)?;
    /// let realm = Realm::new("files")?;
    /// let auth = Authenticator::for_shared_store(realm, key, &mut getrandom::SysRng)?;
    /// # let _ = auth;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_shared_store<R>(realm: Realm, key: NonceKey, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        Self::with_key(realm, key, None, 0, rng)
    }

    /// The realm's configuration.
    pub const fn realm(&self) -> &Realm {
        &self.realm
    }

    fn keys(&self) -> RwLockReadGuard<'_, Keys> {
        self.keys.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn nonce_issuer<'k>(&'k self, keys: &'k Keys) -> NonceIssuer<'k, impl FnMut() -> u64> {
        NonceIssuer {
            keys,
            floor: self.horizon(),
            salt: || self.next_salt.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Parses the credentials and checks what does not need the user's secret. A foreign or expired
    /// nonce is not refused yet: [`verify`](Attempt::verify) does that, or
    /// [`reject_unread`](Attempt::reject_unread). A used count, or a used nonce that is valid for
    /// one request, is refused by [`admit`](Self::admit).
    ///
    /// `credentials` are all values of the `Authorization` field, or of `Proxy-Authorization` at a
    /// proxy, of any `AsRef<[u8]>` type. Pass an `Option` if your HTTP library limits the field
    /// to one value, and `None::<&str>` if the field is absent. `target` holds the method and the
    /// request-target as they are on the request line.
    ///
    /// # Errors
    ///
    /// The rejections marked `begin` in the table at [`Rejection`].
    ///
    /// ```
    /// use countersign::server::{Arrival, Authenticator, Realm, Rejection};
    /// use countersign::{Channel, Target};
    ///
    /// let auth = Authenticator::new(Realm::new("files")?, 10_000, &mut getrandom::SysRng)?;
    /// let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
    /// let rejected = auth.begin(None::<&str>, &target, &arrival).unwrap_err();
    /// assert_eq!(rejected.rejection(), Rejection::NoCredentials);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    /// Like [`begin`](Self::begin), with another realm for this request. Keys and memory are
    /// shared. All further steps, up to the response, use the settings, name and challenges of
    /// `realm`.
    ///
    /// A realm with another name is a separate protection space with its own users. Digest
    /// credentials for one realm are refused with [`Rejection::RealmMismatch`] in the other; Basic
    /// credentials name no realm. See [several
    /// realms](crate::manual::server#several-realms).
    ///
    /// A realm with the same name as [`Self::realm`] changes the settings for some requests: RFC
    /// 2069 for the routes of old devices, say, or one-time nonces for `POST`. Clients cannot tell
    /// two realms of the same name apart, so a request that is checked against `realm` may use a
    /// nonce, an algorithm and a qop from a challenge of `Self::realm`, and the reverse:
    ///
    /// - Three settings are bound into the nonce: its [lifetime](Realm::with_nonce_lifetime),
    ///   [one-time use](Realm::with_one_time_nonces), and whether [hash-like
    ///   cnonces](Realm::with_hash_like_cnonces) are accepted. If one differs, a request with a
    ///   nonce of the other realm is refused with `stale=true`: once at each change from one realm
    ///   to the other, and more often if the client sends requests to both in parallel. But a
    ///   `-sess` request with a hash-like cnonce, checked against a realm that does not accept
    ///   these, is refused without `stale`.
    /// - A request is refused without `stale` if only the other realm accepts its scheme, its
    ///   algorithm, its qop, its lack of a qop, its hashed user name, or the [uncounted
    ///   form](Realm::with_uncounted_form). The client may then prompt its user for a password that
    ///   was right. So let `realm` accept everything that `Self::realm` offers, and offer nothing
    ///   else. It may accept more by settings that do not change its challenges, such as
    ///   [`with_rfc2069`](Realm::with_rfc2069). (RFC 2069 and the uncounted form switch [hash-like
    ///   cnonces](Realm::with_hash_like_cnonces) off. If `Self::realm` accepts these, the two
    ///   realms then differ in a setting that is bound into the nonce, as above.)
    ///
    /// # Errors
    ///
    /// Those of [`begin`](Self::begin).
    ///
    /// ```
    /// use countersign::server::{Arrival, Authenticator, Realm};
    /// use countersign::{Channel, Target};
    ///
    /// let realm = Realm::new("files")?;
    /// let once = realm.clone().with_one_time_nonces(true);
    /// let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
    ///
    /// let (target, arrival) = (Target::new("POST", "/form"), Arrival::now(Channel::Encrypted));
    /// let realm = if target.method == b"POST" { &once } else { auth.realm() };
    /// let rejected = auth.begin_as(realm, None::<&str>, &target, &arrival).unwrap_err();
    /// assert_eq!(auth.refuse(&rejected).status, 401);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
        Attempt::begin(realm, self.nonce_issuer(&keys), value, target, arrival)
    }

    /// Admits a verified request, and records its nonce count, or its nonce if that is valid for
    /// one request, so that it cannot be used again. Nothing is recorded for Basic, or for a
    /// response that covers no count and whose nonce [may be
    /// reused](Realm::with_reusable_nonces): these can be replayed. See [`Attempt`] for an example.
    ///
    /// # Errors
    ///
    /// - [`Rejection::Replayed`] if the count, or a nonce that is valid for one request, was used
    ///   before; or if the count is 64 or more below the highest one that the user has used with
    ///   this nonce. Such a low count is treated as used.
    /// - [`Rejection::NonceForgotten`] if the server does not know whether the count or the nonce
    ///   was used: for example because the table was full, or the clock was set back.
    /// - [`Rejection::NonceForeign`] if an `Authenticator` made with another key or realm name
    ///   verified the request.
    #[inline]
    pub fn admit<'a, A>(&self, verified: Verified<'a, A>) -> Result<Grant<'a, A>, Rejected<'a>> {
        admit(verified, self.server_id, |key| {
            let until = key.nonce.issued;
            let mut table = self.table(key).ok_or(Rejection::NonceForgotten { until })?;
            let recorded = table.record(key);
            let issue_floor = table.issue_floor().as_unix_millis();
            // Load first: all threads share this cache line, and a store would invalidate it.
            if issue_floor > self.issue_floor.load(Ordering::Relaxed) {
                self.issue_floor.fetch_max(issue_floor, Ordering::Relaxed);
            }
            recorded
        })
    }

    /// The table that the entry of this key belongs to. The upper half of the tag (secret bytes of
    /// the nonce's MAC, mixed with the HA1) selects the table, the lower half the slot in it. Never
    /// `None`: there is at least one table.
    fn table(&self, key: &ReplayKey) -> Option<MutexGuard<'_, ReplayTable>> {
        let tables = u64::try_from(self.tables.len()).ok()?;
        // Multiply-shift maps these 32 bits evenly to 0..tables.
        let at = usize::try_from(((key.nonce.tag >> 32) * tables) >> 32).ok()?;
        let table = self.tables.get(at)?;
        Some(table.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The response to a rejected request: its status, and for 401 and 407 the challenges of the
    /// realm that the request was checked against. See [`Refusal`] for an example.
    pub fn refuse(&self, rejected: &Rejected<'_>) -> Refusal {
        let keys = self.keys();
        Refusal::new(rejected, self.nonce_issuer(&keys))
    }

    /// Replaces the key with this one, which must be new: not used before, except by machines with
    /// a [shared store](Self::for_shared_store) that rotate to it as well. Nonces of the replaced
    /// key stay valid until they expire or the next call drops the key. So let at least the longest
    /// nonce lifetime pass between two calls; to void all nonces at once, call it twice, with two
    /// new keys. A request whose nonce [`begin`](Self::begin) has checked may still be admitted
    /// after the call that drops the key.
    ///
    /// If machines share a key, each refuses the new nonces of the others until it has rotated,
    /// too.
    ///
    /// ```
    /// use countersign::server::{Authenticator, NonceKey, Realm};
    ///
    /// let auth = Authenticator::new(Realm::new("files")?, 10_000, &mut getrandom::SysRng)?;
    /// auth.rotate(NonceKey::random(&mut getrandom::SysRng)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rotate(&self, key: NonceKey) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.rotate(&key, &self.realm.name);
    }

    /// An upper bound on the issue times of all nonces that [`admit`](Self::admit) has recorded.
    /// New nonces are issued no earlier than this. At a clean shutdown, after the last `admit`,
    /// store it with the key, and pass both to [`with_key`](Self::with_key).
    pub fn horizon(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.issue_floor.load(Ordering::Relaxed))
    }

    /// The number of nonces remembered. A nonce counts once for each user that it was used by.
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

/// A small capacity gets one table, which holds exactly as many nonces as requested.
const fn table_count(capacity: usize) -> usize {
    if capacity < 1024 { 1 } else { 16 }
}

/// Nonces are distributed at random, so each table has room for four standard deviations more than
/// its share.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_table_has_its_share_and_spare_room() {
        for (capacity, one_table) in [
            (0, 0),
            (1023, 1023),
            (1024, 64 + 4 * 8),
            (100_000, 6250 + 4 * 79),
            (1 << 30, (1 << 26) + (4 << 13)),
            (usize::MAX, (1 << 26) + (4 << 13)),
        ] {
            assert_eq!(table_capacity(capacity), one_table, "{capacity}");
        }
    }
}
