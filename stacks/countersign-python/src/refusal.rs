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
        let (reason, text) = match why {
            GiveUp::WrongCredentials(_) if tried => (
                "wrong-credentials",
                "the server refused the user name or the password".to_owned(),
            ),
            GiveUp::WrongCredentials(_) => (
                "wrong-credentials",
                "the server refused this user name and password before, and they were not sent \
                 again; after a change at the server call forget()"
                    .to_owned(),
            ),
            GiveUp::TooManyAnswers => (
                "too-many-answers",
                "the server refused one answer to this request after another".to_owned(),
            ),
            GiveUp::NeverAnswered => (
                "too-many-answers",
                "the server challenged one request again and again".to_owned(),
            ),
            GiveUp::ForeignTarget => (
                "other-origin",
                "the request-target names another origin than the request goes to".to_owned(),
            ),
            GiveUp::NoUsableChallenge(skipped) => no_usable_challenge(skipped),
            _ => ("unusable-challenge", why.to_string()),
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

fn no_usable_challenge(skipped: &[SkipReason]) -> (&'static str, String) {
    let Some(first) = skipped.first() else {
        let text = "the response asks for credentials without a challenge that says how (an \
                    application may have sent it, and not its login)";
        return ("no-challenge", text.to_owned());
    };
    // What a keyword allows is the reason; else what the first challenge says.
    let ranked = ["needs-rfc2069", "needs-basic", "other-realm"];
    let reasons: Vec<&'static str> = skipped.iter().map(reason).collect();
    let mut ranked = ranked.into_iter().filter(|it| reasons.contains(it));
    let reason = ranked.next().unwrap_or_else(|| reason(first));
    let mut texts: Vec<String> = Vec::new();
    for text in skipped.iter().map(words) {
        // Servers offer one realm by several algorithms.
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    (reason, texts.join("; "))
}

fn reason(why: &SkipReason) -> &'static str {
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

fn words(why: &SkipReason) -> String {
    let text = match why {
        SkipReason::Header(error) => return format!("a challenge cannot be read: {error}"),
        SkipReason::UnknownScheme => "the server asks by a scheme that is neither Digest nor Basic",
        SkipReason::BelowStrength => {
            "the challenge is weaker than what this realm accepted before, as if somebody on the way \
             had changed it"
        }
        SkipReason::CleartextBasic => {
            "the server asks for Basic over http, and others on the way could read the password"
        }
        SkipReason::SessionAlgorithm => "the challenge has a -sess algorithm without a qop",
        SkipReason::Rfc2069 => {
            "the server asks for Digest without qop, in the old form of RFC 2069, which this login does \
             not answer"
        }
        SkipReason::NoServerProof => {
            "with this challenge the server cannot prove that it knows the password"
        }
        SkipReason::TooLong => "realm, nonce and opaque are longer than 4 KiB",
        SkipReason::Account(LoginError::BasicNotAllowed) => {
            "the server asks for Basic, and the login is for Digest"
        }
        SkipReason::Account(LoginError::OtherRealm) => {
            "the server asks for another realm than the account is for"
        }
        SkipReason::Account(LoginError::AlreadyRefused) => {
            "the server refused this user name and password before"
        }
        _ => return why.to_string(),
    };
    text.to_owned()
}
