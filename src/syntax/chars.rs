//! Byte classes, comparison of words regardless of ASCII case, and hexadecimal digits.

/// `tchar` of RFC 9110, section 5.6.2.
pub(crate) const TCHAR: u8 = 1 << 0;
/// The bytes of a token68 before its `=` (RFC 9110, section 11.2).
pub(crate) const TOKEN68: u8 = 1 << 1;
/// Bytes that need no escape in a quoted string (RFC 9110, section 5.6.4).
pub(crate) const QDTEXT: u8 = 1 << 2;
/// Bytes that may follow a backslash in a quoted string (RFC 9110, section 5.6.4).
pub(crate) const QUOTABLE: u8 = 1 << 3;
/// Bytes that need no percent-encoding in an `ext-value` (RFC 8187, section 3.2.1).
pub(crate) const ATTR_CHAR: u8 = 1 << 4;
/// Whitespace: SP and HTAB (RFC 9110, section 5.6.3).
pub(crate) const WHITESPACE: u8 = 1 << 5;
/// The separator of list elements (RFC 9110, section 5.6.1).
pub(crate) const COMMA: u8 = 1 << 6;
/// Bytes that are accepted in an unquoted value of a challenge: [`TCHAR`] and others.
pub(crate) const UNQUOTED: u8 = 1 << 7;

/// Returns whether `byte` is in one of the classes of `mask`.
#[inline]
pub(crate) const fn is(byte: u8, mask: u8) -> bool {
    classes(byte) & mask != 0
}

/// Returns the classes of `byte`.
#[expect(
    clippy::as_conversions,
    clippy::indexing_slicing,
    reason = "every `u8` is an index into 256 entries"
)]
#[inline]
pub(crate) const fn classes(byte: u8) -> u8 {
    TABLE[byte as usize]
}

/// Returns whether `bytes` is a `token`: one or more bytes of [`TCHAR`].
pub(crate) fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| is(byte, TCHAR))
}

/// Returns the number of leading bytes in one of the classes of `mask`.
#[cold]
pub(crate) fn run_length(bytes: &[u8], mask: u8) -> usize {
    bytes.iter().take_while(|byte| is(**byte, mask)).count()
}

/// Removes trailing bytes in one of the classes of `mask`.
#[cold]
pub(crate) fn trim_end(mut bytes: &[u8], mask: u8) -> &[u8] {
    while let [before @ .., byte] = bytes
        && is(*byte, mask)
    {
        bytes = before;
    }
    bytes
}

/// Returns the number of leading bytes of [`QDTEXT`].
///
/// Works on blocks of eight bytes, because most of a Digest header is in quotes: byte by byte,
/// parsing executes 13 % more instructions.
#[inline(always)]
pub(crate) fn qdtext_len(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((block, after)) = rest.split_first_chunk()
        && special_flags(u64::from_ne_bytes(*block)) == 0
    {
        rest = after;
    }
    // Byte by byte: computing the position from the flags of the block measured slower.
    while let [byte, after @ ..] = rest
        && is(*byte, QDTEXT)
    {
        rest = after;
    }
    bytes.len() - rest.len()
}

/// Returns whether any byte is a control byte, HTAB included.
pub(crate) fn has_control(bytes: &[u8]) -> bool {
    any_flagged(bytes, control_flags)
}

/// Returns whether any byte is a control byte, HTAB included, or a colon.
pub(crate) fn has_control_or_colon(bytes: &[u8]) -> bool {
    any_flagged(bytes, |block| control_flags(block) | flags(block, b':'))
}

/// Returns whether all bytes are [`QDTEXT`] other than HTAB.
#[inline]
pub(crate) fn has_only_plain(bytes: &[u8]) -> bool {
    !any_flagged(bytes, special_flags)
}

/// Returns whether `flags` flags any byte. Has no early exit, so that the loop vectorizes.
#[inline(always)]
fn any_flagged(bytes: &[u8], flags: impl Fn(u64) -> u64) -> bool {
    let last = match bytes.last_chunk() {
        // May overlap the block before it.
        Some(block) => u64::from_ne_bytes(*block),
        // Filled up with a byte that is never flagged.
        None => bytes
            .iter()
            .fold(splat(b'a'), |block, byte| block << 8 | u64::from(*byte)),
    };
    let blocks = bytes.as_chunks().0.iter();
    blocks.fold(flags(last), |any, block| {
        any | flags(u64::from_ne_bytes(*block))
    }) != 0
}

/// Flags HTAB and the bytes of a block that are not [`QDTEXT`].
const fn special_flags(block: u64) -> u64 {
    control_flags(block) | flags(block, b'"') | flags(block, b'\\')
}

/// Flags the control bytes of a block, HTAB included.
const fn control_flags(block: u64) -> u64 {
    below(block, 0x20) | flags(block, 0x7F)
}

/// Flags the bytes of a block that are `byte`.
const fn flags(block: u64, byte: u8) -> u64 {
    below(block ^ splat(byte), 1)
}

/// Flags the bytes of a block below `limit`, by SWAR (SIMD within a register) and the haszero
/// trick: `(x - n) & !x & 0x80` flags the bytes with `x < n <= 0x80`. Borrows can also flag bytes
/// above a true hit, but not without one, so comparing the flags with 0 is exact.
const fn below(block: u64, limit: u8) -> u64 {
    block.wrapping_sub(splat(limit)) & !block & splat(0x80)
}

