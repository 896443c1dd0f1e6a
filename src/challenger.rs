//! The two who may ask for credentials, and the field names that tell them apart.

/// Who asks for credentials: the origin server, or a proxy on the way to it.
///
/// The two differ in nothing but the names below (RFC 9110, sections 11.6 and 11.7).
///
/// ```
/// use countersign::Challenger;
///
/// assert_eq!(Challenger::Proxy.status(), 407);
/// assert_eq!(Challenger::Proxy.credentials_field(), "proxy-authorization");
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Challenger {
    /// An origin server.
    Origin,
    /// A proxy.
    Proxy,
}

impl Challenger {
    /// The status of a response that asks for credentials: `401` or `407`.
    pub const fn status(self) -> u16 {
        match self {
            Self::Origin => 401,
            Self::Proxy => 407,
        }
    }

    /// The field of the challenges: `www-authenticate` or `proxy-authenticate`.
    pub const fn challenge_field(self) -> &'static str {
        match self {
            Self::Origin => "www-authenticate",
            Self::Proxy => "proxy-authenticate",
        }
    }

    /// The field of the credentials: `authorization` or `proxy-authorization`.
    pub const fn credentials_field(self) -> &'static str {
        match self {
            Self::Origin => "authorization",
            Self::Proxy => "proxy-authorization",
        }
    }

    /// The field of the server's own proof: `authentication-info` or `proxy-authentication-info`.
    pub const fn info_field(self) -> &'static str {
        match self {
            Self::Origin => "authentication-info",
            Self::Proxy => "proxy-authentication-info",
        }
    }
}
