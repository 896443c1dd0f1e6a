//! The steps `begin` and `verify`; `admit` follows in `replay`.

use core::fmt;

use crate::basic;
use crate::channel::Channel;
use crate::digest::{Algorithm, Ha1, HashFunction, HexDigest, Qop, User, response};
use crate::hash::Hasher;
use crate::header::Authorization;
use crate::server::arrival::Arrival;
use crate::server::claimed::{Age, CheckedCredentials, CheckedDigest, NonceIssuer, bind_to_ha1};
use crate::server::realm::Realm;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::settings::BasicOffer;
use crate::server::verified::Verified;
use crate::syntax::{ParsedScheme, Scheme, Text, chars};
use crate::target::{EntityBody, Target};

/// Credentials that are well-formed and acceptable here. Whether the nonce is valid is known but
/// withheld until the secret has been checked.
///
/// Look up the [claimed user](Self::claimed_user), then [`verify`](Self::verify).
///
/// ```
/// # #[cfg(feature = "std")] {
/// use countersign::digest::Ha1;
/// use countersign::server::{Arrival, Authenticator, BasicOffer, Realm};
/// use countersign::{Channel, Target, basic};
///
/// let realm = Realm::new("files")?.with_basic(BasicOffer::Encrypted);
/// let auth = Authenticator::new(realm, 100, &mut getrandom::SysRng)?;
/// let value = basic::credentials("Mufasa", "Circle of Life")?; // from the request
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
    /// The server that issues the nonces: see `Keys::id`.
    keys_id: u64,
    /// The value of the credentials field.
    value: &'a [u8],
    credentials: CheckedCredentials<'a>,
    target: Target<'a>,
    arrival: Arrival<'a>,
}

impl<'a> Attempt<'a> {
    /// Parses the [single value](one_value) of the credentials field, and checks what can be
    /// checked without a secret.
    #[inline]
    pub(super) fn begin<S: FnMut() -> u64>(
        realm: &'a Realm,
        mut issuer: NonceIssuer<'_, S>,
        value: Result<&'a [u8], Rejection>,
        target: &Target<'a>,
        arrival: &Arrival<'a>,
    ) -> Result<Self, Rejected<'a>> {
        let value = value.map_err(|why| Rejected::new(why, None, realm, arrival))?;
        match check_credentials(realm, &mut issuer, value, target, arrival) {
            Ok(credentials) => Ok(Self {
                realm,
                keys_id: issuer.keys.id,
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
    /// It borrows from the header, or for Basic is a copy, and not from the attempt. So it may be
    /// used after [`verify`](Self::verify), for example in a log.
    ///
    /// To look it up in a map keyed by [`User<'static>`](User), call
    /// [`into_owned`](User::into_owned) first. Otherwise the account that is found may not be
    /// borrowed for longer than the header, because the lookup shortens the lifetime of the keys.
    pub fn claimed_user(&self) -> User<'a> {
        self.credentials.user()
    }

    /// The hash function that the stored [`Ha1`] must have been made with. For Basic it is that of
    /// the first algorithm offered, or SHA-256 if no algorithm is offered.
    pub fn hash_function(&self) -> HashFunction {
        match self.credentials.algorithm() {
            None => self.realm.basic_hash(),
            Some(algorithm) => algorithm.hash_function(),
        }
    }

    /// The algorithm of a Digest attempt; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        self.credentials.algorithm()
    }

    /// The realm that the request was checked against.
    pub const fn realm(&self) -> &'a Realm {
        self.realm
    }

    /// The hash function to hash the body with before [`verify`](Self::verify); `None` if no hash
    /// has to be added. One has to be if the response covers the body (`qop=auth-int`) and the
    /// [`Target`] lacks the body, or has it hashed with another hash function.
    ///
    /// Call [`nonce_is_fresh`](Self::nonce_is_fresh) before reading a large body, so that strangers
    /// cannot make you read one.
    ///
    /// ```
    /// use countersign::digest::{BodyHasher, Ha1};
    /// use countersign::server::{Attempt, Rejected, Verified};
    ///
    /// fn verify<'a>(
    ///     mut attempt: Attempt<'a>,
    ///     ha1: &'a Ha1,
    ///     body: &[&[u8]],
    /// ) -> Result<Verified<'a, &'a Ha1>, Rejected<'a>> {
    ///     if let Some(hash) = attempt.required_body_hash() {
    ///         if !attempt.nonce_is_fresh() {
    ///             return Err(attempt.reject_unread());
    ///         }
    ///         let mut hasher = BodyHasher::new(hash);
    ///         for piece in body {
    ///             hasher.update(piece);
    ///         }
    ///         attempt = attempt.with_body(hasher.finish());
    ///     }
    ///     attempt.verify(Some(ha1))
    /// }
    /// # let _ = verify;
    /// ```
    pub fn required_body_hash(&self) -> Option<HashFunction> {
        let CheckedDigest { credentials, .. } = self.credentials.digest()?;
        let hash = credentials.algorithm().hash_function();
        let known = match self.target.body {
            EntityBody::Unknown => false,
            EntityBody::Bytes(_) => true,
            // The client may have chosen another algorithm than the body was hashed for.
            EntityBody::Hashed(body) => body.hash_function() == hash,
        };
        (credentials.qop() == Some(Qop::AuthInt) && !known).then_some(hash)
    }

