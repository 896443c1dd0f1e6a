//! The first two steps of letting a request in.

use core::fmt;

use crate::basic;
use crate::channel::Channel;
use crate::digest::{Algorithm, Ha1, HashFunction, HexDigest, Qop, User, kd};
use crate::header::Authorization;
use crate::server::arrival::Arrival;
use crate::server::claimed::{Age, Claimed, DigestClaim, Issuing, used_by};
use crate::server::realm::Realm;
use crate::server::rejected::Rejected;
use crate::server::rejection::Rejection;
use crate::server::settings::BasicOffer;
use crate::server::verified::Verified;
use crate::syntax::{Scheme, SchemeHead, Text, chars};
use crate::target::{EntityBody, Target};

/// Credentials that are in order, as far as that can be told without the user's secret.
#[derive(Clone)]
#[must_use]
pub struct Attempt<'a> {
    realm: &'a Realm,
    /// Whose nonces these are.
    keys_id: u64,
    /// The value of the credentials field.
    value: &'a [u8],
    claimed: Claimed<'a>,
    target: Target<'a>,
    arrival: Arrival<'a>,
}

impl<'a> Attempt<'a> {
    /// Reads [the one value](one_value) of a credentials field, and checks it.
    #[inline]
    pub(super) fn begin<S: FnMut() -> u64>(
        realm: &'a Realm,
        mut issuing: Issuing<'_, S>,
        value: Result<&'a [u8], Rejection>,
        target: &Target<'a>,
        arrival: &Arrival<'a>,
    ) -> Result<Self, Rejected<'a>> {
        let value = value.map_err(|why| Rejected::new(why, None, realm, arrival))?;
        match claim(realm, &mut issuing, value, target, arrival) {
            Ok(claimed) => Ok(Self {
                realm,
                keys_id: issuing.keys.id,
                value,
                claimed,
                target: *target,
                arrival: *arrival,
            }),
            Err(why) => Err(Rejected::new(why, Some(value), realm, arrival)),
        }
    }

    /// Who to look up: who the client says it is, and no more than that.
    ///
    /// A map that is keyed by [`User<'static>`](User) wants an owned one: take
    /// [`into_owned`](User::into_owned), and clone the account out of it, or an `Arc` of that.
    pub fn claimed_user(&self) -> User<'_> {
        self.claimed.user()
    }

    /// The hash function that the stored [`Ha1`] must be of: an HA1 of another is of no use. For
    /// Basic that of the first algorithm offered; SHA-256 if there is none.
    pub fn hash_function(&self) -> HashFunction {
        match self.claimed.algorithm() {
            None => self.realm.basic_hash(),
            Some(algorithm) => algorithm.hash_function(),
        }
    }

    /// The algorithm of a Digest attempt; `None` for Basic.
    pub const fn algorithm(&self) -> Option<Algorithm> {
        self.claimed.algorithm()
    }

    /// The realm that the request was checked against.
    pub const fn realm(&self) -> &'a Realm {
        self.realm
    }

    /// The hash function to hash the body with before [`verify`](Self::verify), if any: the response
    /// covers the body (`qop=auth-int`), and the [`Target`] did not have it, or not by this hash
    /// function.
    ///
    /// Ask [`nonce_is_ours`](Self::nonce_is_ours) before a large body is read.
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
    ///     if let Some(hash) = attempt.wants_body() {
    ///         if !attempt.nonce_is_ours() {
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
    pub fn wants_body(&self) -> Option<HashFunction> {
        let DigestClaim { credentials, .. } = self.claimed.digest()?;
        let hash = credentials.algorithm().hash_function();
        let known = match self.target.body {
            EntityBody::Unknown => false,
            EntityBody::Bytes(_) => true,
            // The client may have chosen another algorithm than the one it was hashed for.
            EntityBody::Hashed(body) => body.hash_function() == hash,
        };
        (credentials.qop() == Some(Qop::AuthInt) && !known).then_some(hash)
    }

    /// Adds the body, hashed as [`wants_body`](Self::wants_body) asks.
    pub fn with_body(mut self, body: HexDigest) -> Self {
        self.target = self.target.with_body(EntityBody::Hashed(body));
        self
    }

    /// Returns whether the nonce was issued by this server and is still good; `true` for Basic.
    ///
    /// For one purpose only: to [refuse](Self::reject_unread) before a body is read that only a right
    /// response makes worth reading, with `auth-int` or because the program reads it first. It says
    /// nothing about whether the client knows the secret.
    pub fn nonce_is_ours(&self) -> bool {
        self.claimed
            .digest()
            .is_none_or(|claim| claim.age == Age::Fresh)
    }

    /// Gives up before the body was read, because the nonce [is not
    /// ours](Self::nonce_is_ours): [`Rejection::NonceForeign`] or [`Rejection::NonceExpired`], with
    /// `stale=true`. So an honest client comes back with a new nonce and the user is not asked.
    /// [`Rejection::BodyUnknown`] if the nonce is ours.
    pub fn reject_unread(self) -> Rejected<'a> {
        let why = match self.claimed.digest().map(|claim| claim.age) {
            Some(Age::Foreign) => Rejection::NonceForeign,
            Some(Age::Expired) => Rejection::NonceExpired,
            Some(Age::Fresh) | None => Rejection::BodyUnknown,
        };
        self.reject(why)
    }

    #[inline(never)]
    fn reject(self, why: Rejection) -> Rejected<'a> {
        Rejected::new(why, Some(self.value), self.realm, &self.arrival)
    }

    /// Checks the response, or the password, against the secret of an account. The account travels
    /// on, to [`Grant::account`](super::Grant::account).
    ///
    /// `None` means that there is no such user, and takes the work of a wrong password.
    /// [`Rejected::claimed_user`] tells whom to log.
    ///
    /// # Errors
    ///
    /// [`Rejection::WrongCredentials`]; [`Rejection::MissingHa1`] if the account's HA1 is not of
    /// [`hash_function`](Self::hash_function); [`Rejection::BodyUnknown`] if [`wants_body`](Self::wants_body) was
    /// ignored; and, only where the secret was right, [`Rejection::NonceExpired`],
    /// [`Rejection::NonceForeign`] and [`Rejection::UriMismatch`].
    #[inline]
    pub fn verify<A>(self, account: Option<A>) -> Result<Verified<'a, A>, Rejected<'a>>
    where
        A: AsRef<Ha1>,
    {
        let mut attempt = self;
        let checked = attempt.check(account.as_ref().map(AsRef::as_ref));
        attempt.verified(account, checked)
    }

    /// [`verify`](Self::verify) for accounts that are no `AsRef<Ha1>`: `ha1` gives the one of the
    /// account, which must be of this [hash function](Self::hash_function).
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
    /// Those of [`verify`](Self::verify); [`Rejection::MissingHa1`] if there is none.
    pub fn verify_by<A, F>(
        self,
        account: Option<A>,
        ha1: F,
    ) -> Result<Verified<'a, A>, Rejected<'a>>
    where
        F: FnOnce(&A, HashFunction) -> Option<&Ha1>,
    {
        let mut attempt = self;
        let hash = attempt.hash_function();
        let checked = attempt.check(account.as_ref().and_then(|account| ha1(account, hash)));
        attempt.verified(account, checked)
    }

    /// [`verify`](Self::verify) for a store of passwords: `pair` gives the name and the password of
    /// the account that was found. No account takes the same work as any name and password that
    /// are, together with the realm, no longer than 360 bytes.
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
        self,
        account: Option<A>,
        pair: F,
    ) -> Result<Verified<'a, A>, Rejected<'a>>
    where
        F: FnOnce(&A) -> (&str, &str),
    {
        let mut attempt = self;
        let (name, password) = account.as_ref().map_or(("nobody", "not a password"), pair);
        let ha1 = Ha1::in_equal_work(attempt.hash_function(), name, &attempt.realm.name, password);
        let checked = attempt.check(account.is_some().then_some(&ha1));
        attempt.verified(account, checked)
    }

    /// The name and password, where the scheme sends them (Basic), for a store of slow password
    /// hashes; then [`decide`](Self::decide). `None` for Digest.
    ///
    /// Clone it to take it to another thread: the clone is wiped when dropped, too.
    pub const fn basic(&self) -> Option<&basic::Credentials> {
        match &self.claimed {
            Claimed::Basic(pair) => Some(pair),
            Claimed::Digest(_) => None,
        }
    }

    /// Takes the caller's verdict on [`basic`](Self::basic): the account whose password it is, or
    /// `None`.
    ///
    /// # Errors
    ///
    /// [`Rejection::WrongCredentials`] for `None`, and for a Digest attempt, which has no password,
    /// whatever the verdict.
    pub fn decide<A>(self, account: Option<A>) -> Result<Verified<'a, A>, Rejected<'a>> {
        let checked = match self.claimed {
            Claimed::Basic(_) => Ok(Checked::default()),
            Claimed::Digest(_) => Err(Rejection::WrongCredentials),
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
            // The stand-in of an account without an HA1 is never right.
            (Err(Rejection::MissingHa1) | Ok(_), None) => Rejection::WrongCredentials,
            (Err(why), _) => why,
        };
        Err(self.reject(why))
    }

    // Not inlined, as `reject` is not: the two take as long as each other.
    #[inline(never)]
    fn accept<A>(self, checked: Checked, account: A) -> Verified<'a, A> {
        Verified {
            realm: self.realm,
            keys_id: self.keys_id,
            value: self.value,
            claimed: self.claimed,
            arrival: self.arrival,
            key: checked.key,
            counted: checked.counted,
            account,
        }
    }

    /// Checks the response, or the password, against an HA1; against a stand-in if there is none of
    /// the right hash function.
    fn check(&mut self, ha1: Option<&Ha1>) -> Result<Checked, Rejection> {
        let hash = self.hash_function();
        let stand_in;
        let (ha1, known) = match ha1 {
            Some(ha1) if ha1.hash_function() == hash => (ha1, true),
            _ => {
                stand_in = Ha1::none(hash);
                (&stand_in, false)
            }
        };
        // Here rather than after the check, so that it is the same work whatever comes of that.
        if let Claimed::Digest(claim) = &mut self.claimed {
            claim.nonce = used_by(claim.nonce, ha1);
        }
        let wrong = match known {
            true => Rejection::WrongCredentials,
            false => Rejection::MissingHa1,
        };
        match &self.claimed {
            Claimed::Basic(pair) => {
                let realm = &*self.realm.name;
                let right = Ha1::new(hash, pair.username(), realm, pair.password()) == *ha1;
                if right & known {
                    Ok(Checked::default())
                } else {
                    Err(wrong)
                }
            }
            Claimed::Digest(claim) => {
                let credentials = &claim.credentials;
                let Some(ha2) = credentials.ha2(&self.target) else {
                    return Err(Rejection::BodyUnknown);
                };
                let key = credentials.session_key(ha1).unwrap_or_else(|| ha1.clone());
                let protection = credentials.protection();
                let is_right = |protection| {
                    kd(&key, credentials.nonce(), protection, &ha2) == credentials.response()
                };
                let in_full = is_right(protection.as_ref());
                // Both forms are computed whichever it is, so that their times tell nothing.
                let in_brief = self.realm.uncounted_form
                    && credentials.qop() != Some(Qop::AuthInt)
                    && is_right(None);
                if !((in_full | in_brief) & known) {
                    return Err(wrong);
                }
                let counted = in_full && protection.is_some();
                if !counted && ends_with_hash(credentials.uri(), hash) {
                    return Err(Rejection::UriMismatch);
                }
                match claim.age {
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

/// Hides the value of the field: that of Basic is a password.
impl fmt::Debug for Attempt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt")
            .field("realm", &self.realm)
            .field("claimed", &self.claimed)
            .field("target", &self.target)
            .field("arrival", &self.arrival)
            .finish_non_exhaustive()
    }
}

/// The value of a credentials field that has just one. It runs an iterator of the caller's, so it
/// must hold no lock.
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

/// What a right response shows.
#[derive(Default)]
struct Checked {
    /// What a Digest response was keyed with: HA1, or the session key. `None` for Basic.
    key: Option<Ha1>,
    /// A Digest response covers the nonce count.
    counted: bool,
}

/// Reads credentials and checks what can be checked without a secret.
#[inline(always)]
fn claim<'a, S: FnMut() -> u64>(
    realm: &Realm,
    issuing: &mut Issuing<'_, S>,
    value: &'a [u8],
    target: &Target<'a>,
    arrival: &Arrival<'_>,
) -> Result<Claimed<'a>, Rejection> {
    if !chars::is_token(target.method) {
        return Err(Rejection::InvalidMethod);
    }
    let (start, rest) =
        SchemeHead::of_credentials(value).map_err(|error| Rejection::of_header(error.into()))?;
    // Before the rest is read: what another scheme makes of its parameters is not ours to judge.
    match start.scheme() {
        Scheme::Basic => {
            match realm.basic {
                BasicOffer::Never => return Err(Rejection::SchemeNotOffered),
                BasicOffer::Encrypted if arrival.channel == Channel::Cleartext => {
                    return Err(Rejection::CleartextBasic);
                }
                BasicOffer::Encrypted | BasicOffer::Anywhere => {}
            }
            let pair = Authorization::read_basic(start, rest);
            Ok(Claimed::Basic(pair.map_err(Rejection::of_header)?))
        }
        Scheme::Digest if !realm.algorithms.is_empty() => {
            let credentials = Authorization::read_digest(start, rest);
            let credentials = credentials.map_err(Rejection::of_header)?;
            let claim = DigestClaim::new(realm, issuing, credentials, target, arrival)?;
            Ok(Claimed::Digest(claim))
        }
        Scheme::Digest | Scheme::Other(_) => Err(Rejection::SchemeNotOffered),
    }
}

/// Returns whether a `uri` ends with a colon and a hash in hex.
///
/// HA2 of such a request is also that of an `auth-int` request for the shorter `uri` with a body of
/// that hash: both hash `method:uri:digits`. In a counted response the `qop` tells them apart. The
/// other forms do not cover it, so a captured `auth-int` answer could be turned into a request that
/// its user never made.
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
