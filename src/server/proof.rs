//! A request whose client knows the secret.

use alloc::format;
use alloc::string::String;

use crate::basic;
use crate::digest::{self, Ha1};
use crate::server::Server;
use crate::server::grant::Grant;
use crate::server::nonce::NonceId;
use crate::server::rejection::Rejection;
use crate::server::uri::UriCheck;
use crate::time::Timestamp;

/// A client that knows the secret, or a replay of one that did. It is worth nothing before a
/// [`ReplayTable`](super::ReplayTable) or a ledger of your own has let it in.
#[derive(Clone, Debug)]
#[must_use]
pub struct Proof<'a> {
    server: &'a Server,
    verified: Verified<'a>,
}

#[derive(Clone, Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a box would be an allocation a request"
)]
pub(super) enum Verified<'a> {
    Basic(basic::Credentials),
    Digest(DigestProof<'a>),
}

/// A response that was right.
#[derive(Clone, Debug)]
pub(super) struct DigestProof<'a> {
    pub(super) credentials: digest::Credentials<'a>,
    /// HA1, or the session key.
    pub(super) key: Ha1,
    pub(super) nonce: NonceId,
    /// No nonce of ours that was not used yet carries a later time.
    pub(super) latest: Timestamp,
    pub(super) uri_match: UriCheck,
    /// The response covers the nonce count.
    pub(super) counted: bool,
}

impl DigestProof<'_> {
    /// Whether the nonce is good for this one request: because all are, or because nothing else
    /// keeps the request from being sent again.
    pub(super) fn is_single_use(&self, server: &Server) -> bool {
        server.one_time_nonces || !self.counted && !server.reusable_nonces
    }
}

impl<'a> Proof<'a> {
    pub(super) const fn basic(server: &'a Server, pair: basic::Credentials) -> Self {
        let verified = Verified::Basic(pair);
        Self { server, verified }
    }

    pub(super) const fn digest(server: &'a Server, proof: DigestProof<'a>) -> Self {
        let verified = Verified::Digest(proof);
        Self { server, verified }
    }

    /// What an external ledger must claim, once, for all nodes that share the nonce key.
    ///
    /// `None` where nothing could be claimed: for Basic, which can always be replayed, and for a
    /// form without a count whose nonces
    /// [may be used again](super::Server::with_reusable_nonces).
    pub fn ticket(&self) -> Option<Ticket> {
        let Verified::Digest(proof) = &self.verified else {
            return None;
        };
        let count = match proof.credentials.protection() {
            _ if proof.is_single_use(self.server) => None,
            Some(protection) if proof.counted => Some(protection.nc()),
            _ => return None,
        };
        Some(Ticket {
            nonce: proof.nonce,
            count,
            latest: proof.latest,
            good_until: self.server.expires(proof.nonce),
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

    /// Which of `shards` tables this proof belongs to, for those who spread the lock: a number
    /// below `shards`, the same for every use of a nonce, evenly spread. 0 for Basic, and if
    /// there are no shards.
    pub fn shard(&self, shards: usize) -> usize {
        match &self.verified {
            Verified::Basic(_) => 0,
            Verified::Digest(proof) => {
                let shards = u128::try_from(shards).unwrap_or_default();
                let spread = u128::from(proof.nonce.tag) * shards;
                usize::try_from(spread >> u64::BITS).unwrap_or(0)
            }
        }
    }

    /// Lets replays through, for as long as the nonce lives: whoever captures the header can send
    /// the request again. For a service whose requests change nothing and reveal nothing.
    pub fn dangerous_skip_replay_check(self) -> Grant<'a> {
        self.into_grant()
    }

    pub(super) fn into_grant(self) -> Grant<'a> {
        Grant::new(self.server, self.verified)
    }
}

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
    good_until: Timestamp,
}

impl Ticket {
    /// How much longer a ledger keeps a ticket than its nonce is good for, in seconds: so far may
    /// its clock, and those of the machines, be apart.
    pub const LEDGER_MARGIN_SECS: u64 = 60;

    /// A key for the ledger, of the nonce, the user and the count: at most 37 ASCII characters.
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
