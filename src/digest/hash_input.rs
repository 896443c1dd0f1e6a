//! The arguments of the formulas.

use crate::syntax::{Chunks, Text};

/// An argument of [`Ha1::new`](crate::digest::Ha1::new) and the formulas: a string or bytes, hashed
/// verbatim, or a [`Text`], hashed with its escapes resolved.
///
/// So values from a header are hashed without quotes and escapes (`unq` in RFC 7616, section 3.4).
/// The trait is sealed.
///
/// ```
/// use countersign::digest::{Challenge, Ha1, HashFunction, HashInput};
///
/// let value = r#"Digest realm="a \"b\"", nonce="n", qop="auth", algorithm=SHA-256"#;
/// let raw_challenge = countersign::challenges([value]).raw().next().unwrap()?;
/// let challenge = Challenge::try_from(raw_challenge)?;
///
/// fn ha1_for(realm: impl HashInput) -> Ha1 {
///     Ha1::new(HashFunction::Sha256, "Mufasa", realm, "Circle of Life")
/// }
/// assert_eq!(ha1_for(challenge.realm()), ha1_for(r#"a "b""#));
/// # Ok::<(), countersign::HeaderError>(())
/// ```
pub trait HashInput: sealed::Sealed {}

impl<T: AsRef<[u8]> + ?Sized> HashInput for T {}

impl HashInput for Text<'_> {}

pub(super) mod sealed {
    use super::{Chunks, Text};

    #[expect(unnameable_types, reason = "seals the trait")]
    pub trait Sealed {
        /// The bytes to hash.
        fn chunks(&self) -> Chunks<'_>;
    }

    impl<T: AsRef<[u8]> + ?Sized> Sealed for T {
        fn chunks(&self) -> Chunks<'_> {
            Chunks::one(self.as_ref())
        }
    }

    impl Sealed for Text<'_> {
        fn chunks(&self) -> Chunks<'_> {
            Text::chunks(self)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::challenges;
    use crate::digest::compute::{ha2, response, rspauth, userhash};
    use crate::digest::ha1::Ha1;
    use crate::hash::HashFunction;

    /// A header with an escaped parameter value, and that value.
    const HEADER: &str = r#"X v="a \"b\"""#;
    const VALUE: &str = r#"a "b""#;
    const HASH: HashFunction = HashFunction::Sha256;

    #[test]
    fn a_text_is_hashed_without_its_escapes_and_raw_bytes_with_them() {
        let text = challenges([HEADER]).raw().flatten().next().unwrap();
        let text = text.param("v").unwrap();
        let raw = text.raw();
        assert_ne!(raw, VALUE.as_bytes());

        let ha1 = Ha1::new(HASH, VALUE, VALUE, VALUE);
        assert_eq!(Ha1::new(HASH, text, text, text), ha1);
        assert_ne!(Ha1::new(HASH, raw, VALUE, VALUE), ha1);
        assert_ne!(Ha1::new(HASH, VALUE, raw, VALUE), ha1);
        assert_ne!(Ha1::new(HASH, VALUE, VALUE, raw), ha1);

        let session = ha1.session_key(VALUE, VALUE);
        assert_eq!(ha1.session_key(text, text), session);
        assert_ne!(ha1.session_key(raw, VALUE), session);
        assert_ne!(ha1.session_key(VALUE, raw), session);

        let hashed = userhash(HASH, VALUE, VALUE);
        assert_eq!(userhash(HASH, text, text), hashed);
        assert_ne!(userhash(HASH, raw, VALUE), hashed);
        assert_ne!(userhash(HASH, VALUE, raw), hashed);

        let of_request = ha2(HASH, VALUE, VALUE, None);
        assert_eq!(ha2(HASH, text, text, None), of_request);
        assert_ne!(ha2(HASH, raw, VALUE, None), of_request);
        assert_ne!(ha2(HASH, VALUE, raw, None), of_request);

        let answer = response(&ha1, VALUE, None, &of_request);
        assert_eq!(response(&ha1, text, None, &of_request), answer);
        assert_ne!(response(&ha1, raw, None, &of_request), answer);

        let proof = rspauth(&ha1, VALUE, None, VALUE, None);
        assert_eq!(rspauth(&ha1, text, None, text, None), proof);
        assert_ne!(rspauth(&ha1, raw, None, VALUE, None), proof);
        assert_ne!(rspauth(&ha1, VALUE, None, raw, None), proof);
    }
}
