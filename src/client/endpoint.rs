//! The origins and proxies that ask for credentials.

use core::fmt;
use core::hash::{Hash, Hasher};

use crate::challenger::Challenger;
use crate::channel::Channel;
use crate::error::InvalidText;
use crate::inline_bytes::InlineBytes;

/// An origin server or a proxy that asks for credentials. Each [`Client`](super::Client) belongs to
/// one. A redirect to another origin leads to another endpoint, so credentials cannot follow it. A
/// WebSocket begins with a request by HTTP and shares its logins, so a `ws` URI has the origin of the
/// `http` URI.
///
/// | scheme | default port of an origin | channel |
/// |---|---|---|
/// | `http`, `ws` | 80 | cleartext |
/// | `https`, `wss` | 443 | encrypted |
/// | `rtsp` | 554 | cleartext |
/// | `rtsps` | 322 | encrypted |
/// | `sip` | 5060 | cleartext |
/// | `sips` | 5061 | encrypted |
/// | any other | must be given | cleartext |
#[derive(Clone, Eq, Ord, PartialEq, PartialOrd)]
pub struct Endpoint {
    /// The host and then the scheme, in one piece. The host comes first because hosts differ more
    /// often, so comparisons end sooner.
    names: InlineBytes<48>,
    scheme_at: usize,
    port: u16,
    challenger: Challenger,
    channel: Channel,
    has_any_target: bool,
}

/// The schemes whose port and channel are known.
const KNOWN_SCHEMES: [(&str, u16, Channel); 6] = [
    ("http", 80, Channel::Cleartext),
    ("https", 443, Channel::Encrypted),
    ("rtsp", 554, Channel::Cleartext),
    ("rtsps", 322, Channel::Encrypted),
    ("sip", 5060, Channel::Cleartext),
    ("sips", 5061, Channel::Encrypted),
];

fn known_scheme(scheme: &str) -> Option<(u16, Channel)> {
    let mut known = KNOWN_SCHEMES.into_iter();
    let (_, port, channel) = known.find(|(known, ..)| known.eq_ignore_ascii_case(scheme))?;
    Some((port, channel))
}

/// The scheme, but for WebSockets that of their first request.
fn of_first_request(scheme: &str) -> &str {
    match scheme {
        _ if scheme.eq_ignore_ascii_case("ws") => "http",
        _ if scheme.eq_ignore_ascii_case("wss") => "https",
        _ => scheme,
    }
}

/// The channel of a scheme; cleartext for an unknown one.
fn channel_of(known: Option<(u16, Channel)>) -> Channel {
    known.map_or(Channel::Cleartext, |(_, channel)| channel)
}

impl Endpoint {
    /// The origin of a URI: its scheme, host and port. Write an IPv6 address in brackets, as in the
    /// URI, and a name beyond ASCII as A-labels (`xn--…`), as `url::Url` does. Hosts are compared
    /// as text without case. `None` stands for the default port of the scheme.
    ///
    /// # Errors
    ///
    /// [`InvalidText::NoDefaultPort`] if `port` is `None` and the scheme is not in the table above;
    /// [`InvalidText::NotHost`] if the host is empty, or more than a host;
    /// [`InvalidText::NoScheme`] for an empty scheme.
    pub fn origin(scheme: &str, host: &str, port: Option<u16>) -> Result<Self, InvalidText> {
        let scheme = of_first_request(scheme);
        let known = known_scheme(scheme);
        let port = port.or_else(|| Some(known?.0));
        // A colon belongs to a port, unless it is in the brackets of an IPv6 address.
        let has_brackets = host.starts_with('[') && host.ends_with(']');
        let is_other = |byte| {
            byte == b':' && !has_brackets
                || matches!(byte, 0..=b' ' | b'#' | b'/' | b'?' | b'@' | b'\\' | 0x7f)
        };
        if host.is_empty() || host.bytes().any(is_other) {
            return Err(InvalidText::NotHost);
        }
        if scheme.is_empty() {
            return Err(InvalidText::NoScheme);
        }
        let port = port.ok_or(InvalidText::NoDefaultPort)?;
        Ok(Self::of(scheme, host, port, channel_of(known)))
    }

    /// A proxy. `scheme` is the scheme of the proxy's URI: `https` if the connection to the proxy itself
    /// is encrypted. The port is required, because programs do not agree on a default.
    pub fn proxy(scheme: &str, host: &str, port: u16) -> Self {
        Self {
            challenger: Challenger::Proxy,
            ..Self::of(scheme, host, port, channel_of(known_scheme(scheme)))
        }
    }

    fn of(scheme: &str, host: &str, port: u16, channel: Channel) -> Self {
        let mut names = InlineBytes::joined(&[host.as_bytes(), scheme.as_bytes()]);
        names.make_ascii_lowercase();
        Self {
            names,
            scheme_at: host.len(),
            port,
            challenger: Challenger::Origin,
            channel,
            has_any_target: false,
        }
    }

