//! What a replay is recognised by.

use crate::server::nonce::NonceId;
use crate::time::Timestamp;

/// One use of one nonce by the holder of one HA1: unique among all uses that may be granted.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct ReplayKey {
    /// The nonce as [this HA1 uses it](super::claimed::used_by).
    pub(super) nonce: NonceId,
    /// `None` for a nonce that is good for one use.
    pub(super) count: Option<u32>,
    /// No nonce that was issued before this request carries a later time.
    pub(super) latest: Timestamp,
    pub(super) good_until: Timestamp,
}
