//! Challenges: `WWW-Authenticate` and `Proxy-Authenticate`.

use crate::basic;
use crate::digest::DigestChallenge;
use crate::error::HeaderError;
use crate::hash::HashFunction;
use crate::syntax::{Cursor, ParamTable, ParsedScheme, RawChallenge, RawChallenges, Scheme, Text};

/// A Basic or Digest challenge with its parameters interpreted, or a challenge of another scheme.
/// [`challenges`] parses them.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Challenge<'a> {
    /// A Basic challenge (RFC 7617). Unknown parameters and values of `charset` are ignored.
    #[non_exhaustive]
    Basic {
        /// The realm, which may be shown to the user. RFC 7617, section 2, requires it; as in most
        /// browsers, a missing one is empty.
        realm: Text<'a>,
        /// Whether the server reads credentials as UTF-8 (`charset="UTF-8"`; RFC 7617, section 2.1).
        utf8: bool,
    },
    /// A Digest challenge (RFC 7616).
    Digest(DigestChallenge<'a>),
    /// A challenge of another scheme, with its token68 or parameters, if any.
    Other(RawChallenge<'a>),
}

impl<'a> Challenge<'a> {
    /// The realm; empty for another scheme.
    pub(crate) const fn realm(&self) -> Text<'a> {
        match self {
            Self::Basic { realm, .. } => *realm,
            Self::Digest(challenge) => challenge.realm,
            Self::Other(_) => Text::EMPTY,
        }
    }

    /// The hash function of Digest.
    pub(crate) const fn hash_function(&self) -> Option<HashFunction> {
        match self {
            Self::Digest(challenge) => Some(challenge.algorithm().hash_function()),
            _ => None,
        }
    }

    /// Returns whether it is Digest with a qop.
    pub(crate) const fn has_qop(&self) -> bool {
        matches!(self, Self::Digest(challenge) if !challenge.qop.is_empty())
    }

    /// Returns whether it has `charset=UTF-8`.
    pub(crate) const fn is_utf8(&self) -> bool {
        match self {
            Self::Basic { utf8, .. } => *utf8,
            Self::Digest(challenge) => challenge.utf8,
            Self::Other(_) => false,
        }
    }
}

/// Parses the challenges in all values of one header field, in order.
///
/// Values can be `&str`, `&[u8]`, `&http::HeaderValue`, or another reference to a type that
/// implements `AsRef<[u8]>`. Pass the values of several field lines separately instead of joining
/// them: a syntax error in one value then cannot affect the next.
///
/// The iterator does not allocate. An error usually concerns one challenge:
///
/// - After a syntax error, iteration continues with the next challenge whose start can be found. An
///   unclosed quoted string hides the rest of its value. Some violations are
///   [accepted](crate::manual::odd_peers#what-is-accepted).
/// - A parameter error is a token68 or a repeated parameter in a Basic or Digest challenge; in a
///   Digest challenge also a missing `realm` or `nonce`, and an `algorithm` or `qop` that is not
///   supported. Without `algorithm` it is MD5.
/// - A value over [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES) is skipped entirely. If there are more
///   than [`MAX_CHALLENGES`](crate::MAX_CHALLENGES), unreadable ones included, iteration ends with
///   an error.
///
/// ```
/// use countersign::{Challenge, challenges};
///
/// let values = [r#"Digest realm="a", nonce="x", algorithm=SHA-256, Basic realm="b", Negotiate"#];
/// for challenge in challenges(values) {
///     match challenge {
///         Ok(Challenge::Digest(digest)) => assert_eq!(digest.nonce, "x"),
///         Ok(Challenge::Basic { realm, .. }) => assert_eq!(realm, "b"),
///         Ok(other) => println!("not supported: {other:?}"),
///         Err(error) => println!("skipped: {error}"),
///     }
/// }
/// ```
pub fn challenges<'a, I, V>(values: I) -> impl Iterator<Item = Result<Challenge<'a>, HeaderError>>
where
    I: IntoIterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    let mut all = RawChallenges::new(values.into_iter());
    core::iter::from_fn(move || all.next(read))
}

/// Not generic, so that it is compiled once.
fn read<'a>(cursor: &mut Cursor<'a>) -> Result<Challenge<'a>, HeaderError> {
    let mut params = ParamTable::new();
    let take = |name: &_, value| params.insert(name, value);
    let (scheme, raw) = ParsedScheme::parse_challenge(cursor, take)?;
    match scheme {
        Some(Scheme::Basic) => {
            let (realm, utf8) = basic::read_challenge(&params, &raw)?;
            Ok(Challenge::Basic { realm, utf8 })
        }
        Some(Scheme::Digest) => DigestChallenge::read(&params).map(Challenge::Digest),
        None => Ok(Challenge::Other(raw)),
    }
}

/// Like [`challenges`], without interpreting the parameters of any scheme: only the syntax and the
/// limits can cause an error.
pub fn raw_challenges<'a, I, V>(
    values: I,
) -> impl Iterator<Item = Result<RawChallenge<'a>, HeaderError>>
where
    I: IntoIterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    let mut all = RawChallenges::new(values.into_iter());
    core::iter::from_fn(move || all.next(read_raw))
}

fn read_raw<'a>(cursor: &mut Cursor<'a>) -> Result<RawChallenge<'a>, HeaderError> {
    ParsedScheme::parse_challenge(cursor, |_, _| ()).map(|(_, raw)| raw)
}
