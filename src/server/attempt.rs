//! The steps `begin` and `verify`. The third step, `admit`, is in `replay`.

use core::fmt;

use crate::basic::BasicCredentials;
use crate::digest::{Algorithm, Ha1, HashFunction, Qop, User};
use crate::hash::Hasher;
use crate::server::arrival::Arrival;
use crate::server::credentials::{CheckedCredentials, CheckedDigest};
use crate::server::nonce_issuer::{NonceIssuer, Validity};
use crate::server::realm::Realm;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::secret_check::{SecretMatch, check_secret};
use crate::server::verified::Verified;
use crate::target::{EntityBody, Target};

/// Credentials that passed the checks of [`begin`](super::Authenticator::begin). Whether the nonce
/// [is fresh](Self::nonce_is_fresh) is already known, too, but the client learns it only if its
/// `response` is right, or by [`reject_unread`](Self::reject_unread).
///
/// Look up the [claimed user](Self::claimed_user), then [`verify`](Self::verify).
///
/// ```
/// # #[cfg(feature = "std")] {
/// use countersign::digest::Ha1;
/// use countersign::wire::basic_credentials;
/// use countersign::server::{Arrival, Authenticator, BasicOffer, Realm};
/// use countersign::{Channel, Target};
///
/// let realm = Realm::new("files")?.with_basic(BasicOffer::Encrypted);
/// let auth = Authenticator::new(realm, 100, &mut getrandom::SysRng)?;
/// let value = basic_credentials("Mufasa", "Circle of Life")?; // from the request
/// let target = Target::new("GET", "/");
///
/// let attempt = auth.begin([&value], &target, &Arrival::now(Channel::Encrypted)).unwrap();
/// assert_eq!(attempt.claimed_user().name(), Some("Mufasa"));
/// let ha1 = Ha1::new(attempt.hash_function(), "Mufasa", "files", "Circle of Life");
/// let verified = attempt.verify(Some(ha1)).unwrap();
/// assert!(auth.admit(verified).is_ok());
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Attempt<'a> {
    realm: &'a Realm,
    /// [`Keys::server_id`](super::keys::Keys::server_id).
    server_id: u64,
    /// The value of the credentials field.
    value: &'a [u8],
    credentials: CheckedCredentials<'a>,
    target: Target<'a>,
    arrival: Arrival<'a>,
}

