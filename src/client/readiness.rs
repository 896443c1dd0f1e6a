//! A forecast of the next request.

use crate::digest::HashFunction;

/// Whether the first request of an exchange will carry an answer, and if not, why. See
/// [`Client::readiness`](super::Client::readiness).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Readiness {
    /// No answer, because nobody is logged in to its protection space.
    NotLoggedIn,
    /// No answer, because it is outside every known protection space. There is a login for another
    /// part of the endpoint.
    OutsideSpace,
    /// No answer, because there is no usable nonce. The challenge that comes back will be answered
    /// without a prompt.
    NoNonce,
    /// No answer, because the credentials are weaker than the required
    /// [`Strength`](super::Strength).
    BelowStrength,
    /// An answer, which the server may still refuse.
    Answer,
    /// An answer that covers the body, if the [`Target`](crate::Target) has the body or its hash by
    /// this function. Otherwise an answer that does not cover it, if the server allows that, or
    /// none.
    AnswerOverBody(HashFunction),
}
