//! A user's name and secret, in the form a challenge needs them.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

use crate::basic;
use crate::client::counts::NonceHash;
use crate::client::session::Session;
use crate::digest::{Ha1, Hash, HexDigest, Keyed, Protection, Username, userhash};
use crate::error::InvalidText;
use crate::secret::SecretBytes;
use crate::syntax::Text;

/// Who to log in with by Digest. The password is not kept.
#[derive(Clone)]
pub(super) struct Login {
    name: Name,
    hashed: HexDigest,
    pub(super) ha1: Ha1,
    /// Name and password are the same bytes in every charset.
    pub(super) is_ascii: bool,
    /// For the nonce used last.
    keyed: Option<(NonceHash, Keyed)>,
}

#[derive(Clone)]
enum Name {
    Text(Box<str>),
    Latin1(Box<[u8]>),
}

/// What proves that the user is who he says.
#[derive(Clone, Copy)]
pub(super) enum Secret<'a> {
    Password(&'a str),
    Ha1(&'a Ha1),
}

impl Login {
    pub(super) fn new(
        hash: Hash,
        realm: &[u8],
        latin1: bool,
        username: &str,
        secret: Secret<'_>,
    ) -> Result<Self, LoginError> {
        // Whether it can be written is found out now, not at the first request.
        Username::new(username)?;
        let user = encode(username, latin1)?;
        let user = user.as_bytes();
        let (ha1, password_is_ascii) = match secret {
            Secret::Password(password) => {
                let is_ascii = password.is_ascii();
                let password = encode(password, latin1)?;
                (Ha1::new(hash, user, realm, password.as_bytes()), is_ascii)
            }
            Secret::Ha1(ha1) if ha1.hash() != hash => return Err(LoginError::OtherHash),
            // In which charset it was made only the caller knows.
            Secret::Ha1(ha1) => (ha1.clone(), true),
        };
        Ok(Self {
            ha1,
            hashed: userhash(hash, user, realm),
            keyed: None,
            is_ascii: username.is_ascii() && password_is_ascii,
            name: match latin1 {
                true => Name::Latin1(user.into()),
                false => Name::Text(username.into()),
            },
        })
    }

    /// The response of an algorithm that is keyed with HA1 itself.
    pub(super) fn response(
        &mut self,
        session: &Session,
        protection: Option<&Protection<'_>>,
        ha2: &HexDigest,
    ) -> HexDigest {
        let nonce = &session.nonce_hash;
        if self.keyed.as_ref().is_none_or(|keyed| keyed.0 != *nonce) {
            self.keyed = None;
        }
        let keyed = self.keyed.get_or_insert_with(|| {
            let keyed = Keyed::new(&self.ha1, Text::literal(&session.nonce));
            (*nonce, keyed)
        });
        keyed.1.response(protection, ha2)
    }

    /// The name hashed, or in clear; beyond ASCII as `username*` or as `username`.
    pub(super) fn username(
        &self,
        hashed: bool,
        extended: bool,
    ) -> Result<Username<'_>, InvalidText> {
        match &self.name {
            _ if hashed => Ok(Username::hashed(self.hashed)),
            Name::Text(name) if extended => Username::new(name),
            Name::Text(name) => Text::new(&**name).map(Username::plain),
            Name::Latin1(name) => Ok(Username::plain(Text::literal(name))),
        }
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Login(..)")
    }
}

/// Who to log in with by Basic.
#[derive(Clone, Debug)]
pub(super) struct UserPass {
    /// The header value.
    pub(super) value: SecretBytes,
    /// It is the same in every charset.
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
        let (user, password) = (encode(username, latin1)?, encode(password, latin1)?);
        let value = basic::credentials(user.as_bytes(), password.as_bytes())?;
        let value = SecretBytes::new(value.into_bytes());
        Ok(Self { value, is_ascii })
    }
}

/// The bytes to send or hash, wiped when dropped.
fn encode(text: &str, latin1: bool) -> Result<SecretBytes, InvalidText> {
    // Large enough from the start, so that no shorter copy is left behind.
    let mut bytes = SecretBytes::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if latin1 {
            let byte = u8::try_from(u32::from(c)).map_err(|_| InvalidText::NotLatin1(at))?;
            bytes.push(byte);
        } else {
            c.encode_utf8(&mut [0; 4])
                .bytes()
                .for_each(|byte| bytes.push(byte));
        }
    }
    Ok(bytes)
}

/// A login that cannot be used.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum LoginError {
    /// No challenge has been chosen: only log in after [`Next::Login`](super::Next::Login).
    NotChallenged,
    /// Basic, which the policy does not allow on this channel.
    BasicNotAllowed,
    /// The challenge is Basic's, which sends the password itself: an HA1 will not do.
    PasswordNeeded,
    /// The HA1 is not of the hash of the challenge: see [`Client::hash`](super::Client::hash).
    OtherHash,
    /// The name or the password cannot be sent.
    Text(InvalidText),
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotChallenged => f.write_str("no challenge to log in to"),
            Self::BasicNotAllowed => f.write_str("Basic is not allowed on this channel"),
            Self::PasswordNeeded => f.write_str("Basic needs the password itself"),
            Self::OtherHash => f.write_str("HA1 is not of the hash of the challenge"),
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
    use crate::challenge::challenges;
    use crate::digest::{Algorithm, Challenge, ha2, response};

    #[test]
    fn a_response_is_that_of_the_nonce_at_hand() {
        let long = String::from_utf8(vec![b'n'; 300]).unwrap();
        let nonces = ["n", "m", "m", r#"\"n\\"#, "n", "", long.as_str(), "n"];
        let counted = Protection::new("auth", "00000001", "c").unwrap();
        for &algorithm in Algorithm::ALL {
            let hash = algorithm.hash();
            let secret = Secret::Password("Circle of Life");
            let mut login = Login::new(hash, b"r", false, "Mufasa", secret).unwrap();
            let ha1 = Ha1::new(hash, "Mufasa", "r", "Circle of Life");
            let ha2 = ha2(hash, "GET", "/", None);
            for nonce in nonces {
                let value = format!(r#"Digest realm="r", nonce="{nonce}", algorithm={algorithm}"#);
                let generic = challenges([&value]).next().unwrap().unwrap();
                let challenge = Challenge::try_from(generic).unwrap();
                let session = Session::of(&challenge);
                for protection in [None, Some(&counted)] {
                    assert_eq!(
                        login.response(&session, protection, &ha2),
                        response(&ha1, challenge.nonce(), protection, &ha2),
                        "{value}"
                    );
                }
            }
        }
    }
}
