//! A user's name and secret, in the form a challenge needs them.

use alloc::boxed::Box;
use core::error::Error;
use core::fmt;

use crate::basic;
use crate::digest::{Ha1, Hash, HexDigest, Username, userhash};
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
}

#[derive(Clone)]
enum Name {
    Text(Box<str>),
    Latin1(Box<[u8]>),
}

impl Login {
    pub(super) fn new(
        hash: Hash,
        realm: &[u8],
        latin1: bool,
        username: &str,
        password: &str,
    ) -> Result<Self, InvalidText> {
        // Whether it can be written is found out now, not at the first request.
        Username::new(username)?;
        let (user, password) = (encode(username, latin1)?, encode(password, latin1)?);
        let user = user.as_bytes();
        Ok(Self {
            ha1: Ha1::new(hash, user, realm, password.as_bytes()),
            hashed: userhash(hash, user, realm),
            is_ascii: username.is_ascii() && password.as_bytes().is_ascii(),
            name: match latin1 {
                true => Name::Latin1(user.into()),
                false => Name::Text(username.into()),
            },
        })
    }

    /// The name in the form for a challenge that understands hashed ones or not.
    pub(super) fn username(&self, hashed: bool, plain: bool) -> Result<Username<'_>, InvalidText> {
        match &self.name {
            _ if hashed => Ok(Username::hashed(self.hashed)),
            Name::Text(name) if plain => Text::new(&**name).map(Username::plain),
            Name::Text(name) => Username::new(name),
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
    pub(super) fn new(username: &str, password: &str, latin1: bool) -> Result<Self, InvalidText> {
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
    /// The name or the password cannot be sent.
    Text(InvalidText),
}

impl fmt::Display for LoginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotChallenged => f.write_str("no challenge to log in to"),
            Self::BasicNotAllowed => f.write_str("Basic is not allowed on this channel"),
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
