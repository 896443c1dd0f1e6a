//! The request-target before it was changed.

use std::borrow::Cow;

use countersign::Challenger;
use http::Uri;
use http::request::Parts;

use crate::target::request_target;

/// The request-target as the client sent it, against which Digest is checked. Put it into the
/// extensions of a request before another layer changes its URI, as a layer does that strips a prefix
/// or a slash. With a wrong one Digest is answered with status 400, while Basic works.
///
/// No client may choose it, as by a field of its request: otherwise a captured header for one
/// request-target serves for all others.
///
/// With the feature `axum` this is not needed below `Router::nest`: axum 0.8 keeps the URI in its
/// `OriginalUri`.
///
/// ```
/// use countersign_tower::server::ClientUri;
///
/// /// For `MapRequestLayer` of tower, around the layer that changes the URI.
/// fn keep_uri<B>(mut request: http::Request<B>) -> http::Request<B> {
///     let uri = ClientUri::from(request.uri().clone());
///     request.extensions_mut().insert(uri);
///     request
/// }
/// # assert!(keep_uri(http::Request::new(())).extensions().get::<ClientUri>().is_some());
/// ```
#[derive(Clone, Debug)]
pub struct ClientUri(Form);

#[derive(Clone, Debug)]
enum Form {
    Uri(Uri),
    Target(Box<str>),
}

impl ClientUri {
    /// A request-target byte for byte, also one that [`Uri`] refuses, such as `/{id}` or `/a|b`. A web
    /// server in front passes it on in a field or variable of its own.
    ///
    /// ```
    /// use countersign_tower::server::ClientUri;
    ///
    /// let uri = ClientUri::from_target("/search?q={\"a\":1}");
    /// # let _ = uri;
    /// ```
    pub fn from_target(target: impl Into<Box<str>>) -> Self {
        Self(Form::Target(target.into()))
    }

    /// The request-target of a request.
    pub(super) fn of(head: &Parts, challenger: Challenger) -> Cow<'_, str> {
        match head.extensions.get() {
            Some(Self(Form::Target(target))) => return Cow::Borrowed(target),
            Some(Self(Form::Uri(uri))) => return request_target(uri, challenger),
            None => {}
        }
        #[cfg(feature = "axum")]
        if let Some(axum::extract::OriginalUri(uri)) = head.extensions.get() {
            return request_target(uri, challenger);
        }
        request_target(&head.uri, challenger)
    }
}

/// For a URI as the HTTP library has parsed it. Its host counts for a proxy only.
impl From<Uri> for ClientUri {
    fn from(uri: Uri) -> Self {
        Self(Form::Uri(uri))
    }
}
