//! The state of a server: the realm, the keys and the used counts.

use alloc::boxed::Box;
use core::fmt;
use core::sync::atomic::Ordering;

use rand_core::TryCryptoRng;

use crate::digest::{Ha1, HashFunction, User};
use crate::secret;
use crate::server::arrival::Arrival;
use crate::server::attempt::Attempt;
use crate::server::credentials::{CheckedCredentials, one_value};
use crate::server::grant::{Checked, Grant, Value, Verified};
use crate::server::nonce::{Issuer, Keys, NonceKey, SavedKey};
use crate::server::realm::Realm;
use crate::server::refusal::{Refusal, Rejected};
use crate::server::rejection::Rejection;
use crate::server::replay::{ReplayKey, ReplayTable};
use crate::server::sync::{AtomicU64, Mutex, RwLock, RwLockReadGuard, lock, read, write};
use crate::target::Target;
use crate::time::Timestamp;

/// Authenticates requests to a realm, or to [several](Self::begin_as). A program makes one, outside
/// of any closure that a framework calls once per worker, and shares it between all threads;
/// without `std` it serves a single one. Locks are never held across your code.
///
/// `S` is where used counts are kept: in its own [`Memory`], or in a
/// [`SharedStore`](super::SharedStore).
pub struct Authenticator<S = Memory> {
    realm: Realm,
    keys: RwLock<Keys>,
    pub(super) server_id: u64,
    next_salt: AtomicU64,
    /// The latest [issue floor](ReplayTable::issue_floor) of all tables, to read without a lock.
    issue_floor: AtomicU64,
    used: S,
}

/// The used counts, in the memory of one [`Authenticator`].
pub struct Memory {
    /// One for each pair of a nonce and an HA1.
    tables: Box<[Mutex<ReplayTable>]>,
}

impl Authenticator {
    /// An `Authenticator` with a random key. It remembers `capacity` nonces, at most 2³⁰, and
    /// allocates at most 48 bytes for each now: see [how many to
    /// take](crate::manual::server#nonces-keys-and-machines). Clients that forget their nonce, such
    /// as curl and wget, need one for each request. With 0, no request is admitted that has to be
    /// recorded.
    ///
    /// # Errors
    ///
    /// The error of `rng`, which is used only during this call.
    ///
    /// # Panics
    ///
    /// If the memory cannot be allocated. This may abort the process instead.
    pub fn new<R>(realm: Realm, capacity: usize, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let key = NonceKey::random(rng)?;
        Ok(Self::with_new_key(realm, key, capacity))
    }

    /// Like [`new`](Self::new), with a key from the operating system.
    ///
    /// # Errors
    ///
    /// The error of `getrandom`.
    #[cfg(feature = "getrandom")]
    pub fn from_os_rng(realm: Realm, capacity: usize) -> Result<Self, getrandom::Error> {
        Self::new(realm, capacity, &mut getrandom::SysRng)
    }

    /// Like [`new`](Self::new), with a key made of random bytes. They must differ at each start:
    /// with those of an earlier start, a header that was captured then is granted again.
    pub fn from_seed(realm: Realm, capacity: usize, mut seed: [u8; 32]) -> Self {
        let key = NonceKey::from_bytes(seed);
        secret::wipe(&mut seed);
        Self::with_new_key(realm, key, capacity)
    }

    /// Continues with what [`into_saved_key`](Self::into_saved_key) returned: unused nonces newer
    /// than every used one stay valid. Delete the stored key before the first request, so that a
    /// start after a crash finds none.
    pub fn from_saved(realm: Realm, saved: SavedKey, capacity: usize) -> Self {
        let keys = Keys::new(saved.key, realm.name());
        let used_until = Some(saved.used_until);
        Self::with_memory(realm, keys, saved.next_salt, used_until, capacity)
    }

    fn with_new_key(realm: Realm, key: NonceKey, capacity: usize) -> Self {
        let keys = Keys::new(key, realm.name());
        let first_salt = keys.first_salt();
        Self::with_memory(realm, keys, first_salt, None, capacity)
    }

    fn with_memory(
        realm: Realm,
        keys: Keys,
        first_salt: u64,
        used_until: Option<Timestamp>,
        capacity: usize,
    ) -> Self {
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
        let used = Memory {
            tables: tables.into_iter().map(Mutex::new).collect(),
        };
        Self::of(realm, keys, first_salt, issue_floor, used)
    }

    /// The key and the time up to which nonces may have been used. It takes the server, so that
    /// nothing is admitted after it.
    pub fn into_saved_key(self) -> SavedKey {
        SavedKey {
            used_until: self.issue_floor(),
            key: self.keys().key(),
            next_salt: self.next_salt.load(Ordering::Relaxed),
        }
    }

