//! The key that identifies a replay.

use crate::server::nonce::NonceId;
use crate::time::Timestamp;

/// One use of one nonce by the holder of one HA1. No two granted requests have the same.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) struct ReplayKey {
    /// The nonce, [bound to the HA1](super::claimed::bind_to_ha1).
    pub(super) nonce: NonceId,
    /// `None` for a nonce that is valid for one use.
    pub(super) count: Option<u32>,
    /// No nonce issued before this request carries a later time, unless the clock was set back.
    pub(super) latest: Timestamp,
    pub(super) valid_until: Timestamp,
}
