//! What a gateway tells caches.

use http::HeaderMap;
use http::header::{CACHE_CONTROL, HeaderName, HeaderValue};

/// Keeps a response to a request with credentials out of shared caches. The server behind a gateway
/// has seen none, so it may have allowed them.
///
/// `private` forbids it (RFC 9111, section 3), whatever else is said. What says otherwise is
/// removed for caches that do not know that, or obey it before that, as nginx does
/// `X-Accel-Expires`.
pub(super) fn forbid_shared(headers: &mut HeaderMap) {
    let is_for_caches = |name: &&HeaderName| {
        let name = name.as_str();
        name.ends_with("-cache-control")
            || ["edge-control", "surrogate-control", "x-accel-expires"].contains(&name)
    };
    let for_caches: Vec<_> = headers.keys().filter(is_for_caches).cloned().collect();
    for name in for_caches {
        headers.remove(name);
    }
    let mut kept = vec!["private"];
    for value in headers.get_all(CACHE_CONTROL) {
        match value.to_str() {
            // A comma within quotes ends no directive.
            Ok(value) if !value.contains('"') => {
                kept.extend(value.split(',').map(str::trim).filter(|it| !is_shared(it)));
            }
            // Both are stricter than anything else.
            _ => kept.extend(["no-cache", "no-store"]),
        }
    }
    // Does not fail: all of it was in a field.
    if let Ok(value) = HeaderValue::from_str(&kept.join(", ")) {
        headers.insert(CACHE_CONTROL, value);
    }
}

/// Returns whether a directive is about shared caches, or empty.
fn is_shared(directive: &str) -> bool {
    let name = directive.split('=').next().unwrap_or_default().trim();
    let shared = ["", "private", "public", "s-maxage"];
    shared
        .iter()
        .any(|shared| name.eq_ignore_ascii_case(shared))
}
