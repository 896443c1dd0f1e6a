//! One logical request with its retries.

use core::fmt;

use crate::client::ask::{Ask, SpaceId};
use crate::client::error::GiveUp;
use crate::client::nonce::{Arc, Nonce};
use crate::digest::{Cnonce, Ha1, Kd, Qop, ha2};
use crate::field_value::FieldValue;
use crate::header::AuthenticationInfo;
use crate::inline_bytes::InlineBytes;
use crate::target::EntityBody;

/// The next step after a response. A loop over these steps ends: see [`rules`](super::rules).
#[derive(Clone, Debug, Eq, PartialEq)]
#[must_use]
pub enum Next {
    /// The response does not ask this client for credentials: use it.
    Done(ServerProof),
    /// Send the request again, with what [`authorize`](super::Client::authorize) now returns.
    Retry,
    /// Ask the user for a name and a password, call [`Client::login`](super::Client::login), and
    /// send the request again. Never for a client that has
    /// [accounts](super::Client::with_account), which [`logout`](super::Client::logout) removes.
    Login(Ask),
    /// The client cannot go on: return the response to the caller.
    GiveUp(GiveUp),
}

/// The most challenges to requests that carried no answer before the client gives up on an
/// exchange. Usually there is none or one.
const MAX_WITHOUT_ANSWER: u8 = 8;

/// One logical request with its retries. Make one for each request, and keep it across retries until
/// [`received`](super::Client::received) returns [`Next::Done`], [`Next::GiveUp`] or an error. A
/// redirect needs a new one. If a proxy asks for credentials as well, its client needs an exchange,
/// too: keep both until both clients have returned `Done` for the same response.
#[derive(Clone, Default)]
pub struct Exchange {
    /// The answer that the last request carried.
    pub(super) answer: Option<FieldValue>,
    /// What that answer was made from; `None` for Basic, or without an answer.
    pub(super) sent: Option<Sent>,
    /// The space whose login made the answer.
    pub(super) answering_space: Option<SpaceId>,
    /// How many answers of that space had been accepted when this one was made.
    pub(super) accepted: u32,
    /// The last request-target, if its request may carry credentials (see `OwnTarget::of`).
    pub(super) uri: Option<InlineBytes<128>>,
    /// The last request-target may name another origin, so its request carries no credentials.
    pub(super) is_foreign: bool,
    /// The challenge to answer, from the time when the server asks until it accepts an answer.
    pub(super) asked: Option<Asked>,
    /// The number of refused answers since the last accepted one, or since the start.
    pub(super) refused: u8,
    /// The number of challenges since then to requests that carried no answer.
    pub(super) without_answer: u8,
    /// The client gave up on the exchange, for a reason other than `GiveUp::NoUsableChallenge`.
    pub(super) closed: bool,
    /// Held from a challenge on, until the response that asks for nothing.
    pub(super) hold: Option<Hold>,
}

/// Shared by a client and its exchanges that are under way, so that the cache keeps the client.
pub(super) type Hold = Arc<()>;

/// A challenge that an exchange has to answer.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) space: SpaceId,
    /// The nonce, if the scheme is Digest.
    pub(super) nonce: Option<Arc<Nonce>>,
}

impl Exchange {
    /// An exchange before its first request.
    pub fn new() -> Self {
        Self::default()
    }

    /// The answer that the last request carried, if any.
    pub const fn answer(&self) -> Option<&FieldValue> {
        self.answer.as_ref()
    }

    pub(super) fn uri(&self) -> Option<&[u8]> {
        self.uri.as_ref().map(InlineBytes::as_bytes)
    }

    /// Counts a challenge. One to what was volunteered for another login counts as one to a request
    /// without an answer.
    pub(super) const fn count_challenge(&mut self, is_own: bool) {
        let count = match self.answer {
            Some(_) if is_own || self.asked.is_some() => &mut self.refused,
            _ => &mut self.without_answer,
        };
        *count = count.saturating_add(1);
    }