    /// Adds the hash of the body, made with the hash function that
    /// [`required_body_hash`](Self::required_body_hash) returned. A program that has read the body
    /// before [`begin`](super::Authenticator::begin) gives it to the
    /// [`Target`](crate::Target::with_body) instead.
    pub fn with_body(mut self, body: HexDigest) -> Self {
        self.target = self.target.with_body(EntityBody::Hashed(body));
        self
    }

    /// Returns whether the nonce was issued by this server, with these settings and this binding,
    /// and has not expired; `true` for Basic. It does not authenticate the client.
    ///
    /// Use it only to [refuse](Self::reject_unread) a request before reading a large body, with
    /// `auth-int` or because the program reads the body first.
    pub fn nonce_is_fresh(&self) -> bool {
        self.credentials
            .digest()
            .is_none_or(|digest| digest.age == Age::Fresh)
    }

    /// Rejects the request before its body has been read: with [`Rejection::NonceForeign`] or
    /// [`Rejection::NonceExpired`] if the nonce [is not fresh](Self::nonce_is_fresh), and with
    /// [`Rejection::BodyUnknown`] if it is, and for Basic.
    ///
    /// For the first two the challenge has `stale=true`, so a conforming client retries with a new
    /// nonce and does not prompt its user. [`Rejection::BodyUnknown`] has the status 500 and no
    /// challenge.
    pub fn reject_unread(self) -> Rejected<'a> {
        let why = match self.credentials.digest().map(|digest| digest.age) {
            Some(Age::Foreign) => Rejection::NonceForeign,
            Some(Age::Expired) => Rejection::NonceExpired,
            Some(Age::Fresh) | None => Rejection::BodyUnknown,
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
    /// - [`Rejection::WrongCredentials`] for a wrong response or password, and for `None`, unless
    ///   the body is missing.
    /// - [`Rejection::MissingHa1`] if the account's HA1 was not made with
    ///   [`hash_function`](Self::hash_function).
    /// - [`Rejection::BodyUnknown`] if [`required_body_hash`](Self::required_body_hash) returned a
    ///   hash function and no body was added.
    /// - [`Rejection::NonceExpired`], [`Rejection::NonceForeign`] and [`Rejection::UriMismatch`],
    ///   only if the response is correct.
    #[inline]
    pub fn verify<A>(mut self, account: Option<A>) -> Result<Verified<'a, A>, Rejected<'a>>
    where
        A: AsRef<Ha1>,
    {
        let checked = self.check(account.as_ref().map(AsRef::as_ref));
        self.verified(account, checked)
    }

    /// Like [`verify`](Self::verify), for accounts that have an HA1 for each hash function, or that
    /// do not implement `AsRef<Ha1>`: `ha1` borrows from the account the HA1 made with the given
    /// [hash function](Self::hash_function).
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
    /// Those of [`verify`](Self::verify); [`Rejection::MissingHa1`] also if `ha1` returns `None`.
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
        self.verified(account, checked)
    }

    /// Like [`verify`](Self::verify), for a store of passwords: `pair` returns the user name and
    /// the password of the account that was found.
    ///
    /// An unknown user costs the same work as any account whose name and password, together with
    /// the realm, are at most 360 bytes long. Longer ones cost more.
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
    /// Those of [`verify`](Self::verify).
    pub fn verify_password<A, F>(
        mut self,
        account: Option<A>,
        pair: F,
    ) -> Result<Verified<'a, A>, Rejected<'a>>
    where
        F: FnOnce(&A) -> (&str, &str),
    {
        // Hashed only to spend the same time.
        const NOBODY: (&str, &str) = ("nobody", "not a password");
        let (name, password) = account.as_ref().map_or(NOBODY, pair);
        let ha1 = Ha1::with_equal_work(self.hash_function(), name, &self.realm.name, password);
        let checked = self.check(account.is_some().then_some(&ha1));
        self.verified(account, checked)
    }

