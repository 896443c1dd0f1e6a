//! A user's name and secret, in the form that the challenge needs.

use core::error::Error;
use core::fmt;

use crate::basic::basic_credentials;
use crate::client::inline_bytes::InlineBytes;
use crate::client::nonce::NonceState;
use crate::digest::{Ha1, HashFunction, HexDigest, Keyed, Username, userhash};
use crate::error::InvalidText;
use crate::field_value::FieldValue;
use crate::secret::SecretBytes;
use crate::syntax::Text;

/// A login for Digest in one realm. The password is not kept.
#[derive(Clone)]
pub(super) struct Login {
    name: InlineBytes<64>,
    is_latin1: bool,
    /// Computed when it is first needed.
    userhash: Option<HexDigest>,
    pub(super) ha1: Ha1,
    /// The login is the same in both charsets: the name is ASCII, and so is the password unless an
    /// HA1 was given.
    pub(super) is_ascii: bool,
    /// The nonce of the last call of [`keyed`](Self::keyed), and the hash state after `HA1:nonce:`.
    keyed: Option<(InlineBytes<64>, Keyed)>,
}

/// The secret of a user.
#[derive(Clone, Copy)]
pub(super) enum Secret<'a> {
    Password(&'a str),
    Ha1(&'a Ha1),
}

impl Login {
    pub(super) fn new(
        hash: HashFunction,
        realm: &[u8],
        latin1: bool,
        username: &str,
        secret: Secret<'_>,
    ) -> Result<Self, LoginError> {
        // Fail now if the name cannot be sent, rather than at the first request.
        Username::new(username)?;
        let user = Encoded::of(username, latin1)?;
        let user = user.as_bytes();
        let (ha1, password_is_ascii) = match secret {
            Secret::Password(password) => {
                let is_ascii = password.is_ascii();
                let password = Encoded::of(password, latin1)?;
                (Ha1::new(hash, user, realm, password.as_bytes()), is_ascii)
            }
            Secret::Ha1(ha1) if ha1.hash_function() != hash => return Err(LoginError::OtherHash),
            // The caller chose the password's charset, so only the name can depend on the server's.
            Secret::Ha1(ha1) => (ha1.clone(), true),
        };
        Ok(Self {
            ha1,
            userhash: None,
            keyed: None,
            is_ascii: username.is_ascii() && password_is_ascii,
            name: InlineBytes::new(user),
            is_latin1: latin1,
        })
    }

    /// Returns whether both have the same user name and secret.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.ha1 == other.ha1 && self.name == other.name
    }

    /// The hash state after `HA1:nonce:`, for algorithms other than `-sess`. Kept, because it is
    /// the same for each request with the nonce. Not called at a nonce's first use, because many
    /// nonces are used once.
    pub(super) fn keyed(&mut self, nonce: &NonceState) -> &Keyed {
        let nonce = nonce.nonce();
        let is_another = |(of, _): &(InlineBytes<64>, Keyed)| of.as_bytes() != nonce;
        if self.keyed.as_ref().is_some_and(is_another) {
            self.keyed = None;
        }
        let (_, keyed) = self.keyed.get_or_insert_with(|| {
            let keyed = Keyed::new(&self.ha1, nonce);
            (InlineBytes::new(nonce), keyed)
        });
        keyed
    }

    /// The nonce of the hash state that is kept.
    #[cfg(test)]
    pub(super) fn keyed_nonce(&self) -> Option<&[u8]> {
        self.keyed.as_ref().map(|(nonce, _)| nonce.as_bytes())
    }

    /// The name as it is sent: hashed, as `username*`, or as `username`. `realm` is always the one
    /// given to [`new`](Self::new), so the hash can be kept.
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

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login(..)")
    }
}

/// A login for Basic.
#[derive(Clone, Debug)]
pub(super) struct UserPass {
    /// The header value.
    pub(super) value: FieldValue,
    /// Name and password are ASCII, and so the same bytes in UTF-8 and ISO-8859-1.
    pub(super) is_ascii: bool,
}

impl UserPass {
    pub(super) fn new(
        latin1: bool,
        username: &str,
        secret: Secret<'_>,
    ) -> Result<Self, LoginError> {
        let Secret::Password(password) = secret else {
            return Err(LoginError::PasswordNeeded);
        };
        let is_ascii = username.is_ascii() && password.is_ascii();
        let user = Encoded::of(username, latin1)?;
        let password = Encoded::of(password, latin1)?;
        let value = basic_credentials(user.as_bytes(), password.as_bytes())?;
        Ok(Self { value, is_ascii })
    }
}

