//! How closely the grammar is followed.

/// How closely a value without quotes has to follow the grammar.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reading {
    /// It is a token: `Authorization` and `Authentication-Info`.
    Strict,
    /// It is whatever is visible up to the next comma or whitespace, or empty: challenges. What follows
    /// the grammar reads the same as with [`Strict`](Self::Strict).
    Lenient,
}
