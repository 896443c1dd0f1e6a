//! Detection of paths that servers may resolve in different ways.

use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Returns whether a server may find a segment `.` or `..` in a path and so resolve the path to
/// another resource.
///
/// Servers and intermediaries may decode several times, treat several characters as a separator or
/// a dot, and drop characters that they do not expect. So the path is decoded until nothing is left
/// to decode. A result that is not UTF-8 (such as overlong forms) counts as ambiguous.
pub(super) fn is_ambiguous(path: &[u8]) -> bool {
    let decoded = decoded(path);
    let Ok(path) = core::str::from_utf8(&decoded) else {
        return true;
    };
    // A server that ends strings at NUL could be left with a segment of dots.
    path.contains('\0') || path.split(is_separator).any(is_dots)
}

/// Decodes all escapes of a path, including those that decoding creates. It does not matter in
/// which order: `%` is no hexadecimal digit, so two escapes never share a byte.
fn decoded(path: &[u8]) -> Cow<'_, [u8]> {
    if !path.contains(&b'%') {
        return path.into();
    }
    let mut out = Vec::with_capacity(path.len());
    for &byte in path {
        out.push(byte);
        while let [.., b'%', high, low] = out.as_slice() {
            let mut unescaped = [0];
            if hex::decode_to_slice([*high, *low], &mut unescaped).is_err() {
                break;
            }
            out.truncate(out.len() - 3);
            out.extend(unescaped);
        }
    }
    out.into()
}

/// Returns whether a character is `/` or `\`, or is known to be turned into one of them by some
/// conversion between character sets.
const fn is_separator(c: char) -> bool {
    matches!(
        c,
        '/' | '\\'
            | '\u{a5}' // yen sign: `\` in Shift_JIS
            | '\u{20a9}' // won sign: `\` in Korean character sets
            | '\u{2044}' // fraction slash
            | '\u{2215}' // division slash
            | '\u{2216}' // set minus
            | '\u{29f5}' // reverse solidus operator
            | '\u{29f8}' // big solidus
            | '\u{29f9}' // big reverse solidus
            | '\u{fe68}' // small reverse solidus
            | '\u{ff0f}' // fullwidth solidus
            | '\u{ff3c}' // fullwidth reverse solidus
    )
}

/// Returns whether a server may read a segment as `.` or `..`. It may if one or two dots are all
/// that is left after parameters, query and fragment are cut off, and after characters that a
/// server may drop are removed.
fn is_dots(segment: &str) -> bool {
    let end = segment.find([';', '?', '#']).unwrap_or(segment.len());
    let name = segment.get(..end).unwrap_or(segment);
    let mut kept = name.chars().filter(|c| !is_dropped(*c));
    let dots = kept.try_fold(0_usize, |dots, c| Some(dots + dots_of(c)?));
    matches!(dots, Some(1 | 2))
}

/// Returns whether a character counts as invisible, so that a server may drop it from a name.
fn is_dropped(c: char) -> bool {
    let is_zero_width = matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
    );
    is_zero_width || c.is_control() || c.is_whitespace()
}

/// The number of dots, one or two, that a character stands for.
const fn dots_of(c: char) -> Option<usize> {
    match c {
        '.'
        | '\u{2024}' // one dot leader
        | '\u{fe52}' // small full stop
        | '\u{ff0e}' // fullwidth full stop
        => Some(1),
        '\u{2025}' // two dot leader
        | '\u{fe30}' // its vertical form
        => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};

    use super::*;

    /// Returns whether a segment makes a path ambiguous, alone, in the middle and at the end.
    fn is_ambiguous_anywhere(segment: &str) -> bool {
        let everywhere = [
            format!("/{segment}"),
            format!("/a/{segment}/b"),
            format!("/a/{segment}"),
        ];
        let found = everywhere.map(|path| is_ambiguous(path.as_bytes()));
        assert!(found.iter().all(|each| *each == found[0]), "{segment}");
        found[0]
    }

    #[test]
    fn dots_are_found_in_every_encoding() {
        for dots in [
            ".",
            "..",
            "%2e",
            "%2E%2e",
            ".%2e",
            "%252e%252e",
            "%25252525252e.",
            "%%32%65.",
            "%25%32%65",
            "..%00",
            "%00..",
            "..%00x",
            "..%20",
            "%09..",
            ".%00.",
            ".%0d%0a.",
            "..%c2%a0",
            "..%c2%85",
            ".\u{200b}.\u{ad}",
            "..;a=b",
            "..%3b",
            "..%253fx",
            "..%23x",
            "%c0%ae%c0%ae",
            "%e0%80%ae",
            "%25c0%25ae",
            "%ff",
            "\u{ff0e}\u{ff0e}",
            "%ef%bc%8e%ef%bc%8e",
            "%25ef%25bc%258e",
            "\u{2024}\u{fe52}",
            "\u{2025}",
            "\u{fe30}",
            "..\u{2215}x",
            "x\u{ff0f}..",
            "x\u{ff3c}.",
            "..\\x",
            "..%5cx",
            "..%255cx",
            "x%252f..%252f",
            "\u{a5}..\u{20a9}",
        ] {
            assert!(is_ambiguous_anywhere(dots), "{dots}");
        }
    }

    #[test]
    fn ordinary_names_are_not_ambiguous() {
        for name in [
            "",
            "a",
            "...",
            "....",
            "..a",
            "a..",
            "a.b",
            ".hidden",
            "100%25",
            "100%2525",
            "a%20b",
            "a;..",
            "x;.",
            "%3f..",
            "J%C3%A4s%C3%B8n",
            "%E6%97%A5%E6%9C%AC",
            "日本",
            "\u{2026}",
            "\u{2025}.",
            "~user",
            "a%2Fb",
        ] {
            assert!(!is_ambiguous_anywhere(name), "{name}");
        }
    }

    #[test]
    fn paths_that_were_encoded_many_times_take_linear_time() {
        let mut deep = "..".to_string();
        for _ in 0..8 {
            let encode = |byte: u8| format!("%{byte:02x}");
            deep = deep.bytes().map(encode).collect::<String>();
        }
        assert!(is_ambiguous(deep.as_bytes()));
        let long = format!("/a/%{}2e", "25".repeat(500_000));
        assert!(is_ambiguous(long.as_bytes()));
    }
}
