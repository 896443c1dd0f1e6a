//! Challenges, each read as one of its scheme: `WWW-Authenticate` and `Proxy-Authenticate`.

use core::fmt;

use crate::error::HeaderError;
use crate::syntax::{Names, ParamTable, RawChallenge, RawChallenges, Scheme, SchemeHead};
use crate::{basic, digest};

/// Reads every challenge in the values of one header field, in order.
///
/// Takes whatever the HTTP library calls a header value, as long as its bytes can be had: `&str`,
/// `&[u8]`, `http::HeaderValue` of any version. Do not join the values of several header lines: a
/// fault in one value then ends with it.
///
/// Values outside the grammar are read where all known readers read the same: see
/// [`leniency`](crate::manual::leniency). To read challenges of other schemes by the grammar alone,
/// use [`raw`](Challenges::raw).
///
/// ```
/// use countersign::{Challenge, challenges};
///
/// let values = [r#"Digest realm="a", nonce="x", algorithm=SHA-256, Basic realm="b", Negotiate"#];
/// for challenge in challenges(values) {
///     match challenge {
///         Ok(Challenge::Digest(digest)) => assert_eq!(digest.nonce(), "x"),
///         Ok(Challenge::Basic(basic)) => assert_eq!(basic.realm(), "b"),
///         Ok(other) => println!("not ours: {other:?}"),
///         // Of this one alone: go on with the next.
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

/// A challenge of a scheme this crate knows, with its parameters; or of another scheme.
///
/// [`Authorization`](crate::Authorization) is the same for credentials. See [`challenges()`] for an
/// example.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Challenge<'a> {
    /// RFC 7617.
    Basic(basic::Challenge<'a>),
    /// RFC 7616.
    Digest(digest::Challenge<'a>),
    /// Another scheme: read its token68 or its parameters yourself.
    Other(RawChallenge<'a>),
}

/// Iterator of [`challenges()`].
///
/// Allocates nothing. An error is that of one challenge: the next item is the next challenge whose
/// start can be found, in the same value or a later one. Only a quoted string that is never closed,
/// and a value over the limit, hide the rest of their value; more than
/// [`MAX_CHALLENGES`](crate::MAX_CHALLENGES) hide the rest of the field.
///
/// An error is [`HeaderError::Syntax`] with the position for a fault of the grammar of RFC 9110,
/// section 11.6.1; and [`HeaderError::Param`] with the parameter for a Basic or Digest challenge that
/// lacks a parameter or has one twice, or whose algorithm or qop is not supported.
#[derive(Clone)]
pub struct Challenges<'a, I> {
    raw: RawChallenges<'a, I>,
}

impl<'a, I> Challenges<'a, I> {
    /// The challenges by the grammar alone, whatever their scheme: a name with parameters or a
    /// token68.
    ///
    /// What was handed out already is not read again.
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
        let mut cursor = match self.raw.start()? {
            Ok(cursor) => cursor,
            Err(error) => return Some(Err(error.into())),
        };
        let start = match SchemeHead::read(&mut cursor) {
            Ok(start) => start,
            Err(fault) => return Some(Err(self.raw.give_up(cursor, fault).into())),
        };
        let scheme = start.scheme();
        let mut known = ParamTable::new(match scheme {
            Scheme::Basic => basic::Challenge::PARAMS,
            Scheme::Digest => digest::Challenge::PARAMS,
            Scheme::Other(_) => Names::of(&[]),
        });
        let challenge = match start.challenge(&mut cursor, |name, value| known.take(name, value)) {
            Ok(challenge) => challenge,
            Err(fault) => return Some(Err(self.raw.give_up(cursor, fault).into())),
        };
        self.raw.go_on(cursor);
        Some(match scheme {
            Scheme::Basic => basic::Challenge::read(&known, &challenge).map(Challenge::Basic),
            Scheme::Digest => digest::Challenge::read(&known).map(Challenge::Digest),
            Scheme::Other(_) => Ok(Challenge::Other(challenge)),
        })
    }
}

impl<I> fmt::Debug for Challenges<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