    /// The user name and password of a Basic attempt, for a store of slow password hashes; `None`
    /// for Digest. Pass the verdict to [`decide`](Self::decide).
    ///
    /// Clone the pair to move it to another thread: the clone, too, is wiped when dropped.
    pub const fn basic(&self) -> Option<&basic::Credentials> {
        match &self.credentials {
            CheckedCredentials::Basic(pair) => Some(pair),
            CheckedCredentials::Digest(_) => None,
        }
    }

    /// Applies the caller's own check of [`basic`](Self::basic). Pass the account on success,
    /// `None` on failure. The cookbook has [an
    /// example](crate::manual::cookbook::users#slow-password-hashes).
    ///
    /// # Errors
    ///
    /// [`Rejection::WrongCredentials`] for `None`, and always for a Digest attempt, because it has
    /// no password to check.
    pub fn decide<A>(self, account: Option<A>) -> Result<Verified<'a, A>, Rejected<'a>> {
        let checked = match self.credentials {
            CheckedCredentials::Basic(_) => Ok(Checked::default()),
            CheckedCredentials::Digest(_) => Err(Rejection::WrongCredentials),
        };
        self.verified(account, checked)
    }

    #[inline]
    fn verified<A>(
        self,
        account: Option<A>,
        checked: Result<Checked, Rejection>,
    ) -> Result<Verified<'a, A>, Rejected<'a>> {
        let why = match (checked, account) {
            (Ok(checked), Some(account)) => return Ok(self.accept(checked, account)),
            // An unknown user was checked against a dummy HA1, which `check` reports as missing.
            (Err(Rejection::MissingHa1), None) => Rejection::WrongCredentials,
            // `decide` was told that the caller's check failed.
            (Ok(_), None) => Rejection::WrongCredentials,
            // For a user who exists, `MissingHa1` is a fault of the configuration.
            (Err(why), _) => why,
        };
        Err(self.reject(why))
    }

    // Kept out of line, like `reject`, so that both cost the same call: measured by
    // `tests/measured/constant_work`.
    #[inline(never)]
    fn accept<A>(self, checked: Checked, account: A) -> Verified<'a, A> {
        Verified {
            realm: self.realm,
            keys_id: self.keys_id,
            value: self.value,
            credentials: self.credentials,
            arrival: self.arrival,
            key: checked.key,
            counted: checked.counted,
            account,
        }
    }

    /// Checks the response, or the password, against an HA1. If there is none, or it was made with
    /// another hash function, a dummy is checked instead, and the error is `MissingHa1`.
    fn check(&mut self, ha1: Option<&Ha1>) -> Result<Checked, Rejection> {
        let hash = self.hash_function();
        let dummy;
        let (ha1, known) = match ha1 {
            Some(ha1) if ha1.hash_function() == hash => (ha1, true),
            _ => {
                dummy = Ha1::none(hash);
                (&dummy, false)
            }
        };
        // The nonce is bound before the check, although only an accepted request needs it, so that
        // success and failure cost the same work.
        if let CheckedCredentials::Digest(digest) = &mut self.credentials {
            digest.nonce = bind_to_ha1(digest.nonce, ha1);
        }
        let wrong = match known {
            true => Rejection::WrongCredentials,
            false => Rejection::MissingHa1,
        };
        match &self.credentials {
            CheckedCredentials::Basic(pair) => {
                let realm = &*self.realm.name;
                let is_correct = Ha1::new(hash, pair.username(), realm, pair.password()) == *ha1;
                // Not short-circuiting: constant time.
                if is_correct & known {
                    Ok(Checked::default())
                } else {
                    Err(wrong)
                }
            }
            CheckedCredentials::Digest(digest) => {
                let credentials = &digest.credentials;
                let Some(ha2) = credentials.ha2(&self.target) else {
                    return Err(Rejection::BodyUnknown);
                };
                let key = credentials.session_key(ha1).unwrap_or_else(|| ha1.clone());
                let protection = credentials.qop_params();
                let matches_response = |protection| {
                    response(&key, credentials.nonce(), protection, &ha2) == credentials.response()
                };
                let matches_sent_form = matches_response(protection.as_ref());
                // Computed even if the sent form matches, so that the time does not tell.
                let matches_uncounted_form = self.realm.uncounted_form
                    && credentials.qop() != Some(Qop::AuthInt)
                    && matches_response(None);
                // Not short-circuiting: constant time.
                if !((matches_sent_form | matches_uncounted_form) & known) {
                    return Err(wrong);
                }
                let counted = matches_sent_form && protection.is_some();
                if !counted && ends_with_hash(credentials.uri(), hash) {
                    return Err(Rejection::UriMismatch);
                }
                match digest.age {
                    Age::Expired => Err(Rejection::NonceExpired),
                    Age::Foreign => Err(Rejection::NonceForeign),
                    Age::Fresh => Ok(Checked {
                        key: Some(key),
                        counted,
                    }),
                }
            }
        }
    }
}

