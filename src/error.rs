//! The error types that modules share.
//!
//! These errors contain no header text, because a header may hold a password.

use core::error::Error;
use core::fmt;

/// A syntax error in a header value (RFC 9110, section 11) or an exceeded limit, with its position.
///
/// ```
/// use countersign::{ParseErrorKind, challenges};
///
/// let error = challenges(["Basic realm=\"files"]).raw().next().unwrap().unwrap_err();
/// assert_eq!(error.kind(), ParseErrorKind::UnclosedQuote);
/// assert_eq!(error.position(), 12);
/// assert_eq!(error.to_string(), "quoted string without a closing quote at byte 12");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct ParseError {
    kind: ParseErrorKind,
    at: u32,
}

impl ParseError {
    /// `at` is at most [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES), so it fits in a `u32`.
    pub(crate) fn new(kind: ParseErrorKind, at: usize) -> Self {
        Self {
            kind,
            at: u32::try_from(at).unwrap_or(u32::MAX),
        }
    }

    /// What was wrong, and what the [`position`](Self::position) points at.
    pub const fn kind(&self) -> ParseErrorKind {
        self.kind
    }

    /// The offset in the header value, in bytes. At the end of the value, it is the length without
    /// trailing whitespace.
    pub fn position(&self) -> usize {
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

/// The kind of a [`ParseError`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// A scheme name was expected. Points at the byte found in its place.
    ExpectedScheme,
    /// A parameter name was expected. Points at the byte found in its place.
    ExpectedName,
    /// `=` was expected after a parameter name. Points at the byte found in its place.
    ExpectedEquals,
    /// A parameter value was expected: a token or a quoted string, or in a challenge any visible
    /// ASCII except `"`, `,`, `;` and `\`. Points at the byte found in its place.
    ExpectedValue,
    /// `,` or the end was expected; after a scheme name, also whitespace. Points at the byte found
    /// in its place.
    ExpectedComma,
    /// The end was expected: a credentials field is not a list. Points at the byte found.
    ExpectedEnd,
    /// A quoted string without a closing quote. Points at its opening quote.
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

/// The parameters that this crate interprets.
///
/// ```
/// use countersign::ParamName;
///
/// assert_eq!(ParamName::NextNonce.as_str(), "nextnonce");
/// ```
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
    /// `realm` of Digest and Basic.
    Realm,
    /// `response` of Digest.
    Response,
    /// `rspauth` of Digest.
    RspAuth,
    /// `stale` of Digest.
    Stale,
    /// The token68 of Basic, which has no name in a header.
    Token68,
    /// `uri` of Digest.
    Uri,
    /// `userhash` of Digest.
    Userhash,
    /// `username` of Digest.
    Username,
    /// `username*` of Digest.
    UsernameExt,
}

impl ParamName {
    /// The name as written in a header, in lower case; `token68` for the token68 of Basic.
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
    /// It is required but absent.
    Missing,
    /// It occurs more than once.
    Repeated,
    /// Its value does not have the required syntax.
    Malformed,
    /// Its value, or the default if it is absent, is not one that this crate supports.
    Unsupported,
    /// It contradicts another parameter, or must not occur together with it.
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

/// A parameter that is wrong, missing or not supported, in a header or passed by the caller.
///
/// ```
/// use countersign::{HeaderError, ParamName, ParamProblem, challenges};
///
/// let error = challenges([r#"Digest realm="files""#]).next().unwrap().unwrap_err();
/// let HeaderError::Param(error) = error else { unreachable!() };
/// assert_eq!((error.name, error.problem), (ParamName::Nonce, ParamProblem::Missing));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct ParamError {
    /// The parameter at fault.
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

/// The reason why this crate cannot use a header value.
///
/// ```
/// use countersign::{Authorization, HeaderError};
///
/// match Authorization::parse("Digest username=").unwrap_err() {
///     HeaderError::Syntax(error) => println!("{} at byte {}", error.kind(), error.position()),
///     HeaderError::Param(error) => println!("{}: {}", error.name, error.problem),
///     error => println!("{error}"),
/// }
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HeaderError {
    /// The value violates the syntax of RFC 9110, section 11, or exceeds a limit of this crate.
    Syntax(ParseError),
    /// The syntax is valid, but a parameter of Basic or Digest is wrong, missing or not supported.
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

/// An error in text that the caller passed, such as a realm with a line break.
///
/// Offsets are in bytes, in that text. The client's settings `with_precis` and `Quirk::Latin1` may
/// shift them.
///
/// ```
/// use countersign::{InvalidText, Text};
///
/// assert_eq!(Text::new("two\r\nlines").unwrap_err(), InvalidText::Control(3));
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum InvalidText {
    /// A control character, at this offset.
    Control(usize),
    /// A user name that contains `:`, which Basic cannot carry (RFC 7617, section 2).
    ColonInUsername,
    /// A character outside ASCII, at this offset.
    NotAscii(usize),
    /// A character outside ISO-8859-1, at this offset.
    NotLatin1(usize),
    /// A byte that is not a hexadecimal digit, at this offset.
    NotHex(usize),
    /// A byte that a token must not contain (RFC 9110, section 5.6.2), at this offset of a scheme
    /// or parameter name.
    NotToken(usize),
    /// A byte that is not allowed at this offset of a token68 (RFC 9110, section 11.2).
    NotToken68(usize),
    /// A parameter name that was added before: it must occur only once (RFC 9110, section 11.2).
    RepeatedName,
    /// Basic or Digest, where only other schemes are allowed. Write these two with
    /// [`basic`](crate::basic) and [`digest`](crate::digest).
    ImplementedScheme,
    /// Too long, empty where that is not allowed, or not of the required length; or too many
    /// parameters.
    Length,
    /// Zeros in place of a secret.
    Zeros,
}

impl fmt::Display for InvalidText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Control(at) => write!(f, "control character at byte {at}"),
            Self::ColonInUsername => {
                f.write_str("user name with a colon, which Basic cannot carry")
            }
            Self::NotAscii(at) => write!(f, "character outside ASCII at byte {at}"),
            Self::NotLatin1(at) => write!(f, "character outside ISO-8859-1 at byte {at}"),
            Self::NotHex(at) => write!(f, "expected a hexadecimal digit at byte {at}"),
            Self::NotToken(at) => write!(f, "invalid token at byte {at}"),
            Self::NotToken68(at) => write!(f, "invalid token68 at byte {at}"),
            Self::RepeatedName => f.write_str("parameter given more than once"),
            Self::ImplementedScheme => {
                f.write_str("Basic or Digest, which the modules `basic` and `digest` write")
            }
            Self::Length => f.write_str("wrong length, or too many parameters"),
            Self::Zeros => f.write_str("zeros in place of a secret"),
        }
    }
}

impl Error for InvalidText {}
