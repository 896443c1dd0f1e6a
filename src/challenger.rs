//! Origin servers and proxies, which use different status codes and field names.

/// Who asks for credentials: the origin server, or a proxy on the way to it.
///
/// Status codes and field names differ (RFC 9110, sections 11.6 and 11.7). Names are in lower case.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Challenger {
    /// An origin server.
    Origin,
    /// A proxy.
    Proxy,
}

impl Challenger {
    /// The status of a response that asks for credentials: 401 or 407.
    pub const fn status(self) -> u16 {
        match self {
            Self::Origin => 401,
            Self::Proxy => 407,
        }
    }

    /// The field of challenges: `www-authenticate` or `proxy-authenticate`.
    pub const fn challenge_field(self) -> &'static str {
        match self {
            Self::Origin => "www-authenticate",
            Self::Proxy => "proxy-authenticate",
        }
    }

    /// The field of credentials: `authorization` or `proxy-authorization`.
    pub const fn credentials_field(self) -> &'static str {
        match self {
            Self::Origin => "authorization",
            Self::Proxy => "proxy-authorization",
        }
    }

    /// The field of the server's proof and the next nonce: `authentication-info` or
    /// `proxy-authentication-info`.
    pub const fn info_field(self) -> &'static str {
        match self {
            Self::Origin => "authentication-info",
            Self::Proxy => "proxy-authentication-info",
        }
    }
}
