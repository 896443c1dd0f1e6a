//! An account that was found.

use std::fmt;

use countersign::digest::Ha1;

/// An account that a [user store](super::Users) found, with the secret to check a response against.
///
/// The secret is dropped after the check. Only the account becomes part of the
/// [`Identity`](super::Identity).
///
/// ```
/// use countersign::digest::{Ha1, HashFunction};
/// use countersign_tower::server::Found;
///
/// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
/// let found = Found { account: "Mufasa".to_owned(), ha1 };
/// # let _ = found;
/// ```
#[derive(Clone)]
pub struct Found<A> {
    /// What the service is told about the user.
    pub account: A,
    /// The HA1, made with the hash function that the store was asked for.
    pub ha1: Ha1,
}

impl<A> fmt::Debug for Found<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found").finish_non_exhaustive()
    }
}
