//! Splitting and percent-decoding of request-targets, in order to compare them.

use alloc::borrow::Cow;

/// Splits a target in absolute form into scheme, authority and the rest; `None` for other forms,
/// and for URIs without `//`, such as `sip:` URIs.
pub(crate) fn split_absolute(target: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let length = target
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte))
        .count();
    let (scheme, rest) = target.split_at_checked(length)?;
    let rest = rest.strip_prefix(b"://").filter(|_| length > 0)?;
    let end = rest.iter().position(|byte| b"/?#".contains(byte));
    let (authority, rest) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
    Some((scheme, authority, rest))
}

/// Returns `target` without its scheme and authority, if it has them.
pub(crate) fn path_and_query(target: &[u8]) -> &[u8] {
    match split_absolute(target) {
        // RFC 9112, section 3.2.1: an empty path is sent as "/". A slice cannot add it to a query.
        Some((_, _, [])) => b"/",
        Some((_, _, rest)) => rest,
        None => target,
    }
}

/// Returns `target` with a `/` for an empty path, which means the same (RFC 9110, section 4.2.3).
pub(crate) fn with_root(target: &[u8]) -> Cow<'_, [u8]> {
    match target {
        [] | [b'?', ..] => [b"/", target].concat().into(),
        _ => target.into(),
    }
}

/// Returns `target` without its query.
pub(crate) fn path(target: &[u8]) -> &[u8] {
    target
        .split(|&byte| byte == b'?')
        .next()
        .unwrap_or_default()
}

/// Returns the path of `target` without the parameters of its last segment (`;name=value`), or
/// without the `/` at its end, and the query with its `?`.
pub(crate) fn shortened(target: &[u8]) -> (&[u8], &[u8]) {
    let path = path(target);
    let query = target.get(path.len()..).unwrap_or_default();
    let segment = path.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
    let params = path.iter().skip(segment).position(|&byte| byte == b';');
    let short = match params {
        Some(at) => path.get(..segment + at).unwrap_or_default(),
        None if path == b"/" => path,
        None => path.strip_suffix(b"/").unwrap_or(path),
    };
    (short, query)
}

/// Returns whether two hexadecimal digits follow every `%`. Decoding a part of any other target
/// could make it well encoded, with another meaning.
pub(crate) fn is_well_encoded(bytes: &[u8]) -> bool {
    bytes
        .split(|&byte| byte == b'%')
        .skip(1)
        .all(|rest| matches!(rest, [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit()))
}

/// Decodes percent-encoded unreserved characters (RFC 3986, section 2.3), and converts the
/// hexadecimal digits of the others to upper case.
pub(crate) fn normalized(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
    decode(bytes, |byte, _| {
        byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
    })
}

/// Decodes all percent-encoded bytes except `/`, `?`, `#`, `%` and `\`, and in a query also `&` and
/// `=`: decoding those could change what they mean. It could for `;` and `+`, too, but the clients
/// that need this function encode these two in the request line only.
pub(crate) fn decoded(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
    decode(bytes, |byte, in_query| {
        !(b"/?#%\\".contains(&byte) || in_query && b"&=".contains(&byte))
    })
}

/// Decodes all percent-encoded bytes, once.
pub(crate) fn unescaped(bytes: &[u8]) -> impl Iterator<Item = u8> + '_ {
    decode(bytes, |_, _| true)
}

/// Decodes the percent-encoded bytes for which `is_decoded` returns true. Its second argument tells
/// whether the byte is in the query. The hexadecimal digits of the others become upper case.
// With a function pointer, so that all targets are decoded and compared by the same code.
fn decode(bytes: &[u8], is_decoded: fn(u8, bool) -> bool) -> impl Iterator<Item = u8> {
    let mut rest = bytes;
    let mut in_query = false;
    // The digits of a byte that stays encoded.
    let mut pending: [Option<u8>; 2] = [None; 2];
    core::iter::from_fn(move || {
        if let [first @ Some(_), second] = pending {
            pending = [second, None];
            return first;
        }
        match rest {
            [b'%', digits @ ..] => {
                let mut byte = [0];
                if let Some((digits, after)) = digits.split_first_chunk::<2>()
                    && hex::decode_to_slice(digits, &mut byte).is_ok()
                {
                    rest = after;
                    let [byte] = byte;
                    if is_decoded(byte, in_query) {
                        return Some(byte);
                    }
                    pending = digits.map(|digit| Some(digit.to_ascii_uppercase()));
                } else {
                    rest = digits;
                }
                Some(b'%')
            }
            [first, after @ ..] => {
                rest = after;
                in_query |= *first == b'?';
                Some(*first)
            }
            [] => None,
        }
    })
}