    /// [`begin`](Self::begin), [`verify`](Attempt::verify), [`admit`](Self::admit), and
    /// [`refuse`](Self::refuse) if one of them fails: see the [module's example](super). `find`
    /// gets the claimed user and the HA1's hash function; `None` stands for an unknown user.
    ///
    /// # Errors
    ///
    /// The response to send, with the [reason](Refusal::reason).
    #[inline]
    pub fn check<'a, I, V, A, F>(
        &'a self,
        credentials: I,
        target: &Target<'a>,
        arrival: Arrival<'a>,
        find: F,
    ) -> Result<Grant<'a, A>, Refusal>
    where
        I: Iterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
        A: AsRef<Ha1>,
        F: FnOnce(&User<'a>, HashFunction) -> Option<A>,
    {
        self.begin(credentials, target, arrival)
            .and_then(|attempt| {
                let account = find(&attempt.claimed_user(), attempt.hash_function());
                attempt.verify(account)
            })
            .and_then(|verified| self.admit(verified))
            .map_err(|rejected| self.refuse(&rejected))
    }

    /// Admits a verified request, and records its nonce count, or its nonce if that is valid for
    /// one request. Nothing is recorded for Basic, or for a response that covers no count and whose
    /// nonce [may be reused](super::Quirk::ReusableNonces): these can be replayed.
    ///
    /// # Errors
    ///
    /// [`Rejection::Replayed`], [`Rejection::NonceForgotten`], or [`Rejection::NonceForeign`] if an
    /// `Authenticator` made with another key or realm name verified the request.
    #[inline]
    pub fn admit<'a, A>(&self, verified: Verified<'a, A>) -> Result<Grant<'a, A>, Rejected> {
        // If the ids differ, the used counts of the nonce are in the table of the other server, so
        // this one cannot tell a replay. Two servers with the same first key and realm name have
        // the same id, so they are not told apart.
        if verified.request.server_id != self.server_id {
            return Err(verified.request.reject(Rejection::NonceForeign));
        }
        let recorded = match verified.replay_key() {
            Some(key) => self.record(&key),
            None => Ok(()),
        };
        match recorded {
            Ok(()) => Ok(Grant(verified)),
            Err(why) => Err(verified.request.reject(why)),
        }
    }

    fn record(&self, key: &ReplayKey) -> Result<(), Rejection> {
        let until = key.nonce.issued;
        let table = self.used.table(key);
        let mut table = lock(table.ok_or(Rejection::NonceForgotten { until })?);
        let recorded = table.record(key);
        let issue_floor = table.issue_floor().as_unix_millis();
        // Load first: all threads share this cache line, and a store would invalidate it.
        if issue_floor > self.issue_floor.load(Ordering::Relaxed) {
            self.issue_floor.fetch_max(issue_floor, Ordering::Relaxed);
        }
        recorded
    }

    /// The number of nonces remembered. A nonce counts once for each user that it was used by.
    #[expect(
        clippy::len_without_is_empty,
        reason = "a figure for monitoring, not a collection"
    )]
    pub fn len(&self) -> usize {
        self.used.len()
    }
}

impl Memory {
    fn len(&self) -> usize {
        self.tables.iter().map(|table| lock(table).len()).sum()
    }

    /// The table of this key, chosen by the upper half of the tag; the lower half chooses the slot.
    fn table(&self, key: &ReplayKey) -> Option<&Mutex<ReplayTable>> {
        let tables = u64::try_from(self.tables.len()).ok()?;
        // Multiply-shift maps these 32 bits evenly to 0..tables.
        let at = usize::try_from(((key.nonce.tag >> 32) * tables) >> 32).ok()?;
        self.tables.get(at)
    }
}

impl<S> Authenticator<S> {
    pub(super) fn of(
        realm: Realm,
        keys: Keys,
        first_salt: u64,
        issue_floor: Option<Timestamp>,
        used: S,
    ) -> Self {
        Self {
            server_id: keys.server_id,
            keys: RwLock::new(keys),
            realm,
            issue_floor: AtomicU64::new(issue_floor.map_or(0, Timestamp::as_unix_millis)),
            next_salt: AtomicU64::new(first_salt),
            used,
        }
    }

    /// The realm's configuration.
    pub const fn realm(&self) -> &Realm {
        &self.realm
    }

