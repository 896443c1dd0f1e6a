//! Challenges: `WWW-Authenticate` and `Proxy-Authenticate`.

use core::fmt;

use crate::error::HeaderError;
use crate::hash::HashFunction;
use crate::syntax::{Names, ParamTable, ParsedScheme, RawChallenge, RawChallenges, Scheme, Text};
use crate::{basic, digest};

/// Parses the challenges in all values of one header field, in order.
///
/// Values can be `&str`, `&[u8]`, `&http::HeaderValue`, or another reference to a type that
/// implements `AsRef<[u8]>`. Pass the values of several field lines separately instead of joining
/// them: a syntax error in one value then cannot affect the next.
///
/// Some invalid values are [accepted](crate::manual::odd_peers#what-is-accepted). To get the
/// challenges of all schemes without an interpretation of their parameters, use
/// [`raw`](Challenges::raw).
///
/// ```
/// use countersign::{Challenge, challenges};
///
/// let values = [r#"Digest realm="a", nonce="x", algorithm=SHA-256, Basic realm="b", Negotiate"#];
/// for challenge in challenges(values) {
///     match challenge {
///         Ok(Challenge::Digest(digest)) => assert_eq!(digest.nonce(), "x"),
///         Ok(Challenge::Basic(basic)) => assert_eq!(basic.realm(), "b"),
///         Ok(other) => println!("not supported: {other:?}"),
///         // Usually concerns this challenge only: see `RawChallenges`.
///         Err(error) => println!("skipped: {error}"),
///     }
/// }
/// ```
pub fn challenges<'a, I, V>(values: I) -> Challenges<'a, I::IntoIter>
where
    I: IntoIterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    Challenges {
        raw: RawChallenges::new(values.into_iter()),
    }
}

/// A Basic or Digest challenge with its parameters interpreted, or a challenge of another scheme.
///
/// See [`challenges()`] for an example, and [`Authorization`](crate::Authorization) for
/// credentials.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Challenge<'a> {
    /// A Basic challenge (RFC 7617).
    Basic(basic::Challenge<'a>),
    /// A Digest challenge (RFC 7616).
    Digest(digest::Challenge<'a>),
    /// A challenge of another scheme, with its token68 or parameters, if any.
    Other(RawChallenge<'a>),
}

impl<'a> Challenge<'a> {
    /// The realm; empty for another scheme.
    pub(crate) fn realm(&self) -> Text<'a> {
        match self {
            Self::Basic(challenge) => challenge.realm(),
            Self::Digest(challenge) => challenge.realm(),
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
        matches!(self, Self::Digest(challenge) if !challenge.qop().is_empty())
    }

    /// Returns whether it has `charset=UTF-8`.
    pub(crate) const fn is_utf8(&self) -> bool {
        match self {
            Self::Basic(challenge) => challenge.is_utf8(),
            Self::Digest(challenge) => challenge.is_utf8(),
            Self::Other(_) => false,
        }
    }
}

/// Iterator of [`challenges()`].
///
/// It does not allocate. An error usually concerns one challenge: [`RawChallenges`] describes how
/// iteration continues.
///
/// An error is [`HeaderError::Syntax`] if the syntax is invalid even with [what is
/// accepted](crate::manual::odd_peers#what-is-accepted), or a limit is exceeded. It is
/// [`HeaderError::Param`] if a Basic or Digest challenge has a token68, or repeats a parameter that this crate interprets in
/// that scheme; and for a Digest challenge also if `realm` or `nonce` is missing, if the algorithm
/// is not supported, or if `qop` has values but no supported one. A Digest challenge without
/// `algorithm` is one for MD5, which is unsupported without the feature `md5`.
///
/// ```
/// use countersign::{Challenge, Challenges, challenges};
///
/// fn offers_digest<'a>(mut offers: Challenges<'a, impl Iterator<Item = &'a str>>) -> bool {
///     offers.any(|offer| matches!(offer, Ok(Challenge::Digest(_))))
/// }
///
/// let offers = challenges(["Basic realm=a", "Digest realm=a, nonce=x, algorithm=SHA-256"]);
/// assert!(offers_digest(offers.clone()));
/// assert_eq!(offers.count(), 2);
/// ```
#[derive(Clone)]
pub struct Challenges<'a, I> {
    raw: RawChallenges<'a, I>,
}

impl<'a, I> Challenges<'a, I> {
    /// Converts to an iterator that parses the remaining challenges of all schemes without
    /// interpreting their parameters.
    ///
    /// ```
    /// use countersign::{ParseError, Scheme, challenges};
    ///
    /// let values = [r#"Bearer realm="a", error="invalid_token", Negotiate YII="#];
    /// let all: Vec<_> = challenges(values).raw().collect::<Result<_, ParseError>>()?;
    /// assert_eq!(all[0].scheme(), Scheme::Other("Bearer"));
    /// assert_eq!(all[0].param("error").unwrap(), "invalid_token");
    /// assert_eq!(all[1].token68(), Some("YII="));
    /// # Ok::<(), ParseError>(())
    /// ```
    pub fn raw(self) -> RawChallenges<'a, I> {
        self.raw
    }
}

impl<'a, I, V> Iterator for Challenges<'a, I>
where
    I: Iterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    type Item = Result<Challenge<'a>, HeaderError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut cursor = match self.raw.next_start()? {
            Ok(cursor) => cursor,
            Err(error) => return Some(Err(error.into())),
        };
        let parsed_scheme = match ParsedScheme::parse(&mut cursor) {
            Ok(parsed_scheme) => parsed_scheme,
            Err(error) => return Some(Err(self.raw.recover(cursor, error).into())),
        };
        let scheme = parsed_scheme.scheme();
        let mut params = ParamTable::new(match scheme {
            Scheme::Basic => basic::Challenge::PARAMS,
            Scheme::Digest => digest::Challenge::PARAMS,
            Scheme::Other(_) => Names::of(&[]),
        });
        let challenge = match parsed_scheme
            .parse_challenge(&mut cursor, |name, value| params.insert(name, value))
        {
            Ok(challenge) => challenge,
            Err(error) => return Some(Err(self.raw.recover(cursor, error).into())),
        };
        self.raw.resume_at(cursor);
        Some(match scheme {
            Scheme::Basic => basic::Challenge::read(&params, &challenge).map(Challenge::Basic),
            Scheme::Digest => digest::Challenge::read(&params).map(Challenge::Digest),
            Scheme::Other(_) => Ok(Challenge::Other(challenge)),
        })
    }
}

impl<I> fmt::Debug for Challenges<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
