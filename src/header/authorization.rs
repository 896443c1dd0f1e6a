//! Credentials: `Authorization` and `Proxy-Authorization`.

use crate::error::{HeaderError, ParamError, ParamName, ParamProblem, ParseError};
use crate::field_value::FieldValue;
use crate::syntax::{Cursor, ParamTable, RawChallenge, Scheme, SchemeHead};
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
    Other(RawChallenge<'a>),
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
        let (start, rest) = SchemeHead::of_credentials(value.as_ref())?;
        match start.scheme() {
            Scheme::Basic => Self::read_basic(start, rest).map(Self::Basic),
            Scheme::Digest => Self::read_digest(start, rest).map(Self::Digest),
            Scheme::Other(_) => Ok(Self::Other(Self::read_other(start, rest)?)),
        }
    }

    #[inline(always)]
    pub(crate) fn read_basic(
        start: SchemeHead<'a>,
        rest: Cursor<'a>,
    ) -> Result<basic::Credentials, HeaderError> {
        // What can be decoded is of the grammar, too.
        let token68 = rest.after_blanks();
        if let Some(pair) = token68.and_then(basic::Credentials::from_base64) {
            return Ok(pair);
        }
        let challenge = Self::read_other(start, rest)?;
        let problem = match (challenge.token68(), challenge.params().next()) {
            (None, None) => ParamProblem::Missing,
            _ => ParamProblem::Malformed,
        };
        Err(ParamError::new(ParamName::Token68, problem).into())
    }

    /// The grammar alone.
    #[inline(never)]
    fn read_other(start: SchemeHead<'a>, rest: Cursor<'a>) -> Result<RawChallenge<'a>, ParseError> {
        start.credentials(rest, |_, _| ())
    }

    // Apart, so that Basic need not make room for all that this keeps on the stack.
    #[inline(never)]
    pub(crate) fn read_digest(
        start: SchemeHead<'a>,
        rest: Cursor<'a>,
    ) -> Result<digest::Credentials<'a>, HeaderError> {
        let mut known = ParamTable::new(digest::Credentials::PARAMS);
        start.credentials(rest, |name, value| known.take(name, value))?;
        digest::Credentials::read(&known)
    }

    /// The header value, written anew. Reading that gives an equal value.
    pub fn to_field_value(&self) -> FieldValue {
        match self {
            Self::Basic(pair) => pair.to_field_value(),
            Self::Digest(credentials) => credentials.to_field_value(),
            Self::Other(challenge) => challenge.to_field_value(),
        }
    }
}
