//! A user store's verdict on a password.

/// A [user store](super::Users)'s verdict on the password of a Basic request.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict<A> {
    /// The store has no password hash for this: compare the password with the HA1 that
    /// [`find`](super::Users::find) returns.
    CompareHa1,
    /// The password is that of this account.
    Right(A),
    /// There is no such user, or the password is wrong.
    Wrong,
}
