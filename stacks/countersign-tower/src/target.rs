//! The request-target.

use std::borrow::Cow;

use countersign::Challenger;
use http::Uri;

/// The request-target as on the request line: of an origin server path and query, which is `:path`
/// in HTTP/2; of a proxy all of the URI; for `CONNECT` the authority.
pub(crate) fn request_target(uri: &Uri, challenger: Challenger) -> Cow<'_, str> {
    match (challenger, uri.path_and_query(), uri.authority()) {
        // `to_string` adds the `/` that `http://host?query` lacks.
        (Challenger::Origin, Some(target), _) if target.as_str().starts_with('?') => {
            Cow::Owned(target.to_string())
        }
        // Also for an extended CONNECT (RFC 8441), which has a path.
        (Challenger::Origin, Some(target), _) => Cow::Borrowed(target.as_str()),
        // The authority form has no path.
        (_, None, Some(authority)) => Cow::Borrowed(authority.as_str()),
        _ => Cow::Owned(uri.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_of_target() {
        for (uri, origin, proxy) in [
            ("/a?b=c", "/a?b=c", "/a?b=c"),
            ("*", "*", "*"),
            ("https://h:8443/a?b", "/a?b", "https://h:8443/a?b"),
            ("http://h", "/", "http://h/"),
            ("http://h?b", "/?b", "http://h/?b"),
            ("h:443", "h:443", "h:443"),
        ] {
            let uri: Uri = uri.parse().unwrap();
            assert_eq!(request_target(&uri, Challenger::Origin), origin);
            assert_eq!(request_target(&uri, Challenger::Proxy), proxy);
        }
    }
}
