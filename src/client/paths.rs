//! Where credentials may be sent before the server asks.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::iter;

use crate::client::ambiguous::is_ambiguous;
use crate::client::endpoint::Endpoint;
use crate::syntax::uri::{is_well_encoded, normalized, path, path_and_query, split_absolute};

/// The most paths kept for one protection space. If a single `domain` has more, its first ones are
/// kept; if several challenges together have more, the paths of the latest challenges are kept.
const MAX_PATHS: usize = 64;
/// The most bytes that all paths of one space may have together.
const MAX_TOTAL_PATH_BYTES: usize = 8 * 1024;

/// The request-targets that get credentials before the server asks.
#[derive(Clone)]
pub(super) enum Paths {
    /// All: for a proxy, for a Digest challenge whose `domain` is missing (RFC 7616, section 3.3)
    /// or has no valid entry, and for preemptive Basic credentials.
    Whole,
    /// Those whose path is [plain](OwnTarget::is_plain), and equals one of these or is below one.
    Within(Vec<Box<[u8]>>),
}

impl Paths {
    /// Parses the `domain` of a challenge. Valid entries are paths with a single `/` at the start,
    /// and absolute URIs `scheme://authority…` whose authority is not empty. If no entry is valid,
    /// the challenge counts as one without `domain`.
    ///
    /// URIs of other origins are ignored, because this client's credentials are never sent there;
    /// if all valid entries are such, no path is covered. In SIP, a URI with `//` counts as one of
    /// this endpoint, whatever its scheme and authority. `sip:` URIs have no `//`, so they are not
    /// valid entries; a `domain` of these alone counts as missing.
    pub(super) fn of_domain(domain: &[u8], endpoint: &Endpoint) -> Self {
        let mut within: Vec<&[u8]> = Vec::new();
        let mut has_valid_entry = false;
        for uri in domain.split(|byte| matches!(byte, b' ' | b'\t')) {
            let (is_valid, is_ours) = match split_absolute(uri) {
                Some((scheme, authority, _)) => (
                    !authority.is_empty(),
                    !endpoint.is_named_in_targets() || endpoint.has_origin(scheme, authority),
                ),
                None => (uri.starts_with(b"/") && !uri.starts_with(b"//"), true),
            };
            has_valid_entry |= is_valid;
            if is_valid && is_ours {
                // An entry with a query covers nothing, because `OwnTarget::path` has no query.
                within.push(path_and_query(uri));
            }
        }
        match has_valid_entry {
            true => Self::Within(fitting(within.into_iter()).map(Into::into).collect()),
            false => Self::Whole,
        }
    }

    /// The folder of a request-target that was challenged with Basic, or that gets Basic
    /// credentials in answer to a challenge (RFC 7617, section 2.2). No path if the folder is
    /// longer than [`MAX_TOTAL_PATH_BYTES`].
    pub(super) fn folder_of(target: &[u8]) -> Self {
        let folder_if_it_fits = fitting(iter::once(folder(target)));
        Self::Within(folder_if_it_fits.map(Into::into).collect())
    }

    /// No paths yet.
    pub(super) const fn none() -> Self {
        Self::Within(Vec::new())
    }

    /// Adds the paths of a challenge of the space, or of a request that answers one. The result is
    /// [`Whole`](Self::Whole) if `self` or `other` is. The oldest paths are dropped if the limits
    /// are exceeded.
    pub(super) fn extend(&mut self, other: Self) {
        match (self, other) {
            (Self::Within(paths), Self::Within(others)) => {
                paths.retain(|path| !others.contains(path));
                paths.extend(others);
                let excess = paths.len() - fitting(paths.iter().rev()).count();
                paths.drain(..excess);
            }
            (Self::Whole, _) => {}
            (this, Self::Whole) => *this = Self::Whole,
        }
    }

    /// Replaces [`Whole`](Self::Whole) by no paths. Called when a Basic login is dropped. At an
    /// origin, a Basic space is `Whole` only for preemptive credentials, which go to every realm;
    /// the login that replaces them is for one realm. At a proxy, `ProtectionSpace::record_paths`
    /// makes it `Whole` again.
    pub(super) fn forget_whole(&mut self) {
        if let Self::Whole = self {
            *self = Self::none();
        }
    }

    /// Drops the paths that cover a request-target and are longer than `length`.
    pub(super) fn drop_longer(&mut self, target: &OwnTarget<'_>, length: usize) {
        if let Self::Within(paths) = self
            && target.is_plain()
        {
            paths.retain(|path| path.len() <= length || !is_at_or_below(target.path, path));
        }
    }

    /// Returns the length of the longest path that covers a request-target, in bytes before
    /// percent-decoding; 0 for [`Whole`](Self::Whole), and `None` if the target is not covered.
    pub(super) fn covering_len(&self, target: &OwnTarget<'_>) -> Option<usize> {
        let Self::Within(paths) = self else {
            return Some(0);
        };
        if !target.is_plain() {
            return None;
        }
        let covering = paths
            .iter()
            .filter(|path| is_at_or_below(target.path, path));
        covering.map(|path| path.len()).max()
    }
}

/// The path of a request-target whose request may carry credentials for this endpoint.
pub(super) struct OwnTarget<'a> {
    path: &'a [u8],
    /// Cached, because it takes a scan of the path.
    is_plain: OnceCell<bool>,
}