/// The bytes to send or hash.
enum Encoded<'a> {
    Utf8(&'a str),
    Latin1(SecretBytes),
}

impl<'a> Encoded<'a> {
    fn of(text: &'a str, latin1: bool) -> Result<Self, InvalidText> {
        if !latin1 {
            return Ok(Self::Utf8(text));
        }
        // Allocated once, because a vector that grows leaves copies of the secret behind.
        let mut bytes = SecretBytes::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            let byte = u8::try_from(u32::from(c)).map_err(|_| InvalidText::NotLatin1(at))?;
            bytes.push(byte);
        }
        Ok(Self::Latin1(bytes))
    }

    fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Utf8(text) => text.as_bytes(),
            Self::Latin1(bytes) => bytes.as_bytes(),
        }
    }
}

/// The reason why a client did not accept a login. [`login`](super::Client::login) and
/// [`login_with_ha1`](super::Client::login_with_ha1) then leave the client unchanged.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum LoginError {
    /// The login is no longer asked for: the server has since asked for another scheme or hash
    /// function in that realm, or left out the qop, or the client has forgotten the realm; or
    /// another client made the ask. Send the request again; it leads to a new ask if a login is
    /// needed.
    Superseded,
    /// The server refused this name with this password or HA1, and the client has asked for too few
    /// logins since. Sending them again could lock the account.
    ///
    /// The client remembers up to four refused secrets in each protection space, until an accepted
    /// answer [shows that they are right](super::Client::completed). For these, this is always the
    /// result with the ask of [`GiveUp::WrongCredentials`](super::GiveUp::WrongCredentials), and
    /// with asks older than the refusal. Because a refusal may be forged, a later
    /// [`Next::Login`](super::Next::Login) may use the same credentials: the first one after one
    /// refusal, the second after two, the fourth after three, and so on, up to the 64th. To use
    /// them at once, for example after the account was repaired, call
    /// [`logout`](super::Client::logout) and send the request again.
    AlreadyRefused,
    /// The policy or the required strength does not allow preemptive Basic: see
    /// [`with_preemptive_basic`](super::Client::with_preemptive_basic), the only function that
    /// returns this.
    BasicNotAllowed,
    /// The challenge is Basic, which sends the password itself, so an HA1 is not enough.
    PasswordNeeded,
    /// The HA1 was made with another hash function than the challenge's: see
    /// [`Ask::hash_function`](super::Ask::hash_function).
    OtherHash,
    /// The name or the password cannot be sent.
    Text(InvalidText),
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Superseded => f.write_str("the login is no longer asked for"),
            Self::AlreadyRefused => f.write_str(
                "the server has refused these credentials (Client::logout forgets that)",
            ),
            Self::BasicNotAllowed => {
                f.write_str("the policy or the required strength does not allow preemptive Basic")
            }
            Self::PasswordNeeded => f.write_str("Basic needs the password, not an HA1"),
            Self::OtherHash => {
                f.write_str("the HA1 was made with another hash function than the challenge's")
            }
            Self::Text(error) => write!(f, "user name or password: {error}"),
        }
    }
}

impl Error for LoginError {}

impl From<InvalidText> for LoginError {
    fn from(error: InvalidText) -> Self {
        Self::Text(error)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec;

    use super::*;
    use crate::digest::{Algorithm, DigestChallenge, QopParams, ha2, response};
    use crate::raw_challenges;

    #[test]
    fn a_response_uses_the_current_nonce() {
        let long = String::from_utf8(vec![b'n'; 300]).unwrap();
        let nonces = ["n", "m", "m", r#"\"n\\"#, "n", "", long.as_str(), "n"];
        let counted = QopParams::new("auth", "00000001", "c").unwrap();
        for &algorithm in Algorithm::ALL {
            let hash = algorithm.hash_function();
            let secret = Secret::Password("Circle of Life");
            let mut login = Login::new(hash, b"r", false, "Mufasa", secret).unwrap();
            let ha1 = Ha1::new(hash, "Mufasa", "r", "Circle of Life");
            let ha2 = ha2(hash, "GET", "/", None);
            for nonce in nonces {
                let value = format!(r#"Digest realm="r", nonce="{nonce}", algorithm={algorithm}"#);
                let generic = raw_challenges([&value]).next().unwrap().unwrap();
                let challenge = DigestChallenge::try_from(generic).unwrap();
                let state = NonceState::of(&challenge);
                for protection in [None, Some(&counted)] {
                    assert_eq!(
                        login.keyed(&state).response(protection, &ha2),
                        response(&ha1, challenge.nonce, protection, &ha2),
                        "{value}"
                    );
                }
            }
        }
    }
}