    fn keys(&self) -> RwLockReadGuard<'_, Keys> {
        read(&self.keys)
    }

    fn issue_floor(&self) -> Timestamp {
        Timestamp::from_unix_millis(self.issue_floor.load(Ordering::Relaxed))
    }

    fn issuer<'k>(&'k self, keys: &'k Keys) -> Issuer<'k> {
        Issuer {
            keys,
            floor: self.issue_floor(),
            salts: &self.next_salt,
        }
    }

    /// Parses the credentials and checks what does not need the user's secret.
    ///
    /// `credentials` are all values of the `Authorization` field, or of `Proxy-Authorization` at a
    /// proxy. An `Option` is not taken, because recipients differ on which of two fields they use;
    /// where the HTTP library limits the field to one value, call `into_iter()`.
    ///
    /// ```compile_fail,E0277
    /// # use countersign::{Target, server::{Arrival, Authenticator}};
    /// fn begin(auth: &Authenticator, map: &http::HeaderMap, target: &Target, at: Arrival) {
    ///     let _ = auth.begin(map.get("authorization"), target, at); // the first of them
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The rejections of `begin` in the table at [`Rejection`].
    #[inline]
    pub fn begin<'a, I, V>(
        &'a self,
        credentials: I,
        target: &Target<'a>,
        arrival: Arrival<'a>,
    ) -> Result<Attempt<'a>, Rejected>
    where
        I: Iterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        self.begin_as(&self.realm, credentials, target, arrival)
    }

    /// Like [`begin`](Self::begin), with another realm for this request and its further steps: one
    /// of [another name](crate::manual::server#several-realms), with its own users, or one of the
    /// same name with other settings, such as one-time nonces for `POST`.
    ///
    /// Clients cannot tell two realms of one name apart. If the lifetime, one-time use or
    /// [`Quirk::HashLikeCnonces`](super::Quirk) differ, a nonce of the other is refused as stale.
    /// What only the other accepts is refused without `stale`, which may prompt: so let `realm`
    /// accept everything that `Self::realm` offers, and offer nothing else.
    ///
    /// # Errors
    ///
    /// Those of [`begin`](Self::begin).
    pub fn begin_as<'a, I, V>(
        &self,
        realm: &'a Realm,
        credentials: I,
        target: &Target<'a>,
        arrival: Arrival<'a>,
    ) -> Result<Attempt<'a>, Rejected>
    where
        I: Iterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        self.begin_value(realm, one_value(credentials), target, arrival)
    }

    #[inline]
    fn begin_value<'a>(
        &self,
        realm: &'a Realm,
        value: Result<&'a [u8], Rejection>,
        target: &Target<'a>,
        arrival: Arrival<'a>,
    ) -> Result<Attempt<'a>, Rejected> {
        let when = arrival.0;
        let checked = value.and_then(|value| {
            let keys = self.keys();
            let issuer = self.issuer(&keys);
            let credentials = CheckedCredentials::begin(&realm.0, &issuer, value, target, &when)?;
            Ok((value, credentials))
        });
        match checked {
            Ok((value, credentials)) => Ok(Attempt {
                request: Checked {
                    realm,
                    server_id: self.server_id,
                    value: Value(value),
                    credentials,
                    when,
                },
                target: *target,
            }),
            Err(why) => Err(Rejected::new(why, realm, &when)),
        }
    }

    /// The response to a rejected request, with challenges of the realm that it was checked for.
    pub fn refuse(&self, rejected: &Rejected) -> Refusal {
        let keys = self.keys();
        Refusal::new(rejected, self.issuer(&keys))
    }

    /// The response that asks for credentials where no request was rejected, such as at a log-out.
    pub fn challenge(&self, arrival: Arrival<'_>) -> Refusal {
        self.refuse(&Rejected::new(
            Rejection::NoCredentials,
            &self.realm,
            &arrival.0,
        ))
    }

    /// Replaces the key with a new one, which only machines with the same [shared
    /// store](super::SharedStore) may have in common. Nonces of the replaced key stay valid until
    /// they expire or the next call drops it: to void all at once, call this twice, with two new
    /// keys. Requests that have [begun](Self::begin) are not affected.
    pub fn rotate(&self, key: NonceKey) {
        write(&self.keys).rotate(key, self.realm.name());
    }
}

/// A small capacity gets one table, which holds exactly as many nonces as requested.
const fn table_count(capacity: usize) -> usize {
    if capacity < 1024 { 1 } else { 16 }
}

/// The share of each table, plus four standard deviations, because nonces spread at random.
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

impl<S: fmt::Debug> fmt::Debug for Authenticator<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authenticator")
            .field("realm", &self.realm)
            .field("used", &self.used)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory")
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