const fn splat(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Returns whether `bytes` equals `word`, ignoring ASCII case. `word` must be of lower-case letters,
/// and of digits and marks below them.
///
/// With `eq_ignore_ascii_case`, parsing executes 9 % more instructions.
#[inline(always)]
pub(crate) fn is_word<const LENGTH: usize>(bytes: &[u8], word: &[u8; LENGTH]) -> bool {
    let word = number(word);
    // Of these bytes, letters alone have bit 6. Setting bit 5 yields a lower-case letter only from a
    // letter, so no other byte can match.
    let case = (word & u128::from_ne_bytes([0x40; 16])) >> 1;
    <&[u8; LENGTH]>::try_from(bytes).is_ok_and(|bytes| number(bytes) | case == word)
}

/// Converts up to 16 bytes to a number, so that few instructions compare them.
#[inline(always)]
fn number<const LENGTH: usize>(bytes: &[u8; LENGTH]) -> u128 {
    const { assert!(LENGTH <= 16) };
    let mut number = [0; 16];
    if let Some(place) = number.first_chunk_mut() {
        *place = *bytes;
    }
    u128::from_le_bytes(number)
}

/// Returns the two digits of a byte, in lower case.
///
/// Uses neither tables nor branches, so that it takes constant time and loops over it vectorize.
#[inline]
pub(crate) const fn hex_digits(byte: u8) -> [u8; 2] {
    const fn digit(value: u8) -> u8 {
        // 1 if `value` is above 9: the subtraction wraps, which sets the high bit.
        let is_letter = 9u8.wrapping_sub(value) >> 7;
        b'0' + value + is_letter * (b'a' - b'9' - 1)
    }
    [digit(byte >> 4), digit(byte & 15)]
}

static TABLE: [u8; 256] = table();

#[expect(
    clippy::as_conversions,
    clippy::indexing_slicing,
    reason = "evaluated at compile time, where a panic is a build error"
)]
const fn table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte: u8 = 0;
    loop {
        let classes = [
            (TCHAR, is_tchar(byte)),
            (TOKEN68, is_token68(byte)),
            (QDTEXT, is_qdtext(byte)),
            (QUOTABLE, is_quotable(byte)),
            (ATTR_CHAR, is_attr_char(byte)),
            (WHITESPACE, matches!(byte, b' ' | b'\t')),
            (COMMA, byte == b','),
            (UNQUOTED, is_unquoted(byte)),
        ];
        let mut rest = classes.as_slice();
        while let [(class, is_member), after @ ..] = rest {
            table[byte as usize] |= if *is_member { *class } else { 0 };
            rest = after;
        }
        if byte == u8::MAX {
            return table;
        }
        byte += 1;
    }
}

// tchar = "!" / "#" / "$" / "%" / "&" / "'" / "*" / "+" / "-" / "."
//       / "^" / "_" / "`" / "|" / "~" / DIGIT / ALPHA
const fn is_tchar(byte: u8) -> bool {
    let is_mark = byte.is_ascii_punctuation()
        && !matches!(
            byte,
            b'"' | b'(' | b')' | b',' | b'/' | b':'..=b'@' | b'['..=b']' | b'{' | b'}'
        );
    byte.is_ascii_alphanumeric() || is_mark
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

// Not from an RFC: VCHAR without quote, backslash and two separators.
const fn is_unquoted(byte: u8) -> bool {
    byte.is_ascii_graphic() && !matches!(byte, b'"' | b',' | b';' | b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_have_the_sizes_of_their_rules() {
        let count = |mask| (0..=u8::MAX).filter(|&byte| is(byte, mask)).count();
        assert_eq!(count(TCHAR), 26 + 26 + 10 + 15);
        assert_eq!(count(TOKEN68), 26 + 26 + 10 + 6);
        assert_eq!(count(QUOTABLE), 1 + 95 + 128);
        assert_eq!(count(QDTEXT), count(QUOTABLE) - 2);
        assert_eq!(count(ATTR_CHAR), count(TCHAR) - 3);
        assert_eq!(count(UNQUOTED), 94 - 4);
        assert!((0..=u8::MAX).all(|byte| !is(byte, TCHAR) || is(byte, UNQUOTED)));
    }

    #[test]
    fn qdtext_ends_at_the_first_byte_of_another_class() {
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
    fn only_plain_bytes_are_plain_beside_any_neighbour() {
        let is_plain = |byte| is_qdtext(byte) && byte != b'\t';
        for one in 0..=u8::MAX {
            for other in 0..=u8::MAX {
                for at in 0..7 {
                    let mut block = *b"01234567";
                    block[at] = one;
                    block[at + 1] = other;
                    let expected = is_plain(one) && is_plain(other);
                    assert_eq!(has_only_plain(&block), expected, "{block:?}");
                }
            }
        }
    }

    #[test]
    fn control_bytes_and_colons_are_found_anywhere() {
        for length in 0..20 {
            assert!(!has_control_or_colon(&[b'a'; 20][..length]));
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut bytes = [b'a'; 20];
                    bytes[at] = byte;
                    let bytes = &bytes[..length];
                    let expected = byte.is_ascii_control();
                    assert_eq!(has_control(bytes), expected, "{byte} at {at}");
                    let expected = expected || byte == b':';
                    assert_eq!(has_control_or_colon(bytes), expected, "{byte} at {at}");
                }
            }
        }
    }

    #[test]
    fn a_word_equals_itself_in_any_case_and_nothing_else() {
        let word = b"sha-256*az";
        for at in 0..word.len() {
            for byte in 0..=u8::MAX {
                let mut bytes = *word;
                bytes[at] = byte;
                assert_eq!(is_word(&bytes, word), bytes.eq_ignore_ascii_case(word));
            }
        }
        assert!(!is_word(&word[1..], word));
        assert!(!is_word(b"sha-256*az ", word));
        assert!(is_word(b"SHA-512-256-SESS", b"sha-512-256-sess"));
    }
}
