//! Why a client gave up, in words of Python.

use countersign::client::{GiveUp, LoginError, SkipReason};
use pyo3::prelude::*;

/// Why a response is handed on although it asks for credentials.
#[derive(Clone)]
pub(crate) struct Refusal {
    /// A value of Python's `Reason`.
    reason: &'static str,
    text: String,
    /// Whether the request carried the user name and a proof of the password.
    tried: bool,
}

impl Refusal {
    /// A request to an origin without an account.
    pub(crate) fn other_origin(asks: &str, own: &[String]) -> Self {
        let text = match own {
            [] => format!("there is no account for {asks}"),
            [own] => format!(
                "this login is for {own} and goes nowhere else; {asks} needs a login of its own"
            ),
            _ => format!(
                "there is no account for {asks}, only for {}",
                own.join(", ")
            ),
        };
        Self {
            reason: "other-origin",
            text,
            tried: false,
        }
    }

    /// A response that has to cover a body that is not known.
    pub(crate) fn body_needed() -> Self {
        Self {
            reason: "body-needed",
            text: "the server asks for an answer that covers the body (auth-int), and a stream cannot \
                   be read twice: pass bytes or a file"
                .to_owned(),
            tried: false,
        }
    }

    pub(crate) fn gave_up(why: &GiveUp, tried: bool) -> Self {
        let reason = match why {
            GiveUp::WrongCredentials(_) => "wrong-credentials",
            GiveUp::TooManyAnswers | GiveUp::NeverAnswered => "too-many-answers",
            GiveUp::ForeignTarget => "other-origin",
            GiveUp::NoUsableChallenge(skipped) => reason(skipped),
            _ => "unusable-challenge",
        };
        let text = match why {
            GiveUp::WrongCredentials(_) if !tried => {
                "wrong user name or password: the server refused them before, so they were not sent \
                 again; after a change at the server call forget()"
                    .to_owned()
            }
            why => why.to_string(),
        };
        Self {
            reason,
            text,
            tried,
        }
    }

    /// Makes Python's `Refusal`.
    pub(crate) fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let class = py.import("countersign_http._errors")?.getattr("Refusal")?;
        class.call1((self.reason, &self.text, self.tried))
    }
}

/// What a keyword allows is the reason; else what the first challenge lacks.
fn reason(skipped: &[SkipReason]) -> &'static str {
    let reasons = || skipped.iter().map(reason_of);
    let ranked = ["needs-rfc2069", "needs-basic", "other-realm"];
    let first = reasons().next().unwrap_or("no-challenge");
    let mut ranked = ranked.into_iter();
    ranked
        .find(|it| reasons().any(|found| found == *it))
        .unwrap_or(first)
}

fn reason_of(why: &SkipReason) -> &'static str {
    match why {
        SkipReason::Rfc2069 => "needs-rfc2069",
        SkipReason::CleartextBasic | SkipReason::Account(LoginError::BasicNotAllowed) => {
            "needs-basic"
        }
        SkipReason::Account(LoginError::OtherRealm) => "other-realm",
        SkipReason::Account(LoginError::AlreadyRefused) => "wrong-credentials",
        _ => "unusable-challenge",
    }
}
