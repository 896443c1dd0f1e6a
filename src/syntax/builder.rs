//! Writes challenges and credentials of schemes other than Basic and Digest.

use alloc::vec::Vec;
use core::fmt;

use crate::error::InvalidText;
use crate::field_value::FieldValue;
use crate::syntax::chars::{self, TCHAR, TOKEN68};
use crate::syntax::limits::{MAX_PARAMS, MAX_VALUE_BYTES};
use crate::syntax::params::Param;
use crate::syntax::raw_challenge::RawChallenge;
use crate::syntax::scheme::Scheme;
use crate::syntax::text::Text;
use crate::syntax::writer::Writer;

/// Writes a challenge or credentials of a scheme that this crate does not implement. For a token68
/// instead of parameters, use [`RawChallenge::of_token68`].
///
/// Each part is checked when it is given: no text can end a parameter, start another challenge, or
/// end the field. All values are quoted, which RFC 9110, section 11.2, allows unless the scheme
/// forbids it. Whether the scheme has such a parameter and value is not checked.
///
/// ```
/// use countersign::{InvalidText, RawChallenge, RawChallengeBuilder};
///
/// let bearer: RawChallengeBuilder<'_> = RawChallenge::builder("Bearer")?.param("realm", "api")?;
/// assert_eq!(bearer.clone().build(), r#"Bearer realm="api""#);
/// let challenge = bearer.param("error", "invalid_token")?.build();
/// assert_eq!(challenge, r#"Bearer realm="api", error="invalid_token""#);
///
/// // Without parameters it is the scheme alone.
/// assert_eq!(RawChallenge::builder("Negotiate")?.build(), "Negotiate");
/// # Ok::<(), InvalidText>(())
/// ```
#[derive(Clone)]
pub struct RawChallengeBuilder<'a> {
    scheme: &'a str,
    // Borrowed until the length is known: a buffer that grows leaves copies of secrets behind.
    params: Vec<Param<'a>>,
    /// The length of the header value so far, in bytes.
    length: usize,
}

impl<'a> RawChallenge<'a> {
    // challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
    /// Starts to write a challenge or credentials of a scheme other than Basic and Digest.
    ///
    /// # Errors
    ///
    /// - [`InvalidText::NotToken`] if the scheme is not a token (RFC 9110, section 11.1);
    /// - [`InvalidText::ImplementedScheme`] for Basic and Digest, ignoring ASCII case. Their rules
    ///   are not checked here: use [`basic`](crate::basic) and [`digest`](crate::digest);
    /// - [`InvalidText::Length`] if the scheme is empty, or longer than [`MAX_VALUE_BYTES`].
    pub fn builder(scheme: &'a str) -> Result<RawChallengeBuilder<'a>, InvalidText> {
        check_token(scheme)?;
        match Scheme::of(scheme.as_bytes()) {
            Scheme::Basic | Scheme::Digest => Err(InvalidText::ImplementedScheme),
            Scheme::Other(_) => Ok(RawChallengeBuilder {
                scheme,
                params: Vec::new(),
                length: checked_length(scheme.len())?,
            }),
        }
    }
}

impl RawChallenge<'_> {
    // token68 = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
    /// Returns a challenge or credentials with a token68: base64 as Negotiate has it, or the token
    /// of Bearer credentials (RFC 6750, section 2.1).
    ///
    /// ```
    /// use countersign::{InvalidText, RawChallenge};
    ///
    /// let credentials = RawChallenge::of_token68("Bearer", "mF_9.B5f-4.1JqM")?;
    /// assert_eq!(credentials, "Bearer mF_9.B5f-4.1JqM");
    /// let injected = RawChallenge::of_token68("Bearer", "a, Basic realm=x");
    /// assert_eq!(injected, Err(InvalidText::NotToken68(1)));
    /// # Ok::<(), InvalidText>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - The errors of [`builder`](RawChallenge::builder) for the scheme;
    /// - [`InvalidText::NotToken68`] if the token68 is malformed (RFC 9110, section 11.2);
    /// - [`InvalidText::Length`] if the token68 is empty, or the header value would be longer than
    ///   [`MAX_VALUE_BYTES`].
    pub fn of_token68(scheme: &str, token68: &str) -> Result<FieldValue, InvalidText> {
        let RawChallengeBuilder { scheme, length, .. } = RawChallenge::builder(scheme)?;
        check_token68(token68)?;
        let length = checked_length(length + 1 + token68.len())?;
        let mut writer = Writer::scheme(scheme, length);
        writer.token68(token68.as_bytes());
        Ok(writer.finish())
    }
}

