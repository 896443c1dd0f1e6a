//! Hexadecimal digits.

use crate::syntax::text::Text;

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

// nc-value = 8LHEX
/// Formats a nonce count as eight lower-case digits.
pub(crate) const fn nc_digits(nc: u32) -> [u8; 8] {
    let [a, b, c, d] = nc.to_be_bytes();
    let ([a, b], [c, d]) = (
        [hex_digits(a), hex_digits(b)],
        [hex_digits(c), hex_digits(d)],
    );
    [a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]]
}

/// Parses a nonce count of zero to eight digits of either case, and returns it with the number of
/// digits; `None` for more digits or other bytes.
pub(crate) fn read_nc(text: Text<'_>) -> Option<(u32, usize)> {
    let mut nc: u32 = 0;
    let mut digits = 0;
    for byte in text.bytes() {
        let digit = char::from(byte).to_digit(16)?;
        digits += 1;
        if digits > 8 {
            return None;
        }
        nc = nc << 4 | digit;
    }
    Some((nc, digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_at_most_eight_digits() {
        let read = |text: &str| read_nc(Text::new(text).unwrap());
        assert_eq!(read(""), Some((0, 0)));
        assert_eq!(read("aB"), Some((0xab, 2)));
        assert_eq!(read("000000001"), None);
        assert_eq!(read("1 "), None);
        assert_eq!(read("0x1"), None);
    }

    #[test]
    fn digits_match_the_standard_library() {
        for byte in 0..=u8::MAX {
            assert_eq!(hex_digits(byte), *alloc::format!("{byte:02x}").as_bytes());
        }
        for nc in [0, 1, 0x0123_abcd, u32::MAX] {
            let digits = alloc::format!("{nc:08x}");
            assert_eq!(nc_digits(nc), *digits.as_bytes());
            assert_eq!(read_nc(Text::new(&digits).unwrap()), Some((nc, 8)));
        }
    }
}
