//! The state of a server: the realm, the keys and the used counts.

use alloc::boxed::Box;

use rand_core::TryCryptoRng;

use crate::digest::{Ha1, HashFunction, User};
use crate::secret;
use crate::server::arrival::Arrival;
use crate::server::attempt::Attempt;
use crate::server::credentials::{Checked, CheckedCredentials, one_value};
use crate::server::grant::{Grant, Verified};
use crate::server::nonce::{Issuer, NonceKey};
use crate::server::realm::Realm;
use crate::server::reason::Reason;
use crate::server::refusal::Refusal;
use crate::server::replay::{ReplayKey, ReplayTable};
use crate::server::sync::{Mutex, lock};
use crate::target::Target;

/// Authenticates requests to a realm, or to [several](Self::begin_as). A program makes one, outside
/// of any closure that a framework calls once per worker, and shares it between all threads;
/// without `std` it serves a single one. Locks are never held across your code.
///
/// `S` is where used counts are kept: in its own [`Memory`], or in a
/// [`SharedStore`](super::SharedStore).
#[derive(Debug)]
pub struct Authenticator<S = Memory> {
    realm: Realm,
    pub(super) issuer: Issuer,
    used: S,
}

/// The used counts, in the memory of one [`Authenticator`].
#[derive(Debug)]
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
        Ok(Self::with_memory(realm, key, capacity))
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
        Self::with_memory(realm, key, capacity)
    }

    fn with_memory(realm: Realm, key: NonceKey, capacity: usize) -> Self {
        let tables = (0..table_count(capacity))
            .map(|_| Mutex::new(ReplayTable::with_capacity(table_capacity(capacity))))
            .collect();
        let issuer = Issuer::new(key, realm.name(), None);
        Self::of(realm, issuer, Memory { tables })
    }

    /// [`begin`](Self::begin), [`verify`](Attempt::verify) and [`admit`](Self::admit): see the
    /// [first page](crate). `find` gets the claimed user and the HA1's hash function; `None` stands
    /// for an unknown user.
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
        let attempt = self.begin(credentials, target, arrival)?;
        let account = find(&attempt.claimed_user(), attempt.hash_function());
        self.admit(attempt.verify(account)?)
    }

    /// Admits a verified request, and records its nonce count, or its nonce if that is valid for
    /// one request. Nothing is recorded for Basic, or for a response that covers no count and whose
    /// nonce [may be reused](super::Quirk::ReusableNonces): these can be replayed.
    ///
    /// # Errors
    ///
    /// [`Reason::Replayed`], [`Reason::NonceForgotten`], or [`Reason::NonceForeign`] if
    /// another `Authenticator` verified the request.
    #[inline]
    pub fn admit<'a, A>(&self, verified: Verified<'a, A>) -> Result<Grant<'a, A>, Refusal> {
        // The used counts of the nonce are in the table of the other server, so this one cannot tell
        // a replay.
        if !verified.request.is_of(&self.issuer) {
            return Err(verified.request.reject(Reason::NonceForeign));
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

    fn record(&self, key: &ReplayKey) -> Result<(), Reason> {
        let until = key.nonce.issued;
        let table = self.used.table(key);
        let mut table = lock(table.ok_or(Reason::NonceForgotten { until })?);
        let recorded = table.record(key);
        self.issuer.raise_floor(table.issue_floor());
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
    pub(super) const fn of(realm: Realm, issuer: Issuer, used: S) -> Self {
        Self {
            realm,
            issuer,
            used,
        }
    }

    /// The realm's configuration.
    pub const fn realm(&self) -> &Realm {
        &self.realm
    }

    /// Replaces the realm, and keeps the key and the used counts: for programs whose settings arrive
    /// one by one, or change. Nonces stay valid as with [`begin_as`](Self::begin_as).
    #[must_use]
    pub fn with_realm(self, realm: Realm) -> Self {
        Self { realm, ..self }
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
    /// The reasons of `begin` in the table at [`Reason`].
    #[inline]
    pub fn begin<'a, I, V>(
        &'a self,
        credentials: I,
        target: &Target<'a>,
        arrival: Arrival<'a>,
    ) -> Result<Attempt<'a>, Refusal>
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
        &'a self,
        realm: &'a Realm,
        credentials: I,
        target: &Target<'a>,
        arrival: Arrival<'a>,
    ) -> Result<Attempt<'a>, Refusal>
    where
        I: Iterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        let (issuer, when) = (&self.issuer, arrival.0);
        let checked = one_value(credentials)
            .and_then(|value| CheckedCredentials::begin(&realm.0, issuer, value, target, &when));
        match checked {
            Ok(credentials) => Ok(Attempt {
                request: Checked {
                    realm,
                    issuer,
                    credentials,
                    when,
                },
                target: *target,
            }),
            Err(why) => Err(Refusal::new(why, &realm.0, issuer, &when)),
        }
    }

    /// The response that asks for credentials where no request was rejected, such as at a log-out.
    pub fn challenge(&self, arrival: Arrival<'_>) -> Refusal {
        let realm = &self.realm.0;
        Refusal::new(Reason::NoCredentials, realm, &self.issuer, &arrival.0)
    }

    /// Replaces the key with a new one, which only machines with the same [shared
    /// store](super::SharedStore) may have in common. Nonces of the replaced key stay valid until
    /// they expire or the next call drops it: to void all at once, call this twice, with two new
    /// keys. Requests that have [begun](Self::begin) are not affected.
    pub fn rotate(&self, key: NonceKey) {
        self.issuer.rotate(key, self.realm.name());
    }
}

/// A small capacity gets one table, which holds exactly as many nonces as requested.
const fn table_count(capacity: usize) -> usize {
    if capacity < 1024 { 1 } else { 16 }
}

/// The share of each table, plus four standard deviations, because nonces spread at random.
fn table_capacity(capacity: usize) -> usize {
    let tables = table_count(capacity);
    let share = capacity.min(1 << 30).div_ceil(tables);
    match tables {
        1 => share,
        _ => share + 4 * share.isqrt(),
    }
}
