//! Where credentials may be sent before the server asks.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cmp::Reverse;

use crate::client::endpoint::Endpoint;
use crate::syntax::uri::{
    is_well_encoded, normalized, path, path_and_query, split_absolute, unescaped,
};

/// The most paths kept for one protection space. If a single `domain` has more, its first ones are
/// kept; if several challenges together have more, the paths of the latest challenges are kept.
const MAX_PATHS: usize = 64;
/// The most bytes that all paths of one space may have together.
const MAX_TOTAL_PATH_BYTES: usize = 8 * 1024;

/// The request-targets that get credentials before the server asks.
pub(super) enum Paths {
    /// All: for a proxy, for a Digest challenge whose `domain` is missing (RFC 7616, section 3.3)
    /// or has no valid entry, and for preemptive Basic credentials.
    Whole,
    /// Those whose path is [plain](is_plain), and equals one of these or is below one.
    Within(Vec<Box<[u8]>>),
}

impl Paths {
    /// Parses the `domain` of a challenge. Valid entries are paths with a single `/` at the start,
    /// and absolute URIs `scheme://authority…` whose authority is not empty. If no entry is valid,
    /// the challenge counts as one without `domain`. URIs of other origins cover nothing.
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
                // An entry with a query covers nothing, because `OwnTarget` has no query.
                within.push(path_and_query(uri));
            }
        }
        match has_valid_entry {
            true => Self::of(within),
            false => Self::Whole,
        }
    }

    /// These paths, or the first of them that fit.
    pub(super) fn of<'a>(paths: impl IntoIterator<Item = &'a [u8]>) -> Self {
        Self::Within(fitting(paths.into_iter()).map(Into::into).collect())
    }

    /// Adds paths. The oldest ones are dropped if the limits are exceeded.
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

    /// Returns the length of the longest path that covers a request-target, in bytes before
    /// percent-decoding; 0 for [`Whole`](Self::Whole), and `None` if the target is not covered.
    pub(super) fn covering_len(&self, target: &OwnTarget<'_>) -> Option<usize> {
        let Self::Within(paths) = self else {
            return Some(0);
        };
        let covering = paths.iter().filter(|path| is_at_or_below(target.0, path));
        let longest = covering.map(|path| path.len()).max();
        longest.filter(|_| is_plain(target.0))
    }

    /// Of the path that is nearest to a request-target, how many segments they share, and its length.
    /// The nearest shares most, and is the shortest of those.
    pub(super) fn nearest(&self, target: &OwnTarget<'_>) -> Option<(usize, Reverse<usize>)> {
        let Self::Within(paths) = self else {
            return None;
        };
        let near = |path: &[u8]| (shared_segments(path, target.0), Reverse(path.len()));
        paths.iter().map(|path| near(path)).max()
    }
}

/// The path of a request-target whose request may carry credentials for this endpoint.
pub(super) struct OwnTarget<'a>(&'a [u8]);

impl<'a> OwnTarget<'a> {
    /// Returns `None` if a request with this request-target must not carry credentials: at an
    /// origin, if the target could name another origin or has userinfo; at a proxy, if it may have
    /// userinfo, which the `uri` of a Digest answer would repeat. Endpoints whose targets [name
    /// others](Endpoint::is_named_in_targets) refuse userinfo alone, but not that of a SIP URI, which
    /// has no `//`.
    pub(super) fn of(target: &'a [u8], endpoint: &Endpoint) -> Option<Self> {
        let may_carry = match split_absolute(target) {
            Some((_, authority, _)) if authority.contains(&b'@') => false,
            // In a path `@` is an ordinary character. In an authority, as for `CONNECT`, it ends
            // userinfo.
            None if endpoint.is_proxy() && !endpoint.is_sip() => {
                target.starts_with(b"/") || !target.contains(&b'@')
            }
            _ if !endpoint.is_named_in_targets() => true,
            // HTTP sends an origin its path alone (RFC 9112, section 3.2.1).
            Some((scheme, authority, _)) => {
                !endpoint.is_http() && endpoint.has_origin(scheme, authority)
            }
            // Anything but a path, `*` or the authority of this origin may name another origin.
            None => target.starts_with(b"/") || target == b"*" || endpoint.has_authority(target),
        };
        may_carry.then(|| Self(path(path_and_query(target))))
    }
}

/// Returns whether every server finds the same segments in a path, none of them `.` or `..`. So a
/// path that is escaped twice, is no UTF-8 or has a backslash or a control character is not plain.
fn is_plain(path: &[u8]) -> bool {
    let is_odd = |byte: &u8| b"%\\".contains(byte) || byte.is_ascii_control();
    let has_dots = |path: &str| {
        // Some servers cut off parameters and spaces before they look for dots.
        let names = path
            .split('/')
            .map(|segment| segment.split([';', '?', '#']).next().unwrap_or_default());
        names.map(str::trim).any(|name| matches!(name, "." | ".."))
    };
    let is_plain = |path: &[u8]| {
        let text = core::str::from_utf8(path);
        !path.iter().any(is_odd) && text.is_ok_and(|path| !has_dots(path))
    };
    match path.contains(&b'%') {
        true => is_well_encoded(path) && is_plain(&unescaped(path).collect::<Vec<u8>>()),
        false => is_plain(path),
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

/// The number of segments at the start of both paths.
fn shared_segments(a: &[u8], b: &[u8]) -> usize {
    let segments = |path| <[u8]>::split(path, |byte| *byte == b'/');
    let pairs = segments(a).zip(segments(b));
    pairs.take_while(|(a, b)| a == b).count()
}

/// The path of a request-target up to and including its last `/`, or the whole path if there is no
/// `/` in it, for example `*`. Basic is valid there (RFC 7617, section 2.2).
pub(super) fn folder(target: &[u8]) -> &[u8] {
    let path = path(path_and_query(target));
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => path.get(..=slash).unwrap_or_default(),
        None => path,
    }
}

/// Returns whether `path` equals `top` or continues it with a new segment, both normalized.
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
