//! One request of the user and the answers it takes.

use alloc::boxed::Box;
use core::fmt;

use crate::client::answer::Answer;

/// One request of the user: what was sent for it so far.
///
/// Make one for each request and carry it through until the response is one to hand on; a
/// redirect is another request. It is what bounds the number of answers, and what tells a late
/// refusal of an old nonce from a wrong password when several requests are under way. Where a
/// proxy wants credentials, too, its client has an exchange of its own.
///
/// After [`Next::Refused`](super::Next::Refused) it is closed: no more answers are given for it.
/// Only [`Refusal::NoUsableChallenge`](super::Refusal::NoUsableChallenge) leaves it open, for a
/// caller who knows of challenges elsewhere than in the usual field.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    pub(super) answer: Option<Answer>,
    /// How many answers were refused.
    pub(super) refused: u8,
    /// How many challenges came: one more than any policy allows must have room.
    pub(super) challenges: u16,
    /// Who asked for credentials last: to them they are sent wherever that was.
    pub(super) asked: Option<Asked>,
    /// A nonce of this exchange was stale, and replaced.
    pub(super) replaced: bool,
    /// The client gave up.
    pub(super) closed: bool,
}

/// Who asked for credentials.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) realm: Box<[u8]>,
    pub(super) is_proxy: bool,
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asked(..)")
    }
}

impl Exchange {
    /// Before the first request.
    pub const fn new() -> Self {
        Self {
            answer: None,
            refused: 0,
            challenges: 0,
            asked: None,
            replaced: false,
            closed: false,
        }
    }

    /// The answer that the last request carried, if it did.
    pub const fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }
}
