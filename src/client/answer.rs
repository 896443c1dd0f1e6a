//! The computation of answers to Digest challenges.

use core::error::Error;
use core::fmt;
use core::mem;

use crate::client::counts::Counts;
use crate::client::inline_bytes::InlineBytes;
use crate::client::login::Login;
use crate::client::nonce::NonceState;
use crate::client::policy::{AuthInt, Policy};
use crate::client::sent::{Sent, SentQop};
use crate::digest::{
    Cnonce, DigestCredentials, HashFunction, HexDigest, Qop, QopParams, ha2, nc_digits, response,
};
use crate::error::InvalidText;
use crate::field_value::FieldValue;
use crate::syntax::chars::{self, TCHAR};
use crate::syntax::{MAX_VALUE_BYTES, Text};
use crate::target::Target;

/// Refuses a request for which no valid answer can be made.
pub(super) fn check_request(target: &Target<'_>) -> Result<(), AuthorizeError> {
    let is_token = target.method.iter().all(|&byte| chars::is(byte, TCHAR));
    if target.method.is_empty() || !is_token {
        return Err(AuthorizeError::Method);
    }
    Text::new(target.uri).map_err(AuthorizeError::Target)?;
    Ok(())
}

/// Makes the answer to a Digest challenge for a request that was [checked](check_request), counts
/// this use of the nonce, and stores in `kept` what the answer was made from. `cnonce` is called
/// only if needed.
pub(super) fn digest_answer(
    nonce: &mut NonceState,
    login: &mut Login,
    policy: &Policy,
    target: &Target<'_>,
    cnonce: impl FnOnce() -> Cnonce,
    counts: &mut Counts,
    kept: &mut Option<Sent>,
) -> Result<FieldValue, AuthorizeError> {
    let uri = Text::assume_checked(target.uri);
    let hash = nonce.algorithm.hash_function();
    let (qop, body) = choose_qop(nonce, policy, target)?;
    let is_session = nonce.algorithm.is_sess();
    let uses = counts.get(nonce.nonce());
    let nc = uses.map_or(0, |uses| uses.count).checked_add(1);
    let nc = nc.ok_or(AuthorizeError::NonceExhausted)?;
    let session_cnonce = uses.and_then(|uses| uses.cnonce).filter(|_| is_session);
    let sent_qop = qop.map(|qop| SentQop {
        qop,
        cnonce: session_cnonce.unwrap_or_else(cnonce),
        is_covered: !policy.uncounted_form,
    });
    let digits = nc_digits(nc);
    let params = sent_qop
        .as_ref()
        .map(|sent| QopParams::from_parts(sent.qop, nc, Text::nc(&digits), sent.cnonce.text()));
    let ha2 = ha2(hash, target.method, target.uri, body.as_ref());
    let covered = params.as_ref().filter(|_| !policy.uncounted_form);
    let response = match &sent_qop {
        Some(sent) if is_session => {
            let nonce = nonce.nonce();
            let key = login.ha1.session_key(nonce, sent.cnonce.text());
            response(&key, nonce, covered, &ha2)
        }
        // Many nonces are used once, so what later answers share is kept from the second on.
        _ if nc == 1 => response(&login.ha1, nonce.nonce(), covered, &ha2),
        _ => login.keyed(nonce).response(covered, &ha2),
    };
    let is_hashed_name = nonce.userhash == Some(true) && policy.userhash;
    let extended = policy.sends_extended_usernames(nonce.suggests_extended_usernames());
    // Does not fail: a name that cannot be sent was refused at the login.
    let username = login
        .username(nonce.realm(), is_hashed_name, extended)
        .map_err(AuthorizeError::Target)?;
    let challenge = nonce.challenge();
    let credentials = DigestCredentials::of(&challenge, username, uri, params, response);
    let value = credentials.write(policy.quoted_qop);
    check_length(&value)?;
    // Only now, because an answer that is not sent must not use up a count.
    let uses = counts.of(nonce.nonce());
    uses.count = nc;
    let is_first_use = !mem::replace(&mut nonce.is_used, true);
    uses.cnonce = sent_qop.map(|sent| sent.cnonce).filter(|_| is_session);
    // Written in place, which saves copying the struct.
    *kept = Some(Sent {
        ha1: login.ha1.clone(),
        realm: InlineBytes::new(nonce.realm()),
        nonce: InlineBytes::new(nonce.nonce()),
        algorithm: nonce.algorithm,
        qop: sent_qop,
        is_hashed_name,
        nc,
        is_first_use,
        made: nonce.evidence.now(),
    });
    Ok(value)
}

pub(super) fn check_length(value: &FieldValue) -> Result<(), AuthorizeError> {
    match value.as_bytes().len() <= MAX_VALUE_BYTES {
        true => Ok(()),
        false => Err(AuthorizeError::TooLong),
    }
}

/// Returns the qop to use (`None` for RFC 2069), and the hash of the body if the qop covers it.
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

/// The reason why [`Client::authorize`](super::Client::authorize) cannot compute an answer.
///
/// A malformed request is always an error. The other cases are errors only after the server has
/// challenged the exchange.
///
/// ```
/// use countersign::client::{AuthorizeError, Client, Endpoint, Exchange, Next, Policy};
/// use countersign::digest::HashFunction;
/// use countersign::{EntityBody, Target};
///
/// let policy = Policy::new().require_auth_int();
/// # let endpoint = Endpoint::origin("https", "example.com", None)?;
/// # let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
/// let mut exchange = Exchange::new();
/// let challenge = r#"Digest realm="files", nonce="n", qop="auth-int", algorithm=SHA-256"#;
/// let next = client.challenged(&mut exchange, [challenge]);
/// let Next::Login(ask) = next else { unreachable!() };
/// client.login(&ask, "Mufasa", "Circle of Life")?;
/// let target = Target::new("PUT", "/file");
/// let error = client.authorize(&mut exchange, &target).unwrap_err();
/// assert_eq!(error, AuthorizeError::BodyNeeded(HashFunction::Sha256));
/// let target = target.with_body(EntityBody::Bytes(b"text"));
/// assert!(client.authorize(&mut exchange, &target)?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum AuthorizeError {
    /// The method is not a token (RFC 9110, section 5.6.2). With other characters in it, the
    /// response could also be valid for another method and request-target.
    Method,
    /// The request-target contains a control byte other than HTAB.
    Target(InvalidText),
    /// The cnonce is not 1 to 64 characters of printable ASCII.
    Cnonce(InvalidText),
    /// The response must cover the body (`qop=auth-int`), and the body is unknown or was hashed by
    /// another function. Pass it in the [`Target`], whole or hashed by this function.
    BodyNeeded(HashFunction),
    /// The header value would be longer than [`MAX_VALUE_BYTES`].
    TooLong,
    /// The nonce has been used 2³² - 1 times. Call again: the client no longer uses the nonce and
    /// returns `None`. Send the request without credentials to get another nonce.
    NonceExhausted,
}

impl fmt::Display for AuthorizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Method => f.write_str("the method is not a token"),
            Self::Target(error) => write!(f, "request-target: {error}"),
            Self::Cnonce(error) => write!(f, "cnonce: {error}"),
            Self::BodyNeeded(hash) => write!(
                f,
                "the response must cover the body: pass it or its {hash} hash (Target::with_body)"
            ),
            Self::TooLong => f.write_str("the header value would be too long"),
            Self::NonceExhausted => f.write_str("the nonce has been used 2^32 - 1 times"),
        }
    }
}

impl Error for AuthorizeError {}
