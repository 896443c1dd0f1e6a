//! Responses, for the loop of countersign-tower.

use countersign_tower::client::transport::Incoming;
use http::header::CONTENT_LENGTH;
use http::{Extensions, HeaderMap, StatusCode, Version};

/// What is known of the library whose responses are `R` and whose errors are `E`.
pub(crate) struct Library<R, E> {
    /// Reads the body of a response that is not used.
    pub(crate) drain: fn(R),
    /// Adds what the login tells of a response.
    pub(crate) extend: fn(R, Extensions) -> R,
    /// Returns whether an error is that of a connection that was lost.
    pub(crate) is_lost: fn(&E) -> bool,
}

impl<R, E> Library<R, E> {
    /// Any library.
    pub(crate) const ANY: Self = Self {
        drain: drop,
        extend: |response, _| response,
        is_lost: |_| false,
    };
}

/// A response.
pub(crate) struct Received<R: 'static, E: 'static> {
    response: R,
    status: StatusCode,
    headers: HeaderMap,
    extensions: Extensions,
    library: &'static Library<R, E>,
}

impl<R, E> Received<R, E> {
    pub(crate) fn new(
        response: R,
        (status, headers): (StatusCode, HeaderMap),
        library: &'static Library<R, E>,
    ) -> Self {
        Self {
            response,
            status,
            headers,
            extensions: Extensions::new(),
            library,
        }
    }
}

impl<R: Send, E> Incoming for Received<R, E> {
    type Inner = R;

    fn into_inner(self) -> R {
        (self.library.extend)(self.response, self.extensions)
    }

    fn status(&self) -> StatusCode {
        self.status
    }

    /// That in which a body has to be read.
    fn version(&self) -> Version {
        Version::HTTP_11
    }

    fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    fn extensions_mut(&mut self) -> &mut Extensions {
        &mut self.extensions
    }

    fn is_empty(&self) -> bool {
        let length = self.headers.get(CONTENT_LENGTH);
        length.is_some_and(|length| length == "0")
    }

    async fn drain(self) {
        (self.library.drain)(self.response);
    }
}
