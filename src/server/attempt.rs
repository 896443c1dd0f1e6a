//! The step `verify`, and its variants.

use crate::basic::BasicCredentials;
use crate::digest::{Ha1, HashFunction, Qop, User};
use crate::hash::Hasher;
use crate::server::checks;
use crate::server::realm::Realm;
use crate::server::reason::Reason;
use crate::server::refusal::Refusal;
use crate::server::verified::{
    Checked, CheckedCredentials, CheckedDigest, RightResponse, Verified,
};
use crate::target::{EntityBody, Target};

/// Credentials that passed the checks of [`begin`](super::Authenticator::begin). Look up the
/// [claimed user](Self::claimed_user), then [`verify`](Self::verify).
///
/// ```
/// # use std::collections::HashMap;
/// # use countersign::digest::{Ha1, HashFunction};
/// # use countersign::server::{Attempt, Refusal, Verdict, Verified};
/// struct Account { ha1: HashMap<HashFunction, Ha1>, slow_hash: String }
///
/// fn verify(attempt: Attempt, found: Option<Account>) -> Result<Verified<Account>, Refusal> {
///     let Some(pair) = attempt.basic() else {
///         return attempt.verify_by(found, |account, hash| account.ha1.get(&hash));
///     };
///     let is_right = |account: &Account| slow_compare(pair.password(), &account.slow_hash);
///     let verdict = found.filter(is_right).map_or(Verdict::Wrong, Verdict::Right);
///     attempt.decide(verdict)
/// }
/// # fn slow_compare(_: &[u8], _: &str) -> bool { false }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Attempt<'a> {
    pub(super) request: Checked<'a>,
    pub(super) target: Target<'a>,
}

/// The verdict of the caller's own check of a Basic pair: see [`Attempt::decide`].
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict<A> {
    /// The password of this account.
    Right(A),
    /// The password is wrong, or there is no such user.
    Wrong,
}

