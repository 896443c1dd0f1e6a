//! Every error of the crate that more than one module speaks of.
//!
//! Errors never echo header text: a header may hold a password. They say *what* was wrong and
//! *where*, and the caller, who has the header, can show it if it wants.

use core::error::Error;
use core::fmt;

/// A header value that does not follow the grammar of RFC 9110, section 11.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ParseError {
    kind: ParseErrorKind,
    at: u32,
}

impl ParseError {
    /// No header value that is read at all is longer than 4 GiB, so the position always fits.
    pub(crate) fn new(kind: ParseErrorKind, at: usize) -> Self {
        Self {
            kind,
            at: u32::try_from(at).unwrap_or(u32::MAX),
        }
    }

    /// What was wrong.
    pub const fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// The byte of the header value, counted from 0, where it was noticed. One past the last if
    /// the value ended too early.
    pub fn at(&self) -> usize {
        usize::try_from(self.at).unwrap_or(usize::MAX)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, at } = self;
        write!(f, "{kind} at byte {at}")
    }
}

impl Error for ParseError {}

/// What a [`ParseError`] is about.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// A scheme name was expected. Points at the byte found in its place.
    ExpectedScheme,
    /// A parameter name was expected. Points at the byte found in its place.
    ExpectedName,
    /// `=` was expected after a parameter name. Points at the byte found in its place.
    ExpectedEquals,
    /// A parameter value was expected: a token or a quoted string, or in a challenge whatever is
    /// visible but `;` and `\`. Points at the byte found in its place.
    ExpectedValue,
    /// `,` or the end was expected. Points at the byte found in its place.
    ExpectedComma,
    /// Nothing more was expected: a credentials field is no list. Points at the byte found.
    ExpectedEnd,
    /// A quoted string has no closing quote. Points at its opening quote.
    UnclosedQuote,
    /// A control byte other than HTAB in a quoted string. Points at that byte.
    ControlByte,
    /// The value is longer than [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES). Points at the first
    /// byte over the limit.
    ValueTooLong,
    /// More than [`MAX_PARAMS`](crate::MAX_PARAMS) parameters. Points at the first over the limit.
    TooManyParams,
    /// More than [`MAX_CHALLENGES`](crate::MAX_CHALLENGES) challenges. Points at the first over
    /// the limit.
    TooManyChallenges,
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ExpectedScheme => "expected an authentication scheme",
            Self::ExpectedName => "expected a parameter name",
            Self::ExpectedEquals => "expected `=` after a parameter name",
            Self::ExpectedValue => "expected a parameter value",
            Self::ExpectedComma => "expected `,` or the end",
            Self::ExpectedEnd => "expected the end",
            Self::UnclosedQuote => "quoted string without a closing quote",
            Self::ControlByte => "control byte in a quoted string",
            Self::ValueTooLong => "header value too long",
            Self::TooManyParams => "too many parameters",
            Self::TooManyChallenges => "too many challenges",
        })
    }
}

/// The parameters this crate gives meaning to.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ParamName {
    /// `algorithm` of Digest.
    Algorithm,
    /// `charset` of Digest and Basic.
    Charset,
    /// `cnonce` of Digest.
    Cnonce,
    /// `domain` of Digest.
    Domain,
    /// `nc` of Digest.
    Nc,
    /// `nextnonce` of Digest.
    NextNonce,
    /// `nonce` of Digest.
    Nonce,
    /// `opaque` of Digest.
    Opaque,
    /// `qop` of Digest.
    Qop,
    /// `realm` of any scheme.
    Realm,
    /// `response` of Digest.
    Response,
    /// `rspauth` of Digest.
    RspAuth,
    /// `stale` of Digest.
    Stale,
    /// The token68 of Basic, which has no name on the wire.
    Token68,
    /// `uri` of Digest.
    Uri,
    /// `userhash` of Digest.
    Userhash,
    /// `username` of Digest, or the user-id of Basic.
    Username,
    /// `username*` of Digest.
    UsernameExt,
}

impl ParamName {
    /// The name as it stands in a header.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Algorithm => "algorithm",
            Self::Charset => "charset",
            Self::Cnonce => "cnonce",
            Self::Domain => "domain",
            Self::Nc => "nc",
            Self::NextNonce => "nextnonce",
            Self::Nonce => "nonce",
            Self::Opaque => "opaque",
            Self::Qop => "qop",
            Self::Realm => "realm",
            Self::Response => "response",
            Self::RspAuth => "rspauth",
            Self::Stale => "stale",
            Self::Token68 => "token68",
            Self::Uri => "uri",
            Self::Userhash => "userhash",
            Self::Username => "username",
            Self::UsernameExt => "username*",
        }
    }
}

impl fmt::Display for ParamName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is wrong with a parameter.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ParamProblem {
    /// It is required and not there.
    Missing,
    /// It is there more than once.
    Repeated,
    /// Its value is not of the required form.
    Malformed,
    /// Its value is well formed but not one this crate speaks.
    Unsupported,
    /// It contradicts another parameter, or stands where it must not.
    Inconsistent,
}

impl fmt::Display for ParamProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "missing",
            Self::Repeated => "given more than once",
            Self::Malformed => "malformed",
            Self::Unsupported => "not supported",
            Self::Inconsistent => "in conflict with another parameter",
        })
    }
}

/// A header value that follows the grammar but not its scheme.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct ParamError {
    /// Which parameter.
    pub name: ParamName,
    /// What is wrong with it.
    pub problem: ParamProblem,
}

impl ParamError {
    pub(crate) const fn new(name: ParamName, problem: ParamProblem) -> Self {
        Self { name, problem }
    }
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, problem } = self;
        write!(f, "parameter `{name}` {problem}")
    }
}

impl Error for ParamError {}

/// A header value this crate could not use.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HeaderError {
    /// Not the grammar of RFC 9110.
    Syntax(ParseError),
    /// The grammar of RFC 9110, but not that of the scheme.
    Param(ParamError),
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Param(error) => error.fmt(f),
        }
    }
}

impl Error for HeaderError {}

impl From<ParseError> for HeaderError {
    fn from(error: ParseError) -> Self {
        Self::Syntax(error)
    }
}

impl From<ParamError> for HeaderError {
    fn from(error: ParamError) -> Self {
        Self::Param(error)
    }
}

/// Text the caller gave that cannot stand where it was to go.
///
/// This is the caller's mistake, never the peer's.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum InvalidText {
    /// A control byte, at this byte of the text.
    Control(usize),
    /// A user name with `:` in it, which Basic cannot carry (RFC 7617, section 2).
    ColonInUsername,
    /// A character that ASCII does not have, at this byte of the text.
    NotAscii(usize),
    /// A character that ISO-8859-1 does not have, at this byte of the text.
    NotLatin1(usize),
    /// A byte that is no hexadecimal digit, at this byte of the text.
    NotHex(usize),
    /// Too long, empty where it must not be, or not of the one length it must have.
    Length,
}

impl fmt::Display for InvalidText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Control(at) => write!(f, "control byte at byte {at}"),
            Self::ColonInUsername => {
                f.write_str("user name with a colon, which Basic cannot carry")
            }
            Self::NotAscii(at) => write!(f, "character outside ASCII at byte {at}"),
            Self::NotLatin1(at) => write!(f, "character outside ISO-8859-1 at byte {at}"),
            Self::NotHex(at) => write!(f, "expected a hexadecimal digit at byte {at}"),
            Self::Length => f.write_str("wrong length"),
        }
    }
}

impl Error for InvalidText {}
