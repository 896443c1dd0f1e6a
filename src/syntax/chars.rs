//! Byte classes: one `const fn` per ABNF rule, with the rule above it, and one table made from
//! them at compile time.

/// `tchar` of RFC 9110, section 5.6.2.
pub(crate) const TCHAR: u8 = 1 << 0;
/// The bytes of a token68 before its `=` (RFC 9110, section 11.2).
pub(crate) const TOKEN68: u8 = 1 << 1;
/// What a quoted string may hold without an escape (RFC 9110, section 5.6.4).
pub(crate) const QDTEXT: u8 = 1 << 2;
/// What may follow a backslash in a quoted string (RFC 9110, section 5.6.4).
pub(crate) const QUOTABLE: u8 = 1 << 3;
/// What an `ext-value` may hold without percent-encoding (RFC 8187, section 3.2.1).
pub(crate) const ATTR_CHAR: u8 = 1 << 4;
/// Blanks: SP and HTAB.
pub(crate) const BLANK: u8 = 1 << 5;
/// What separates the elements of a list (RFC 9110, section 5.6.1).
pub(crate) const COMMA: u8 = 1 << 6;

/// Whether `byte` is of one of the classes of `mask`.
#[expect(
    clippy::as_conversions,
    clippy::indexing_slicing,
    reason = "a `u8` cannot index outside of 256 entries"
)]
#[inline]
pub(crate) const fn is(byte: u8, mask: u8) -> bool {
    TABLE[byte as usize] & mask != 0
}

/// How many bytes of qdtext come first.
///
/// Most of a header is in quotes, so eight bytes are looked at together.
#[inline(always)]
pub(crate) fn qdtext_len(bytes: &[u8]) -> usize {
    let mut rest = skip_blocks::<8>(bytes);
    while let [byte, after @ ..] = rest
        && is(*byte, QDTEXT)
    {
        rest = after;
    }
    bytes.len() - rest.len()
}

/// What comes after the blocks of qdtext that come first.
#[inline(always)]
fn skip_blocks<const LENGTH: usize>(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    while let Some((block, after)) = rest.split_first_chunk::<LENGTH>()
        && block
            .iter()
            .fold(true, |all, &byte| all & is_qdtext_quick(byte))
    {
        rest = after;
    }
    rest
}

/// [`QDTEXT`] without the table, which many bytes cannot be looked up in together.
#[inline(always)]
const fn is_qdtext_quick(byte: u8) -> bool {
    (byte >= 0x20) & (byte != b'"') & (byte != b'\\') & (byte != 0x7F)
}

/// Whether `bytes` are this word, which is in lower case, in any case.
///
/// Of one length, they are compared as numbers are.
#[inline(always)]
pub(crate) fn is_word<const LENGTH: usize>(bytes: &[u8], word: &[u8; LENGTH]) -> bool {
    <[u8; LENGTH]>::try_from(bytes).is_ok_and(|mut bytes| {
        bytes.make_ascii_lowercase();
        bytes == *word
    })
}

static TABLE: [u8; 256] = table();

#[expect(
    clippy::as_conversions,
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where a panic is an error of the build"
)]
const fn table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    loop {
        let mut classes = 0;
        if is_tchar(byte) {
            classes |= TCHAR;
        }
        if is_token68(byte) {
            classes |= TOKEN68;
        }
        if is_qdtext(byte) {
            classes |= QDTEXT;
        }
        if is_quotable(byte) {
            classes |= QUOTABLE;
        }
        if is_attr_char(byte) {
            classes |= ATTR_CHAR;
        }
        if is_blank(byte) {
            classes |= BLANK;
        }
        if byte == b',' {
            classes |= COMMA;
        }
        table[byte as usize] = classes;
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

// tchar = "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "."
//       / "^" / "_" / "`" / "|" / "~" / DIGIT / ALPHA
const fn is_tchar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(
            byte,
            b'!' | b'#'
                | b'$'
                | b'%'
                | b'&'
                | b'\''
                | b'*'
                | b'+'
                | b'-'
                | b'.'
                | b'^'
                | b'_'
                | b'`'
                | b'|'
                | b'~'
        )
}

// token68 = 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"="
const fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/')
}

// qdtext = HTAB / SP / %x21 / %x23-5B / %x5D-7E / obs-text
// obs-text = %x80-FF
const fn is_qdtext(byte: u8) -> bool {
    matches!(byte, b'\t' | b' ' | 0x21 | 0x23..=0x5B | 0x5D..=0x7E | 0x80..=0xFF)
}

// quoted-pair = "\" ( HTAB / SP / VCHAR / obs-text )
const fn is_quotable(byte: u8) -> bool {
    matches!(byte, b'\t' | b' ' | 0x21..=0x7E | 0x80..=0xFF)
}

// attr-char = ALPHA / DIGIT / "!" / "#" / "$" / "&" / "+" / "-" / "." / "^" / "_" / "`" / "|" / "~"
const fn is_attr_char(byte: u8) -> bool {
    is_tchar(byte) && !matches!(byte, b'%' | b'\'' | b'*')
}

// OWS = *( SP / HTAB ), BWS = OWS
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_rules() {
        for byte in 0..=u8::MAX {
            assert_eq!(is(byte, TCHAR), is_tchar(byte));
            assert_eq!(is(byte, TOKEN68), is_token68(byte));
            assert_eq!(is(byte, QDTEXT), is_qdtext(byte));
            assert_eq!(is(byte, QUOTABLE), is_quotable(byte));
            assert_eq!(is(byte, ATTR_CHAR), is_attr_char(byte));
            assert_eq!(is(byte, BLANK), is_blank(byte));
            assert_eq!(is(byte, COMMA), byte == b',');
        }
    }

    #[test]
    fn classes_have_the_sizes_of_their_rules() {
        let count = |mask| (0..=u8::MAX).filter(|&byte| is(byte, mask)).count();
        assert_eq!(count(TCHAR), 26 + 26 + 10 + 15);
        assert_eq!(count(TOKEN68), 26 + 26 + 10 + 6);
        assert_eq!(count(QUOTABLE), 1 + 95 + 128);
        assert_eq!(count(QDTEXT), count(QUOTABLE) - 2);
        assert_eq!(count(ATTR_CHAR), count(TCHAR) - 3);
    }

    #[test]
    fn qdtext_ends_before_the_first_byte_that_is_none() {
        for length in 0..40 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut bytes = [b'a'; 40];
                    bytes[at] = byte;
                    let expected = if is_qdtext(byte) { length } else { at };
                    assert_eq!(qdtext_len(&bytes[..length]), expected, "{byte} at {at}");
                }
            }
        }
    }

    #[test]
    fn no_class_has_a_control_byte_but_tab() {
        for byte in (0..0x20).chain([0x7F]).filter(|&byte| byte != b'\t') {
            assert!(!is(byte, u8::MAX));
        }
    }
}