impl<'a> RawChallengeBuilder<'a> {
    // auth-param = token BWS "=" BWS ( token / quoted-string )
    /// Adds a parameter. Its value is quoted, and escaped where necessary.
    ///
    /// ```
    /// use countersign::{InvalidText, RawChallenge};
    ///
    /// let builder = RawChallenge::builder("Bearer")?.param("realm", r#"the "api""#)?;
    /// assert_eq!(builder.clone().build(), r#"Bearer realm="the \"api\"""#);
    ///
    /// let twice = builder.clone().param("Realm", "other").unwrap_err();
    /// assert_eq!(twice, InvalidText::RepeatedName);
    /// let two_lines = builder.param("scope", "a\r\nSet-Cookie: b").unwrap_err();
    /// assert_eq!(two_lines, InvalidText::Control(1));
    /// # Ok::<(), InvalidText>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - [`InvalidText::NotToken`] if the name is not a token (RFC 9110, section 11.2);
    /// - [`InvalidText::RepeatedName`] if a parameter of this name was added before, ignoring ASCII
    ///   case: it must occur only once (RFC 9110, section 11.2);
    /// - [`InvalidText::Control`] if the value contains a control byte other than HTAB;
    /// - [`InvalidText::Length`] if the name is empty, if there are [`MAX_PARAMS`] parameters
    ///   already, or if the header value would be longer than [`MAX_VALUE_BYTES`].
    pub fn param<V>(mut self, name: &'a str, value: &'a V) -> Result<Self, InvalidText>
    where
        V: AsRef<[u8]> + ?Sized,
    {
        check_token(name)?;
        let is_same = |param: &Param<'_>| param.name.eq_ignore_ascii_case(name);
        if self.params.iter().any(is_same) {
            return Err(InvalidText::RepeatedName);
        }
        let value = Text::new(value)?;
        if self.params.len() >= MAX_PARAMS {
            return Err(InvalidText::Length);
        }
        let separator = if self.params.is_empty() { 1 } else { 2 };
        let added = separator + name.len() + r#"="""#.len() + quoted_length(value.raw());
        self.length = checked_length(self.length + added)?;
        self.params.push(Param { name, value });
        Ok(self)
    }

    /// Returns the header value, which parses back to one challenge with these parameters. Send
    /// each challenge in a separate field line: some clients read only the first of a list.
    pub fn build(self) -> FieldValue {
        let mut writer = Writer::scheme(self.scheme, self.length);
        for param in self.params {
            writer.quoted(param.name, param.value);
        }
        writer.finish()
    }
}

/// Shows no text, which may be a secret.
impl fmt::Debug for RawChallengeBuilder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RawChallengeBuilder({} params)", self.params.len())
    }
}

fn check_token(text: &str) -> Result<(), InvalidText> {
    check(chars::run_length(text.as_bytes(), TCHAR), text).map_err(InvalidText::NotToken)?;
    check_not_empty(text)
}

fn check_token68(text: &str) -> Result<(), InvalidText> {
    let start = chars::run_length(text.as_bytes(), TOKEN68);
    // The padding follows at least one other byte.
    let padding = text.bytes().skip(start).take_while(|byte| *byte == b'=');
    let valid = if start == 0 {
        0
    } else {
        start + padding.count()
    };
    check(valid, text).map_err(InvalidText::NotToken68)?;
    check_not_empty(text)
}

/// Fails with the position of the first invalid byte.
const fn check(valid_bytes: usize, text: &str) -> Result<(), usize> {
    if valid_bytes < text.len() {
        Err(valid_bytes)
    } else {
        Ok(())
    }
}

const fn check_not_empty(text: &str) -> Result<(), InvalidText> {
    if text.is_empty() {
        Err(InvalidText::Length)
    } else {
        Ok(())
    }
}

/// Refuses a length that this crate would not read.
const fn checked_length(length: usize) -> Result<usize, InvalidText> {
    if length > MAX_VALUE_BYTES {
        Err(InvalidText::Length)
    } else {
        Ok(length)
    }
}

/// The length when quoted and escaped, without the quotes.
fn quoted_length(text: &[u8]) -> usize {
    let is_escaped = |byte: &&u8| matches!(byte, b'"' | b'\\');
    text.len() + text.iter().filter(is_escaped).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise the buffer would grow, and leave a copy in freed memory.
    #[test]
    fn the_length_is_exact_before_anything_is_written() {
        let longest = "x".repeat(300);
        let texts = ["", "a", "\"", "\\\\\"", "a, b\t\"c\"", &longest];
        for first in texts {
            for second in texts {
                let builder = RawChallenge::builder("X").unwrap();
                let builder = builder.param("a", first).unwrap();
                let builder = builder.param("bcdef", second).unwrap();
                let length = builder.length;
                assert_eq!(builder.build().as_bytes().len(), length);
            }
        }
    }

    #[test]
    fn debug_shows_no_content() {
        let builder = RawChallenge::builder("hunter2").unwrap();
        let builder = builder.param("hunter3", "hunter4").unwrap();
        assert_eq!(
            alloc::format!("{builder:?}"),
            "RawChallengeBuilder(1 params)"
        );
    }
}
