//! Accounts, and what a client has learnt of them.

use alloc::boxed::Box;

use crate::basic::basic_credentials;
use crate::client::error::LoginError;
use crate::client::login::{DigestLogin, with_encoded};
use crate::client::policy::{Policy, Quirk};
use crate::digest::{Ha1, HashFunction, Username};
use crate::error::InvalidText;
use crate::field_value::FieldValue;
use crate::inline_bytes::InlineBytes;
use crate::secret::SecretBytes;
use crate::syntax::Text;

/// A user's name and secret, bound to what they are for: a realm, and Digest alone unless
/// [`with_basic`](Self::with_basic).
///
/// Anybody who controls some paths of an origin can ask for a login there, in any realm and by any
/// scheme. Without [`for_realm`](Self::for_realm), an account [of a
/// client](super::Client::with_account) is pinned to the first realm that asks for an answer and
/// accepts it, and if that was Digest, it never answers by Basic. The secret is wiped when dropped.
#[derive(Clone, Debug)]
pub struct Account {
    name: InlineBytes<64>,
    secret: AccountSecret,
    realm: Option<InlineBytes<64>>,
    schemes: Schemes,
}

#[derive(Clone, Debug)]
enum AccountSecret {
    Password(SecretBytes),
    /// Boxed, because a vector that moves its elements would leave copies behind.
    Ha1(Box<Ha1>),
}

/// The schemes by which an account may answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Schemes {
    Digest,
    Any,
    /// Any, and Basic with the first request.
    PreemptiveBasic,
}

impl Account {
    /// An account for Digest. See `Policy::with_precis` for text that may be decomposed.
    pub fn new(username: &str, password: &str) -> Self {
        Self {
            name: InlineBytes::new(username.as_bytes()),
            secret: AccountSecret::Password(SecretBytes::new(password.as_bytes().into())),
            realm: None,
            schemes: Schemes::Digest,
        }
    }

    /// An account with an HA1 in place of the password, which was made for this user and realm.
    /// Challenges with another hash function are skipped.
    pub fn from_ha1(username: &str, realm: &str, ha1: &Ha1) -> Self {
        let secret = AccountSecret::Ha1(Box::new(ha1.clone()));
        Self {
            secret,
            ..Self::new(username, "").for_realm(realm)
        }
    }

    /// Binds the account to a realm, as the server spells it.
    #[must_use]
    pub fn for_realm<R: AsRef<[u8]> + ?Sized>(mut self, realm: &R) -> Self {
        self.realm = Some(InlineBytes::new(realm.as_ref()));
        self
    }

    /// Allows Basic, too, where the [`Policy`] does.
    #[must_use]
    pub const fn with_basic(mut self) -> Self {
        self.schemes = Schemes::Any;
        self
    }

    /// Sends Basic with the first request, and to all paths of the endpoint, until somebody there
    /// asks for a login. For servers that never challenge.
    #[must_use]
    pub const fn with_preemptive_basic(mut self) -> Self {
        self.schemes = Schemes::PreemptiveBasic;
        self
    }

    fn name(&self) -> &str {
        text(self.name.as_bytes())
    }

    /// Checks that the name can be sent.
    pub(super) fn check_name(&self) -> Result<(), InvalidText> {
        Username::new(self.name()).map(drop)
    }

    /// Checks that the account may answer for a realm, by Digest with a hash function, or by Basic.
    pub(super) fn check(
        &self,
        realm: Text<'_>,
        hash: Option<HashFunction>,
    ) -> Result<(), LoginError> {
        let own = self.realm.as_ref();
        if own.is_some_and(|own| !realm.is(own.as_bytes())) {
            return Err(LoginError::OtherRealm);
        }
        match (hash, &self.secret) {
            (None, AccountSecret::Ha1(_)) => Err(LoginError::PasswordNeeded),
            (None, _) if self.schemes == Schemes::Digest => Err(LoginError::BasicNotAllowed),
            (Some(hash), AccountSecret::Ha1(ha1)) if ha1.hash_function() != hash => {
                Err(LoginError::OtherHash)
            }
            _ => Ok(()),
        }
    }