    /// Takes every request-target as one of this endpoint, whatever host it names. For RTSP behind
    /// NAT, where a camera names the address that it has itself, and for programs that connect by
    /// an address and not by the name in their URIs. In SIP this is always so.
    #[must_use]
    pub const fn with_any_target(mut self) -> Self {
        self.has_any_target = true;
        self
    }

    /// Sets the channel, for connections whose scheme does not tell whether others can read them,
    /// such as cleartext HTTP inside a VPN.
    #[must_use]
    pub const fn with_channel(mut self, channel: Channel) -> Self {
        self.channel = channel;
        self
    }

    /// Host and scheme.
    fn names(&self) -> (&[u8], &[u8]) {
        let names = self.names.as_bytes().split_at_checked(self.scheme_at);
        names.unwrap_or_default()
    }

    /// The scheme, in lower case.
    pub fn scheme(&self) -> &str {
        // Does not fail: made from a `&str`.
        core::str::from_utf8(self.names().1).unwrap_or_default()
    }

    /// The host, in lower case.
    pub fn host(&self) -> &str {
        core::str::from_utf8(self.names().0).unwrap_or_default()
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Origin or proxy, which determines the status and the field names.
    pub const fn challenger(&self) -> Challenger {
        self.challenger
    }

    /// The channel: whether others can read the connection.
    pub(crate) const fn channel(&self) -> Channel {
        self.channel
    }

    pub(super) fn is_sip(&self) -> bool {
        matches!(self.names().1, b"sip" | b"sips")
    }

    pub(super) fn is_http(&self) -> bool {
        matches!(self.names().1, b"http" | b"https")
    }

    pub(super) const fn is_proxy(&self) -> bool {
        matches!(self.challenger, Challenger::Proxy)
    }

    /// Returns whether an absolute URI in a request-target must name this endpoint. It need not in
    /// a request to a proxy, where it may name any origin, nor in SIP, where it names a user and a
    /// domain.
    pub(super) fn is_named_in_targets(&self) -> bool {
        !self.is_proxy() && !self.is_sip() && !self.has_any_target
    }

    /// Returns whether a request for a URI of `named` goes here.
    #[cfg(feature = "http")]
    pub(super) fn is_at(&self, named: &Self) -> bool {
        self.has_any_target || self.names == named.names && self.port == named.port
    }

    /// Returns whether a URI with this scheme and authority belongs to this origin.
    pub(super) fn has_origin(&self, scheme: &[u8], authority: &[u8]) -> bool {
        core::str::from_utf8(scheme).is_ok_and(|scheme| {
            of_first_request(scheme).eq_ignore_ascii_case(self.scheme())
                && self.has_authority(authority)
        })
    }

    /// Returns whether an authority names the host and port of this origin.
    pub(super) fn has_authority(&self, authority: &[u8]) -> bool {
        let (host, scheme) = (self.names().0, self.scheme());
        let Some((named, port)) = authority.split_at_checked(host.len()) else {
            return false;
        };
        let port = match port {
            [] | [b':'] => known_scheme(scheme).map(|(port, _)| port),
            [b':', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => {
                core::str::from_utf8(digits)
                    .ok()
                    .and_then(|it| it.parse().ok())
            }
            _ => None,
        };
        named.eq_ignore_ascii_case(host) && port == Some(self.port)
    }
}

/// The origin that a request for this URI goes to.
#[cfg(feature = "http")]
impl TryFrom<&http::Uri> for Endpoint {
    type Error = InvalidText;

    fn try_from(uri: &http::Uri) -> Result<Self, InvalidText> {
        let scheme = uri.scheme_str().unwrap_or_default();
        match uri.authority() {
            Some(authority) if authority.as_str().contains('@') => Err(InvalidText::Userinfo),
            _ => Self::origin(scheme, uri.host().unwrap_or_default(), uri.port_u16()),
        }
    }
}

/// Writes `https://example.com:443`; then ` proxy` for a proxy; then ` any-target`; then
/// ` encrypted` or ` cleartext` if the [channel](Self::with_channel) differs from the scheme's. Different endpoints (with valid
/// schemes and hosts) have different texts, so the text can be the key of a store.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme(), self.host(), self.port)?;
        if self.is_proxy() {
            f.write_str(" proxy")?;
        }
        if self.has_any_target {
            f.write_str(" any-target")?;
        }
        match self.channel() {
            channel if channel == channel_of(known_scheme(self.scheme())) => Ok(()),
            Channel::Encrypted => f.write_str(" encrypted"),
            Channel::Cleartext => f.write_str(" cleartext"),
        }
    }
}

/// Of what others can choose: endpoints that differ in the rest alone are few.
impl Hash for Endpoint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.names.hash(state);
        self.port.hash(state);
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}
