//! The error types that modules share.
//!
//! These errors contain no header text, because a header may hold a password.

use core::error::Error;
use core::fmt;

/// The reason why this crate cannot use a header value, or a value that was passed for a parameter.
///
/// If the syntax is wrong (RFC 9110, section 11) or exceeds a limit, it has a
/// [`position`](Self::position). If a parameter is wrong, missing or not supported, it has that
/// parameter's [`name`](Self::name). `Display` says what was expected.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct HeaderError {
    problem: Thin,
    place: Place,
}

/// A reference to a reference, so that errors are small.
pub(crate) type Thin = &'static &'static str;

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Place {
    /// The byte found in place of what was expected.
    Byte(u32),
    Param(Thin),
}

impl HeaderError {
    /// `at` is at most [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES), so it fits in a `u32`.
    #[cold]
    pub(crate) fn syntax(problem: Thin, at: usize) -> Self {
        let place = Place::Byte(u32::try_from(at).unwrap_or(u32::MAX));
        Self { problem, place }
    }

    pub(crate) const fn param(name: Thin, problem: Thin) -> Self {
        let place = Place::Param(name);
        Self { problem, place }
    }

    /// The offset of a syntax error in the header value, in bytes: where something else was found
    /// than expected, the opening quote of an unclosed string, or the start of what exceeds a
    /// limit. At the end of the value, it is the length without trailing whitespace.
    pub fn position(&self) -> Option<usize> {
        match self.place {
            Place::Byte(at) => usize::try_from(at).ok(),
            Place::Param(_) => None,
        }
    }

    /// The name of the parameter at fault, in lower case; `token68` for the token68 of Basic.
    pub const fn name(&self) -> Option<&'static str> {
        match self.place {
            Place::Byte(_) => None,
            Place::Param(name) => Some(name),
        }
    }
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { problem, place } = self;
        match place {
            Place::Byte(at) => write!(f, "{problem} at byte {at}"),
            Place::Param(name) => write!(f, "parameter `{name}` {problem}"),
        }
    }
}

impl Error for HeaderError {}

/// An error in text that the caller passed, such as a realm with a line break.
///
/// Offsets are in bytes, in that text. The client's settings `with_precis` and `Quirk::Latin1` may
/// shift them.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum InvalidText {
    /// A control character, at this offset.
    Control(usize),
    /// A user name that contains `:`, which Basic cannot carry (RFC 7617, section 2).
    ColonInUsername,
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
    /// [`wire`](crate::wire).
    ImplementedScheme,
    /// Another number of hexadecimal digits than the hash function has: 32 for MD5, 64 for the
    /// others.
    Digits {
        /// The number that the hash function has.
        wanted: usize,
        /// The number of digits that were passed.
        found: usize,
    },
    /// Nothing, where that is not allowed.
    Empty,
    /// Longer than this number of bytes.
    TooLong(usize),
    /// This number of keys, where there must be one to three.
    TooManyKeys(usize),
    /// Zeros in place of a secret.
    Zeros,
    /// No URI scheme, such as `https`: `example.com:8080` is a host and a port.
    NoScheme,
    /// A URI scheme whose default port is not known: pass the port.
    NoDefaultPort,
    /// No host, or more than a host: a URL, a port, a path.
    NotHost,
    /// A user name, with or without a password, in a URL.
    Userinfo,
    /// Neither an absolute path nor an absolute URI, in a list of these.
    NotUri,
}

impl fmt::Display for InvalidText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Control(at) => write!(f, "control character at byte {at}"),
            Self::ColonInUsername => {
                f.write_str("user name with a colon, which Basic cannot carry")
            }
            Self::NotLatin1(at) => write!(f, "character outside ISO-8859-1 at byte {at}"),
            Self::NotHex(at) => write!(f, "expected a hexadecimal digit at byte {at}"),
            Self::NotToken(at) => write!(f, "invalid token at byte {at}"),
            Self::NotToken68(at) => write!(f, "invalid token68 at byte {at}"),
            Self::RepeatedName => f.write_str("parameter given more than once"),
            Self::ImplementedScheme => {
                f.write_str("Basic or Digest, which the module `wire` writes")
            }
            Self::Digits { wanted, found } => write!(f, "expected {wanted} digits, found {found}"),
            Self::Empty => f.write_str("empty"),
            Self::TooLong(max) => write!(f, "longer than {max} bytes"),
            Self::TooManyKeys(found) => write!(f, "expected one to three keys, found {found}"),
            Self::Zeros => f.write_str("zeros in place of a secret"),
            Self::NoScheme => f.write_str("no scheme, such as `https`"),
            Self::NoDefaultPort => f.write_str("no port, and a scheme without a known default"),
            Self::NotHost => f.write_str("no host, or more than a host: a scheme, a port, a path"),
            Self::Userinfo => f.write_str(
                "a user name or password in the URL: take it out, and give it to the account",
            ),
            Self::NotUri => f.write_str("neither a path from `/` on nor a URI"),
        }
    }
}

impl Error for InvalidText {}
