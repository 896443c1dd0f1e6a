//! The state of a server: the realm, the keys and the used counts.

use rand_core::TryCryptoRng;

use crate::digest::{Ha1, HashFunction, User};
use crate::error::InvalidText;
use crate::secret;
use crate::server::arrival::Arrival;
use crate::server::attempt::Attempt;
use crate::server::checks;
use crate::server::grant::Grant;
use crate::server::issuer::Issuer;
use crate::server::key::NonceKey;
use crate::server::memory::Memory;
use crate::server::realm::Realm;
use crate::server::reason::Reason;
use crate::server::refusal::Refusal;
use crate::server::verified::{Checked, Verified};
use crate::target::Target;

/// Authenticates requests to a realm, or to [several](Self::begin_as). A program makes one, outside
/// of any closure that a framework calls once per worker, and shares it between all threads;
/// without `std` it serves a single one. Locks are never held across your code.
///
/// A process that forks makes it in each child, or calls [`void_nonces`](Self::void_nonces) there
/// first: children with one key and a memory each grant a captured request once each.
///
/// `S` is where used counts are kept: in its own [`Memory`], or in a
/// [`SharedStore`](super::SharedStore).
#[derive(Debug)]
pub struct Authenticator<S = Memory> {
    realm: Realm,
    pub(super) issuer: Issuer,
    used: S,
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

    /// Like [`new`](Self::new), with 32 random bytes for the key, which no other server and no earlier
    /// start may have had: each server that has them grants a captured request once.
    pub fn from_fresh_seed(realm: Realm, capacity: usize, mut seed: [u8; 32]) -> Self {
        let key = NonceKey::from_bytes(seed);
        secret::wipe(&mut seed);
        Self::with_memory(realm, key, capacity)
    }

    fn with_memory(realm: Realm, key: NonceKey, capacity: usize) -> Self {
        let issuer = Issuer::new(&key.into(), None);
        Self::of(realm, issuer, Memory::with_capacity(capacity))
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
    /// nonce [may be reused](super::Quirk::ReplayableNonces): these can be replayed.
    ///
    /// # Errors
    ///
    /// [`Reason::Replayed`], [`Reason::NonceForgotten`], or [`Reason::NonceForeign`] if
    /// another `Authenticator` verified the request.
    #[inline]
    pub fn admit<'a, A>(&self, verified: Verified<'a, A>) -> Result<Grant<'a, A>, Refusal> {
        match checks::admit(&self.issuer, &self.used, &verified) {
            Ok(()) => Ok(Grant(verified)),
            Err(why) => Err(verified.request.reject(why)),
        }
    }

    /// Replaces the key with a new one. Nonces of the replaced key stay valid until they expire, or
    /// until the next call. Requests that have [begun](Self::begin) are not affected.
    ///
    /// # Errors
    ///
    /// The error of `rng`.
    pub fn rotate<R>(&self, rng: &mut R) -> Result<(), R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        self.issuer.rotate(&NonceKey::random(rng)?);
        Ok(())
    }

    /// Replaces the key, and no nonce that was issued before is valid: for the child of a `fork`,
    /// and where the key may have leaked. Each Digest client is refused once, as stale.
    ///
    /// # Errors
    ///
    /// The error of `rng`.
    pub fn void_nonces<R>(&self, rng: &mut R) -> Result<(), R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        self.issuer.set_keys(&NonceKey::random(rng)?.into());
        Ok(())
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

impl<S> Authenticator<S> {
    pub(super) const fn of(realm: Realm, issuer: Issuer, used: S) -> Self {
        Self {
            realm,
            issuer,
            used,
        }
    }

    /// Names the machine in each nonce that it issues: two characters of `A`–`Z`, `a`–`z`, `0`–`9`,
    /// `-` and `_`, which are the ninth and the tenth of the nonce. A balancer that reads them sends
    /// a request to the machine that knows the nonce: see [several
    /// machines](crate::manual::machines).
    ///
    /// # Errors
    ///
    /// [`InvalidText::Empty`], [`InvalidText::TooLong`], or [`InvalidText::NotToken`] for a character
    /// that is another or missing.
    pub fn with_machine(self, name: &str) -> Result<Self, InvalidText> {
        let issuer = self.issuer.with_machine(name)?;
        Ok(Self { issuer, ..self })
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
    /// The reasons of [checks] 1 to 5.
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
        self.begin_value(realm, checks::one_value(credentials), target, arrival)
    }

    /// Not generic, so that it is compiled once.
    fn begin_value<'a>(
        &'a self,
        realm: &'a Realm,
        value: Result<&'a [u8], Reason>,
        target: &Target<'a>,
        arrival: Arrival<'a>,
    ) -> Result<Attempt<'a>, Refusal> {
        let (issuer, when) = (&self.issuer, arrival.0);
        match checks::begin(&realm.0, issuer, value, target, &when) {
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
}
