//! Who asks for credentials.

use alloc::string::String;
use core::error::Error;
use core::fmt;

use crate::challenger::Challenger;
use crate::channel::Channel;
use crate::client::short::Short;

/// Who asks for credentials, an origin server or a proxy: what a [`Client`](super::Client) is for,
/// and the key that an [`AuthCache`](super::AuthCache) keeps clients under. A redirect to another
/// origin finds nothing under it.
///
/// It owns its texts, so it lives across an await. Scheme and host are kept in lower case.
///
/// | scheme | port | channel |
/// |---|---|---|
/// | `http`, `ws` | 80 | cleartext |
/// | `https`, `wss` | 443 | encrypted |
/// | `rtsp` | 554 | cleartext |
/// | `rtsps` | 322 | encrypted |
/// | `sip` | 5060 | cleartext |
/// | `sips` | 5061 | encrypted |
/// | any other | to be given | cleartext, unless [`with_channel`](Self::with_channel) says otherwise |
///
/// ```
/// use countersign::Channel;
/// use countersign::client::Endpoint;
///
/// let origin = Endpoint::origin("https", "example.com", None)?;
/// assert_eq!((origin.port(), origin.channel()), (443, Channel::Encrypted));
/// assert_eq!(Endpoint::origin("HTTPS", "Example.COM", Some(443))?, origin);
/// assert_ne!(Endpoint::proxy("https", "example.com", 443), origin);
/// # Ok::<(), countersign::client::UnknownPort>(())
/// ```
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Endpoint {
    /// The host and then the scheme, in one piece: hosts differ more often.
    names: Short<48>,
    scheme_at: usize,
    port: u16,
    is_proxy: bool,
    is_encrypted: bool,
}

/// A scheme whose port and channel are known.
struct KnownScheme {
    scheme: &'static str,
    port: u16,
    channel: Channel,
}

const KNOWN: [KnownScheme; 8] = {
    const fn known(scheme: &'static str, port: u16, channel: Channel) -> KnownScheme {
        KnownScheme {
            scheme,
            port,
            channel,
        }
    }
    [
        known("http", 80, Channel::Cleartext),
        known("https", 443, Channel::Encrypted),
        known("ws", 80, Channel::Cleartext),
        known("wss", 443, Channel::Encrypted),
        known("rtsp", 554, Channel::Cleartext),
        known("rtsps", 322, Channel::Encrypted),
        known("sip", 5060, Channel::Cleartext),
        known("sips", 5061, Channel::Encrypted),
    ]
};

fn known(scheme: &str) -> Option<&'static KnownScheme> {
    KNOWN
        .iter()
        .find(|known| known.scheme.eq_ignore_ascii_case(scheme))
}

/// The channel that goes with a scheme: cleartext if nothing is known of it.
fn channel_of(scheme: &str) -> Channel {
    known(scheme).map_or(Channel::Cleartext, |known| known.channel)
}

impl Endpoint {
    /// The server that a URI names, by its scheme, host and port. An IPv6 address stands in
    /// brackets, as in the URI. Without a port, the default port of the scheme is taken.
    ///
    /// # Errors
    ///
    /// [`UnknownPort`] if there is no port and the scheme is none of the table above.
    pub fn origin(scheme: &str, host: &str, port: Option<u16>) -> Result<Self, UnknownPort> {
        let port = port.or_else(|| Some(known(scheme)?.port));
        Ok(Self::of(scheme, host, port.ok_or(UnknownPort)?, false))
    }

    /// A proxy, and the scheme of the connection to it. Its port must be given: programs do not
    /// agree on one that goes without saying.
    ///
    /// The protection space of a proxy is all requests that are sent through it (RFC 7616, section
    /// 3.3).
    pub fn proxy(scheme: &str, host: &str, port: u16) -> Self {
        Self::of(scheme, host, port, true)
    }

    fn of(scheme: &str, host: &str, port: u16, is_proxy: bool) -> Self {
        let mut names = String::with_capacity(host.len() + scheme.len());
        names.push_str(host);
        names.push_str(scheme);
        names.make_ascii_lowercase();
        Self {
            names: Short::new(names.as_bytes()),
            scheme_at: host.len(),
            port,
            is_proxy,
            is_encrypted: channel_of(scheme) == Channel::Encrypted,
        }
    }

    /// Says whether others can read the connection, in place of what the scheme says. An endpoint
    /// over another channel is another endpoint.
    #[must_use]
    pub fn with_channel(self, channel: Channel) -> Self {
        Self {
            is_encrypted: channel == Channel::Encrypted,
            ..self
        }
    }

    fn names(&self) -> &str {
        // They were made of text.
        core::str::from_utf8(self.names.as_bytes()).unwrap_or_default()
    }

    /// The scheme, in lower case.
    pub fn scheme(&self) -> &str {
        self.names().get(self.scheme_at..).unwrap_or_default()
    }

    /// The host, in lower case.
    pub fn host(&self) -> &str {
        self.names().get(..self.scheme_at).unwrap_or_default()
    }

    /// The port.
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The server itself or a proxy, and so the names of the fields.
    pub const fn challenger(&self) -> Challenger {
        match self.is_proxy {
            true => Challenger::Proxy,
            false => Challenger::Origin,
        }
    }

    /// Whether others can read the connection.
    pub const fn channel(&self) -> Channel {
        match self.is_encrypted {
            true => Channel::Encrypted,
            false => Channel::Cleartext,
        }
    }

    pub(super) const fn is_proxy(&self) -> bool {
        self.is_proxy
    }

    /// Whether request-targets say whose they are: those sent to a proxy are anyone's, and a SIP
    /// URI names a user and a domain, not an origin.
    pub(super) fn names_targets(&self) -> bool {
        !self.is_proxy && !matches!(self.scheme(), "sip" | "sips")
    }

    /// Whether a URI with this scheme and authority is of this origin.
    pub(super) fn is(&self, scheme: &[u8], authority: &[u8]) -> bool {
        scheme.eq_ignore_ascii_case(self.scheme().as_bytes()) && self.has_authority(authority)
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
            [] => known(self.scheme()).map(|known| known.port),
            _ if !port.iter().all(u8::is_ascii_digit) => None,
            _ => core::str::from_utf8(port).ok().and_then(|p| p.parse().ok()),
        };
        host.eq_ignore_ascii_case(self.host().as_bytes()) && port == Some(self.port)
    }
}

/// Writes `https://example.com:443`, followed by ` proxy` for a proxy, and by ` encrypted` or
/// ` cleartext` if the [channel](Self::with_channel) is not that of the scheme. Endpoints that differ
/// have different texts, so the text can be the key of a store.
impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme(), self.host(), self.port)?;
        if self.is_proxy {
            f.write_str(" proxy")?;
        }
        match self.channel() {
            channel if channel == channel_of(self.scheme()) => Ok(()),
            Channel::Encrypted => f.write_str(" encrypted"),
            Channel::Cleartext => f.write_str(" cleartext"),
        }
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Endpoint({self})")
    }
}

/// A scheme whose port is not known, and so must be given.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub struct UnknownPort;

impl fmt::Display for UnknownPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no port given, and the scheme has no default port that is known here")
    }
}

impl Error for UnknownPort {}
