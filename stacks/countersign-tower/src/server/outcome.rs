//! What became of a request.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use countersign::server::Reason;

use crate::server::users::StoreError;

/// What became of a request: see [`Event`](super::Event).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// It was let through.
    Granted,
    /// It has no credentials, and was let through because the login is
    /// [optional](super::AuthLayer::with_optional_login).
    Anonymous,
    /// Its credentials were refused.
    Refused(Reason),
    /// The [limiter](super::AuthLayerBuilder::with_limiter) refused it for this long.
    Limited(Duration),
    /// Its body was above the [limit](super::AuthLayerBuilder::with_body_buffer).
    BodyTooLarge,
    /// Its body had to [give way](super::AuthLayerBuilder::with_body_buffer) to others.
    TooManyBodies,
    /// Its body could not be read.
    BodyFailed(&'a (dyn Error + Send + Sync)),
    /// There is no [`ClientAddress`](super::ClientAddress) for the limiter. If axum serves the layer,
    /// the feature `axum` or `into_make_service_with_connect_info::<SocketAddr>()` is missing.
    NoAddress,
    /// The user store, or the [shared store](super::AuthLayer::builder_for_shared_store) of counts,
    /// failed.
    StoreFailed(&'a StoreError),
}

impl Outcome<'_> {
    /// A name for logs and metrics, which is stable: that of the
    /// [reason](Reason::name), or that of the variant in kebab case.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Anonymous => "anonymous",
            Self::Refused(why) => why.name(),
            Self::Limited(_) => "limited",
            Self::BodyTooLarge => "body-too-large",
            Self::TooManyBodies => "too-many-bodies",
            Self::BodyFailed(_) => "body-failed",
            Self::NoAddress => "no-address",
            Self::StoreFailed(_) => "store-failed",
        }
    }

    /// Returns whether this may be an attempt to guess a password, which a rate limiter counts: see
    /// [`Reason::is_guess`].
    pub const fn is_guess(&self) -> bool {
        matches!(self, Self::Refused(why) if why.is_guess())
    }

    /// Returns whether the server's program, store or configuration is at fault, so that it belongs
    /// in the log as an error.
    pub const fn is_server_fault(&self) -> bool {
        match self {
            Self::Refused(Reason::NothingOffered) => true,
            Self::Refused(why) => why.is_server_fault(),
            Self::NoAddress | Self::StoreFailed(_) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Granted => f.write_str("granted"),
            Self::Anonymous => f.write_str("without credentials"),
            Self::Refused(why) => why.fmt(f),
            Self::Limited(wait) => write!(f, "over the limit for {} s", wait.as_secs()),
            Self::BodyTooLarge => f.write_str("body above the limit"),
            Self::TooManyBodies => f.write_str("too many bodies at once"),
            Self::BodyFailed(error) => write!(f, "cannot read the body: {error}"),
            Self::NoAddress => f.write_str(
                "no address of the client in the extensions of the request, for the limiter",
            ),
            Self::StoreFailed(error) => write!(f, "store: {error}"),
        }
    }
}
