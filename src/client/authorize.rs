//! The making of answers.

use core::error::Error;
use core::fmt;

use crate::client::counts::Counts;
use crate::client::login::Login;
use crate::client::nonce::NonceState;
use crate::client::policy::{AuthInt, Policy};
use crate::client::sent::{Count, Sent};
use crate::client::short::Short;
use crate::digest::{Cnonce, Credentials, HashFunction, HexDigest, Qop, QopParams, ha2, response};
use crate::error::InvalidText;
use crate::field_value::FieldValue;
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

/// Makes the answer to a Digest challenge, and counts it. The cnonce is drawn only if one is needed.
pub(super) fn digest_answer(
    nonce: &NonceState,
    login: &mut Login,
    policy: &Policy,
    target: &Target<'_>,
    cnonce: impl FnOnce() -> Cnonce,
    counts: &mut Counts,
    kept: &mut Option<Sent>,
) -> Result<FieldValue, AuthorizeError> {
    let uri = Text::new(target.uri).map_err(AuthorizeError::Target)?;
    let hash = nonce.algorithm.hash_function();
    let (qop, body) = choose_qop(nonce, policy, target)?;
    let is_session = nonce.algorithm.is_sess();
    let uses = counts.get(nonce.nonce());
    let nc = uses.map_or(0, |uses| uses.count).checked_add(1);
    let nc = nc.ok_or(AuthorizeError::NonceExhausted)?;
    let session_cnonce = uses.and_then(|uses| uses.cnonce).filter(|_| is_session);
    let count = qop.map(|qop| Count {
        qop,
        nc,
        cnonce: session_cnonce.unwrap_or_else(cnonce),
        is_covered: !policy.uncounted_form,
    });
    let digits = nc_digits(nc);
    let protection = count
        .as_ref()
        .map(|count| QopParams::counted(count.qop, nc, Text::digits(&digits), count.cnonce.text()));
    let ha2 = ha2(hash, target.method, target.uri, body.as_ref());
    let covered = protection.as_ref().filter(|_| !policy.uncounted_form);
    let response = match &count {
        Some(count) if is_session => {
            let nonce = Text::literal(nonce.nonce());
            let key = login.ha1.session(nonce, count.cnonce.text());
            response(&key, nonce, covered, &ha2)
        }
        _ => login.keyed(nonce).response(covered, &ha2),
    };
    let is_hashed_name = nonce.userhash == Some(true) && policy.userhash;
    // A name that cannot be sent was refused at the login.
    let extended = policy.extends_username(nonce.reads_extended_usernames());
    let username = login
        .username(nonce.realm(), is_hashed_name, extended)
        .map_err(AuthorizeError::Target)?;
    let challenge = nonce.challenge();
    let credentials = Credentials::new(&challenge, username, uri, protection, response);
    let value = credentials.write(policy.quoted_qop);
    check_length(&value)?;
    // What is not sent uses up no count.
    let uses = counts.of(nonce.nonce());
    uses.count = nc;
    uses.cnonce = count.map(|count| count.cnonce).filter(|_| is_session);
    // In place, because it is moved byte by byte otherwise.
    *kept = Some(Sent {
        ha1: login.ha1.clone(),
        realm: Short::new(nonce.realm()),
        nonce: Short::new(nonce.nonce()),
        algorithm: nonce.algorithm,
        count,
        is_hashed_name,
    });
    Ok(value)
}

pub(super) fn check_length(value: &FieldValue) -> Result<(), AuthorizeError> {
    match value.as_bytes().len() <= MAX_VALUE_BYTES {
        true => Ok(()),
        false => Err(AuthorizeError::TooLong),
    }
}

/// The qop to use, `None` for RFC 2069, and the hash of the body if it covers that.
fn choose_qop(
    nonce: &NonceState,
    policy: &Policy,
    target: &Target<'_>,
) -> Result<(Option<Qop>, Option<HexDigest>), AuthorizeError> {
    if nonce.qop.is_empty() {
        return Ok((None, None));
    }
    let auth = nonce.qop.contains(Qop::Auth) && policy.auth_int != AuthInt::Required;
    if policy.wants_auth_int(nonce.qop) {
        let hash = nonce.algorithm.hash_function();
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
    BodyNeeded(HashFunction),
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
