//! Whether a connection is encrypted.

/// Whether the connection to the peer is encrypted.
///
/// Basic sends the password itself, so client and server refuse Basic over
/// [`Cleartext`](Self::Cleartext) unless it is explicitly allowed (RFC 7617, section 4). A server
/// learns the channel from its caller: behind a proxy that terminates TLS, pass `Encrypted` if
/// clients reach that proxy over TLS.
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
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Channel {
    /// TLS or equivalent.
    Encrypted,
    /// Not encrypted: anyone on the network path can read it.
    Cleartext,
}
