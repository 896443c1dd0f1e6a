//! The URI of a request before it was changed.

use http::Uri;
use http::request::Parts;

/// The URI as the client sent it, against which Digest is checked. Put it into the extensions of a
/// request before another layer changes its URI, as one that strips a prefix or a slash does. With
/// a wrong one Digest is answered with status 400, while Basic works.
///
/// With the feature `axum` this is not needed below `Router::nest`: axum 0.8 keeps the URI in its
/// `OriginalUri`.
///
/// ```
/// use countersign_tower::server::ClientUri;
///
/// /// For `MapRequestLayer` of tower, around the layer that changes the URI.
/// fn keep_uri<B>(mut request: http::Request<B>) -> http::Request<B> {
///     let uri = request.uri().clone();
///     request.extensions_mut().insert(ClientUri(uri));
///     request
/// }
/// # assert!(keep_uri(http::Request::new(())).extensions().get::<ClientUri>().is_some());
/// ```
#[derive(Clone, Debug)]
pub struct ClientUri(pub Uri);

impl ClientUri {
    /// That of a request.
    pub(super) fn of(head: &Parts) -> &Uri {
        if let Some(Self(uri)) = head.extensions.get() {
            return uri;
        }
        #[cfg(feature = "axum")]
        if let Some(axum::extract::OriginalUri(uri)) = head.extensions.get() {
            return uri;
        }
        &head.uri
    }
}
