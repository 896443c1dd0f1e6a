//! What an external ledger claims.

use alloc::format;
use alloc::string::String;

use crate::server::nonce::NonceId;
use crate::time::Timestamp;

/// One use of one nonce by one user: unique, until it expires, among all uses that may be granted.
/// All machines that share a ledger must be configured alike.
///
/// ```
/// # use countersign::server::{Claim, Ticket};
/// # struct Store;
/// # impl Store {
/// #     fn set_if_absent(&self, _: &str, _: u64) -> bool { true }
/// # }
/// fn claim(store: &Store, ticket: &Ticket) -> Claim {
///     // In Redis or Valkey: SET key "" NX PXAT millis
///     let first = store.set_if_absent(&ticket.key(), ticket.expires().as_unix_millis());
///     if first { Claim::First } else { Claim::Repeated }
/// }
/// # let _ = claim;
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Ticket {
    pub(super) nonce: NonceId,
    /// `None` for a nonce that is good for one use.
    pub(super) count: Option<u32>,
    pub(super) latest: Timestamp,
    pub(super) good_until: Timestamp,
}

impl Ticket {
    /// How much longer a ledger keeps a ticket than its nonce is good for, in seconds: so far may
    /// its clock, and those of the machines, be apart.
    pub const LEDGER_MARGIN_SECS: u64 = 60;

    /// A key for the ledger, of the nonce, the user and the count: at most 38 ASCII characters.
    pub fn key(&self) -> String {
        let NonceId { issued, tag } = self.nonce;
        let issued = issued.as_unix_millis();
        match self.count {
            Some(nc) => format!("{issued:x}-{tag:016x}-{nc:08x}"),
            None => format!("{issued:x}-{tag:016x}"),
        }
    }

    /// When the ledger may forget it: [`LEDGER_MARGIN_SECS`](Self::LEDGER_MARGIN_SECS) after its
    /// nonce has grown too old.
    pub fn expires(&self) -> Timestamp {
        self.good_until.plus_secs(Self::LEDGER_MARGIN_SECS)
    }
}

/// What the ledger said of a [`Ticket`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Claim {
    /// Nobody had claimed it.
    First,
    /// Somebody had.
    Repeated,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_key_is_as_long_as_it_says() {
        // A nonce has 48 bits for its time.
        let issued = Timestamp::from_unix_millis((1 << 48) - 1);
        let ticket = Ticket {
            nonce: NonceId { issued, tag: 0 },
            count: Some(1),
            latest: issued,
            good_until: issued,
        };
        assert_eq!(ticket.key(), "ffffffffffff-0000000000000000-00000001");
        assert_eq!(ticket.key().len(), 38);
    }
}
