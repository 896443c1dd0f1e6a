//! What the library reads must be what the naive parser reads, and what it makes of it must
//! follow. Each function takes any bytes there are and panics where that is not so.

use countersign::digest::{Algorithm, Qop, QopSet};
use countersign::wire::{AuthenticationInfo, DigestChallenge, DigestCredentials};
use countersign::{Authorization, Challenge, HeaderError, RawChallenge, Text, digest};

use super::errors::problem;
use super::naive;

/// One value of `WWW-Authenticate`.
pub fn challenges(value: &[u8]) {
    // Errors of syntax are the same where parameters are interpreted.
    let typed: Vec<_> = countersign::challenges([value]).collect();
    let raw: Vec<_> = countersign::raw_challenges([value]).collect();
    assert_eq!(typed.len(), raw.len(), "{}", show(value));
    for (typed, raw) in typed.iter().zip(&raw) {
        match (typed, raw) {
            (Err(typed), Err(raw)) => assert_eq!(typed, raw, "{}", show(value)),
            (Ok(Challenge::Other(typed)), Ok(raw)) => assert_eq!(typed, raw),
            (Err(error), Ok(_)) => assert!(error.name().is_some(), "{error}"),
            (typed, raw) => assert!(raw.is_ok(), "{typed:?}"),
        }
    }

    let found: Result<Vec<RawChallenge<'_>>, HeaderError> =
        countersign::raw_challenges([value]).collect();
    let expected = naive::challenges(value);
    match (found, expected) {
        (Ok(found), Some(expected)) => {
            let plain: Vec<_> = found.iter().map(plain).collect();
            assert_eq!(plain, expected, "{}", show(value));
            for (challenge, naive) in typed.into_iter().zip(&expected) {
                meaning(challenge, naive);
            }
        }
        (Err(error), Some(expected)) => {
            assert!(is_over(error, &expected), "{error}: {}", show(value));
        }
        (Err(error), None) => assert!(at(error) <= value.len()),
        (Ok(_), None) => panic!("read what has no reading: {}", show(value)),
    }
}

/// What was read of one value, with what the naive parser reads: `None` if both refuse it, for a reason
/// that there is.
fn both<T: std::fmt::Debug>(
    value: &[u8],
    found: Result<T, HeaderError>,
    expected: Option<naive::Challenge>,
) -> Option<(T, naive::Challenge)> {
    match (found, expected) {
        (Ok(found), Some(expected)) => return Some((found, expected)),
        (Ok(found), None) => panic!("read {found:?} from {}", show(value)),
        (Err(error), None) => assert!(at(error) <= value.len()),
        (Err(error), Some(expected)) if error.position().is_some() => {
            assert!(is_over(error, &[expected]), "{error}: {}", show(value));
        }
        (Err(error), Some(expected)) => blame(error, &params_of(&expected)),
    }
    None
}

/// One value of `Authorization`.
pub fn authorization(value: &[u8]) {
    let (found, expected) = (Authorization::parse(value), naive::credentials(value));
    let Some((found, expected)) = both(value, found, expected) else {
        return;
    };
    let scheme = String::from_utf8_lossy(&expected.scheme).to_lowercase();
    match found {
        Authorization::Other(found) => {
            assert!(!["basic", "digest"].contains(&&*scheme));
            assert_eq!(plain(&found), expected, "{}", show(value));
        }
        Authorization::Basic(pair) => {
            assert_eq!(scheme, "basic");
            assert!(matches!(expected.body, naive::Body::Token68(_)));
            assert!(!pair.username().contains(&b':'));
        }
        Authorization::Digest(found) => {
            assert_eq!(scheme, "digest");
            digest_credentials(&found, &params_of(&expected));
        }
        other => panic!("{other:?}"),
    }
}

