//! Strict and lenient parsing.

/// How strictly an unquoted parameter value is parsed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reading {
    /// The value must be a token. For `Authorization` and `Authentication-Info`.
    Strict,
    /// The value may be empty, and may contain visible bytes that a token must not (see
    /// `chars::UNQUOTED`). For challenges. Valid input gives the same result as with
    /// [`Strict`](Self::Strict), except that `realm=` after Basic or Digest is a parameter instead
    /// of a token68.
    Lenient,
}
