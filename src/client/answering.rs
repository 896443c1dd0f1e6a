//! The making of Digest answers.

use core::error::Error;
use core::fmt;

use crate::client::answer::Answer;
use crate::client::counts::Counts;
use crate::client::login::{Login, UserPass};
use crate::client::policy::{AuthInt, Policy};
use crate::client::session::Session;
use crate::digest::{Cnonce, Credentials, Hash, HexDigest, Protection, Qop, ha2, kd};
use crate::error::InvalidText;
use crate::secret::SecretBytes;
use crate::syntax::chars::{self, TCHAR};
use crate::syntax::{MAX_VALUE_BYTES, Text, nc_digits};
use crate::target::Target;

/// Refuses a request that no server could check an answer for.
pub(super) fn check_request(target: &Target<'_>) -> Result<(), AuthorizeError> {
    let is_token = target.method.iter().all(|&byte| chars::is(byte, TCHAR));
    if target.method.is_empty() || !is_token {
        return Err(AuthorizeError::Method);
    }
    Text::new(target.uri).map_err(AuthorizeError::Target)?;
    Ok(())
}

/// Makes the answer to a Basic challenge.
pub(super) fn basic_answer(login: &UserPass) -> Result<Answer, AuthorizeError> {
    check_length(&login.value)?;
    Ok(Answer {
        value: login.value.clone(),
        ha1: None,
        overview_form: false,
    })
}

/// Makes the answer to a Digest challenge, and counts it.
pub(super) fn digest_answer(
    session: &Session,
    login: &mut Login,
    policy: &Policy,
    target: &Target<'_>,
    cnonce: &Cnonce,
    counts: &mut Counts,
) -> Result<Answer, AuthorizeError> {
    let uri = Text::new(target.uri).map_err(AuthorizeError::Target)?;
    let hash = session.algorithm.hash();
    let (qop, body) = choose_qop(session, policy, target)?;
    let uses = counts.get(&session.nonce_hash);
    let count = uses.map_or(0, |uses| uses.count).checked_add(1);
    let count = count.ok_or(AuthorizeError::NonceExhausted)?;
    let cnonce = match session.algorithm.is_session() {
        true => uses.and_then(|uses| uses.cnonce).unwrap_or(*cnonce),
        false => *cnonce,
    };
    let nc = nc_digits(count);
    let protection =
        qop.map(|qop| Protection::counted(qop, count, Text::digits(&nc), cnonce.text()));
    let ha2 = ha2(hash, target.method, target.uri, body.as_ref());
    let overview_form = policy.overview_form && protection.is_some();
    let covered = protection.as_ref().filter(|_| !overview_form);
    let response = if session.algorithm.is_session() {
        let nonce = Text::literal(&session.nonce);
        let key = login.ha1.session(nonce, cnonce.text());
        kd(&key, nonce, covered, &ha2)
    } else {
        login.response(session, covered, &ha2)
    };
    // A name that cannot be sent was refused at the login.
    let username = login
        .username(session.userhash && policy.userhash, policy.plain_usernames)
        .map_err(AuthorizeError::Target)?;
    let challenge = session.challenge();
    let credentials = Credentials::new(&challenge, username, uri, protection, response);
    let value = SecretBytes::new(credentials.to_bytes_styled(policy.style));
    check_length(&value)?;
    // What is not sent uses up no count.
    let uses = counts.of(&session.nonce_hash);
    uses.count = count;
    uses.cnonce = session.algorithm.is_session().then_some(cnonce);
    Ok(Answer {
        value,
        ha1: Some(login.ha1.clone()),
        overview_form,
    })
}

fn check_length(value: &SecretBytes) -> Result<(), AuthorizeError> {
    match value.as_bytes().len() <= MAX_VALUE_BYTES {
        true => Ok(()),
        false => Err(AuthorizeError::TooLong),
    }
}

/// The qop to use, `None` for RFC 2069, and the hash of the body if it covers that.
fn choose_qop(
    session: &Session,
    policy: &Policy,
    target: &Target<'_>,
) -> Result<(Option<Qop>, Option<HexDigest>), AuthorizeError> {
    if session.qop.is_legacy() {
        return Ok((None, None));
    }
    let auth = session.qop.contains(Qop::Auth) && policy.auth_int != AuthInt::Required;
    let wanted = policy.auth_int != AuthInt::LastResort || !auth;
    if wanted && session.qop.contains(Qop::AuthInt) {
        let hash = session.algorithm.hash();
        match target.body.hash(hash) {
            None if !auth => return Err(AuthorizeError::BodyNeeded(hash)),
            None => {}
            body => return Ok((Some(Qop::AuthInt), body)),
        }
    }
    Ok((Some(Qop::Auth), None))
}

/// Why no header value can be made for a request.
///
/// A request that is not well formed is an error always. The others are errors only after a
/// challenge of this exchange: see [`Client::authorize`](super::Client::authorize).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum AuthorizeError {
    /// The method is empty or holds anything but the characters of a token (RFC 9110, section
    /// 5.6.2). A response for it could be one for another method and request-target.
    Method,
    /// The request-target holds a control byte.
    Target(InvalidText),
    /// The response must cover the body (`qop=auth-int`), and that is not known: give it in the
    /// [`Target`], whole or hashed with this.
    BodyNeeded(Hash),
    /// The header value would be longer than any server reads, or this crate.
    TooLong,
    /// The nonce has been used 2³² - 1 times. It is dropped: call again, which gives `None`, and
    /// send the request without credentials to be given another.
    NonceExhausted,
}

impl fmt::Display for AuthorizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method => f.write_str("method is not a token"),
            Self::Target(error) => write!(f, "request-target: {error}"),
            Self::BodyNeeded(_) => f.write_str("the response must cover a body that is not known"),
            Self::TooLong => f.write_str("header value too long"),
            Self::NonceExhausted => f.write_str("nonce used as often as it can be"),
        }
    }
}

impl Error for AuthorizeError {}
