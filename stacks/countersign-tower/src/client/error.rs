//! The errors of a client.

use std::error::Error;
use std::fmt;

use countersign::client;

/// The reason why [`AuthClient`](super::AuthClient) has no response. `E` is the error of the
/// wrapped service.
#[derive(Debug)]
#[non_exhaustive]
pub enum AuthClientError<E> {
    /// The wrapped service failed.
    Service(E),
    /// The URI has no host, or no port is known for its scheme. See
    /// [`AuthClientLayer::with_origin`](super::AuthClientLayer::with_origin) for a service that
    /// wants URIs without a host.
    UnknownOrigin,
    /// No answer can be made for this request.
    Authorize(client::Error),
    /// The server did not prove that it knows the secret, which the policy requires, or its proof
    /// was wrong. The response is not to be trusted.
    ServerProof(client::Error),
}

impl<E: fmt::Display> fmt::Display for AuthClientError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Service(error) => error.fmt(f),
            Self::UnknownOrigin => f.write_str("the URI names no origin"),
            Self::Authorize(error) => error.fmt(f),
            Self::ServerProof(error) => error.fmt(f),
        }
    }
}

/// Transparent, like its `Display`.
impl<E: Error> Error for AuthClientError<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Service(error) => error.source(),
            Self::UnknownOrigin => None,
            Self::Authorize(error) => error.source(),
            Self::ServerProof(error) => error.source(),
        }
    }
}
