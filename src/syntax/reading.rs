//! Strict and lenient parsing.

/// How strictly an unquoted parameter value is parsed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Reading {
    /// The value must be a token. For `Authorization` and `Authentication-Info`.
    Strict,
    /// The value may be empty, and may contain visible bytes that a token must not (see
    /// `chars::UNQUOTED`). So `realm=` after Basic or Digest is a parameter, and with
    /// [`Strict`](Self::Strict) a token68. For challenges.
    Lenient,
}
