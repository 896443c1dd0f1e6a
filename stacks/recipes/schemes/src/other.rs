//! The server's side of Bearer and Negotiate.
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use countersign::digest::{Ha1, HashFunction};
use countersign::{Authorization, FieldValue, InvalidText};
use hyper::header::HeaderValue;
use lru::LruCache;
use sha2::{Digest, Sha256};

/// What became of credentials of another scheme.
pub enum Verdict {
    /// They are of a scheme that is not handled here, or not well formed.
    NotMine,
    /// Who sent them, and the last token of the server.
    Granted(&'static str, Option<FieldValue>),
    /// A status, and the challenge that says why.
    Refused(u16, FieldValue),
}

/// Who has which token, and whether it is good for more than reading. It has their SHA-256 only, so
/// the time that a comparison takes tells nothing of a token. These are of `reader-7` and
/// `writer-9`; tokens of use are long and random.
const TOKENS: [(&str, &str, bool); 2] = [
    (
        "wWJMR3GXkOX9nOc5v2gTL4GXzH94tv72JbLcuOM24hQ=",
        "Nala",
        false,
    ),
    ("9iaiiBRqmCxVPRDGVdv3I+7s6NJIT1JWmjgLzgktkyk=", "Zazu", true),
];

/// Judges a Bearer token (RFC 6750, section 3).
pub fn bearer(value: &HeaderValue, is_read: bool) -> Result<Verdict, InvalidText> {
    let Some(token) = token68(value, "Bearer") else {
        return Ok(Verdict::NotMine);
    };
    let hash = BASE64_STANDARD.encode(Sha256::digest(token));
    let known = TOKENS.iter().find(|(known, ..)| *known == hash);
    Ok(match known {
        None => Verdict::Refused(401, bearer_challenge(Some(("invalid_token", None)))?),
        Some((_, _, false)) if !is_read => {
            let error = ("insufficient_scope", Some("write"));
            Verdict::Refused(403, bearer_challenge(Some(error))?)
        }
        Some((_, name, _)) => Verdict::Granted(name, None),
    })
}

/// The challenge, with an error and a scope.
pub fn bearer_challenge(error: Option<(&str, Option<&str>)>) -> Result<FieldValue, InvalidText> {
    let mut params = vec![("realm", "files")];
    if let Some((error, scope)) = error {
        params.push(("error", error));
        params.extend(scope.map(|scope| ("scope", scope)));
    }
    FieldValue::with_params("Bearer", &params)
}

/// The first challenge has no token yet (RFC 4559, section 4.1).
pub fn negotiate_challenge() -> Result<FieldValue, InvalidText> {
    FieldValue::with_params("Negotiate", &[])
}

/// The most steps that wait for an answer. Whoever begins and does not go on takes no more memory
/// than this, and costs the oldest its place, not all.
pub const MAX_PENDING: NonZeroUsize = NonZeroUsize::new(1000).unwrap();

/// The tokens that were sent and not yet answered, each good for one answer: by the answer, so that
/// it is found without a search.
pub struct Negotiations(Mutex<LruCache<String, String>>);

impl Default for Negotiations {
    fn default() -> Self {
        Self(Mutex::new(LruCache::new(MAX_PENDING)))
    }
}

impl Negotiations {
    /// The next step: the first token gets one of the server's, and the answer to that lets in.
    pub fn answer(&self, value: &HeaderValue) -> Result<Verdict, InvalidText> {
        let Some(token) = token68(value, "Negotiate") else {
            return Ok(Verdict::NotMine);
        };
        let pending = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let answered = pending().pop(token);
        if let Some(ours) = answered {
            let last = FieldValue::with_token68("Negotiate", &answer_to(&ours, "server"))?;
            return Ok(Verdict::Granted("Mufasa", Some(last)));
        }
        if token != FIRST_TOKEN {
            return Ok(Verdict::Refused(401, negotiate_challenge()?));
        }
        let mut random = [0; 24];
        // Only a system without a generator fails here.
        getrandom::fill(&mut random).map_err(|_| InvalidText::Empty)?;
        let ours = BASE64_STANDARD.encode(random);
        let challenge = FieldValue::with_token68("Negotiate", &ours)?;
        // Put as the latest, in place of the oldest if there are too many.
        pending().put(answer_to(&ours, "ticket"), ours);
        Ok(Verdict::Refused(401, challenge))
    }
}

/// What a client begins with.
pub const FIRST_TOKEN: &str = "aGVsbG8=";

/// What stands in for Kerberos.
pub fn answer_to(token: &str, ticket: &str) -> String {
    let hash = Ha1::new(HashFunction::Sha256, "Mufasa", token, ticket);
    BASE64_STANDARD.encode(hash.as_hex())
}

/// The token of credentials of this scheme.
fn token68<'a>(value: &'a HeaderValue, scheme: &str) -> Option<&'a str> {
    match Authorization::parse(value) {
        Ok(Authorization::Other(raw)) if raw.scheme_name().eq_ignore_ascii_case(scheme) => {
            raw.token68()
        }
        _ => None,
    }
}
