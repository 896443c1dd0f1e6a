//! One request of the user and the answers it takes.

use alloc::boxed::Box;
use core::fmt;
use core::str::Utf8Error;

use crate::digest::Ha1;
use crate::secret::SecretBytes;

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

/// The header value for one request.
///
/// `Debug` hides it, and it is wiped when dropped: for Basic it holds the password. Mark it
/// sensitive if your HTTP library can.
#[derive(Clone)]
pub struct Answer {
    pub(super) value: SecretBytes,
    /// The secret of a Digest answer, to check the server's proof with.
    pub(super) ha1: Option<Ha1>,
    pub(super) overview_form: bool,
}

impl Answer {
    /// The value for `Authorization` or `Proxy-Authorization`. No byte of it is a control byte
    /// but HTAB. Bytes from 0x80 on stand in it only where the challenge had them in what must be
    /// returned unchanged, where the request-target has them, and in a user name by
    /// [`Policy::with_latin1`](super::Policy::with_latin1).
    pub fn as_bytes(&self) -> &[u8] {
        self.value.as_bytes()
    }

    /// The value as text, for protocols whose headers are.
    ///
    /// # Errors
    ///
    /// [`Utf8Error`] if it is not UTF-8.
    pub fn to_str(&self) -> Result<&str, Utf8Error> {
        core::str::from_utf8(self.as_bytes())
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer(..)")
    }
}
