//! Challenges and credentials of other schemes, to be written.

use alloc::vec::Vec;
use core::fmt;

use crate::error::InvalidText;
use crate::field_value::FieldValue;
use crate::syntax::chars::{self, TCHAR, TOKEN68};
use crate::syntax::limits::{MAX_PARAMS, MAX_VALUE_BYTES};
use crate::syntax::params::Param;
use crate::syntax::raw_challenge::{RawChallenge, Scheme};
use crate::syntax::text::Text;
use crate::syntax::writer::Writer;

/// Writes a challenge or credentials of a scheme that this crate does not implement, with
/// parameters. [`RawChallenge::of_token68`] writes those with a token68.
///
/// Each part is checked when it is given, so what is built is one challenge: no text can end a
/// parameter, start another challenge, or end the field. All values are quoted, which RFC 9110,
/// section 11.2, allows for every parameter, and RFC 6750, section 3, requires for most of those of
/// Bearer. What a parameter means to its scheme is not checked.
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
    // Borrowed until the whole length is known. A buffer that grew would leave copies of what may
    // be a secret in freed memory.
    params: Vec<Param<'a>>,
    /// The number of bytes to be written.
    length: usize,
}

impl<'a> RawChallenge<'a> {
    // challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]
    /// Starts to write a challenge or credentials of a scheme other than Basic and Digest.
    ///
    /// # Errors
    ///
    /// - [`InvalidText::NotToken`] if the scheme is not a token (RFC 9110, section 11.1);
    /// - [`InvalidText::OwnScheme`] for Basic and Digest, in any case of letters: RFC 7616,
    ///   sections 3.3 and 3.4, forbids quotes for some parameters of Digest, and the parameters of
    ///   both have rules that are not checked here. [`basic`](crate::basic) and
    ///   [`digest`](crate::digest) write them;
    /// - [`InvalidText::Length`] if it is empty, or longer than [`MAX_VALUE_BYTES`].
    pub fn builder(scheme: &'a str) -> Result<RawChallengeBuilder<'a>, InvalidText> {
        check_token(scheme)?;
        match Scheme::of(scheme.as_bytes()) {
            Scheme::Basic | Scheme::Digest => Err(InvalidText::OwnScheme),
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
    /// - Those of [`builder`](RawChallenge::builder) for the scheme;
    /// - [`InvalidText::NotToken68`] if the token68 is not one (RFC 9110, section 11.2);
    /// - [`InvalidText::Length`] if it is empty, or the value would be longer than
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
    /// - [`InvalidText::RepeatedName`] if there is a parameter of this name, ignoring ASCII case:
    ///   it must occur only once (RFC 9110, section 11.2), and readers differ on which they use;
    /// - [`InvalidText::Control`] if the value contains a control byte other than HTAB;
    /// - [`InvalidText::Length`] if the name is empty, if this would be more than [`MAX_PARAMS`]
    ///   parameters, or if all would be longer than [`MAX_VALUE_BYTES`].
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

    /// Returns the header value, which parses back to one challenge with these parameters. Send it
    /// as a field line of its own, because some clients read only the first challenge of a list.
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

/// Returns the position of the first byte that is not valid, if there is one.
const fn check(valid: usize, text: &str) -> Result<(), usize> {
    if valid < text.len() {
        Err(valid)
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

/// Bounds what is written by what is read.
const fn checked_length(length: usize) -> Result<usize, InvalidText> {
    if length > MAX_VALUE_BYTES {
        Err(InvalidText::Length)
    } else {
        Ok(length)
    }
}

/// The length with escapes, without the quotes.
fn quoted_length(text: &[u8]) -> usize {
    let is_escaped = |byte: &&u8| matches!(byte, b'"' | b'\\');
    text.len() + text.iter().filter(is_escaped).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So the buffer never grows, and leaves no copy behind.
    #[test]
    fn the_length_is_known_before_anything_is_written() {
        let longest = "x".repeat(300);
        let texts = ["", "a", "\"", "\\\\\"", "a, b\t\"c\"", &longest];
        for first in texts {
            for second in texts {
                let builder = RawChallenge::builder("X").unwrap();
                let builder = builder.param("a", first).unwrap();
                let builder = builder.param("bc", second).unwrap();
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
