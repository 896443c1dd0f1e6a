//! Credentials: `Authorization` and `Proxy-Authorization`.

use alloc::vec::Vec;

use crate::challenge::{Challenge, Scheme, Start};
use crate::error::{HeaderError, ParamError, ParamName, ParamProblem};
use crate::known::Known;
use crate::syntax::{Cursor, Text};
use crate::{basic, digest};

/// What a client sent. `Debug` shows no header text.
///
/// ```
/// use countersign::Authorization;
///
/// match Authorization::parse("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")? {
///     Authorization::Basic(pair) => assert_eq!(pair.username(), b"Aladdin"),
///     Authorization::Digest(digest) => println!("{:?}", digest.algorithm()),
///     other => println!("{other:?}"),
/// }
/// # Ok::<(), countersign::HeaderError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "a box would be an allocation a request"
)]
pub enum Authorization<'a> {
    /// A user name and a password.
    Basic(basic::Credentials),
    /// A proof that the client knows the password.
    Digest(digest::Credentials<'a>),
    /// Another scheme: read its token68 or its parameters yourself.
    Other(Challenge<'a>),
}

impl<'a> Authorization<'a> {
    // credentials = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
    /// Reads one header value. A field that holds a list of credentials, or comes twice, is not
    /// one to guess about: refuse the request.
    ///
    /// # Errors
    ///
    /// [`HeaderError::Syntax`] with the position if it is not of the grammar of RFC 9110, section
    /// 11.4; [`HeaderError::Param`] with the parameter if it is not of that of Basic or Digest.
    pub fn parse<V>(value: &'a V) -> Result<Self, HeaderError>
    where
        V: AsRef<[u8]> + ?Sized,
    {
        let (start, cursor) = Start::of_credentials(value.as_ref())?;
        Self::read(start, cursor)
    }

    /// Reads what comes after the scheme.
    pub(crate) fn read(start: Start<'a>, cursor: Cursor<'a>) -> Result<Self, HeaderError> {
        let ignore = |_: &[u8], _: Text<'_>| Ok::<_, HeaderError>(());
        match start.scheme() {
            Scheme::Basic => {
                // What can be decoded is of the grammar, too.
                if let Some(pair) = cursor
                    .after_blanks()
                    .and_then(basic::Credentials::from_base64)
                {
                    return Ok(Self::Basic(pair));
                }
                let challenge = start.credentials(cursor, ignore)?;
                let problem = match (challenge.token68(), challenge.list().next()) {
                    (None, Ok(None)) => ParamProblem::Missing,
                    _ => ParamProblem::Malformed,
                };
                Err(ParamError::new(ParamName::Token68, problem).into())
            }
            Scheme::Digest => {
                let mut known = Known::new(digest::Credentials::PARAMS);
                start.credentials(cursor, |name, value| known.take(name, value))?;
                Ok(Self::Digest(digest::Credentials::read(&known)?))
            }
            Scheme::Other(_) => Ok(Self::Other(start.credentials(cursor, ignore)?)),
        }
    }

    /// The header value, written anew. Reading that gives an equal value.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Basic(pair) => pair.to_bytes(),
            Self::Digest(credentials) => credentials.to_bytes(),
            Self::Other(challenge) => challenge.to_bytes(),
        }
    }
}
