//! Strict and lenient parsing.

/// How strictly an unquoted parameter value is parsed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reading {
    /// It must be a token. For `Authorization` and `Authentication-Info`.
    Strict,
    /// It may be empty, and may contain visible bytes that a token may not (`chars::UNQUOTED`). For
    /// challenges. Valid input gives the same result as with [`Strict`](Self::Strict).
    Lenient,
}