impl<'a> Attempt<'a> {
    /// Parses the [single value](super::credentials::one_value) of the credentials field, and
    /// checks what can be checked without a secret.
    #[inline]
    pub(super) fn begin<S: FnMut() -> u64>(
        realm: &'a Realm,
        mut issuer: NonceIssuer<'_, S>,
        value: Result<&'a [u8], Rejection>,
        target: &Target<'a>,
        arrival: &Arrival<'a>,
    ) -> Result<Self, Rejected<'a>> {
        let value = value.map_err(|why| Rejected::new(why, None, realm, arrival))?;
        match CheckedCredentials::begin(realm, &mut issuer, value, target, arrival) {
            Ok(credentials) => Ok(Self {
                realm,
                server_id: issuer.keys.server_id,
                value,
                credentials,
                target: *target,
                arrival: *arrival,
            }),
            Err(why) => Err(Rejected::new(why, Some(value), realm, arrival)),
        }
    }

    /// The user to look up. This is only what the client claims.
    ///
    /// It does not borrow from the attempt, so it may be used after [`verify`](Self::verify), for
    /// example in a log. It borrows from the header or is a copy, for example for Basic.
    ///
    /// To look it up in a map keyed by [`User<'static>`](User), call
    /// [`into_owned`](User::into_owned) first. Otherwise the reference to the account that the map
    /// returns can be used only while the header is borrowed.
    pub fn claimed_user(&self) -> User<'a> {
        self.credentials.user()
    }

    /// The hash function that the stored [`Ha1`] must have been made with. For Basic, it is the
    /// hash function of the first algorithm offered, or SHA-256 if no algorithm is offered.
    pub fn hash_function(&self) -> HashFunction {
        self.credentials.hash_function(self.realm)
    }

    /// The algorithm of a Digest attempt; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        self.credentials.algorithm()
    }

    /// The realm that the request was checked against.
    pub const fn realm(&self) -> &'a Realm {
        self.realm
    }

    /// The hash function with which to hash the body before [`verify`](Self::verify), if the
    /// response covers the body (`qop=auth-int`) and the [`Target`] has neither the body nor its
    /// hash by this function. `None` if no hash has to be added.
    ///
    /// Call [`nonce_is_fresh`](Self::nonce_is_fresh) before reading a large body, so that you read
    /// none for an old or invented nonce. Anyone can get a fresh nonce, so limit the length and the
    /// time as well.
    ///
    /// After the body, begin again with its hash, because this attempt cannot take it. Make a new
    /// [`Arrival`] with the time at that point: with the earlier time, an attacker who keeps the
    /// body open could finish a captured request after the nonce has expired.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use countersign::digest::{BodyHasher, Ha1};
    /// use countersign::server::{Arrival, Authenticator, Grant, Rejected};
    /// use countersign::{Channel, EntityBody, Target};
    ///
    /// fn grant<'a>(
    ///     auth: &'a Authenticator,
    ///     authorization: &'a str,
    ///     ha1: &'a Ha1,
    ///     body: &[&[u8]],
    /// ) -> Result<Grant<'a, &'a Ha1>, Rejected<'a>> {
    ///     let target = Target::new("PUT", "/upload");
    ///     // Pass `Channel::Cleartext` if the connection is not TLS.
    ///     let arrival = || Arrival::now(Channel::Encrypted);
    ///     let mut attempt = auth.begin([authorization], &target, &arrival())?;
    ///     if let Some(hash) = attempt.required_body_hash_function() {
    ///         if !attempt.nonce_is_fresh() {
    ///             return Err(attempt.reject_unread());
    ///         }
    ///         let mut hasher = BodyHasher::new(hash);
    ///         for piece in body {
    ///             hasher.update(piece);
    ///         }
    ///         let target = target.with_body(EntityBody::Hashed(hasher.finish()));
    ///         attempt = auth.begin([authorization], &target, &arrival())?;
    ///     }
    ///     auth.admit(attempt.verify(Some(ha1))?)
    /// }
    /// # let _ = grant;
    /// # }
    /// ```
    pub fn required_body_hash_function(&self) -> Option<HashFunction> {
        let CheckedDigest { credentials, .. } = self.credentials.digest()?;
        let hash = credentials.algorithm().hash_function();
        let known = match self.target.body {
            EntityBody::Unknown => false,
            EntityBody::Bytes(_) => true,
            // The client may have chosen an algorithm with another hash function.
            EntityBody::Hashed(body) => body.hash_function() == hash,
        };
        (credentials.qop() == Some(Qop::AuthInt) && !known).then_some(hash)
    }

    /// Returns whether `begin` found the nonce valid: issued with a key that the server still had,
    /// under the realm's [settings that are bound into it](super::Authenticator::begin_as) and the
    /// [binding](Arrival::bound_to) of this arrival, and not yet expired; `true` for Basic. The
    /// nonce may be used up or forgotten, and the client is not authenticated.
    ///
    /// Use it only to [reject](Self::reject_unread) a request before its response is checked. If
    /// you checked requests with other nonces, and did not count their wrong passwords, anyone
    /// could guess passwords without a limit.
    pub fn nonce_is_fresh(&self) -> bool {
        self.credentials
            .digest()
            .is_none_or(|digest| digest.validity == Validity::Fresh)
    }

    /// Rejects the request without checking the response, for example before a large body is read.
    ///
    /// If the nonce [is not fresh](Self::nonce_is_fresh), the reason is [`Rejection::NonceForeign`]
    /// or [`Rejection::NonceExpired`]. The challenge then has `stale=true`, so a conforming client
    /// retries with a new nonce and does not prompt its user.
    ///
    /// If the nonce is fresh, and for Basic, the reason is [`Rejection::BodyUnknown`], which has
    /// the status 500 and no challenge.
    pub fn reject_unread(self) -> Rejected<'a> {
        let why = match self.credentials.digest().map(|digest| digest.validity) {
            Some(Validity::Foreign) => Rejection::NonceForeign,
            Some(Validity::Expired) => Rejection::NonceExpired,
            Some(Validity::Fresh) | None => Rejection::BodyUnknown,
        };
        self.reject(why)
    }

    // Kept out of line: see `accept`.
    #[inline(never)]
    fn reject(self, why: Rejection) -> Rejected<'a> {
        Rejected::new(why, Some(self.value), self.realm, &self.arrival)
    }

    /// Checks the response, or the Basic password, against the secret of an account. The account is
    /// passed on to [`Grant::account`](super::Grant::account).
    ///
    /// Pass `None` if there is no such user: this costs the same work as a wrong password.
    /// [`Rejected::claimed_user`] gives the name for the log.
    ///
    /// # Errors
    ///
    /// - [`Rejection::BodyUnknown`] if
    ///   [`required_body_hash_function`](Self::required_body_hash_function) still returns a hash
    ///   function. This is checked first.
    /// - [`Rejection::WrongCredentials`] for a wrong response or password, and for `None`.
    /// - [`Rejection::MissingHa1`] if the account's HA1 was not made with
    ///   [`hash_function`](Self::hash_function).
    /// - [`Rejection::NonceExpired`] and [`Rejection::NonceForeign`], only if the response is
    ///   correct.
    /// - [`Rejection::UriMismatch`], also only then, for a response that covers no count (RFC 2069
    ///   or the uncounted form) if the `uri` ends with a colon and a hash: it may have been made
    ///   for an `auth-int` request to a shorter `uri`.
    #[inline]
    pub fn verify<A>(mut self, account: Option<A>) -> Result<Verified<'a, A>, Rejected<'a>>
    where
        A: AsRef<Ha1>,
    {
        let checked = self.check(account.as_ref().map(AsRef::as_ref));
        self.finish(account, checked)
    }

    /// Like [`verify`](Self::verify), for accounts that have an HA1 for each hash function, or that
    /// do not implement `AsRef<Ha1>`: `ha1` returns the account's HA1 for a [hash
    /// function](Self::hash_function).
    ///
    /// If your store returns single HA1s, ask it for the one made with
    /// [`hash_function`](Self::hash_function), and pass that to `verify`.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// use countersign::digest::{Ha1, HashFunction};
    /// use countersign::server::{Attempt, Rejected, Verified};
    ///
    /// struct Account {
    ///     ha1: HashMap<HashFunction, Ha1>,
    /// }
    ///
    /// fn verify<'a>(
    ///     attempt: Attempt<'a>,
    ///     account: Option<&'a Account>,
    /// ) -> Result<Verified<'a, &'a Account>, Rejected<'a>> {
    ///     attempt.verify_by(account, |account, hash| account.ha1.get(&hash))
    /// }
    /// # let _ = verify;
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`verify`](Self::verify); [`Rejection::MissingHa1`] also if `ha1` returns
    /// `None`.
    pub fn verify_by<A, F>(
        mut self,
        account: Option<A>,
        ha1: F,
    ) -> Result<Verified<'a, A>, Rejected<'a>>
    where
        F: FnOnce(&A, HashFunction) -> Option<&Ha1>,
    {
        let hash = self.hash_function();
        let checked = self.check(account.as_ref().and_then(|account| ha1(account, hash)));
        self.finish(account, checked)
    }

    /// Like [`verify`](Self::verify), for a store of passwords: `pair` returns the user name and
    /// the password of the account that was found.
    ///
    /// An unknown user costs the same work as any account whose name and password, together with
    /// the realm, are at most 360 bytes long. An account with longer ones may cost more.
    ///
    /// ```
    /// use countersign::server::{Attempt, Rejected, Verified};
    ///
    /// struct Account {
    ///     name: String,
    ///     password: String,
    /// }
    ///
    /// fn verify<'a>(
    ///     attempt: Attempt<'a>,
    ///     account: Option<&'a Account>,
    /// ) -> Result<Verified<'a, &'a Account>, Rejected<'a>> {
    ///     attempt.verify_password(account, |account| (&account.name, &account.password))
    /// }
    /// # let _ = verify;
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`verify`](Self::verify), except [`Rejection::MissingHa1`].
    pub fn verify_password<A, F>(
        mut self,
        account: Option<A>,
        pair: F,
    ) -> Result<Verified<'a, A>, Rejected<'a>>
    where
        F: FnOnce(&A) -> (&str, &str),
    {
        // Hashed for an unknown user, to spend the same time.
        const NOBODY: (&str, &str) = ("nobody", "not a password");
        let (name, password) = account.as_ref().map_or(NOBODY, pair);
        let ha1 = Ha1::with_equal_work(self.hash_function(), name, &self.realm.name, password);
        let checked = self.check(account.is_some().then_some(&ha1));
        self.finish(account, checked)
    }

    /// Like [`verify`](Self::verify), for accounts with several passwords, such as one for each
    /// device: each item of `secrets` has the HA1 of one, made with
    /// [`hash_function`](Self::hash_function). [`Grant::account`](super::Grant::account) returns
    /// the item that matched. Pass no items if there is no such user.
    ///
    /// Offer an [algorithm](super::Realm::with_algorithms) only if every password has an HA1 of its
    /// hash function: otherwise a password without one counts as wrong.
    ///
    /// Do not call `verify` for each password instead: a right response with an old nonce must be
    /// answered with `stale=true`, and not with the refusal of the next password, after which the
    /// client would ask its user. A rate limiter counts one guess for a request, which tries all
    /// passwords of the account, so divide the limit by their number.
    ///
    /// Each item costs one check, and no items cost one. If the time is not to reveal how many
    /// passwords an account has, or whether it exists, add HA1s of random passwords up to the same
    /// number for all.
    ///
    /// ```
    /// use countersign::digest::Ha1;
    /// use countersign::server::{Attempt, Rejected, Verified};
    ///
    /// struct Device {
    ///     name: String,
    ///     ha1: Ha1,
    /// }
    ///
    /// impl AsRef<Ha1> for Device {
    ///     fn as_ref(&self) -> &Ha1 {
    ///         &self.ha1
    ///     }
    /// }
    ///
    /// fn verify<'a>(
    ///     attempt: Attempt<'a>,
    ///     account: Option<&'a [Device]>,
    /// ) -> Result<Verified<'a, &'a Device>, Rejected<'a>> {
    ///     attempt.verify_any(account.into_iter().flatten())
    /// }
    /// # let _ = (verify, |device: Device| device.name);
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`verify`](Self::verify); [`Rejection::MissingHa1`] only if no HA1 of any item
    /// was made with [`hash_function`](Self::hash_function).
    pub fn verify_any<A, I>(self, secrets: I) -> Result<Verified<'a, A>, Rejected<'a>>
    where
        A: AsRef<Ha1>,
        I: IntoIterator<Item = A>,
    {
        let mut wrong = None;
        for secret in secrets {
            let mut attempt = self.clone();
            match attempt.check(Some(secret.as_ref())) {
                Err(why @ (Rejection::WrongCredentials | Rejection::MissingHa1)) => {
                    wrong = match wrong {
                        Some(Rejection::WrongCredentials) => wrong,
                        _ => Some(why),
                    };
                }
                decided => return attempt.finish(Some(secret), decided),
            }
        }
        match wrong {
            Some(why) => Err(self.reject(why)),
            None => self.verify(None::<A>),
        }
    }

    /// The user name and password of a Basic attempt, for a store of slow password hashes; `None`
    /// for Digest. Check the pair, and pass the account or `None` to [`decide`](Self::decide).
    ///
    /// Clone the pair to move it to another thread: the clone, too, is wiped when dropped.
    pub const fn basic(&self) -> Option<&BasicCredentials> {
        match &self.credentials {
            CheckedCredentials::Basic(pair) => Some(pair),
            CheckedCredentials::Digest(_) => None,
        }
    }

    /// Takes the result of the caller's own check of the pair from [`basic`](Self::basic): the
    /// account if the pair is right, and `None` if it is wrong. The cookbook has [an
    /// example](crate::manual::cookbook::users#slow-password-hashes).
    ///
    /// # Errors
    ///
    /// [`Rejection::WrongCredentials`] for `None`, and always for a Digest attempt, which has no
    /// password to check.
    pub fn decide<A>(self, account: Option<A>) -> Result<Verified<'a, A>, Rejected<'a>> {
        let checked = match self.credentials {
            CheckedCredentials::Basic(_) => Ok(SecretMatch::default()),
            CheckedCredentials::Digest(_) => Err(Rejection::WrongCredentials),
        };
        self.finish(account, checked)
    }

    #[inline]
    fn finish<A>(
        self,
        account: Option<A>,
        checked: Result<SecretMatch, Rejection>,
    ) -> Result<Verified<'a, A>, Rejected<'a>> {
        let why = match (checked, account) {
            (Ok(secret), Some(account)) => return Ok(self.accept(secret, account)),
            // An unknown user was checked against a dummy HA1, which `check` reports as missing.
            (Err(Rejection::MissingHa1), None) => Rejection::WrongCredentials,
            // `decide` was told that the caller's check failed.
            (Ok(_), None) => Rejection::WrongCredentials,
            (Err(why), _) => why,
        };
        Err(self.reject(why))
    }

    // Kept out of line, like `reject`, so that success and failure cost one call each: measured by
    // `tests/measured/constant_work`.
    #[inline(never)]
    fn accept<A>(self, secret: SecretMatch, account: A) -> Verified<'a, A> {
        Verified {
            realm: self.realm,
            server_id: self.server_id,
            value: self.value,
            credentials: self.credentials,
            arrival: self.arrival,
            response_key: secret.response_key,
            counted: secret.counted,
            account,
        }
    }

    fn check(&mut self, ha1: Option<&Ha1>) -> Result<SecretMatch, Rejection> {
        check_secret(&mut self.credentials, ha1, self.realm, &self.target)
    }
}

/// Hides the header value, which for Basic holds a password.
impl fmt::Debug for Attempt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("realm", &self.realm)
            .field("credentials", &self.credentials)
            .field("target", &self.target)
            .field("arrival", &self.arrival)
            .finish_non_exhaustive()
    }
}

/// The total length of user name, realm and password up to which
/// [`verify_password`](Attempt::verify_password) costs the same work.
///
/// The documentation promises this limit and `tests/measured` checks it; the real one is higher.
/// The hash input also has two colons and padding (at least 9 bytes, or 17 for SHA-512/256), and
/// must fit into [`Hasher::EQUAL_WORK_BYTES`].
const EQUAL_WORK_TEXT_BYTES: usize = 360;
const _: () = assert!(EQUAL_WORK_TEXT_BYTES + 2 + 17 <= Hasher::EQUAL_WORK_BYTES);
