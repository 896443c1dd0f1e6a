//! The user that a client claims to be, and the forms of a user name in credentials.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use crate::error::{HeaderError, InvalidText};
use crate::hash::{HashFunction, HexDigest};
use crate::syntax::{ExtValue, ParamName, ParamTable, Text};

/// The user that a client claims to be, for looking up the secret. `Debug` shows no name.
///
/// ```
/// use countersign::digest::User;
///
/// let user = User::Name("two\nlines".into());
/// assert_eq!(user.to_string(), r#""two\nlines""#);
/// ```
#[derive(Clone, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum User<'a> {
    /// A user name, decoded if it was sent as `username*`. It is written as `username` if it is
    /// ASCII, and otherwise as `username*`.
    Name(Cow<'a, str>),
    /// A user name that is not UTF-8, most likely ISO-8859-1 from a client that ignores `charset`.
    /// It is written as `username`: so is UTF-8 in this form, for servers without `username*`.
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
            Cow::Owned(octets) => match String::from_utf8(octets) {
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

impl<'a> From<&'a str> for User<'a> {
    fn from(name: &'a str) -> Self {
        Self::Name(name.into())
    }
}

/// For logs, not for a lookup: a name as `"Mufasa"`, octets as `b"J\xe4s\xf8n"`, and a hash as
/// `userhash:` and its digits, escaped and on one line, so that a name cannot forge other entries.
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

/// The user name in Digest credentials: `username`, `username*`, or `username` with `userhash=true`
/// (RFC 7616, section 3.4).
#[derive(Clone, Copy)]
pub(crate) enum Username<'a> {
    /// `username`.
    Plain(Text<'a>),
    /// `username*`, parsed from a header.
    Encoded(ExtValue<'a>),
    /// `username*`, to be percent-encoded when written.
    Decoded(&'a str),
    /// `username`, with `userhash=true`.
    Hash(HexDigest),
}

impl<'a> Username<'a> {
    /// A user name that is sent as `username` if it is ASCII, and otherwise as `username*` (RFC
    /// 7616, section 3.4). A control character is an error; HTAB is allowed in ASCII.
    pub(crate) fn new(name: &'a str) -> Result<Self, InvalidText> {
        let text = Text::new(name)?;
        if name.is_ascii() {
            return Ok(Self::Plain(text));
        }
        match name.char_indices().find(|(_, c)| c.is_control()) {
            Some((at, _)) => Err(InvalidText::Control(at)),
            None => Ok(Self::Decoded(name)),
        }
    }

    /// Finds and decodes the user name. It is an error to have neither or both of `username` and
    /// `username*`, a quoted `username*`, `username*` with `userhash=true`, or a `userhash` other than
    /// `true` and `false` (RFC 7616, section 3.4).
    #[inline(always)]
    pub(super) fn read(params: &ParamTable<'a>, hash: HashFunction) -> Result<Self, HeaderError> {
        let is_hashed = match params.get(ParamName::Userhash) {
            Some(value) if value.is_word(b"true") => true,
            Some(value) if !value.is_word(b"false") => return Err(ParamName::Userhash.malformed()),
            _ => false,
        };
        match (
            params.get(ParamName::Username),
            params.get(ParamName::UsernameExt),
        ) {
            (None, None) => Err(ParamName::Username.missing()),
            (Some(_), Some(_)) => Err(ParamName::UsernameExt.inconsistent()),
            (None, Some(_)) if is_hashed => Err(ParamName::Userhash.inconsistent()),
            (None, Some(name)) => {
                let value = Some(name).filter(Text::is_unquoted_token);
                let value = value.and_then(|it| ExtValue::parse(it.raw()));
                value
                    .map(Self::Encoded)
                    .ok_or(ParamName::UsernameExt.malformed())
            }
            (Some(name), None) if is_hashed => {
                let hash = HexDigest::from_text(hash, name);
                hash.map(Self::Hash).ok_or(ParamName::Username.malformed())
            }
            (Some(name), None) => Ok(Self::Plain(name)),
        }
    }

    pub(super) fn of(user: &'a User<'_>) -> Result<Self, InvalidText> {
        match user {
            User::Name(name) => Self::new(name),
            User::Octets(octets) => Text::new(octets).map(Self::Plain),
            User::Hash(hash) => Ok(Self::Hash(*hash)),
        }
    }

    /// The user to look up.
    pub(super) fn user(&self) -> User<'a> {
        match *self {
            Self::Plain(text) => User::from_octets(text.to_bytes()),
            Self::Encoded(value) => User::Name(value.to_text().into()),
            Self::Decoded(name) => User::Name(name.into()),
            Self::Hash(hash) => User::Hash(hash),
        }
    }
}

/// Names are equal if they claim the same user.
impl PartialEq for Username<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.user() == other.user()
    }
}

impl Eq for Username<'_> {}

impl fmt::Debug for Username<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain(..)",
            Self::Encoded(_) | Self::Decoded(_) => "Extended(..)",
            Self::Hash(_) => "Hash(..)",
        })
    }
}
