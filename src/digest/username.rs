//! The forms of a user name in credentials.

use alloc::string::String;

use crate::digest::user::User;
use crate::error::{InvalidText, ParamError, ParamName, ParamProblem};
use crate::hash::HexDigest;
use crate::syntax::{ExtValue, ParamTable, Text};

/// The user name in Digest credentials: `username`, `username*`, or `username` with `userhash=true`
/// (RFC 7616, section 3.4).
///
/// ```
/// use countersign::Text;
/// use countersign::digest::Username;
///
/// assert_eq!(Username::new("Mufasa")?, Username::plain(Text::new("Mufasa")?));
/// // Not ASCII, so `new` selects `username*=UTF-8''J%C3%A4s%C3%B8n`.
/// assert_ne!(Username::new("Jäsøn")?, Username::plain(Text::new("Jäsøn")?));
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Username<'a>(pub(super) Encoding<'a>);

#[derive(Clone, Copy)]
pub(super) enum Encoding<'a> {
    /// `username`.
    Plain(Text<'a>),
    /// `username*`, parsed from a header.
    ExtendedEncoded(ExtValue<'a>),
    /// `username*`, to be percent-encoded when written.
    ExtendedDecoded(&'a str),
    /// `username`, with `userhash=true`.
    Hash(HexDigest),
}

impl<'a> Username<'a> {
    /// A user name that is sent as `username` if it is ASCII, and otherwise as `username*` (RFC
    /// 7616, section 3.4).
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the name contains a control character. HTAB is allowed if the
    /// name is ASCII.
    pub fn new(name: &'a str) -> Result<Self, InvalidText> {
        let text = Text::new(name)?;
        if name.is_ascii() {
            return Ok(Self(Encoding::Plain(text)));
        }
        match name.char_indices().find(|(_, c)| c.is_control()) {
            Some((at, _)) => Err(InvalidText::Control(at)),
            None => Ok(Self(Encoding::ExtendedDecoded(name))),
        }
    }

    /// A user name that is sent as `username`, even if it is not ASCII: for servers that do not
    /// support `username*`.
    pub const fn plain(name: Text<'a>) -> Self {
        Self(Encoding::Plain(name))
    }

    /// A [`userhash`](crate::digest::userhash), which is sent as `username` with `userhash=true`.
    ///
    /// ```
    /// use countersign::digest::{HashFunction, Username, userhash};
    ///
    /// let hashed = Username::hashed(userhash(HashFunction::Sha256, "Mufasa", "files"));
    /// assert_ne!(hashed, Username::new("Mufasa")?);
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    pub const fn hashed(hash: HexDigest) -> Self {
        Self(Encoding::Hash(hash))
    }

    /// The user to look up.
    pub(crate) fn user(&self) -> User<'a> {
        match self.0 {
            Encoding::Plain(text) => User::from_octets(text.to_bytes()),
            Encoding::ExtendedEncoded(value) => User::Name(value.to_text().into()),
            Encoding::ExtendedDecoded(name) => User::Name(name.into()),
            Encoding::Hash(hash) => User::Hash(hash),
        }
    }

    /// Returns whether this is a [hashed](Self::hashed) name.
    pub(crate) const fn is_hashed(&self) -> bool {
        matches!(self.0, Encoding::Hash(_))
    }

    fn extended_name(&self) -> Option<String> {
        match self.0 {
            Encoding::ExtendedEncoded(value) => Some(value.to_text()),
            Encoding::ExtendedDecoded(name) => Some(name.into()),
            Encoding::Plain(_) | Encoding::Hash(_) => None,
        }
    }
}

/// Names are equal if they use the same form and have the same value: percent-encoding is decoded
/// before comparing.
impl PartialEq for Username<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Encoding::Plain(a), Encoding::Plain(b)) => a == b,
            (Encoding::Hash(a), Encoding::Hash(b)) => a == b,
            _ => self.extended_name().is_some() && self.extended_name() == other.extended_name(),
        }
    }
}

impl Eq for Username<'_> {}

impl core::fmt::Debug for Encoding<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain(..)",
            Self::ExtendedEncoded(_) | Self::ExtendedDecoded(_) => "Extended(..)",
            Self::Hash(_) => "Hash(..)",
        })
    }
}

/// The form in which a user name is sent.
#[derive(Clone, Copy)]
pub(super) enum UsernameForm {
    Plain,
    Extended,
    Hash,
}

impl UsernameForm {
    /// Finds the user name, not yet decoded, and its form. It is an error to have neither or both
    /// of `username` and `username*`, a quoted `username*`, `username*` with `userhash=true`, or a
    /// `userhash` other than `true` and `false` (RFC 7616, section 3.4).
    #[inline(always)]
    pub(super) fn find<'a>(params: &ParamTable<'a>) -> Result<(Self, Text<'a>), ParamError> {
        use ParamName as Name;
        use ParamProblem::{Inconsistent, Malformed, Missing};
        let error = |param, problem| Err(ParamError::new(param, problem));
        let (form, name) = match (params.get(Name::Username), params.get(Name::UsernameExt)) {
            (Some(_), Some(_)) => return error(Name::UsernameExt, Inconsistent),
            (None, Some(name)) if !name.is_unquoted_token() => {
                return error(Name::UsernameExt, Malformed);
            }
            (None, Some(name)) => (Self::Extended, name),
            (Some(name), None) => (Self::Plain, name),
            (None, None) => return error(Name::Username, Missing),
        };
        match (params.get(Name::Userhash), form) {
            (None, _) => Ok((form, name)),
            (Some(userhash), _) if userhash.is_word(b"false") => Ok((form, name)),
            (Some(userhash), _) if !userhash.is_word(b"true") => error(Name::Userhash, Malformed),
            (Some(_), Self::Plain) => Ok((Self::Hash, name)),
            (Some(_), _) => error(Name::Userhash, Inconsistent),
        }
    }
}