impl<'a> Attempt<'a> {
    /// The user to look up, which is only what the client claims.
    pub fn claimed_user(&self) -> User<'a> {
        self.request.credentials.user()
    }

    /// The hash function that the stored [`Ha1`] must have been made with. For Basic, it is the
    /// hash function of the first algorithm offered, or SHA-256 if no algorithm is offered.
    pub fn hash_function(&self) -> HashFunction {
        self.request.hash_function()
    }

    /// The realm that the request was checked against, whose users to look in.
    pub const fn realm(&self) -> &'a Realm {
        self.request.realm
    }

    /// The hash function for the body, if the response covers it (`qop=auth-int`) and the
    /// [`Target`] lacks it. Begin again with the hash: see [bodies](crate::manual::server#bodies).
    pub fn required_body_hash_function(&self) -> Option<HashFunction> {
        let CheckedDigest { credentials, .. } = self.request.credentials.digest()?;
        let hash = credentials.algorithm().hash_function();
        let known = match self.target.body {
            EntityBody::Unknown | EntityBody::Deferred => false,
            EntityBody::Empty | EntityBody::Bytes(_) => true,
            // The client may have chosen an algorithm with another hash function.
            EntityBody::Hashed(body) => body.hash_function() == hash,
        };
        (credentials.qop() == Some(Qop::AuthInt) && !known).then_some(hash)
    }

    /// Returns whether the nonce is of this server and not expired; `true` for Basic. Use it only
    /// to [reject](Self::reject_unread) a request early: the nonce may be used up.
    pub fn nonce_is_fresh(&self) -> bool {
        self.request
            .credentials
            .digest()
            .is_none_or(|digest| digest.nonce.is_ok())
    }

    /// Rejects the request without checking the response, for example before a large body is read.
    /// The reason is [`Reason::NonceForeign`] or [`Reason::NonceExpired`]; if the nonce is
    /// fresh, and for Basic, it is [`Reason::BodyUnknown`].
    pub fn reject_unread(self) -> Refusal {
        let digest = self.request.credentials.digest();
        let why = digest.and_then(|digest| digest.nonce.err());
        self.request.reject(why.unwrap_or(Reason::BodyUnknown))
    }

    /// Checks the response, or the Basic password, against the HA1 of an account, which becomes
    /// [`Grant::account`](super::Grant::account). `None`, for an unknown user, costs the same work
    /// as a wrong password. An account with several passwords is an iterator: each item costs one
    /// check, and a request that none of them fits is one guess. Add HA1s of random passwords to hide
    /// their number. For an account with an HA1 for each hash function use
    /// [`verify_by`](Self::verify_by), which tells that one is missing.
    ///
    /// # Errors
    ///
    /// The reasons of [checks] 7 and 8.
    #[inline]
    pub fn verify<A, I>(self, account: I) -> Result<Verified<'a, A>, Refusal>
    where
        A: AsRef<Ha1>,
        I: IntoIterator<Item = A>,
    {
        let mut wrong = None;
        for account in account {
            match self.check(Some(account.as_ref())) {
                Err(why @ Reason::WrongCredentials) => wrong = Some(why),
                Err(why @ Reason::MissingHa1) => wrong = wrong.or(Some(why)),
                decided => return self.finish(Some(account), decided),
            }
        }
        // Not by `finish`: that takes the attempt, and to move it is work that a wrong password lacks.
        let why = wrong.unwrap_or_else(|| match self.check(None) {
            Err(Reason::MissingHa1) | Ok(_) => Reason::WrongCredentials,
            Err(why) => why,
        });
        Err(self.request.reject(why))
    }

    /// Like [`verify`](Self::verify), for accounts that have an HA1 for each hash function.
    ///
    /// # Errors
    ///
    /// Those of `verify`; [`Reason::MissingHa1`] also if `ha1` returns `None`.
    pub fn verify_by<A, F>(self, account: Option<A>, ha1: F) -> Result<Verified<'a, A>, Refusal>
    where
        F: FnOnce(&A, HashFunction) -> Option<&Ha1>,
    {
        let hash = self.hash_function();
        let checked = self.check(account.as_ref().and_then(|account| ha1(account, hash)));
        self.finish(account, checked)
    }

    /// Like [`verify`](Self::verify), for a store of passwords: `pair` returns the user name and
    /// the password. An unknown user costs the same work as any account whose name and password,
    /// together with the realm, are at most 360 bytes long.
    ///
    /// # Errors
    ///
    /// Those of `verify`, except [`Reason::MissingHa1`].
    pub fn verify_password<A, F>(
        self,
        account: Option<A>,
        pair: F,
    ) -> Result<Verified<'a, A>, Refusal>
    where
        F: FnOnce(&A) -> (&str, &str),
    {
        // Hashed for an unknown user, to spend the same time.
        const NOBODY: (&str, &str) = ("nobody", "not a password");
        let (name, password) = account.as_ref().map_or(NOBODY, pair);
        let realm = self.request.realm.name();
        let ha1 = Ha1::with_equal_work(self.hash_function(), name, realm, password);
        let checked = self.check(account.is_some().then_some(&ha1));
        self.finish(account, checked)
    }

    /// The pair of a Basic attempt, to check against a slow hash and to [`decide`](Self::decide);
    /// `None` for Digest. Clones, too, are wiped when dropped.
    pub const fn basic(&self) -> Option<&BasicCredentials> {
        match &self.request.credentials {
            CheckedCredentials::Basic(pair) => Some(pair),
            CheckedCredentials::Digest(_) => None,
        }
    }

    /// Takes the verdict of the caller's own check of the [pair](Self::basic). An account that was
    /// found is no verdict: with it, any password would be granted.
    ///
    /// ```compile_fail,E0308
    /// # use countersign::{digest::Ha1, server::{Attempt, Refusal, Verified}};
    /// fn check(attempt: Attempt<'_>, found: Option<Ha1>) -> Result<Verified<'_, Ha1>, Refusal> {
    ///     attempt.decide(found) // not a `Verdict`
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Reason::WrongCredentials`] for [`Verdict::Wrong`], and for every Digest attempt.
    pub fn decide<A>(self, verdict: Verdict<A>) -> Result<Verified<'a, A>, Refusal> {
        match (&self.request.credentials, verdict) {
            (CheckedCredentials::Basic(_), Verdict::Right(account)) => {
                Ok(self.accept(None, account))
            }
            _ => Err(self.request.reject(Reason::WrongCredentials)),
        }
    }

    #[inline]
    fn finish<A>(
        self,
        account: Option<A>,
        checked: Result<Option<RightResponse>, Reason>,
    ) -> Result<Verified<'a, A>, Refusal> {
        let why = match (checked, account) {
            (Ok(response), Some(account)) => return Ok(self.accept(response, account)),
            // An unknown user was checked against a dummy HA1, which `check` reports as missing.
            (Err(Reason::MissingHa1) | Ok(_), None) => Reason::WrongCredentials,
            (Err(why), _) => why,
        };
        Err(self.request.reject(why))
    }

    fn check(&self, ha1: Option<&Ha1>) -> Result<Option<RightResponse>, Reason> {
        checks::verify(&self.request, &self.target, ha1)
    }

    fn accept<A>(self, response: Option<RightResponse>, account: A) -> Verified<'a, A> {
        Verified {
            request: self.request,
            response,
            account,
        }
    }
}

/// The limit that [`verify_password`](Attempt::verify_password) states and `tests/measured` checks.
/// The hash input also has two colons, and padding (9 bytes, or 17 for SHA-512/256).
const EQUAL_WORK_TEXT_BYTES: usize = 360;
const _: () = assert!(EQUAL_WORK_TEXT_BYTES + 2 + 17 <= Hasher::EQUAL_WORK_BYTES);
