//! A request whose user is not checked yet.

use countersign::digest::User;
use http::Uri;
use http::request::Parts;

/// A request whose user is claimed, and not checked yet: see
/// [`AuthLayer::with_limiter_by`](super::AuthLayer::with_limiter_by).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Claimed<'a> {
    /// The head of the request, as [the event's](super::Event::head).
    pub head: &'a Parts,
    /// The URI as the client sent it, also below a router that strips a prefix.
    pub uri: &'a Uri,
    /// The name of the realm.
    pub realm: &'a str,
    /// The user that the client claims to be.
    pub user: &'a User<'a>,
}
