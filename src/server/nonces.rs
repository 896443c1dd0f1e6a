//! The state of one realm for one thread.

use crate::server::arrival::Arrival;
use crate::server::attempt::{Attempt, one_value};
use crate::server::claimed::Issuing;
use crate::server::grant::Grant;
use crate::server::keys::Keys;
use crate::server::nonce_key::NonceKey;
use crate::server::realm::Realm;
use crate::server::refusal::Refusal;
use crate::server::rejected::Rejected;
use crate::server::replay::{ReplayTable, admit};
use crate::server::verified::Verified;
use crate::target::Target;
use crate::time::Timestamp;

/// The nonces of one realm, for one thread and without `std`: the key, the counts that were seen,
/// and a counter for new ones.
///
/// An [`Authenticator`](super::Authenticator) is made of the same parts, for many threads. The
/// [realm](Realm) stays beside it, so that an [`Attempt`] can borrow that while this changes.
///
/// ```
/// use countersign::digest::Ha1;
/// use countersign::server::{Arrival, NonceKey, Nonces, Realm, Rejection};
/// use countersign::{Channel, Target, Timestamp};
///
/// let realm = Realm::new("valve")?;
/// // What a device has: 32 random bytes, a random number, and some clock.
/// let key = NonceKey::from_bytes([7; 32]);
/// let mut nonces = Nonces::new(&realm, key, Timestamp::EPOCH, 64, 0x1234_5678);
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
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Debug)]
pub struct Nonces {
    keys: Keys,
    table: ReplayTable,
    salt: u64,
}

impl Nonces {
    /// The nonces of a realm, with a key of its own.
    ///
    /// `used_until` is [`Timestamp::EPOCH`] for a new key. For one that was used before, it must be no
    /// earlier than the [`horizon`](Self::horizon) of then: nonces issued up to it are refused as
    /// [forgotten](super::Rejection::NonceForgotten), because it is not known which counts were used. The
    /// present time will do if the clock is right, and was.
    ///
    /// `capacity` is how many nonces are remembered, at most 2³⁰: at most 48 bytes each, all of it
    /// reserved now. How to size it is told at
    /// [`Authenticator::new`](super::Authenticator::new).
    ///
    /// `salt` is the first of the numbers that keep nonces of one millisecond apart: random, or
    /// different for each machine that has this key. It is no secret.
    pub fn new(
        realm: &Realm,
        key: NonceKey,
        used_until: Timestamp,
        capacity: usize,
        salt: u64,
    ) -> Self {
        let table = ReplayTable::with_capacity(capacity);
        Self {
            keys: Keys::new(&key, &realm.name),
            table: match used_until {
                Timestamp::EPOCH => table,
                time => table.restarted_at(time),
            },
            salt,
        }
    }

    fn issuing(&mut self) -> Issuing<'_, impl FnMut() -> u64> {
        let salt = &mut self.salt;
        Issuing {
            keys: &self.keys,
            floor: self.table.horizon(),
            salt: || {
                *salt = salt.wrapping_add(1);
                *salt
            },
        }
    }

    /// Checks all that can be checked without the user's secret: see
    /// [`Authenticator::begin`](super::Authenticator::begin).
    ///
    /// # Errors
    ///
    /// Those that the table at [`Rejection`](super::Rejection) marks `begin`.
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
            self.issuing(),
            one_value(credentials),
            target,
            arrival,
        )
    }

    /// Lets a request in, once.
    ///
    /// # Errors
    ///
    /// Those of [`Authenticator::admit`](super::Authenticator::admit).
    #[inline]
    pub fn admit<'a, A>(
        &mut self,
        verified: Verified<'a, A>,
    ) -> Result<Grant<'a, A>, Rejected<'a>> {
        admit(verified, self.keys.id, |key| self.table.claim(key))
    }

    /// The response to a request that may not go on.
    pub fn refuse(&mut self, rejected: &Rejected<'_>) -> Refusal {
        Refusal::new(rejected, self.issuing())
    }

    /// Changes the key, for one that was never used; nonces of the one before it stay good for as long
    /// as they live.
    pub fn rotate(&mut self, realm: &Realm, key: NonceKey) {
        self.keys.rotate(&key, &realm.name);
    }

    /// No nonce that was used so far carries a later time: to keep with the key, for the next
    /// [`new`](Self::new).
    pub const fn horizon(&self) -> Timestamp {
        self.table.horizon()
    }

    /// How many nonces can be remembered.
    pub const fn capacity(&self) -> usize {
        self.table.capacity()
    }

    /// How many nonces are remembered.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns whether no nonce is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
