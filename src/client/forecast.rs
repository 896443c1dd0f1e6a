//! What the next request will be like.

use crate::digest::Hash;

/// What the next request will be like.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Forecast {
    /// It carries no credentials, so a challenge may come.
    Challenge,
    /// It carries an answer, which the server may still refuse.
    Answer,
    /// It carries an answer that covers the body, if that is known before, or hashed with this.
    /// Otherwise it carries an answer that does not, where the server offers that, too, or none.
    AnswerOverBody(Hash),
}
