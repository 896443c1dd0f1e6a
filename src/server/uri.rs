//! Whether the `uri` parameter means the request-target.

use crate::syntax::uri::{
    decoded, is_well_encoded, normalized, path, path_and_query, split_absolute,
};

/// How the `uri` parameter must match the request-target, strictest first. Each lets pass what
/// those before it do.
///
/// RFC 7616, section 3.4.6, wants the two to mean the same resource: whatever may differ is not
/// protected by the response. Which check a request passed stands in its
/// [`Grant`](super::Grant::uri_match).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum UriCheck {
    /// Byte for byte.
    #[default]
    Exact,
    /// Their paths and queries byte for byte, if only one of them has a scheme and authority before
    /// it: old Android clients send the absolute form, and curl sends a proxy the path. If both
    /// have, these must be the same.
    PathAndQuery,
    /// Also with characters percent-encoded that need not be, and hexadecimal digits of either
    /// case (RFC 3986, sections 6.2.2.1 and 6.2.2.2). `%2F` is never `/`.
    Normalized,
    /// Also with any other character percent-encoded or not, but for `/`, `?`, `#`, `%` and `\`, and
    /// in the query `&` and `=`: as cpp-httplib sends it, which encodes `+`, `,`, `;`, `'` and blanks
    /// in the request line alone.
    /// Apache compares so, too. Whoever captures a header can then have `;` arrive as `%3B`, or `+`
    /// as `%2B`: use it only if your routes and query parsing take both spellings for the same.
    Decoded,
    /// Also without the query, as .NET sends it: then the query can be changed on the way.
    Path,
    /// Not at all, for a server behind a proxy that rewrites targets: a header captured for one
    /// resource is good for every other with the same method.
    Unchecked,
}

impl UriCheck {
    /// The strictest check that `uri` passes, if `self` allows it.
    pub(super) fn strictest(self, target: &[u8], uri: &[u8]) -> Option<Self> {
        let passed = if uri == target {
            Self::Exact
        } else if names_another(target, uri) {
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

/// Whether both are in absolute form, and not of the same scheme and authority.
fn names_another(target: &[u8], uri: &[u8]) -> bool {
    match (split_absolute(target), split_absolute(uri)) {
        (Some((scheme, authority, _)), Some((other_scheme, other, _))) => {
            !scheme.eq_ignore_ascii_case(other_scheme) || !authority.eq_ignore_ascii_case(other)
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
            ("/%4", "/%4", Exact),
        ] {
            let strictest = Unchecked.strictest(target.as_bytes(), uri.as_bytes());
            assert_eq!(strictest, Some(check), "{target} {uri}");
            let refused = Exact.strictest(target.as_bytes(), uri.as_bytes()).is_none();
            assert_eq!(refused, check != Exact, "{target} {uri}");
        }
    }
}
