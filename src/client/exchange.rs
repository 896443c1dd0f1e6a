//! One request of the user and the answers it takes.

use crate::client::sent::Sent;
use crate::client::short::Short;
use crate::client::strength::Strength;
use crate::field_value::FieldValue;

/// One request of the user: what was sent for it so far.
///
/// Make one for each request and carry it through until the response is one to hand on; a
/// redirect is another request. It is what bounds the number of answers, and what tells a late
/// refusal of an old nonce from a wrong password when several requests are under way. Where a
/// proxy wants credentials, too, its client has an exchange of its own.
///
/// After [`Next::GiveUp`](super::Next::GiveUp) it is closed: no more answers are given for it.
/// Only [`GiveUp::NoUsableChallenge`](super::GiveUp::NoUsableChallenge) leaves it open, for a
/// caller who knows of challenges elsewhere than in the usual field.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// What the last request carried.
    pub(super) answer: Option<FieldValue>,
    /// What that was made of, unless it is Basic.
    pub(super) sent: Option<Sent>,
    /// The request-target of the last request, if it is one of the endpoint.
    pub(super) target: Option<Short<128>>,
    /// How many answers were refused.
    pub(super) refused: u8,
    /// How many challenges came for a request that carried no answer.
    pub(super) unanswered: u8,
    /// The protection space that asked last: its credentials are sent wherever that was.
    pub(super) asked: Option<u64>,
    /// The protection space of the last answer, if nobody had asked for that.
    pub(super) guessed: Option<u64>,
    /// A nonce of this exchange was stale, and replaced.
    pub(super) replaced: bool,
    /// The client gave up.
    pub(super) closed: bool,
}

impl Exchange {
    /// Before the first request.
    pub const fn new() -> Self {
        Self {
            answer: None,
            sent: None,
            target: None,
            refused: 0,
            unanswered: 0,
            asked: None,
            guessed: None,
            replaced: false,
            closed: false,
        }
    }

    /// How strong the last answer was.
    pub(super) fn strength(&self) -> Strength {
        match &self.sent {
            Some(sent) => Strength::of(sent.algorithm.hash_function(), sent.count.is_some()),
            None if self.answer.is_some() => Strength::Basic,
            None => Strength::Nothing,
        }
    }

    /// The answer that the last request carried, if it did.
    pub const fn answer(&self) -> Option<&FieldValue> {
        self.answer.as_ref()
    }
}
