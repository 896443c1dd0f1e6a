//! How the `uri` parameter is compared with the request-target.

use crate::syntax::uri::{
    decoded, is_well_encoded, normalized, path, path_and_query, shortened, split_absolute,
    with_root,
};

/// How exactly the `uri` parameter must match the request-target, strictest first. Each check also
/// accepts what the ones before it accept. The response does not protect a difference that the
/// check allows (RFC 7616, section 3.4.6).
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum UriCheck {
    /// The two are equal byte for byte. A proxy's realm accepts at least `PathAndQuery`.
    #[default]
    Exact,
    /// Path and query are equal byte for byte. One of the two may have a scheme and authority where
    /// the other has none. If both have them, they must be equal, regardless of case. In the
    /// absolute form, an empty path without a query equals `/`.
    PathAndQuery,
    /// Also equal after percent-decoding of unreserved characters, with hexadecimal digits of
    /// either case (RFC 3986, sections 6.2.2.1 and 6.2.2.2); and an empty path equals `/`. If either has a `%` without two
    /// digits, this check and the next two accept no more than `PathAndQuery`.
    Normalized,
    /// Also equal after percent-decoding of all characters except `/`, `?`, `#`, `%` and `\`, and
    /// in the query `&` and `=`. An attacker can then change `;` in a captured request to `%3B`:
    /// use it only if your routing and query parsing treat both spellings alike.
    Decoded,
    /// Also with the `;parameters` of the last segment missing from `uri`, or a `/` at its end: an
    /// attacker can then change these, also to `;%2F..%2Fother`. Use it only if you route by the path
    /// as it came.
    Shortened,
    /// Also with the query missing from `uri`: an attacker can then change the query.
    UncheckedQuery,
    /// No check: an attacker can then change the target of a captured request, but not its method.
    DangerousUnchecked,
}

impl UriCheck {
    pub(super) fn accepts(self, target: &[u8], uri: &[u8]) -> bool {
        if uri == target || self == Self::DangerousUnchecked {
            return true;
        }
        if self == Self::Exact || is_other_authority(target, uri) {
            return false;
        }
        let (target, uri) = (path_and_query(target), path_and_query(uri));
        if uri == target || self == Self::PathAndQuery {
            return uri == target;
        }
        let (target, uri) = (&*with_root(target), &*with_root(uri));
        is_well_encoded(target)
            && is_well_encoded(uri)
            && (normalized(target).eq(normalized(uri))
                || self >= Self::Decoded && decoded(target).eq(decoded(uri))
                || self >= Self::Shortened && {
                    let (path, query) = shortened(target);
                    decoded(&[path, query].concat()).eq(decoded(uri))
                }
                || self >= Self::UncheckedQuery && decoded(path(target)).eq(decoded(uri)))
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