/// One value of `Authentication-Info`.
pub fn info(value: &[u8]) {
    let expected = naive::params(value).map(|params| naive::Challenge {
        scheme: Vec::new(),
        body: naive::Body::Params(params),
    });
    if let Some((found, expected)) = both(value, AuthenticationInfo::parse([value]), expected) {
        let params = params_of(&expected);
        params.have([
            ("nextnonce", found.nextnonce),
            ("rspauth", found.rspauth),
            ("cnonce", found.cnonce),
        ]);
        assert_eq!(found.qop.map(|qop| qop.to_string()), params.lower("qop"));
        let nc = found.nc.map(|nc| format!("{nc:08x}"));
        assert_eq!(nc, params.lower("nc"), "{}", show(value));
    }
}

/// What Basic and Digest make of a challenge.
fn meaning(typed: Result<Challenge<'_>, HeaderError>, naive: &naive::Challenge) {
    let params = params_of(naive);
    match typed {
        Ok(Challenge::Basic { realm, utf8, .. }) => {
            // Where there is none it is empty, but not where a token68 is.
            assert!(matches!(naive.body, naive::Body::Params(_)));
            assert_eq!(octets(realm), params.only("realm").unwrap_or_default());
            let charset = params.lower("charset");
            assert_eq!(utf8, charset.as_deref() == Some("utf-8"));
        }
        Ok(Challenge::Digest(found)) => digest_challenge(&found, &params),
        Ok(_) => {}
        Err(error) => {
            blame(error, &params);
            let is_qop = error.to_string() == "parameter `qop` not supported";
            assert!(!is_qop || !offered(&params).is_empty());
        }
    }
}

fn digest_challenge(found: &DigestChallenge<'_>, params: &Params<'_>) {
    params.have([
        ("realm", Some(found.realm)),
        ("nonce", Some(found.nonce)),
        ("opaque", found.opaque),
        ("domain", found.domain),
    ]);
    assert_eq!(Some(found.algorithm()), algorithm(params));
    let is = |name, keyword: &str| params.lower(name).as_deref() == Some(keyword);
    assert_eq!(found.stale, is("stale", "true"));
    assert_eq!(found.userhash == Some(true), is("userhash", "true"));
    assert_eq!(found.utf8, is("charset", "utf-8"));
    for qop in [Qop::Auth, Qop::AuthInt] {
        let offered = offered(params).iter().any(|one| *one == qop.to_string());
        assert_eq!(found.qop.contains(qop), offered);
    }
    assert_eq!(found.qop == QopSet::NONE, offered(params).is_empty());
}

fn digest_credentials(found: &DigestCredentials<'_>, params: &Params<'_>) {
    params.have([
        ("realm", Some(found.realm)),
        ("nonce", Some(found.nonce)),
        ("uri", Some(found.uri)),
        ("opaque", found.opaque),
    ]);
    assert_eq!(Some(found.algorithm()), algorithm(params));
    assert_eq!(
        Some(found.response.as_str()),
        params.lower("response").as_deref()
    );
    let protection = found.qop_params;
    let qop = protection.map(|it| it.qop().to_string());
    assert_eq!(qop, params.lower("qop"));
    // Without a qop the other two count for nothing.
    if let Some(protection) = protection {
        assert_eq!(Some(octets(protection.cnonce())), params.only("cnonce"));
        let nc = params.lower("nc").map(|nc| format!("{nc:0>8}"));
        assert_eq!(Some(format!("{:08x}", protection.nc())), nc);
    }
    let (plain, ext) = (params.only("username"), params.only("username*"));
    assert!(plain.is_some() != ext.is_some());
    match found.user() {
        digest::User::Name(name) => assert!(ext.is_some() || plain == Some(name.as_bytes().into())),
        digest::User::Octets(name) => assert_eq!(plain, Some(name.into_owned())),
        digest::User::Hash(hash) => {
            assert_eq!(params.lower("userhash").as_deref(), Some("true"));
            assert_eq!(params.lower("username").as_deref(), Some(hash.as_str()));
        }
        other => panic!("{other:?}"),
    }
}

/// The algorithm, if it is a known one.
fn algorithm(params: &Params<'_>) -> Option<Algorithm> {
    let name = params.lower("algorithm");
    name.as_deref().unwrap_or("md5").parse().ok()
}

