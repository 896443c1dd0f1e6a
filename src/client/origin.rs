//! Who asks for credentials.

use alloc::boxed::Box;
use core::hash::{Hash, Hasher};

use crate::issuer::Issuer;

/// Who asks for credentials: the key under which they are kept. A redirect to another origin
/// finds nothing under it.
///
/// Equality and hash take scheme and host without case.
///
/// ```
/// use countersign::client::Origin;
///
/// let origin = Origin::new("https", "example.com", None).unwrap();
/// assert_eq!(origin.port, 443);
/// assert_eq!(Origin::new("HTTPS", "Example.COM", Some(443)), Some(origin));
/// assert_ne!(Origin::proxy("https", "example.com", 443), origin);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// `https`, `http`, `rtsp` …; compared without case.
    pub scheme: &'a str,
    /// The host, as in the URI; compared without case. An IPv6 address in brackets.
    pub host: &'a str,
    /// The port; the scheme's default must be filled in, as [`new`](Self::new) does.
    pub port: u16,
    /// The server itself, or the proxy of that name.
    pub issuer: Issuer,
}

impl<'a> Origin<'a> {
    /// The server that a URI names: without a port in the URI, at that of the scheme.
    ///
    /// `None` if the port of the scheme is not known. Known are those of `http`, `https`, `ws`,
    /// `wss`, `rtsp` and `rtsps`, in any case.
    pub fn new(scheme: &'a str, host: &'a str, port: Option<u16>) -> Option<Self> {
        let port = port.or_else(|| default_port(scheme))?;
        let issuer = Issuer::Origin;
        Some(Self {
            scheme,
            host,
            port,
            issuer,
        })
    }

    /// A proxy. Its port must be given: programs do not agree on one that goes without saying.
    pub const fn proxy(scheme: &'a str, host: &'a str, port: u16) -> Self {
        Self {
            scheme,
            host,
            port,
            issuer: Issuer::Proxy,
        }
    }
}

impl PartialEq for Origin<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.scheme.eq_ignore_ascii_case(other.scheme)
            && self.host.eq_ignore_ascii_case(other.host)
            && self.port == other.port
            && self.issuer == other.issuer
    }
}

impl Eq for Origin<'_> {}

/// As [`PartialEq`] has it: what is equal hashes the same.
impl Hash for Origin<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for text in [self.scheme, self.host] {
            for byte in text.bytes() {
                state.write_u8(byte.to_ascii_lowercase());
            }
            // No text has it, so no two pairs of texts come to the same bytes.
            state.write_u8(0xff);
        }
        self.port.hash(state);
        self.issuer.hash(state);
    }
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
    pub(super) fn as_origin(&self) -> Origin<'_> {
        Origin {
            scheme: &self.scheme,
            host: &self.host,
            port: self.port,
            issuer: match self.is_proxy {
                true => Issuer::Proxy,
                false => Issuer::Origin,
            },
        }
    }

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
    const PORTS: [(&str, u16); 6] = [
        ("http", 80),
        ("https", 443),
        ("rtsp", 554),
        ("rtsps", 322),
        ("ws", 80),
        ("wss", 443),
    ];
    let (_, port) = PORTS
        .iter()
        .find(|(known, _)| scheme.eq_ignore_ascii_case(known))?;
    Some(*port)
}
