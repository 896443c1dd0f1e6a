//! Whether the channel is encrypted.

/// Whether the channel between client and server is encrypted.
///
/// Basic sends the password itself (RFC 7617, section 4), so [`client`](crate::client) and
/// [`server`](crate::server) refuse it over [`Cleartext`](Self::Cleartext) unless it is explicitly
/// allowed.
///
/// In a server, take it from the connection and never from the request: the sender can write any
/// scheme into an absolute request-target, or into `:scheme` of HTTP/2. Behind a proxy that
/// terminates TLS, pass `Encrypted` if the client reached that proxy over TLS and each further hop
/// is TLS, too, or inside your own machine or network. The proxy has to say how the client reached
/// it, in a field that it sets itself, in place of what the client sent.
///
/// In a client, take it from the URL of the request, and only if the server's certificate is
/// [verified](crate::manual::security#as-a-client):
///
/// ```
/// use countersign::Channel;
///
/// fn channel(uri: &http::Uri) -> Channel {
///     match uri.scheme_str() {
///         Some("https") => Channel::Encrypted,
///         _ => Channel::Cleartext,
///     }
/// }
/// assert_eq!(channel(&"https://example.com/".parse()?), Channel::Encrypted);
/// # Ok::<(), http::uri::InvalidUri>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum Channel {
    /// TLS or equivalent.
    Encrypted,
    /// Not encrypted: anyone on the network path can read it.
    Cleartext,
}
