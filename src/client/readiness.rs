//! What the next request will be like.

use crate::digest::HashFunction;

/// What the first request of an exchange will be like, and why it will carry no answer, if so.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Readiness {
    /// It carries no answer, because nobody is logged in to its protection space.
    NotLoggedIn,
    /// It carries no answer, because no protection space that is logged in to covers it.
    OutsideSpace,
    /// It carries no answer, because there is no nonce at hand. The challenge that comes is answered
    /// without asking anyone.
    NoNonce,
    /// It carries no answer, because the credentials are weaker than what the server took before:
    /// see [`Strength`](super::Strength).
    BelowStrength,
    /// It carries an answer, which the server may still refuse.
    Answer,
    /// It carries an answer that covers the body, if that is known before, or hashed with this.
    /// Otherwise it carries an answer that does not, where the server offers that, too, or none.
    AnswerOverBody(HashFunction),
}
