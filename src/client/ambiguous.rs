//! Paths that servers may resolve in different ways.

use alloc::borrow::Cow;
use alloc::vec::Vec;

/// Whether some server may find a segment `.` or `..` in a path, and so end up elsewhere than it
/// looks.
///
/// Servers and what stands before them decode once or several times, take several characters for a
/// separator or a dot, and drop what they do not expect in a name. So this looks at the path as it
/// is when nothing is left to decode, and errs on the side of ambiguity: what is not UTF-8 then
/// (overlong forms among it) is ambiguous, too.
pub(super) fn is_ambiguous(path: &[u8]) -> bool {
    let decoded = decoded(path);
    let Ok(path) = core::str::from_utf8(&decoded) else {
        return true;
    };
    // Where strings end at NUL, what is before it could be a segment of dots.
    path.contains('\0') || path.split(is_separator).any(is_dots)
}

/// The path with each escape decoded, and those that come about by that. What is left does not
/// depend on the order, because no two escapes overlap.
fn decoded(path: &[u8]) -> Cow<'_, [u8]> {
    if !path.contains(&b'%') {
        return path.into();
    }
    let mut out = Vec::with_capacity(path.len());
    for &byte in path {
        out.push(byte);
        while let [.., b'%', high, low] = out.as_slice() {
            let mut byte = [0];
            if hex::decode_to_slice([*high, *low], &mut byte).is_err() {
                break;
            }
            out.truncate(out.len() - 3);
            out.extend(byte);
        }
    }
    out.into()
}

/// `/`, `\`, and what some conversion of character sets makes one of them.
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

/// Whether a segment is one dot or two, up to the parameters, query or fragment that a server may
/// find in it, and without what it may drop.
fn is_dots(segment: &str) -> bool {
    let end = segment.find([';', '?', '#']).unwrap_or(segment.len());
    let name = segment.get(..end).unwrap_or(segment);
    let mut kept = name.chars().filter(|c| !is_dropped(*c));
    let dots = kept.try_fold(0_usize, |dots, c| Some(dots + dots_of(c)?));
    matches!(dots, Some(1 | 2))
}

/// Whether a server may drop a character from a name: it cannot be seen.
fn is_dropped(c: char) -> bool {
    let is_zero_width = matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}'
    );
    is_zero_width || c.is_control() || c.is_whitespace()
}

/// How many dots a character stands for.
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

    /// The segment at the start, in the middle and at the end of a path.
    fn is_ambiguous_anywhere(segment: &str) -> bool {
        let everywhere = [
            format!("/{segment}"),
            format!("/a/{segment}/b"),
            format!("/a/{segment}?b"),
        ];
        let found = everywhere.map(|path| {
            let path = path.split('?').next().unwrap_or_default();
            is_ambiguous(path.as_bytes())
        });
        assert!(found.iter().all(|is| *is == found[0]), "{segment}");
        found[0]
    }

    #[test]
    fn dots_in_every_disguise() {
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
    fn ordinary_names() {
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

    /// However deep, in time that grows with the length alone.
    #[test]
    fn encoded_again_and_again() {
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
