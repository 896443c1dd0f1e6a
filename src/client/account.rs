//! Accounts: who may log in where.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::basic::basic_credentials;
use crate::client::error::LoginError;
use crate::client::login::{DigestLogin, Encoded, Login};
use crate::client::policy::{Policy, Quirk};
use crate::client::strength::Strengths;
use crate::digest::{Ha1, HashFunction, Username};
use crate::error::InvalidText;
use crate::inline_bytes::InlineBytes;
use crate::secret::SecretBytes;
use crate::syntax::Text;

/// A user's name and secret, bound to what they are for: a realm, and Digest alone unless
/// [`with_basic`](Self::with_basic).
///
/// Anybody who controls some paths of an origin can ask for a login there, in any realm and by any
/// scheme. Without [`for_realm`](Self::for_realm), an account [of a
/// client](super::Client::with_account) answers every realm of its endpoint. The first that gives a
/// [proof](super::ServerProof::Valid) holds it to Digest. The secret is wiped when dropped.
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
    /// An account for Digest. Both texts are used as they are: trim the line end of a file, and undo
    /// the percent-encoding of a URL. See `Policy::with_precis` for text that may be decomposed.
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

    /// Allows Basic, too, where the [`Policy`] does. Name the realm as well: whoever asks by Basic
    /// gets the password.
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

    pub(super) fn is_preemptive(&self) -> bool {
        self.schemes == Schemes::PreemptiveBasic
    }

    /// Checks that the name can be sent.
    pub(super) fn check_name(&self) -> Result<(), InvalidText> {
        Username::new(self.name()).map(drop)
    }

    /// Checks that the account may answer for a realm, by Digest with a hash function, or by Basic.
    /// There is no realm if nobody has asked.
    pub(super) fn check(
        &self,
        realm: Option<Text<'_>>,
        hash: Option<HashFunction>,
    ) -> Result<(), LoginError> {
        if let (Some(own), Some(realm)) = (&self.realm, realm)
            && !realm.is(own.as_bytes())
        {
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

    /// Makes the login for a realm, by Digest with a hash function, or by Basic.
    pub(super) fn login(
        &self,
        hash: Option<HashFunction>,
        realm: &[u8],
        policy: &Policy,
        is_utf8: bool,
    ) -> Result<Login, LoginError> {
        let is_latin1 = policy.has(Quirk::Latin1) && !is_utf8;
        let login = |name: &str, password: &str| {
            if hash.is_some() {
                // Fail now if the name cannot be sent, rather than at the first request.
                Username::new(name).map_err(LoginError::Text)?;
            }
            let encoded = |text| Encoded::of(text, is_latin1).map_err(LoginError::Text);
            let (name, password) = (encoded(name)?, encoded(password)?);
            let (name, password) = (name.as_bytes(), password.as_bytes());
            Ok(match hash {
                None => {
                    let value = basic_credentials(name, password);
                    Login::Basic(value.map_err(LoginError::Text)?)
                }
                Some(hash) => Login::Digest(DigestLogin {
                    name: InlineBytes::new(name),
                    is_latin1,
                    common: None,
                    // Last, so that it is in no memory that a failure leaves uninitialised.
                    ha1: match &self.secret {
                        AccountSecret::Ha1(ha1) => Ha1::clone(ha1),
                        AccountSecret::Password(_) => Ha1::new(hash, name, realm, password),
                    },
                }),
            })
        };
        match &self.secret {
            AccountSecret::Password(password) => {
                policy.with_mapped(self.name(), text(password.as_bytes()), login)
            }
            AccountSecret::Ha1(_) if hash.is_none() => Err(LoginError::PasswordNeeded),
            AccountSecret::Ha1(_) => login(self.name(), ""),
        }
    }
}

/// The accounts of a client, at most one for each realm and one for any, which comes last.
#[derive(Default)]
pub(super) struct Accounts(Vec<Account>);

impl Accounts {
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an account, in place of one for the same realm.
    pub(super) fn put(&mut self, account: Account) {
        if account.is_preemptive() {
            self.end_preemption();
        }
        let old = self.0.iter().position(|it| it.realm == account.realm);
        old.map(|at| self.0.remove(at));
        // One for any realm stays last.
        let has_any = self.0.last().is_some_and(|it| it.realm.is_none());
        self.0.insert(self.0.len() - usize::from(has_any), account);
    }

    /// Returns the account that answers for a realm, by Digest with a hash function or by Basic. If
    /// none may, the error tells most of one of this realm.
    pub(super) fn of(
        &self,
        realm: Text<'_>,
        hash: Option<HashFunction>,
        strengths: &Strengths,
    ) -> Result<&Account, LoginError> {
        let mut why = LoginError::OtherRealm;
        for account in &self.0 {
            match account.check(Some(realm), hash) {
                // Its password has been sent by Digest, and whoever knows it asks for nothing else.
                Ok(()) if hash.is_none() && self.is_held_to_digest(account, strengths) => {
                    why = LoginError::BasicNotAllowed;
                }
                Ok(()) => return Ok(account),
                Err(LoginError::OtherRealm) => {}
                Err(error) => why = error,
            }
        }
        Err(why)
    }

    /// Returns whether the account names no realm, and a realm that no other account names has proved
    /// Digest.
    fn is_held_to_digest(&self, account: &Account, strengths: &Strengths) -> bool {
        let has_own = |realm| {
            let mut own = self.0.iter().filter_map(|it| it.realm.as_ref());
            own.any(|own| own.as_bytes() == realm)
        };
        account.realm.is_none() && strengths.proven_realms().any(|realm| !has_own(realm))
    }

    /// The account to send by Basic before anybody asks.
    pub(super) fn preemptive(&self) -> Option<&Account> {
        self.0.iter().find(|it| it.is_preemptive())
    }

    /// From now on, Basic is sent only where somebody has asked for it.
    pub(super) fn end_preemption(&mut self) {
        for account in self.0.iter_mut().filter(|it| it.is_preemptive()) {
            account.schemes = Schemes::Any;
        }
    }
}

fn text(bytes: &[u8]) -> &str {
    // Does not fail: made from a `&str`.
    core::str::from_utf8(bytes).unwrap_or_default()
}
