//! What is told to a log.

use countersign::digest::User;
use http::request::Parts;
use http::{StatusCode, Uri};

use crate::server::outcome::Outcome;

/// What became of a request, for logs, metrics and rate limiters: see
/// [`AuthLayer::on_event`](super::AuthLayer::on_event).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The head of the request. Credentials in it are marked as sensitive, so `Debug` does not show
    /// them.
    pub head: &'a Parts,
    /// The URI as the client sent it, against which Digest is checked. Below `Router::nest` the one
    /// in the head has lost its prefix. A log should show it by `{:?}` of its text: `Display`
    /// leaves characters as they are that control a terminal or reverse the text after them.
    pub uri: &'a Uri,
    /// The name of the realm.
    pub realm: &'a str,
    /// The user that the client claims to be, if it can be read. `Display` escapes it, and does not
    /// shorten it: it can be several times as long as a header.
    pub user: Option<User<'a>>,
    /// Whether it was let through, and why not.
    pub outcome: Outcome<'a>,
    /// The status of the response; `None` if the wrapped service decides.
    pub status: Option<StatusCode>,
}