/// Hides the value of the field, because a Basic value holds a password.
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

/// Returns the value of a credentials field that occurs exactly once. It runs the caller's
/// iterator, so it must not be called with a lock held.
#[inline]
pub(super) fn one_value<'a, I, V>(values: I) -> Result<&'a [u8], Rejection>
where
    I: IntoIterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    let mut values = values.into_iter();
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value.as_ref()),
        (None, _) => Err(Rejection::NoCredentials),
        (Some(_), Some(_)) => Err(Rejection::MultipleCredentials),
    }
}

/// The total length of user name, realm and password up to which
/// [`verify_password`](Attempt::verify_password) costs the same work.
///
/// It is the limit that the documentation promises and `tests/measured` checks. The hash input also
/// has two colons and up to 17 bytes of padding, and must fit into [`Hasher::EQUAL_WORK_BYTES`].
const EQUAL_WORK_TEXT_BYTES: usize = 360;
const _: () = assert!(EQUAL_WORK_TEXT_BYTES + 2 + 17 <= Hasher::EQUAL_WORK_BYTES);

/// What the check of a correct response or password found out.
#[derive(Default)]
struct Checked {
    /// The key of a Digest response: HA1, or the session key. `None` for Basic.
    key: Option<Ha1>,
    /// Whether the response covers the nonce count.
    counted: bool,
}

/// Parses credentials and checks what can be checked without a secret.
#[inline(always)]
fn check_credentials<'a, S: FnMut() -> u64>(
    realm: &Realm,
    issuer: &mut NonceIssuer<'_, S>,
    value: &'a [u8],
    target: &Target<'a>,
    arrival: &Arrival<'_>,
) -> Result<CheckedCredentials<'a>, Rejection> {
    if !chars::is_token(target.method) {
        return Err(Rejection::InvalidMethod);
    }
    let (parsed_scheme, rest) =
        ParsedScheme::of_credentials(value).map_err(|error| Rejection::of_header(error.into()))?;
    // Checked before the parameters are parsed, because other schemes may use another syntax.
    match parsed_scheme.scheme() {
        Scheme::Basic => {
            match realm.basic {
                BasicOffer::Never => return Err(Rejection::SchemeNotOffered),
                BasicOffer::Encrypted if arrival.channel == Channel::Cleartext => {
                    return Err(Rejection::CleartextBasic);
                }
                BasicOffer::Encrypted | BasicOffer::Anywhere => {}
            }
            let pair = Authorization::read_basic(parsed_scheme, rest);
            Ok(CheckedCredentials::Basic(
                pair.map_err(Rejection::of_header)?,
            ))
        }
        Scheme::Digest if !realm.algorithms.is_empty() => {
            let credentials = Authorization::read_digest(parsed_scheme, rest);
            let credentials = credentials.map_err(Rejection::of_header)?;
            let digest = CheckedDigest::new(realm, issuer, credentials, target, arrival)?;
            Ok(CheckedCredentials::Digest(digest))
        }
        Scheme::Digest | Scheme::Other(_) => Err(Rejection::SchemeNotOffered),
    }
}

/// Returns whether a `uri` ends with a colon and a hash in hex.
///
/// Such a request has the same HA2 as an `auth-int` request for the shorter `uri` with a body of
/// that hash: both hash `method:uri:digits`. In a counted response the `qop` tells them apart. The
/// other forms do not cover it, so an attacker could turn a captured `auth-int` response into a
/// request that its user never made.
fn ends_with_hash(uri: Text<'_>, hash: HashFunction) -> bool {
    let suffix = hash.hex_len() + 1;
    let length = uri.bytes().count();
    length >= suffix
        && uri
            .bytes()
            .skip(length - suffix)
            .enumerate()
            .all(|(at, byte)| match at {
                0 => byte == b':',
                _ => byte.is_ascii_hexdigit(),
            })
}
