//! What ends at a proxy, and what names its origin (RFC 9110, section 7.6.1).

use http::header::{self, CONNECTION, HeaderMap, HeaderName};
use http::uri::Authority;
use http::{HeaderValue, StatusCode};

/// Fields that are for the next hop alone, also where `Connection` does not name them.
const HOP_BY_HOP: [HeaderName; 10] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-authentication-info"),
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Removes the fields that are for one hop, and those that `Connection` names.
pub fn remove_hop_by_hop(fields: &mut HeaderMap) {
    let values: Vec<_> = fields.get_all(CONNECTION).iter().cloned().collect();
    let named = values
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    for name in named {
        // Not by this name, because the body would lose its end.
        if let Ok(name) = HeaderName::from_bytes(name.trim_ascii())
            && name != header::CONTENT_LENGTH
        {
            fields.remove(name);
        }
    }
    for name in HOP_BY_HOP {
        fields.remove(name);
    }
}

/// Removes scheme and host from the fields that name the origin, so that the client stays with the
/// proxy. Other hosts are left.
pub fn make_relative(fields: &mut HeaderMap, origin: &Authority) {
    for name in [header::LOCATION, header::CONTENT_LOCATION] {
        let relative = fields.get(&name).and_then(|value| relative(value, origin));
        if let Some(relative) = relative {
            fields.insert(name, relative);
        }
    }
}

fn relative(value: &HeaderValue, origin: &Authority) -> Option<HeaderValue> {
    // By its text, because a `Uri` has no fragment, and none without a scheme.
    // A browser takes tabs out, so that two slashes could be left.
    let text = value.to_str().ok().filter(|text| !text.contains('\t'))?;
    let (scheme, rest) = text.split_once("//")?;
    // Without a scheme, it has that of the request.
    if !scheme.is_empty() && !scheme.eq_ignore_ascii_case("http:") {
        return None;
    }
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let authority: Authority = authority.parse().ok()?;
    let port = |it: &Authority| it.port_u16().unwrap_or(80);
    if !authority.host().eq_ignore_ascii_case(origin.host()) || port(&authority) != port(origin) {
        return None;
    }
    // Two slashes would begin a host.
    let path = match path.strip_prefix('/') {
        None => format!("/{path}"),
        Some(rest) if rest.starts_with(['/', '\\']) => format!("/.{path}"),
        Some(_) => path.to_owned(),
    };
    HeaderValue::from_str(&path).ok()
}

/// The methods and paths that may be forwarded; all of them if there are none.
#[derive(Clone, Debug, Default)]
pub struct Allowed {
    pub methods: Vec<String>,
    /// Those that end with `/` stand for what is below, too.
    pub paths: Vec<String>,
}

impl Allowed {
    /// The status of a request that must not be forwarded; `None` if it may.
    pub fn refuses(&self, method: &str, path: &str) -> Option<StatusCode> {
        let is_open = self.methods.is_empty() || self.methods.iter().any(|it| it == method);
        if !is_open || matches!(method, "CONNECT" | "TRACE") {
            return Some(StatusCode::METHOD_NOT_ALLOWED);
        }
        let is_below = |allowed: &String| match allowed.ends_with('/') {
            true => path.starts_with(&**allowed),
            false => path == allowed,
        };
        let is_plain = !path.split('/').any(|it| it == ".." || it == ".")
            && !path.contains(['%', '\\', ';'])
            && !path.contains("//");
        let is_allowed = is_plain && self.paths.iter().any(is_below);
        (!self.paths.is_empty() && !is_allowed).then_some(StatusCode::FORBIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_connection_names_ends_here() {
        let mut fields = HeaderMap::new();
        for (name, value) in [
            ("connection", "X-Secret, keep-alive"),
            ("connection", "close,content-length ,x-other"),
            ("x-secret", "1"),
            ("x-other", "1"),
            ("content-length", "3"),
            ("keep-alive", "1"),
            ("proxy-connection", "1"),
            ("proxy-authorization", "1"),
            ("proxy-authenticate", "1"),
            ("proxy-authentication-info", "1"),
            ("te", "trailers"),
            ("trailer", "x"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "websocket"),
            ("x-kept", "1"),
        ] {
            fields.append(name, HeaderValue::from_static(value));
        }
        remove_hop_by_hop(&mut fields);
        let mut left: Vec<_> = fields.keys().map(HeaderName::as_str).collect();
        left.sort_unstable();
        assert_eq!(left, ["content-length", "x-kept"]);
    }

    #[test]
    fn the_origin_becomes_relative_and_others_stay() {
        for (value, expected) in [
            ("http://camera.lan/there?a#b", "/there?a#b"),
            ("http://CAMERA.lan:80/there", "/there"),
            ("//camera.lan/there", "/there"),
            ("http://camera.lan", "/"),
            ("http://camera.lan?a", "/?a"),
            ("http://camera.lan//evil.example/x", "/.//evil.example/x"),
            (
                "http://camera.lan/\t/evil.example",
                "http://camera.lan/\t/evil.example",
            ),
            ("/there", "/there"),
            ("there", "there"),
            ("https://camera.lan/there", "https://camera.lan/there"),
            ("http://camera.lan:81/there", "http://camera.lan:81/there"),
            ("http://evil.example/there", "http://evil.example/there"),
        ] {
            let mut fields = HeaderMap::new();
            fields.insert("location", HeaderValue::from_static(value));
            make_relative(&mut fields, &Authority::from_static("camera.lan"));
            assert_eq!(fields["location"], expected, "{value}");
        }
    }

    #[test]
    fn methods_and_paths() {
        let all = Allowed::default();
        assert_eq!(all.refuses("DELETE", "/a/../b"), None);
        assert_eq!(
            all.refuses("TRACE", "/"),
            Some(StatusCode::METHOD_NOT_ALLOWED)
        );
        let some = Allowed {
            methods: vec!["GET".into()],
            paths: vec!["/metrics".into(), "/api/".into()],
        };
        for path in ["/metrics", "/api/", "/api/a"] {
            assert_eq!(some.refuses("GET", path), None, "{path}");
            let refused = some.refuses("POST", path);
            assert_eq!(refused, Some(StatusCode::METHOD_NOT_ALLOWED), "{path}");
        }
        for path in [
            "/",
            "/metrics/",
            "/metricsx",
            "/api",
            "/api/../reboot",
            "/api/.",
            "/api/%2e%2e/reboot",
            "/api//reboot",
            "/api/\\..\\reboot",
            "/api/..;/reboot",
            "/%6detrics",
        ] {
            assert_eq!(
                some.refuses("GET", path),
                Some(StatusCode::FORBIDDEN),
                "{path}"
            );
        }
    }
}
