//! One logical request with its retries.

use crate::client::inline_bytes::InlineBytes;
use crate::client::next::GiveUp;
use crate::client::sent::Sent;
use crate::client::strength::Strength;
use crate::field_value::FieldValue;

/// The most challenges to requests without an answer before the client gives up on an exchange. A
/// task whose request is challenged while other tasks log in needs one or two.
const MAX_UNANSWERED: u8 = 8;

/// The most refusals of an exchange, after its first, that do not count because other requests may
/// be the reason.
pub(super) const MAX_CONTENDED: u8 = 8;

/// One logical request: the last answer that it carried (a value of `Authorization` or
/// `Proxy-Authorization`), and how often it was challenged.
///
/// Make one for each request, and keep it across retries until the client returns
/// [`Next::Done`](super::Next::Done) or [`Next::GiveUp`](super::Next::GiveUp). A redirect needs a
/// new one. If a proxy asks for credentials as well, the proxy's client needs another exchange: keep
/// both until both have returned `Done`.
///
/// It bounds the number of retries: the client [gives up](super::states#giving-up) after
/// [`max_answers`](super::Policy::with_max_answers) refused answers, not counting some for which
/// other requests may be the reason, or at the ninth challenge to a request without an answer. It
/// also helps to tell a late refusal of an old nonce from a wrong password when several requests
/// are in flight.
///
/// After [`Next::GiveUp`](super::Next::GiveUp) it gets no more answers. Only
/// [`GiveUp::NoUsableChallenge`] leaves it open, for a caller that finds challenges in another
/// field.
///
/// ```
/// use countersign::Target;
/// use countersign::client::{Client, Endpoint, Exchange, Policy};
///
/// let endpoint = Endpoint::origin("https", "example.com", None)?;
/// let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
/// let mut exchange = Exchange::new();
/// // Before a login, the request goes without an answer.
/// assert!(client.authorize(&mut exchange, &Target::new("GET", "/"))?.is_none());
/// assert!(exchange.answer().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The answer that the last request carried.
    pub(super) answer: Option<FieldValue>,
    /// What that answer was made from; `None` for Basic, or without an answer.
    pub(super) sent: Option<Sent>,
    /// The request-target of the last request. `None` for one that never gets an answer, because it
    /// could name another origin, or has userinfo.
    pub(super) target: Option<InlineBytes<128>>,
    /// The number of refused answers since one was accepted, without those in `contended`. Those
    /// sent before the server asked do not count if another realm challenged them.
    pub(super) refused: u8,
    /// The number of refusals since an answer was accepted that do not count as `refused`, because
    /// other requests may be the reason.
    pub(super) contended: u8,
    /// The number of challenges to requests without an answer since an answer was accepted.
    pub(super) unanswered: u8,
    /// The protection space whose challenge the next request answers, even if the space's paths do
    /// not cover it.
    pub(super) challenging_space: Option<u64>,
    /// The protection space of the last answer, if it was sent before the server asked (see
    /// [`states`](super::states#answers-sent-before-the-server-asks)).
    pub(super) preemptive_space: Option<u64>,
    /// A refusal for other parameters, or of the current nonce, was forgiven in this exchange. An
    /// accepted answer sets this back.
    pub(super) has_forgiven: bool,
    /// Another realm has challenged an answer that was sent before the server asked. An accepted
    /// answer sets this back.
    pub(super) has_guessed: bool,
    /// The client gave up on the exchange, not only for lack of a usable challenge.
    pub(super) closed: bool,
}

impl Exchange {
    /// An exchange before its first request.
    pub const fn new() -> Self {
        Self {
            answer: None,
            sent: None,
            target: None,
            refused: 0,
            contended: 0,
            unanswered: 0,
            challenging_space: None,
            preemptive_space: None,
            has_forgiven: false,
            has_guessed: false,
            closed: false,
        }
    }

    /// Counts a challenge. `is_contended` if it refuses an answer, and other requests may be the
    /// reason.
    pub(super) const fn count_challenge(&mut self, is_contended: bool) {
        let count = if self.answer.is_none() {
            &mut self.unanswered
        } else if is_contended && self.refused > 0 && self.contended < MAX_CONTENDED {
            &mut self.contended
        } else {
            &mut self.refused
        };
        *count = count.saturating_add(1);
    }

    /// Starts all counts again, because an answer was accepted.
    pub(super) const fn reset_counts(&mut self) {
        self.refused = 0;
        self.contended = 0;
        self.unanswered = 0;
        self.has_forgiven = false;
        self.has_guessed = false;
    }

    /// Returns why the exchange gets no further answer; `None` if it may get one.
    pub(super) const fn reached_bound(&self, max_answers: u8) -> Option<GiveUp> {
        if self.unanswered > MAX_UNANSWERED {
            Some(GiveUp::NeverAnswered)
        } else if self.closed || self.refused >= max_answers {
            Some(GiveUp::TooManyAnswers)
        } else {
            None
        }
    }

    /// The strength of the last answer, of which there must be one.
    pub(super) fn strength(&self) -> Strength {
        match &self.sent {
            Some(sent) => Strength::of(sent.algorithm.hash_function(), sent.qop.is_some()),
            None => Strength::Basic,
        }
    }

    /// The answer that the last request carried, if any: the value that
    /// [`Client::authorize`](super::Client::authorize) last returned.
    pub const fn answer(&self) -> Option<&FieldValue> {
        self.answer.as_ref()
    }
}
