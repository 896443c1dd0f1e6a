//! A request whose client knows the secret.

use crate::digest::Ha1;
use crate::server::Server;
use crate::server::claimed::{Claimed, DigestClaim};
use crate::server::grant::Grant;
use crate::server::rejection::Rejection;
use crate::server::ticket::{Claim, Ticket};
use crate::time::Timestamp;

/// A client that knows the secret, or a replay of one that did. It is worth nothing before a
/// [`ReplayTable`](super::ReplayTable) or a ledger of your own has let it in.
#[derive(Clone, Debug)]
#[must_use]
pub struct Proof<'a> {
    pub(super) server: &'a Server,
    pub(super) claimed: Claimed<'a>,
    /// What a Digest response was keyed with: HA1, or the session key. `None` for Basic.
    pub(super) key: Option<Ha1>,
    /// A Digest response covers the nonce count.
    pub(super) counted: bool,
}

impl<'a> Proof<'a> {
    /// What was claimed, if it was by Digest.
    pub(super) const fn digest(&self) -> Option<&DigestClaim<'a>> {
        match &self.claimed {
            Claimed::Basic(_) => None,
            Claimed::Digest(claim) => Some(claim),
        }
    }

    /// Whether the nonce is good for this one request: because all are, or because nothing else
    /// keeps the request from being sent again.
    pub(super) const fn is_single_use(&self) -> bool {
        self.server.one_time_nonces || !self.counted && !self.server.reusable_nonces
    }

    /// What an external ledger must claim, once, for all nodes that share the nonce key.
    ///
    /// `None` where nothing could be claimed: for Basic, which can always be replayed, and for a
    /// form without a count whose nonces
    /// [may be used again](super::Server::with_reusable_nonces).
    pub fn ticket(&self) -> Option<Ticket> {
        let claim = self.digest()?;
        let count = match claim.credentials.protection() {
            _ if self.is_single_use() => None,
            Some(protection) if self.counted => Some(protection.nc()),
            _ => return None,
        };
        Some(Ticket {
            nonce: claim.nonce,
            count,
            latest: claim.latest,
            good_until: self.server.expires(claim.nonce),
        })
    }

    /// Takes the ledger's word. Without a [`ticket`](Self::ticket) there was nothing to claim: say
    /// [`Claim::First`].
    ///
    /// `now` is the time after the claim, which the look-up and the ledger may have taken a while
    /// for: a ledger forgets, so its word counts only while the nonce is good.
    ///
    /// # Errors
    ///
    /// [`Rejection::Replayed`] if the ticket had been claimed before; [`Rejection::Expired`] if the
    /// nonce has grown too old meanwhile.
    pub fn settle(self, claim: Claim, now: Timestamp) -> Result<Grant<'a>, Rejection> {
        match (claim, self.ticket()) {
            (Claim::Repeated, _) => Err(Rejection::Replayed),
            (Claim::First, Some(ticket)) if ticket.good_until < now => Err(Rejection::Expired),
            (Claim::First, _) => Ok(self.into_grant()),
        }
    }

    /// Returns which of `shards` tables this proof belongs to, where one lock is too few: a number
    /// below `shards`, evenly spread, and the same for every use of a nonce with one HA1. 0 for
    /// Basic, and if there are no shards.
    pub fn shard(&self, shards: usize) -> usize {
        self.digest().map_or(0, |claim| {
            let shards = u128::try_from(shards).unwrap_or_default();
            let spread = u128::from(claim.nonce.tag) * shards;
            usize::try_from(spread >> u64::BITS).unwrap_or(0)
        })
    }

    /// Lets replays through, for as long as the nonce lives: whoever captures the header can send
    /// the request again. For a service whose requests change nothing and reveal nothing.
    pub fn dangerous_skip_replay_check(self) -> Grant<'a> {
        self.into_grant()
    }

    #[inline]
    pub(super) const fn into_grant(self) -> Grant<'a> {
        Grant::new(self)
    }
}
