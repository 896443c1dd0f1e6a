//! Protection spaces: where credentials may be sent without being asked for.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::client::ambiguous::is_ambiguous;
use crate::client::origin::OwnedOrigin;
use crate::syntax::uri::{is_well_encoded, normalized, path, path_and_query, split_absolute};

/// The most paths of one space: what a server lists beyond them is answered when it asks.
const MAX_PATHS: usize = 64;

/// The request-targets of one origin that credentials are good for.
#[derive(Clone, Default)]
pub(super) enum Space {
    /// All of them: a Digest challenge without `domain`, or a proxy (RFC 7616, section 3.3).
    #[default]
    Whole,
    /// Those at or below one of these paths, or equal to one that is no path.
    Within(Vec<Box<[u8]>>),
}

impl Space {
    /// Reads the `domain` of a challenge: paths and absolute URIs, separated by blanks.
    ///
    /// URIs of other origins are left out, because this client's credentials are never sent
    /// there; if there are no others, credentials go nowhere unasked. What is neither path nor
    /// URI counts for nothing, as some devices send it; if there is nothing else, it is as if
    /// there were no `domain`.
    pub(super) fn of_domain(domain: &[u8], origin: Option<&OwnedOrigin>) -> Self {
        let mut within = Vec::new();
        let mut any = false;
        for uri in domain.split(|byte| matches!(byte, b' ' | b'\t')) {
            let (is_uri, is_ours) = match split_absolute(uri) {
                // A client that does not know its own origin has but one.
                Some((scheme, authority, _)) => (
                    !authority.is_empty(),
                    origin.is_none_or(|origin| origin.is(scheme, authority)),
                ),
                None => (uri.starts_with(b"/") && !uri.starts_with(b"//"), true),
            };
            any |= is_uri;
            if is_uri && is_ours && within.len() < MAX_PATHS {
                within.push(path_and_query(uri).into());
            }
        }
        if any {
            Self::Within(within)
        } else {
            Self::Whole
        }
    }

    /// The space of a Basic challenge: all at or below the last `/` of the path that was
    /// challenged (RFC 7617, section 2.2).
    pub(super) fn of_path(target: &[u8]) -> Self {
        let path = path(path_and_query(target));
        match path.iter().rposition(|&byte| byte == b'/') {
            Some(slash) => Self::Within(Vec::from([path.get(..=slash).unwrap_or_default().into()])),
            // `*`, an authority, a SIP URI.
            None => Self::Within(Vec::from([path.into()])),
        }
    }

    /// Adds what another challenge of the same credentials was for, as long as there is room.
    pub(super) fn extend(&mut self, other: Self) {
        match (self, other) {
            (Self::Within(paths), Self::Within(mut others)) => {
                others.retain(|other| !paths.contains(other));
                paths.append(&mut others);
                paths.truncate(MAX_PATHS);
            }
            (Self::Whole, _) => {}
            (this, Self::Whole) => *this = Self::Whole,
        }
    }

    /// Whether a request-target is in it.
    pub(super) fn covers(&self, target: &[u8], origin: Option<&OwnedOrigin>) -> bool {
        let is_ours = match (split_absolute(target), origin) {
            (Some((scheme, authority, _)), Some(origin)) => origin.is(scheme, authority),
            // A path, the server as a whole, or its name. What is none of these may be another's URI in disguise.
            (None, Some(origin)) => {
                target.starts_with(b"/") || target == b"*" || origin.has_authority(target)
            }
            (_, None) => true,
        };
        let Self::Within(paths) = self else {
            return is_ours;
        };
        let path = path(path_and_query(target));
        // Where such a path ends up is for the server to say.
        if !is_ours || !is_well_encoded(path) || is_ambiguous(path) {
            return false;
        }
        paths.iter().any(|space| is_at_or_below(path, space))
    }
}

/// Whether `path` is `space`, or goes on from it with a new segment.
fn is_at_or_below(path: &[u8], space: &[u8]) -> bool {
    // A space may have a query, which no other path goes on from.
    let ends_segment = space.last() == Some(&b'/');
    let mut path = normalized(path);
    for byte in normalized(space) {
        if path.next() != Some(byte) {
            return false;
        }
    }
    match path.next() {
        None | Some(b'/') => true,
        Some(_) => ends_segment,
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::client::Origin;
    use crate::issuer::Issuer;

    fn origin() -> OwnedOrigin {
        OwnedOrigin::from(&Origin {
            scheme: "http",
            host: "example.com",
            port: 80,
            issuer: Issuer::Origin,
        })
    }

    fn covers(domain: &str, target: &str) -> bool {
        let origin = origin();
        Space::of_domain(domain.as_bytes(), Some(&origin)).covers(target.as_bytes(), Some(&origin))
    }

    #[test]
    fn segments_are_the_boundaries() {
        assert!(covers("/api", "/api"));
        assert!(covers("/api", "/api/x"));
        assert!(covers("/api", "/api?x"));
        assert!(covers("/api /admin", "/admin/panel"));
        assert!(covers("/api/", "/api/x"));
        assert!(covers("/", "/anything"));
        assert!(!covers("/api", "/apifoo"));
        assert!(!covers("/api", "/public"));
        assert!(!covers("/api/", "/api"));
    }

    #[test]
    fn encodings_do_not_matter_and_dots_do() {
        assert!(covers("/%61pi", "/api/x"));
        assert!(covers("/api", "/%61pi"));
        assert!(!covers("/api", "/api%2Fx"));
        assert!(!covers("/api", "/api/../secret"));
        assert!(!covers("/api", "/api/%2e%2E/secret"));
        assert!(!covers("/api", "/api/./x"));
        assert!(covers("/api", "/api/..x"));
        assert!(covers("/api", "/api/.../x;..y"));
        for dots in [
            "/..;/x",
            "/..%2fx",
            "/x/..%5c..%5cx",
            "/..\\x",
            "/.;a=b/x",
            "/%2e%2e%3bx/",
        ] {
            assert!(!covers("/api", &format!("/api{dots}")), "{dots}");
        }
        assert!(!covers("/api", "/api/%2%46"));
    }

    #[test]
    fn only_this_origin_counts() {
        assert!(covers("http://example.com/a", "/a/b"));
        assert!(covers("HTTP://EXAMPLE.COM:80/a", "http://example.com/a"));
        assert!(covers("http://example.com", "/a"));
        assert!(!covers("http://other.com/a", "/a"));
        assert!(!covers("https://example.com/a", "/a"));
        assert!(!covers("http://example.com:8080/a", "/a"));
        assert!(!covers("/a", "http://other.com/a"));
    }

    #[test]
    fn junk_counts_for_nothing() {
        for junk in [
            "",
            " ",
            "foo",
            "//",
            "//other.com/",
            "http:",
            "http://",
            "::",
            "*",
        ] {
            assert!(covers(junk, "/other"), "{junk}");
            assert!(covers(&format!("{junk} /a"), "/a"), "{junk}");
            assert!(!covers(&format!("/a {junk}"), "/other"), "{junk}");
        }
    }

    #[test]
    fn basic_reaches_down_from_the_last_slash() {
        let space = Space::of_path(b"/a/b?c/d");
        for (target, inside) in [
            ("/a/b", true),
            ("/a/c/d", true),
            ("/a/", true),
            ("/a", false),
            ("/ab", false),
            ("/", false),
        ] {
            assert_eq!(space.covers(target.as_bytes(), None), inside, "{target}");
        }
    }
}
