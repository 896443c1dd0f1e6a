//! What can be overheard.

/// Whether others can read the connection.
///
/// Basic sends the password itself, so both roles refuse it over [`Cleartext`](Self::Cleartext)
/// unless told otherwise by name (RFC 7617, section 4). Only the caller knows the answer: behind
/// a proxy that ends TLS, say `Encrypted` if the way to that proxy is.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Channel {
    /// TLS, or as good.
    Encrypted,
    /// Anyone on the way can read it.
    Cleartext,
}