    /// Makes the login for Digest in this realm.
    pub(super) fn digest_login(
        &self,
        hash: HashFunction,
        realm: &[u8],
        policy: &Policy,
        is_utf8: bool,
    ) -> Result<DigestLogin, InvalidText> {
        let latin1 = policy.has(Quirk::Latin1) && !is_utf8;
        match &self.secret {
            AccountSecret::Password(password) => {
                policy.with_mapped(self.name(), text(password.as_bytes()), |name, password| {
                    DigestLogin::new(latin1, name, |name| {
                        let ha1 = |password: &[u8]| Ha1::new(hash, name, realm, password);
                        with_encoded(password, latin1, ha1)
                    })
                })
            }
            AccountSecret::Ha1(ha1) => {
                DigestLogin::new(latin1, self.name(), |_| Ok(Ha1::clone(ha1)))
            }
        }
    }

    /// Makes the login for Basic.
    pub(super) fn basic_login(
        &self,
        policy: &Policy,
        is_utf8: bool,
    ) -> Result<FieldValue, LoginError> {
        let AccountSecret::Password(password) = &self.secret else {
            return Err(LoginError::PasswordNeeded);
        };
        let latin1 = policy.has(Quirk::Latin1) && !is_utf8;
        let encode = |name: &str, password: &str| {
            let with_password = |name: &[u8]| {
                with_encoded(password, latin1, |password| {
                    basic_credentials(name, password)
                })
            };
            with_encoded(name, latin1, with_password)??
        };
        policy
            .with_mapped(self.name(), text(password.as_bytes()), encode)
            .map_err(LoginError::Text)
    }
}

/// An account of a client, and what the client has learnt of it.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) account: Account,
    /// Basic is sent before anybody asks for it.
    pub(super) is_preemptive: bool,
    /// The realm that accepted an answer, and whether that was by Digest.
    pinned: Option<(InlineBytes<64>, bool)>,
}

impl Held {
    pub(super) fn new(account: Account) -> Self {
        Self {
            is_preemptive: account.schemes == Schemes::PreemptiveBasic,
            account,
            pinned: None,
        }
    }

    /// Returns whether one of the two replaces the other, and takes over what it has learnt.
    pub(super) fn replaces(&mut self, other: &Self) -> bool {
        let is_same = self.account.realm == other.account.realm;
        if is_same {
            self.pinned.clone_from(&other.pinned);
        }
        is_same
    }

    pub(super) const fn is_for_any_realm(&self) -> bool {
        self.account.realm.is_none()
    }

    /// Like [`Account::check`], also against what it is pinned to.
    pub(super) fn check(
        &self,
        realm: Text<'_>,
        hash: Option<HashFunction>,
    ) -> Result<(), LoginError> {
        let pinned = self.pinned.as_ref();
        if self.is_for_any_realm() && pinned.is_some_and(|(own, _)| !realm.is(own.as_bytes())) {
            return Err(LoginError::OtherRealm);
        }
        self.account.check(realm, hash)?;
        match pinned {
            Some((_, true)) if hash.is_none() => Err(LoginError::BasicNotAllowed),
            _ => Ok(()),
        }
    }

    /// Pins the account to the realm and scheme that accepted an answer.
    pub(super) fn pin(&mut self, realm: &[u8], hash: Option<HashFunction>) {
        let pinned = self
            .pinned
            .get_or_insert_with(|| (InlineBytes::new(realm), false));
        pinned.1 |= hash.is_some();
    }
}

fn text(bytes: &[u8]) -> &str {
    // Does not fail: made from a `&str`.
    core::str::from_utf8(bytes).unwrap_or_default()
}