/// What the list of a challenge's `qop` has, known or not, without its empty elements.
fn offered(params: &Params<'_>) -> Vec<String> {
    let list = params.lower("qop").unwrap_or_default();
    let all = list.split(',').map(|one| one.trim_matches([' ', '\t']));
    all.filter(|one| !one.is_empty()).map(Into::into).collect()
}

fn blame(error: HeaderError, params: &Params<'_>) {
    assert!(is_to_blame(error, params), "{error}");
}

/// The position of a syntax error.
fn at(error: HeaderError) -> usize {
    error.position().expect("a syntax error")
}

/// Whether there is what an error is about.
fn is_to_blame(error: HeaderError, params: &Params<'_>) -> bool {
    let name = error.name().expect("the name of a parameter");
    if name == "token68" {
        return true;
    }
    let count = params.all(name).count();
    match (problem(&error), name) {
        ("missing", _) => count == 0,
        ("given more than once", _) => count > 1,
        ("not supported", "algorithm") => algorithm(params).is_none(),
        ("not supported", "qop") => {
            !matches!(params.lower("qop").as_deref(), Some("auth" | "auth-int"))
        }
        ("malformed" | "in conflict with another parameter", _) => count == 1,
        _ => false,
    }
}

/// Whether `expected` is more than the library reads.
fn is_over(error: HeaderError, expected: &[naive::Challenge]) -> bool {
    match problem(&error) {
        "header value too long" => at(error) == countersign::MAX_VALUE_BYTES,
        "too many challenges" => expected.len() > countersign::MAX_CHALLENGES,
        _ => false,
    }
}

/// A challenge as the naive parser gives it. On the way, all ways to read a text must agree.
pub fn plain(challenge: &RawChallenge<'_>) -> naive::Challenge {
    let body = match challenge.token68() {
        Some(token68) => naive::Body::Token68(token68.into()),
        None => naive::Body::Params(
            challenge
                .params()
                .map(|(name, value)| (name.into(), octets(value)))
                .collect(),
        ),
    };
    naive::Challenge {
        scheme: challenge.scheme_name().into(),
        body,
    }
}

/// The octets of a text, which must be the same in all its forms.
pub fn octets(text: Text<'_>) -> Vec<u8> {
    let octets = text.to_bytes().into_owned();
    assert_eq!(text, Text::new(&octets).expect("a text"));
    match (std::str::from_utf8(&octets), text.to_str()) {
        (Ok(expected), Ok(text)) => assert_eq!(text, expected),
        (Err(expected), Err(error)) => assert_eq!(error, expected),
        (expected, text) => panic!("{text:?} instead of {expected:?}"),
    }
    octets
}

/// The parameters, for looking things up in.
struct Params<'a>(&'a [naive::Param]);

fn params_of(challenge: &naive::Challenge) -> Params<'_> {
    match &challenge.body {
        naive::Body::Params(params) => Params(params),
        naive::Body::Token68(_) => Params(&[]),
    }
}

impl Params<'_> {
    /// Checks texts against the parameters of these names.
    fn have<const COUNT: usize>(&self, texts: [(&str, Option<Text<'_>>); COUNT]) {
        for (name, text) in texts {
            assert_eq!(text.map(octets), self.only(name), "{name}");
        }
    }

    fn all(&self, name: &str) -> impl Iterator<Item = &Vec<u8>> {
        let named = move |param: &&naive::Param| param.0.eq_ignore_ascii_case(name.as_bytes());
        self.0.iter().filter(named).map(|param| &param.1)
    }

    /// The value, if there is one; there must not be two.
    fn only(&self, name: &str) -> Option<Vec<u8>> {
        let mut all = self.all(name);
        let value = all.next().cloned();
        assert!(all.next().is_none(), "`{name}` is there twice");
        value
    }

    /// The first value, in lower case. What is not UTF-8 in it is no keyword either.
    fn lower(&self, name: &str) -> Option<String> {
        let value = self.all(name).next()?;
        Some(String::from_utf8_lossy(value).to_ascii_lowercase())
    }
}

fn show(value: &[u8]) -> impl std::fmt::Display + '_ {
    value.escape_ascii()
}
