//! The user name as it stands in credentials.

use alloc::string::String;

use crate::digest::user::User;
use crate::error::InvalidText;
use crate::hash::HexDigest;
use crate::syntax::{ExtValue, Text};

/// The user name as it stands in Digest credentials: `username`, `username*`, or `username` with
/// `userhash=true`.
#[derive(Clone, Copy, Debug)]
pub struct Username<'a>(pub(super) Form<'a>);

#[derive(Clone, Copy)]
pub(super) enum Form<'a> {
    Plain(Text<'a>),
    Extended(ExtValue<'a>),
    Clear(&'a str),
    Hash(HexDigest),
}

impl<'a> Username<'a> {
    /// The form that can carry it: `username` for what is ASCII, else `username*` (RFC 7616,
    /// section 3.4).
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the name holds a control character. HTAB may stand in a name that
    /// is ASCII.
    pub fn new(name: &'a str) -> Result<Self, InvalidText> {
        let text = Text::new(name)?;
        if name.is_ascii() {
            return Ok(Self(Form::Plain(text)));
        }
        match name.char_indices().find(|(_, c)| c.is_control()) {
            Some((at, _)) => Err(InvalidText::Control(at)),
            None => Ok(Self(Form::Clear(name))),
        }
    }

    /// `username` with these bytes, whatever they are, as clients sent it before there was
    /// `username*`.
    pub const fn plain(name: Text<'a>) -> Self {
        Self(Form::Plain(name))
    }

    /// `username` with a [`userhash`](crate::digest::userhash), and `userhash=true`.
    pub const fn hashed(hash: HexDigest) -> Self {
        Self(Form::Hash(hash))
    }

    /// Who that is.
    pub(crate) fn user(&self) -> User<'a> {
        match self.0 {
            Form::Plain(text) => User::from_octets(text.to_bytes()),
            Form::Extended(value) => User::Name(value.to_text().into()),
            Form::Clear(name) => User::Name(name.into()),
            Form::Hash(hash) => User::Hash(hash),
        }
    }

    /// Whether it is a [hashed](Self::hashed) name.
    pub(crate) const fn is_hashed(&self) -> bool {
        matches!(self.0, Form::Hash(_))
    }

    fn clear(&self) -> Option<String> {
        match self.0 {
            Form::Extended(value) => Some(value.to_text()),
            Form::Clear(name) => Some(name.into()),
            Form::Plain(_) | Form::Hash(_) => None,
        }
    }
}

/// Names are equal if they are of the same form and mean the same: how a character is encoded
/// does not matter.
impl PartialEq for Username<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self.0, other.0) {
            (Form::Plain(a), Form::Plain(b)) => a == b,
            (Form::Hash(a), Form::Hash(b)) => a == b,
            _ => self.clear().is_some() && self.clear() == other.clear(),
        }
    }
}

impl Eq for Username<'_> {}

impl core::fmt::Debug for Form<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain(..)",
            Self::Extended(_) | Self::Clear(_) => "Extended(..)",
            Self::Hash(_) => "Hash(..)",
        })
    }
}
