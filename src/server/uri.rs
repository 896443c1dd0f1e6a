//! Comparison of the `uri` parameter with the request-target.

use crate::syntax::uri::{
    decoded, is_well_encoded, normalized, path, path_and_query, split_absolute,
};

/// How exactly the `uri` parameter must match the request-target, strictest first. Each check also
/// accepts what the ones before it accept.
///
/// RFC 7616, section 3.4.6, requires that both designate the same resource. A difference that the
/// check allows is not protected by the response. [`Grant::uri_match`](super::Grant::uri_match)
/// tells the strictest check that a request passed.
///
/// ```
/// use countersign::server::{Realm, UriCheck};
///
/// let realm = Realm::new("files")?.with_uri_check(UriCheck::Normalized);
/// # let _ = realm;
/// assert!(UriCheck::Exact < UriCheck::Normalized);
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum UriCheck {
    /// The two are equal byte for byte.
    #[default]
    Exact,
    /// Path and query are equal byte for byte. One of the two may have a scheme and authority where
    /// the other has none: old Android clients send the absolute form, and curl sends a proxy the
    /// path. If both have them, they must be equal, regardless of case. In the absolute form, an
    /// empty path without a query equals `/`.
    PathAndQuery,
    /// Also equal after percent-decoding of unreserved characters, with hexadecimal digits of
    /// either case (RFC 3986, sections 6.2.2.1 and 6.2.2.2). `%2F` never equals `/`. If either has
    /// a `%` without two hexadecimal digits after it, this check and the next two accept no more
    /// than `PathAndQuery`.
    Normalized,
    /// Also equal after percent-decoding of all characters except `/`, `?`, `#`, `%` and `\`, and
    /// in the query `&` and `=`. cpp-httplib 0.11 needs this, because it encodes `+`, `,`, `;`, `'`
    /// and spaces in the request line only.
    ///
    /// An attacker can then change `;` in a captured request to `%3B`, for example: use it only if
    /// your routing and query parsing treat both spellings alike.
    Decoded,
    /// Also with the query missing from `uri`, as some clients send it. An attacker can then add or
    /// change the query of such a request.
    Path,
    /// No check, for a server behind a proxy that rewrites request-targets. An attacker can then
    /// change the request-target of a captured request, but not its method.
    Unchecked,
}

impl UriCheck {
    /// Returns the strictest check that `uri` passes, or `None` if `self` is stricter.
    pub(super) fn strictest(self, target: &[u8], uri: &[u8]) -> Option<Self> {
        let passed = if uri == target {
            Self::Exact
        } else if is_other_authority(target, uri) {
            Self::Unchecked
        } else {
            let (target, uri) = (path_and_query(target), path_and_query(uri));
            if uri == target {
                Self::PathAndQuery
            } else if !is_well_encoded(target) || !is_well_encoded(uri) {
                Self::Unchecked
            } else if normalized(target).eq(normalized(uri)) {
                Self::Normalized
            } else if decoded(target).eq(decoded(uri)) {
                Self::Decoded
            } else if !uri.contains(&b'?') && decoded(path(target)).eq(decoded(uri)) {
                Self::Path
            } else {
                Self::Unchecked
            }
        };
        (passed <= self).then_some(passed)
    }
}

/// Returns whether both are in absolute form and differ in scheme or authority.
fn is_other_authority(target: &[u8], uri: &[u8]) -> bool {
    match (split_absolute(target), split_absolute(uri)) {
        (Some((scheme, authority, _)), Some((uri_scheme, uri_authority, _))) => {
            !scheme.eq_ignore_ascii_case(uri_scheme)
                || !authority.eq_ignore_ascii_case(uri_authority)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_has_its_check() {
        use UriCheck::{Decoded, Exact, Normalized, Path, PathAndQuery, Unchecked};
        for (target, uri, check) in [
            ("/a?b", "/a?b", Exact),
            ("*", "*", Exact),
            ("example.com:443", "example.com:443", Exact),
            ("/a?b", "http://h:80/a?b", PathAndQuery),
            ("http://h/a", "/a", PathAndQuery),
            ("http://h", "/", PathAndQuery),
            ("http://h?x", "?x", PathAndQuery),
            ("/a%2fb", "/a%2Fb", Normalized),
            ("/%7euser/%41", "/~user/A", Normalized),
            ("/a%3Bb%20c?x=%2B", "/a;b c?x=+", Decoded),
            ("/a%C3%A9", "/a\u{e9}", Decoded),
            ("/a%3bb", "http://h/a;b", Decoded),
            ("/a%3Fb", "/a?b", Unchecked),
            ("/a%23b", "/a#b", Unchecked),
            ("/a%253B", "/a%3B", Unchecked),
            ("/a%253B", "/a;", Unchecked),
            ("/a%5Cb", "/a\\b", Unchecked),
            ("/a%26b%3D", "/a&b=", Decoded),
            ("/a?q=a&role=x", "/a?q=a%26role%3Dx", Unchecked),
            ("/a?q=%3D", "/a?q==", Unchecked),
            ("/a?q=%2B%3B%20", "/a?q=+; ", Decoded),
            ("/a%2Fb", "/a%2f%62", Normalized),
            ("/a?x=1", "/a", Path),
            ("/a%3B?x=1", "/a;", Path),
            ("/a?x=1", "/a?x=2", Unchecked),
            ("/a%2Fb", "/a/b", Unchecked),
            ("/a%25", "/a%", Unchecked),
            ("/a", "/a?x=1", Unchecked),
            ("/a", "/A", Unchecked),
            ("http://a/x", "HTTP://A/x", PathAndQuery),
            ("http://a/x", "http://b/x", Unchecked),
            ("http://a/x", "https://a/x", Unchecked),
            ("/a%2%46b", "/a%2Fb", Unchecked),
            ("/a", "", Unchecked),
            ("/a://b/c", "/c", Unchecked),
            ("://h/c", "/c", Unchecked),
            ("http://h#x", "/", Unchecked),
            ("/%4", "/%4", Exact),
        ] {
            let strictest = Unchecked.strictest(target.as_bytes(), uri.as_bytes());
            assert_eq!(strictest, Some(check), "{target} {uri}");
            let refused = Exact.strictest(target.as_bytes(), uri.as_bytes()).is_none();
            assert_eq!(refused, check != Exact, "{target} {uri}");
        }
    }
}
