//! The user that a client claims to be.

use alloc::borrow::Cow;
use core::fmt;

use crate::hash::HexDigest;

/// The user that a client claims to be, for looking up the secret.
///
/// `Display` shows it in a log: quoted and escaped, on one line, so that a name cannot forge other
/// entries of the log. `Debug` shows no name.
///
/// ```
/// use countersign::digest::{Ha1, HashFunction, User};
///
/// fn look_up(user: &User<'_>) -> Option<Ha1> {
///     match user {
///         User::Name(name) if name == "Mufasa" => {
///             Some(Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life"))
///         }
///         User::Hash(hash) => {
///             // Search a column with the `digest::userhash` of each user.
///             # let _ = hash;
///             None
///         }
///         _ => None,
///     }
/// }
/// # let _ = look_up;
///
/// let user = User::Name("two\nlines".into());
/// assert_eq!(user.to_string(), r#""two\nlines""#);
/// ```
#[derive(Clone, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum User<'a> {
    /// A user name, decoded if it was sent as `username*`.
    Name(Cow<'a, str>),
    /// A user name that is not UTF-8, most likely ISO-8859-1 from a client that ignores `charset`.
    Octets(Cow<'a, [u8]>),
    /// The [`userhash`](crate::digest::userhash) of a user name. The user store has to find the
    /// account by it: this crate does not match it.
    Hash(HexDigest),
}

impl<'a> User<'a> {
    pub(crate) fn from_octets(octets: Cow<'a, [u8]>) -> Self {
        match octets {
            Cow::Borrowed(octets) => match core::str::from_utf8(octets) {
                Ok(name) => Self::Name(Cow::Borrowed(name)),
                Err(_) => Self::Octets(Cow::Borrowed(octets)),
            },
            Cow::Owned(octets) => match alloc::string::String::from_utf8(octets) {
                Ok(name) => Self::Name(Cow::Owned(name)),
                Err(error) => Self::Octets(Cow::Owned(error.into_bytes())),
            },
        }
    }

    /// The user name; `None` if it is not UTF-8 or was sent as a hash.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) => Some(name),
            Self::Octets(_) | Self::Hash(_) => None,
        }
    }

    /// Converts to a value that borrows nothing from the header.
    pub fn into_owned(self) -> User<'static> {
        match self {
            Self::Name(name) => User::Name(Cow::Owned(name.into_owned())),
            Self::Octets(octets) => User::Octets(Cow::Owned(octets.into_owned())),
            Self::Hash(hash) => User::Hash(hash),
        }
    }
}

/// For logs, not for a lookup: a name as `"Mufasa"`, octets as `b"J\xe4s\xf8n"`, and a hash as
/// `userhash:` and its digits. Control characters, double quotes, backslashes, and characters that
/// change the direction of text are among those that are escaped.
impl fmt::Display for User<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "{name:?}"),
            Self::Octets(octets) => write!(f, "b\"{}\"", octets.escape_ascii()),
            Self::Hash(hash) => write!(f, "userhash:{hash}"),
        }
    }
}

impl fmt::Debug for User<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "Name({} bytes)", name.len()),
            Self::Octets(octets) => write!(f, "Octets({} bytes)", octets.len()),
            Self::Hash(_) => f.write_str("Hash(..)"),
        }
    }
}
