//! Logins: a user's name and secret in the form that a challenge needs.

use alloc::boxed::Box;

use crate::client::common::Common;
use crate::client::nonce::Nonce;
use crate::digest::{Ha1, HexDigest, Username, userhash};
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
    pub(super) fn new(
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
pub(super) fn with_encoded<T>(
    text: &str,
    latin1: bool,
    f: impl FnOnce(&[u8]) -> T,
) -> Result<T, InvalidText> {
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
