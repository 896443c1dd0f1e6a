//! One logical request with its retries.

use crate::client::next::GiveUp;
use crate::client::request::Request;
use crate::client::sent::Sent;
use crate::client::space_id::SpaceId;
use crate::client::strength::Strength;
use crate::field_value::FieldValue;

/// The most challenges to requests that carried no answer (no credentials) before the client gives
/// up on an exchange. Usually there is none if the client is logged in already; otherwise there is
/// one, or two if the login is still missing when the exchange tries again.
const MAX_WITHOUT_ANSWER: u8 = 8;

/// The limit of [`Exchange::contended`] for a refusal with `stale` for which other requests may be
/// the reason (`Verdict::Contended`).
pub(super) const MAX_CONTENDED: u8 = 8;
/// The limit of [`Exchange::contended`] for such a refusal without `stale`, if an answer with the
/// same secret was accepted meanwhile. Lower, because the password may have been changed, and the
/// accepted answer may have been for a resource that needs no password.
pub(super) const MAX_CONTENDED_DOUBTFUL: u8 = 2;

/// One logical request: the answer that its last request carried, if any (a value of
/// `Authorization` or `Proxy-Authorization`), and how often it was challenged.
///
/// Make one for each request, and keep it across retries until
/// [`received`](super::Client::received) returns [`Next::Done`](super::Next::Done),
/// [`Next::GiveUp`](super::Next::GiveUp) or an error. A redirect needs a new one. If a proxy asks
/// for credentials as well, the proxy's client needs another exchange: keep both until both clients
/// have returned `Done` for the same response, or one of them `GiveUp` or an error. A `CONNECT`
/// is a request of its own, which needs an exchange of the proxy's client. The requests inside the
/// tunnel need one of the origin's client alone.
///
/// It bounds the number of retries: the client [gives up](super::states#giving-up) after
/// [`max_answers`](super::Policy::with_max_answers) refused answers ([`states`](super::states) says
/// which do not count), or at the ninth challenge to a request without an answer. An accepted
/// answer starts both counts again. [`GiveUp::NoUsableChallenge`] is in neither. The exchange also
/// helps to tell a late refusal of an old nonce from a wrong password when several requests are in
/// flight.
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
    /// The last request. `None` before the first, after one whose method or request-target
    /// `authorize` refused, and if it may carry no credentials (see `OwnTarget::of`).
    pub(super) request: Option<Request>,
    /// The number of refused answers since the last accepted one, or since the start. It includes
    /// neither those counted in `contended` nor the wrong guess that set `has_guessed_wrong`.
    pub(super) refused: u8,
    /// The number of refusals since then that were counted here, because other requests may be the
    /// reason. The first refusal that is counted, whatever its kind, is in `refused` instead, and
    /// so are those above the limit that [`count_challenge`](Self::count_challenge) was given.
    pub(super) contended: u8,
    /// The number of challenges since then to requests that carried no answer.
    pub(super) without_answer: u8,
    /// The protection space of the last challenge to this exchange since its last accepted answer.
    /// The next answer is for this space if it still exists, even if its paths do not cover the
    /// request-target. `authorize` sets it to `None` if the last request carried an answer and the
    /// next one has another request-target. A response that says nothing about the answer, such as
    /// a proxy's 407, leaves it as it is.
    pub(super) challenging_space: Option<SpaceId>,
    /// The protection space whose login made the answer.
    pub(super) answering_space: Option<SpaceId>,
    /// The answer was sent before the server asked (see
    /// [`states`](super::states#answers-sent-before-the-server-asks)): when it was made,
    /// `challenging_space` was `None`, or that space was gone.
    pub(super) is_preemptive: bool,
    /// One refusal was not taken to mean that the secret is wrong, because the challenge did not
    /// offer the parameters of the answer, or refused the current nonce and brought another one, or
    /// because an answer with the secret was accepted where the server had not asked (see
    /// [`states`](super::states#a-challenge-to-a-space-that-is-ready)). It is in `refused` or
    /// `contended` all the same. An accepted answer resets this.
    pub(super) has_forgiven: bool,
    /// An answer that was sent before the server asked was challenged by another realm. The first
    /// such refusal is in none of the counts. An accepted answer resets this.
    pub(super) has_guessed_wrong: bool,
    /// The client gave up on the exchange, for a reason other than `GiveUp::NoUsableChallenge`.
    pub(super) closed: bool,
}

impl Exchange {
    /// An exchange before its first request.
    pub const fn new() -> Self {
        Self {
            answer: None,
            sent: None,
            request: None,
            refused: 0,
            contended: 0,
            without_answer: 0,
            challenging_space: None,
            answering_space: None,
            is_preemptive: false,
            has_forgiven: false,
            has_guessed_wrong: false,
            closed: false,
        }
    }

    /// The request-target of the last request, if there is one that may carry credentials.
    pub(super) fn uri(&self) -> Option<&[u8]> {
        self.request.as_ref().map(Request::uri)
    }

    /// Counts a challenge: as `without_answer` if the request carried no answer; as `contended` if
    /// there is one in `refused` already, and fewer than `max_contended` in `contended`; otherwise
    /// as `refused`.
    pub(super) const fn count_challenge(&mut self, max_contended: u8) {
        let count = if self.answer.is_none() {
            &mut self.without_answer
        } else if self.refused > 0 && self.contended < max_contended {
            &mut self.contended
        } else {
            &mut self.refused
        };
        *count = count.saturating_add(1);
    }

    /// Starts the counts again, and forgets the challenge and what was forgiven, because an answer
    /// was accepted. A closed exchange stays closed.
    pub(super) const fn start_again(&mut self) {
        self.refused = 0;
        self.contended = 0;
        self.without_answer = 0;
        self.challenging_space = None;
        self.has_forgiven = false;
        self.has_guessed_wrong = false;
    }

    /// Returns why to give up if the exchange may get no further answer: `NeverAnswered` above the
    /// bound for requests without an answer; otherwise `TooManyAnswers`, at the bound for refused
    /// answers, or if the exchange is closed. `None` if it may get an answer.
    pub(super) const fn reason_to_give_up(&self, max_answers: u8) -> Option<GiveUp> {
        if self.without_answer > MAX_WITHOUT_ANSWER {
            Some(GiveUp::NeverAnswered)
        } else if self.closed || self.refused >= max_answers {
            Some(GiveUp::TooManyAnswers)
        } else {
            None
        }
    }

    /// The strength of the last answer. Do not call it if there is none: it then returns
    /// [`Strength::Basic`].
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
