//! What identifies a request.

use crate::client::inline_bytes::InlineBytes;
use crate::target::Target;

/// The method and the request-target of a request.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Request {
    method: InlineBytes<8>,
    uri: InlineBytes<128>,
}

impl Request {
    pub(super) fn new(target: &Target<'_>) -> Self {
        Self {
            method: InlineBytes::new(target.method),
            uri: InlineBytes::new(target.uri),
        }
    }

    pub(super) fn uri(&self) -> &[u8] {
        self.uri.as_bytes()
    }
}
