//! Challenges, read as those of their schemes.

use core::fmt;

use crate::challenge::{Challenge, Challenges, Scheme, Start};
use crate::error::HeaderError;
use crate::known::{Known, Names};
use crate::{basic, digest};

/// A challenge of a scheme this crate knows, with its parameters; or of another. What
/// [`Authorization`](crate::Authorization) is to credentials.
///
/// ```
/// use countersign::{TypedChallenge, challenges};
///
/// let values = [r#"Digest realm="a", nonce="x", algorithm=SHA-256, Basic realm="b", Negotiate"#];
/// for challenge in challenges(values).typed() {
///     match challenge {
///         Ok(TypedChallenge::Digest(digest)) => assert_eq!(digest.nonce(), "x"),
///         Ok(TypedChallenge::Basic(basic)) => assert_eq!(basic.realm(), "b"),
///         Ok(other) => println!("not ours: {other:?}"),
///         // Of this one alone: go on with the next.
///         Err(error) => println!("skipped: {error}"),
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum TypedChallenge<'a> {
    /// RFC 7617.
    Basic(basic::Challenge<'a>),
    /// RFC 7616.
    Digest(digest::Challenge<'a>),
    /// Another scheme: read its token68 or its parameters yourself.
    Other(Challenge<'a>),
}

impl<'a, I> Challenges<'a, I> {
    /// The same challenges, each read as one of its scheme: in one pass, so in less time than first
    /// the grammar and then the parameters take.
    ///
    /// What was handed out already is not read again. See [`TypedChallenge`] for an example, and
    /// [`TypedChallenges`] for the errors.
    pub const fn typed(self) -> TypedChallenges<'a, I> {
        TypedChallenges { challenges: self }
    }
}

/// Iterator of [`Challenges::typed`].
///
/// Allocates nothing. An error is that of one challenge, and the next item is the next challenge, as
/// it is with [`Challenges`]. It is [`HeaderError::Syntax`] with the position for a fault of the
/// grammar of RFC 9110, section 11.6.1; and [`HeaderError::Param`] with the parameter for a Basic or
/// Digest challenge that lacks one or has one twice, or whose algorithm or qop is not supported.
#[derive(Clone)]
pub struct TypedChallenges<'a, I> {
    challenges: Challenges<'a, I>,
}

impl<'a, I, V> Iterator for TypedChallenges<'a, I>
where
    I: Iterator<Item = &'a V>,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    type Item = Result<TypedChallenge<'a>, HeaderError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut cursor = match self.challenges.start()? {
            Ok(cursor) => cursor,
            Err(error) => return Some(Err(error.into())),
        };
        let start = match Start::read(&mut cursor) {
            Ok(start) => start,
            Err(fault) => return Some(Err(self.challenges.give_up(cursor, fault).into())),
        };
        let scheme = start.scheme();
        let mut known = Known::new(match scheme {
            Scheme::Basic => basic::Challenge::PARAMS,
            Scheme::Digest => digest::Challenge::PARAMS,
            Scheme::Other(_) => Names::of(&[]),
        });
        let challenge = match start.challenge(&mut cursor, |name, value| known.take(name, value)) {
            Ok(challenge) => challenge,
            Err(fault) => return Some(Err(self.challenges.give_up(cursor, fault).into())),
        };
        self.challenges.go_on(cursor);
        Some(match scheme {
            Scheme::Basic => basic::Challenge::read(&known, &challenge).map(TypedChallenge::Basic),
            Scheme::Digest => digest::Challenge::read(&known).map(TypedChallenge::Digest),
            Scheme::Other(_) => Ok(TypedChallenge::Other(challenge)),
        })
    }
}

impl<I> fmt::Debug for TypedChallenges<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.challenges.fmt(f)
    }
}
