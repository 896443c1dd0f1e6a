//! Accounts, and logins: a user's name and secret in the form that a challenge needs.

use alloc::boxed::Box;

use crate::basic::basic_credentials;
use crate::client::common::Common;
use crate::client::error::LoginError;
use crate::client::nonce::Nonce;
use crate::client::policy::{Policy, Quirk};
use crate::digest::{Ha1, HashFunction, HexDigest, Username, userhash};
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
    pub(super) realm: Option<InlineBytes<64>>,
    schemes: Schemes,
    /// The realm that accepted an answer.
    pub(super) pinned: Option<InlineBytes<64>>,
    /// It did so by Digest.
    pub(super) is_for_digest: bool,
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
            pinned: None,
            is_for_digest: false,
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

    pub(super) fn is_preemptive(&self) -> bool {
        self.schemes == Schemes::PreemptiveBasic
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
        let own = self.realm.as_ref().or(self.pinned.as_ref());
        if own.is_some_and(|own| !realm.is(own.as_bytes())) {
            return Err(LoginError::OtherRealm);
        }
        match (hash, &self.secret) {
            (None, AccountSecret::Ha1(_)) => Err(LoginError::PasswordNeeded),
            (None, _) if self.schemes == Schemes::Digest || self.is_for_digest => {
                Err(LoginError::BasicNotAllowed)
            }
            (Some(hash), AccountSecret::Ha1(ha1)) if ha1.hash_function() != hash => {
                Err(LoginError::OtherHash)
            }
            _ => Ok(()),
        }
    }

    /// Binds the account to the realm and scheme that accepted an answer.
    pub(super) fn pin(&mut self, realm: &[u8], hash: Option<HashFunction>) {
        self.pinned.get_or_insert_with(|| InlineBytes::new(realm));
        self.is_for_digest |= hash.is_some();
    }

    /// Sends Basic no more before it is asked for.
    pub(super) fn end_preemption(&mut self) {
        if self.is_preemptive() {
            self.schemes = Schemes::Any;
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

fn text(bytes: &[u8]) -> &str {
    // Does not fail: made from a `&str`.
    core::str::from_utf8(bytes).unwrap_or_default()
}

/// A login of a protection space.
pub(super) enum Login {
    /// The header value.
    Basic(FieldValue),
    Digest(DigestLogin),
}

impl Login {
    /// What answers are made with: the HA1, or the value of Basic.
    pub(super) fn secret(&self) -> &[u8] {
        match self {
            Self::Basic(value) => value.as_bytes(),
            Self::Digest(login) => login.ha1.digest().as_bytes(),
        }
    }
}

/// A login for Digest in one realm. The password is not kept.
pub(super) struct DigestLogin {
    name: InlineBytes<64>,
    is_latin1: bool,
    /// Computed when it is first needed.
    userhash: Option<HexDigest>,
    pub(super) ha1: Ha1,
    /// Of the challenge of the last call of [`common`](Self::common).
    pub(super) common: Option<Box<Common>>,
}

impl DigestLogin {
    /// Makes a login with the HA1 of the encoded name. The HA1 is computed last, so that it is in no
    /// memory that this function leaves uninitialised.
    fn new(
        latin1: bool,
        username: &str,
        ha1: impl FnOnce(&[u8]) -> Result<Ha1, InvalidText>,
    ) -> Result<Self, InvalidText> {
        // Fail now if the name cannot be sent, rather than at the first request.
        Username::new(username)?;
        with_encoded(username, latin1, |name| {
            Ok::<_, InvalidText>(Self {
                name: InlineBytes::new(name),
                is_latin1: latin1,
                userhash: None,
                common: None,
                ha1: ha1(name)?,
            })
        })?
    }

    /// What the answers to a challenge have in common, for algorithms other than `-sess`.
    pub(super) fn common(&mut self, nonce: &Nonce) -> &Common {
        if !self.common.as_ref().is_some_and(|it| it.is_of(nonce)) {
            self.common = None;
        }
        let make = || Box::new(Common::new(&self.ha1, nonce));
        self.common.get_or_insert_with(make)
    }

    /// The name as it is sent: hashed, as `username*`, or as `username`. `realm` is always that of
    /// the login's space, so the hash can be kept.
    pub(super) fn username(
        &mut self,
        realm: &[u8],
        is_hashed: bool,
        is_extended: bool,
    ) -> Result<Username<'_>, InvalidText> {
        let name = self.name.as_bytes();
        if is_hashed {
            let hash = self.ha1.hash_function();
            let userhash = self
                .userhash
                .get_or_insert_with(|| userhash(hash, name, realm));
            return Ok(Username::Hash(*userhash));
        }
        if is_extended
            && !self.is_latin1
            && !name.is_ascii()
            && let Ok(name) = core::str::from_utf8(name)
        {
            return Username::new(name);
        }
        // `Username::new` has checked that there are no control characters but HTAB.
        Ok(Username::Plain(Text::assume_checked(name)))
    }
}

/// Calls `f` with the bytes to send or hash.
fn with_encoded<T>(text: &str, latin1: bool, f: impl FnOnce(&[u8]) -> T) -> Result<T, InvalidText> {
    if !latin1 {
        return Ok(f(text.as_bytes()));
    }
    // Allocated once, because a vector that grows leaves copies of the secret behind.
    let mut bytes = SecretBytes::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let byte = u8::try_from(u32::from(c)).map_err(|_| InvalidText::NotLatin1(at))?;
        bytes.push(byte);
    }
    Ok(f(bytes.as_bytes()))
}
