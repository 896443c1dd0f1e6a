//! Settings of a realm that have more than two values.

/// On which channels Basic is offered and accepted: see
/// [`Realm::with_basic`](super::Realm::with_basic).
///
/// ```
/// use countersign::server::{BasicOffer, Realm};
///
/// let realm = Realm::new("files")?.with_basic(BasicOffer::Encrypted);
/// # let _ = realm;
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum BasicOffer {
    /// On no channel.
    #[default]
    Never,
    /// Only on an [encrypted](crate::Channel::Encrypted) channel.
    Encrypted,
    /// Also on a cleartext channel, where others can read the password.
    Anywhere,
}

/// When the response to an admitted request carries the next nonce, as `nextnonce` in
/// `Authentication-Info` (RFC 7616, section 3.5): see
/// [`Realm::with_next_nonce`](super::Realm::with_next_nonce).
///
/// ```
/// use countersign::server::{NextNonce, Realm};
///
/// let realm = Realm::new("files")?.with_next_nonce(NextNonce::Never);
/// # let _ = realm;
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum NextNonce {
    /// Never. The client learns from a refused request that its nonce has expired or is used up.
    Never,
    /// When one is due: half of the nonce's lifetime has passed, or the nonce is used up.
    #[default]
    WhenDue,
    /// In the response to every admitted Digest request. A client that uses each one must wait for
    /// each response before it sends the next request.
    Always,
}