impl<'a> OwnTarget<'a> {
    /// Returns `None` if a request with this request-target must not carry credentials: at an
    /// origin, if the target could name another origin or has userinfo; at a proxy, if it may have
    /// userinfo, which the `uri` of a Digest answer would repeat. In SIP, URIs name users, so
    /// nothing is refused, except, at a proxy, a URI with `//` and userinfo.
    pub(super) fn of(target: &'a [u8], endpoint: &Endpoint) -> Option<Self> {
        let may_carry = match split_absolute(target) {
            Some((_, authority, _)) if endpoint.is_proxy() => !authority.contains(&b'@'),
            // In a path `@` is an ordinary character. In an authority, as for `CONNECT`, it ends
            // userinfo.
            None if endpoint.is_proxy() && !endpoint.is_sip() => {
                target.starts_with(b"/") || !target.contains(&b'@')
            }
            _ if !endpoint.is_named_in_targets() => true,
            Some((scheme, authority, _)) => endpoint.has_origin(scheme, authority),
            // Anything but a path, `*` or the authority of this origin may name another origin.
            None => target.starts_with(b"/") || target == b"*" || endpoint.has_authority(target),
        };
        may_carry.then(|| Self {
            path: path(path_and_query(target)),
            is_plain: OnceCell::new(),
        })
    }

    /// Returns whether two hexadecimal digits follow each `%` of the path, and it is not
    /// [ambiguous](is_ambiguous): decoded, it is UTF-8 without NUL, and has no segment that some
    /// server may read as `.` or `..`.
    fn is_plain(&self) -> bool {
        let is_plain = || is_well_encoded(self.path) && !is_ambiguous(self.path);
        *self.is_plain.get_or_init(is_plain)
    }

    /// The length of the longest prefix with a `/` at its end that this path shares with `folder`.
    pub(super) fn shared_folder_len(&self, folder: &[u8]) -> usize {
        let same = self.path.iter().zip(folder).take_while(|(a, b)| a == b);
        let same = same.count();
        let shared = folder.get(..same).unwrap_or_default();
        let slash = shared.iter().rposition(|&byte| byte == b'/');
        slash.map_or(0, |slash| slash + 1)
    }
}

/// The paths before the first that would exceed a limit.
fn fitting<P: AsRef<[u8]>>(paths: impl Iterator<Item = P>) -> impl Iterator<Item = P> {
    let mut bytes = 0;
    paths.take(MAX_PATHS).take_while(move |path| {
        bytes += path.as_ref().len();
        bytes <= MAX_TOTAL_PATH_BYTES
    })
}

/// The path of a request-target up to and including its last `/`, or the whole path if there is no
/// `/` in it, for example `*`.
pub(super) fn folder(target: &[u8]) -> &[u8] {
    let path = path(path_and_query(target));
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => path.get(..=slash).unwrap_or_default(),
        None => path,
    }
}

/// Returns whether `path` equals `top` or continues it with a new segment. Compares what
/// [`normalized`] returns for them.
fn is_at_or_below(path: &[u8], top: &[u8]) -> bool {
    let ends_segment = top.last() == Some(&b'/');
    let mut path = normalized(path);
    for byte in normalized(top) {
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

    fn is_covered(paths: &Paths, target: &str) -> bool {
        let endpoint = Endpoint::origin("http", "example.com", None).unwrap();
        let target = OwnTarget::of(target.as_bytes(), &endpoint);
        target.is_some_and(|target| paths.covering_len(&target).is_some())
    }

    fn covers(domain: &str, target: &str) -> bool {
        let endpoint = Endpoint::origin("http", "example.com", None).unwrap();
        is_covered(&Paths::of_domain(domain.as_bytes(), &endpoint), target)
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
    fn encoded_unreserved_characters_are_equal_and_dot_segments_are_not_covered() {
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
        // 65616 is 80 modulo 2^16.
        for port in ["8080", "+80", "80x", "65616", "x"] {
            assert!(
                !covers(&format!("http://example.com:{port}/a"), "/a"),
                "{port}"
            );
        }
        assert!(covers("http://example.com:/a", "/a"));
        assert!(!covers("/a", "http://other.com/a"));
    }

    #[test]
    fn invalid_entries_are_ignored() {
        for junk in [
            "", " ", "foo", "//", "//h.com/", "http:", "http://", "::", "*",
        ] {
            assert!(covers(junk, "/other"), "{junk}");
            assert!(covers(&format!("{junk} /a"), "/a"), "{junk}");
            assert!(!covers(&format!("/a {junk}"), "/other"), "{junk}");
        }
    }

    #[test]
    fn only_paths_that_cover_the_target_are_dropped() {
        let endpoint = Endpoint::origin("http", "example.com", None).unwrap();
        for (target, is_kept) in [("/a/b", false), ("/a/../b", true), ("/b", true)] {
            let mut paths = Paths::folder_of(b"/a/");
            let target = OwnTarget::of(target.as_bytes(), &endpoint).unwrap();
            paths.drop_longer(&target, 1);
            assert_eq!(is_covered(&paths, "/a/x"), is_kept);
        }
    }

    #[test]
    fn basic_covers_the_folder_of_the_challenged_path() {
        let paths = Paths::folder_of(b"/a/b?c/d");
        for (target, inside) in [
            ("/a/b", true),
            ("/a/c/d", true),
            ("/a/", true),
            ("/a", false),
            ("/ab", false),
            ("/", false),
        ] {
            assert_eq!(is_covered(&paths, target), inside, "{target}");
        }
    }
}
