//! Logins: a user's name and secret in the form that a challenge needs.

use alloc::boxed::Box;

use crate::client::common::Common;
use crate::client::nonce::{Arc, Nonce};
use crate::client::policy::{Policy, Quirk};
use crate::digest::{Ha1, Username, userhash};
use crate::error::InvalidText;
use crate::field_value::FieldValue;
use crate::inline_bytes::InlineBytes;
use crate::secret::SecretBytes;
use crate::syntax::Text;

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
    pub(super) name: InlineBytes<32>,
    pub(super) is_latin1: bool,
    /// For the nonce that was used last.
    pub(super) common: Option<Box<Common>>,
    pub(super) ha1: Ha1,
}

impl DigestLogin {
    /// Takes out what the answers to a challenge have in common, which is made if it is needed.
    pub(super) fn take_common(
        &mut self,
        nonce: &Arc<Nonce>,
        is_needed: bool,
    ) -> Option<Box<Common>> {
        let common = self
            .common
            .take()
            .filter(|it| Arc::ptr_eq(&it.nonce, nonce));
        common.or_else(|| is_needed.then(|| Box::new(Common::new(&self.ha1, nonce))))
    }

    /// The name as it is sent: hashed, as `username*`, or as `username`.
    pub(super) fn username(
        &self,
        nonce: &Nonce,
        policy: &Policy,
    ) -> Result<Username<'_>, InvalidText> {
        let name = self.name.as_bytes();
        if nonce.userhash == Some(true) && !policy.has(Quirk::NoUserhash) {
            let hash = userhash(self.ha1.hash_function(), name, nonce.realm());
            return Ok(Username::Hash(hash));
        }
        let is_extended = policy.has(Quirk::ExtendedUsernames)
            || (nonce.suggests_extended_usernames() && !policy.has(Quirk::PlainUsernames));
        if is_extended
            && !self.is_latin1
            && let Ok(name) = core::str::from_utf8(name)
        {
            return Username::new(name);
        }
        // `Username::new` has checked that there are no control characters but HTAB.
        Ok(Username::Plain(Text::assume_checked(name)))
    }
}

/// A name or password as it is sent or hashed.
pub(super) enum Encoded<'a> {
    Utf8(&'a str),
    Latin1(SecretBytes),
}

impl<'a> Encoded<'a> {
    pub(super) fn of(text: &'a str, is_latin1: bool) -> Result<Self, InvalidText> {
        if !is_latin1 {
            return Ok(Self::Utf8(text));
        }
        // Allocated once, because a vector that grows leaves copies of the secret behind.
        let mut bytes = SecretBytes::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            bytes.push(u8::try_from(c).map_err(|_| InvalidText::NotLatin1(at))?);
        }
        Ok(Self::Latin1(bytes))
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Utf8(text) => text.as_bytes(),
            Self::Latin1(bytes) => bytes.as_bytes(),
        }
    }
}
