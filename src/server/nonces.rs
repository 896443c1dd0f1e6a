//! The state of a server, for a single thread.

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
use crate::server::replay::{ReplayTable, admit};
use crate::server::verified::Verified;
use crate::target::Target;
use crate::time::Timestamp;

/// The nonces of a realm, or of several, for a single thread, also without `std`: the keys, the
/// table of used counts, and a counter for new nonces.
///
/// An [`Authenticator`](super::Authenticator) has the same parts, for many threads. The
/// [realm](Realm) is kept outside, so that an [`Attempt`] can borrow it while `Nonces` is borrowed
/// mutably.
///
/// ```
/// use countersign::digest::Ha1;
/// use countersign::server::{Arrival, NonceKey, Nonces, Realm, Rejection};
/// use countersign::{Channel, Target, Timestamp};
///
/// let realm = Realm::new("valve")?;
/// // A device needs 32 random bytes, a random number and a clock.
/// let key = NonceKey::from_bytes([7; 32]);
/// let mut nonces = Nonces::new(&realm, key, None, 64, 0x1234_5678);
///
/// let arrival = Arrival::new(Channel::Cleartext, Timestamp::from_unix_secs(1_700_000_000));
/// let target = Target::new("GET", "/");
/// let authorization = None::<&str>;
/// let granted = nonces
///     .begin(&realm, authorization, &target, &arrival)
///     .and_then(|attempt| attempt.verify(None::<Ha1>))
///     .and_then(|verified| nonces.admit(verified));
/// let rejected = granted.unwrap_err();
/// assert_eq!(rejected.rejection(), Rejection::NoCredentials);
/// assert_eq!(nonces.refuse(&rejected).status, 401);
/// assert_eq!((nonces.len(), nonces.capacity()), (0, 64));
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Debug)]
pub struct Nonces {
    keys: Keys,
    table: ReplayTable,
    salt: u64,
}

impl Nonces {
    /// Nonces of a realm, issued with `key`.
    ///
    /// `used_until` is `None` for a key that was never used. For any other it is the
    /// [`horizon`](Self::horizon) at its last use, or a later time: see
    /// [`Authenticator::with_key`](super::Authenticator::with_key).
    ///
    /// `capacity` is the number of nonces to remember; more than 2³⁰ counts as 2³⁰. Each takes at
    /// most 48 bytes, all of which is allocated now.
    /// [`Authenticator::new`](super::Authenticator::new) says how to size it.
    ///
    /// `salt` is the start of a counter that keeps nonces of the same millisecond apart. It is not
    /// secret, but must be random, or far from the salts of the other machines and starts
    /// that use this key (such as the number of the start, times 2³²). Otherwise two machines, or
    /// one whose clock is set back, may issue the same nonce twice, and the second client may be
    /// refused as [`Replayed`](super::Rejection::Replayed).
    ///
    /// # Panics
    ///
    /// If the memory cannot be allocated. With `std` this may abort the process instead.
    pub fn new(
        realm: &Realm,
        key: NonceKey,
        used_until: Option<Timestamp>,
        capacity: usize,
        salt: u64,
    ) -> Self {
        let table = ReplayTable::with_capacity(capacity);
        Self {
            keys: Keys::new(&key, &realm.name),
            table: match used_until {
                None => table,
                Some(time) => table.with_forgotten(time),
            },
            salt,
        }
    }

    fn nonce_issuer(&mut self) -> NonceIssuer<'_, impl FnMut() -> u64> {
        let salt = &mut self.salt;
        NonceIssuer {
            keys: &self.keys,
            floor: self.table.issue_floor(),
            salt: || {
                *salt = salt.wrapping_add(1);
                *salt
            },
        }
    }

    /// Parses the credentials and checks everything that does not need the user's secret: see
    /// [`Authenticator::begin`](super::Authenticator::begin). `realm` may differ from the realm
    /// passed to [`new`](Self::new): see
    /// [`Authenticator::begin_as`](super::Authenticator::begin_as).
    ///
    /// # Errors
    ///
    /// The rejections marked `begin` in the table at [`Rejection`](super::Rejection).
    pub fn begin<'a, I, V>(
        &mut self,
        realm: &'a Realm,
        credentials: I,
        target: &Target<'a>,
        arrival: &Arrival<'a>,
    ) -> Result<Attempt<'a>, Rejected<'a>>
    where
        I: IntoIterator<Item = &'a V>,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        Attempt::begin(
            realm,
            self.nonce_issuer(),
            one_value(credentials),
            target,
            arrival,
        )
    }

    /// Admits a verified request, and records its nonce count, or its nonce if that is valid for
    /// one request: see [`Authenticator::admit`](super::Authenticator::admit).
    ///
    /// # Errors
    ///
    /// The errors of `Authenticator::admit`.
    #[inline]
    pub fn admit<'a, A>(
        &mut self,
        verified: Verified<'a, A>,
    ) -> Result<Grant<'a, A>, Rejected<'a>> {
        admit(verified, self.keys.server_id, |key| self.table.record(key))
    }

    /// The response to a rejected request: its status, and for 401 and 407 the challenges.
    pub fn refuse(&mut self, rejected: &Rejected<'_>) -> Refusal {
        Refusal::new(rejected, self.nonce_issuer())
    }

    /// Replaces the key with one that was never used: see
    /// [`Authenticator::rotate`](super::Authenticator::rotate). `realm` is the one passed to
    /// [`new`](Self::new).
    pub fn rotate(&mut self, realm: &Realm, key: NonceKey) {
        self.keys.rotate(&key, &realm.name);
    }

    /// An upper bound on the issue times of all nonces that [`admit`](Self::admit) has recorded.
    /// At a clean shutdown, after the last `admit`, store it with the key for the next
    /// [`new`](Self::new), and delete both there: after a crash or a loss of power, use a new key.
    pub const fn horizon(&self) -> Timestamp {
        self.table.issue_floor()
    }

    /// The number of nonces that can be remembered.
    pub const fn capacity(&self) -> usize {
        self.table.capacity()
    }

    /// The number of nonces remembered. A nonce counts once for each user that it was used by.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns whether no nonce is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
