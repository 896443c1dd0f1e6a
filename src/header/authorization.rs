//! Credentials: `Authorization` and `Proxy-Authorization`.

use crate::basic::BasicCredentials;
use crate::digest::{DigestCredentials, User};
use crate::error::HeaderError;
use crate::syntax::{Cursor, ParamTable, ParsedScheme, RawChallenge, Scheme};

/// Credentials of any scheme. `Debug` shows no header text.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "a box would cost an allocation per request"
)]
pub enum Authorization<'a> {
    /// A user name and a password.
    Basic(BasicCredentials),
    /// Digest credentials, which still have to be checked.
    Digest(DigestCredentials<'a>),
    /// Credentials of another scheme, with its token68 or parameters, if any.
    Other(RawChallenge<'a>),
}

impl<'a> Authorization<'a> {
    // credentials = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
    /// Parses one value of `Authorization` or `Proxy-Authorization`. The field is not a list:
    /// reject a request that has it more than once.
    ///
    /// # Errors
    ///
    /// The value violates RFC 9110, section 11.4, or exceeds a limit; or a parameter of Digest or
    /// the token68 of Basic is wrong, missing or not supported. Some violations are
    /// [accepted](crate::manual::odd_peers#what-is-accepted).
    pub fn parse<V>(value: &'a V) -> Result<Self, HeaderError>
    where
        V: AsRef<[u8]> + ?Sized,
    {
        let (parsed_scheme, rest) = ParsedScheme::of_credentials(value.as_ref())?;
        match parsed_scheme.scheme() {
            Some(Scheme::Basic) => Self::read_basic(parsed_scheme, rest).map(Self::Basic),
            Some(Scheme::Digest) => Self::read_digest(parsed_scheme, rest).map(Self::Digest),
            None => Ok(Self::Other(Self::read_raw(parsed_scheme, rest)?)),
        }
    }

    /// The user that the credentials claim to be from, for example for the log of a rejected
    /// request; `None` for other schemes.
    pub fn user(&self) -> Option<User<'_>> {
        match self {
            Self::Basic(pair) => Some(User::from_octets(pair.username().into())),
            Self::Digest(credentials) => Some(credentials.user()),
            Self::Other(_) => None,
        }
    }

    // Inlined, like what it calls: a value that is loaded wider than it was stored waits for the store.
    #[inline(always)]
    pub(crate) fn read_basic(
        parsed_scheme: ParsedScheme<'a>,
        rest: Cursor<'a>,
    ) -> Result<BasicCredentials, HeaderError> {
        // What decodes as base64 is a valid token68, so the grammar need not be checked.
        let token68 = rest.after_whitespace();
        if let Some(pair) = token68.and_then(BasicCredentials::from_base64) {
            return Ok(pair);
        }
        let raw = Self::read_raw(parsed_scheme, rest)?;
        let problem = match (raw.token68(), raw.params().next()) {
            (None, None) => &"missing",
            _ => &"malformed",
        };
        Err(HeaderError::param(&"token68", problem))
    }

    /// Parses credentials of any scheme, without interpreting them.
    #[inline(never)]
    fn read_raw(
        parsed_scheme: ParsedScheme<'a>,
        rest: Cursor<'a>,
    ) -> Result<RawChallenge<'a>, HeaderError> {
        parsed_scheme.parse_credentials(rest, |_, _| ())
    }

    // Not inlined, so that Basic does not pay for its large stack frame.
    #[inline(never)]
    pub(crate) fn read_digest(
        parsed_scheme: ParsedScheme<'a>,
        rest: Cursor<'a>,
    ) -> Result<DigestCredentials<'a>, HeaderError> {
        let mut params = ParamTable::new();
        parsed_scheme.parse_credentials(rest, |name, value| params.insert(name, value))?;
        DigestCredentials::read(&params)
    }
}
