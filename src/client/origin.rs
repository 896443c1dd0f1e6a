//! Who asks for credentials.

use alloc::boxed::Box;

use crate::issuer::Issuer;

/// Who asks for credentials: the key under which they are kept. A redirect to another origin
/// finds nothing under it.
///
/// ```
/// use countersign::Issuer;
/// use countersign::client::Origin;
///
/// let origin = Origin { scheme: "https", host: "example.com", port: 443, issuer: Issuer::Origin };
/// # let _ = origin;
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Origin<'a> {
    /// `https`, `http`, `rtsp` …; compared without case.
    pub scheme: &'a str,
    /// The host, as in the URI; compared without case. An IPv6 address in brackets.
    pub host: &'a str,
    /// The port; the scheme's default must be filled in.
    pub port: u16,
    /// The server itself, or the proxy of that name.
    pub issuer: Issuer,
}

/// The same, kept.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct OwnedOrigin {
    scheme: Box<str>,
    host: Box<str>,
    port: u16,
    is_proxy: bool,
}

impl From<&Origin<'_>> for OwnedOrigin {
    fn from(origin: &Origin<'_>) -> Self {
        Self {
            scheme: origin.scheme.to_ascii_lowercase().into(),
            host: origin.host.to_ascii_lowercase().into(),
            port: origin.port,
            is_proxy: origin.issuer == Issuer::Proxy,
        }
    }
}

impl OwnedOrigin {
    pub(super) const fn is_proxy(&self) -> bool {
        self.is_proxy
    }

    /// Whether a URI with this scheme and authority is of this origin.
    pub(super) fn is(&self, scheme: &[u8], authority: &[u8]) -> bool {
        scheme.eq_ignore_ascii_case(self.scheme.as_bytes()) && self.has_authority(authority)
    }

    /// Whether an authority is the one of this origin.
    pub(super) fn has_authority(&self, authority: &[u8]) -> bool {
        let colon = authority.iter().rposition(|&byte| byte == b':');
        // The last colon may be one of an IPv6 address.
        let colon =
            colon.filter(|&colon| authority.get(colon..).is_some_and(|p| !p.contains(&b']')));
        let (host, port) = match colon.and_then(|colon| authority.split_at_checked(colon)) {
            Some((host, port)) => (host, port.get(1..).unwrap_or_default()),
            None => (authority, &b""[..]),
        };
        let port = match port {
            [] => default_port(&self.scheme),
            _ if !port.iter().all(u8::is_ascii_digit) => None,
            _ => core::str::from_utf8(port).ok().and_then(|p| p.parse().ok()),
        };
        host.eq_ignore_ascii_case(self.host.as_bytes()) && port == Some(self.port)
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" | "ws" => Some(80),
        "https" | "wss" => Some(443),
        "rtsp" => Some(554),
        "rtsps" => Some(322),
        _ => None,
    }
}
