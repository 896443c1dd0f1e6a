//! The contents of an answer, kept to check the response to it.

use core::fmt;

use crate::client::counts::Counts;
use crate::client::evidence::Moment;
use crate::client::inline_bytes::InlineBytes;
use crate::digest::{Algorithm, Cnonce, DigestChallenge, Ha1, Qop};

/// What a Digest answer was made from.
#[derive(Clone)]
pub(super) struct Sent {
    pub(super) ha1: Ha1,
    pub(super) realm: InlineBytes<64>,
    pub(super) nonce: InlineBytes<64>,
    pub(super) algorithm: Algorithm,
    /// `None` for RFC 2069.
    pub(super) qop: Option<SentQop>,
    pub(super) is_hashed_name: bool,
    /// The number of this use of the nonce. Without a qop, it is not sent.
    pub(super) nc: u32,
    /// No answer had used the nonce since a challenge or `nextnonce` brought it.
    pub(super) is_first_use: bool,
    /// When the answer was made.
    pub(super) made: Moment,
}

/// The qop and the values that are sent with it.
#[derive(Clone, Copy)]
pub(super) struct SentQop {
    pub(super) qop: Qop,
    pub(super) cnonce: Cnonce,
    /// The response parameter covers `nc` and `cnonce`. False in the uncounted form.
    pub(super) is_covered: bool,
}

impl Sent {
    /// Returns whether a challenge offers the algorithm, the qop and the form of user name that
    /// were sent.
    pub(super) fn is_offered_by(&self, challenge: &DigestChallenge<'_>) -> bool {
        let offers_qop = match &self.qop {
            Some(sent) => challenge.qop.contains(sent.qop),
            None => challenge.qop.is_empty(),
        };
        offers_qop
            && self.algorithm == challenge.algorithm()
            && (challenge.userhash == Some(true) || !self.is_hashed_name)
    }

    /// Returns whether another answer has used the nonce since a challenge or `nextnonce` brought
    /// it.
    pub(super) fn is_shared(&self, counts: &Counts) -> bool {
        let uses = counts.get(self.nonce.as_bytes());
        !self.is_first_use || uses.is_some_and(|uses| uses.count > self.nc)
    }
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sent(..)")
    }
}