    /// Returns why to give up if the exchange may get no further answer.
    pub(super) const fn reason_to_give_up(&self, max_answers: u8) -> Option<GiveUp> {
        if self.without_answer > MAX_WITHOUT_ANSWER {
            Some(GiveUp::NeverAnswered)
        } else if self.closed || self.refused >= max_answers {
            Some(GiveUp::TooManyAnswers)
        } else {
            None
        }
    }

    /// Gets no more answers if the client gave up for good.
    pub(super) fn close_after(&mut self, next: &Next) {
        let is_open = matches!(next, Next::GiveUp(GiveUp::NoUsableChallenge(_)));
        self.closed |= matches!(next, Next::GiveUp(_)) && !is_open;
    }

    /// What the last answer was made with; `None` without one.
    pub(super) fn secret(&self) -> Option<&[u8]> {
        match &self.sent {
            Some(sent) => Some(sent.ha1.digest().as_bytes()),
            None => self.answer.as_ref().map(FieldValue::as_bytes),
        }
    }
}

/// Shows no header text.
impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("is_answered", &self.answer.is_some())
            .field("refused", &self.refused)
            .field("closed", &self.closed)
            .finish_non_exhaustive()
    }
}

/// What a Digest answer was made from, kept to check the response to it.
#[derive(Clone)]
pub(super) struct Sent {
    pub(super) ha1: Ha1,
    pub(super) nonce: Arc<Nonce>,
    /// `None` for RFC 2069.
    pub(super) qop: Option<SentQop>,
    /// The number of this use of the nonce. Without a qop, it is not sent.
    pub(super) nc: u32,
    /// What the response and the server's proof share.
    pub(super) begun: Kd,
}

/// The qop and the values that are sent with it.
#[derive(Clone, Copy)]
pub(super) struct SentQop {
    pub(super) qop: Qop,
    pub(super) cnonce: Cnonce,
}

impl Sent {
    /// Checks `rspauth`, and the parameters that the server repeats against what was sent (RFC
    /// 7616, section 3.5). A parameter that it does not repeat is not missed: the proof covers all.
    pub(super) fn check(
        &self,
        info: &AuthenticationInfo<'_>,
        uri: &[u8],
        body: EntityBody<'_>,
    ) -> ServerProof {
        if info.rspauth.is_none() {
            return ServerProof::Absent;
        }
        let qop = self.qop.as_ref();
        let echoes = |sent: &SentQop| {
            info.qop.is_none_or(|echoed| echoed == sent.qop)
                && info
                    .cnonce
                    .is_none_or(|echoed| echoed == sent.cnonce.text())
                && info.nc.is_none_or(|echoed| echoed == self.nc)
        };
        let has_echo = info.qop.is_some() || info.cnonce.is_some() || info.nc.is_some();
        if has_echo && !qop.is_some_and(echoes) {
            return ServerProof::Wrong;
        }
        let hash = self.ha1.hash_function();
        let body = match qop.map(|sent| sent.qop) {
            Some(Qop::AuthInt) => match body.hash(hash) {
                None => return ServerProof::Unchecked,
                body => body,
            },
            _ => None,
        };
        let ha2 = ha2(hash, "", uri, body.as_ref());
        match info.has_proof(&self.begun.clone().finish(&ha2)) {
            true => ServerProof::Valid,
            false => ServerProof::Wrong,
        }
    }
}

/// Whether a server proved that it knows the secret, by `rspauth` in `Authentication-Info` (RFC
/// 7616, section 3.5).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ServerProof {
    /// There was no proof to check.
    Absent,
    /// `Authentication-Info` could not be parsed.
    Unreadable,
    /// The proof covers the body (`qop=auth-int`), which was passed as [`EntityBody::Unknown`] or
    /// hashed by another function.
    Unchecked,
    /// The proof is wrong, and [`Quirk::IgnoreWrongProof`](super::Quirk::IgnoreWrongProof) allows
    /// that.
    Wrong,
    /// A server that knows the secret has seen this request. The proof covers the body only with
    /// `qop=auth-int`, and never the status and the other fields. With
    /// [`Quirk::Rfc2069`](super::Quirk::Rfc2069) or [`WithoutQop`](super::Quirk::WithoutQop), it may
    /// be the proof of an earlier response.
    Valid,
}
