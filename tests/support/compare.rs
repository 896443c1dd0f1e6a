//! What the library reads must be what the naive parser reads, and what it makes of it must
//! follow. Each function takes any bytes there are and panics where that is not so.

use countersign::digest::{Algorithm, Qop};
use countersign::{
    AuthenticationInfo, Authorization, Challenge, HeaderError, ParamError, ParamName, ParamProblem,
    ParseError, ParseErrorKind, RawChallenge, Scheme, Text, basic, digest,
};

use super::naive;

/// One value of `WWW-Authenticate`.
pub fn challenges(value: &[u8]) {
    let typed: Vec<_> = countersign::challenges([value]).collect();
    let in_two_steps: Vec<_> = countersign::challenges([value])
        .raw()
        .map(typed_later)
        .collect();
    assert_eq!(typed, in_two_steps, "{}", show(value));

    let found: Result<Vec<RawChallenge<'_>>, ParseError> =
        countersign::challenges([value]).raw().collect();
    let expected = naive::challenges(value);
    match (found, expected) {
        (Ok(found), Some(expected)) => {
            let plain: Vec<_> = found.iter().map(plain).collect();
            assert_eq!(plain, expected, "{}", show(value));
            for (challenge, naive) in found.iter().zip(&expected) {
                meaning(*challenge, naive);
            }
        }
        (Err(error), Some(expected)) => {
            assert!(is_over(error, &expected), "{error}: {}", show(value));
        }
        (Err(error), None) => assert!(error.position() <= value.len()),
        (Ok(_), None) => panic!("read what has no reading: {}", show(value)),
    }
}

/// One value of `Authorization`.
pub fn authorization(value: &[u8]) {
    match (Authorization::parse(value), naive::credentials(value)) {
        (Err(HeaderError::Syntax(error)), None) => assert!(error.position() <= value.len()),
        (Err(HeaderError::Syntax(error)), Some(expected)) => {
            assert!(is_over(error, &[expected]), "{error}: {}", show(value));
        }
        (found, None) => panic!("read {found:?} from {}", show(value)),
        (Ok(Authorization::Other(found)), Some(expected)) => {
            assert!(matches!(found.scheme(), Scheme::Other(_)));
            assert_eq!(plain(&found), expected, "{}", show(value));
        }
        (Ok(Authorization::Basic(pair)), Some(expected)) => {
            assert!(expected.scheme.eq_ignore_ascii_case(b"Basic"));
            assert!(matches!(expected.body, naive::Body::Token68(_)));
            assert!(!pair.username().contains(&b':'));
        }
        (Ok(Authorization::Digest(found)), Some(expected)) => {
            assert!(expected.scheme.eq_ignore_ascii_case(b"Digest"));
            digest_credentials(&found, &params_of(&expected));
        }
        (Ok(other), Some(_)) => panic!("{other:?}"),
        (Err(HeaderError::Param(error)), Some(expected)) => {
            assert!(
                is_to_blame(error, &params_of(&expected)),
                "{error}: {}",
                show(value)
            );
        }
        (Err(error), Some(_)) => panic!("{error}"),
    }
}

/// One value of `Authentication-Info`.
pub fn info(value: &[u8]) {
    match (AuthenticationInfo::parse([value]), naive::params(value)) {
        (Err(HeaderError::Syntax(error)), None) => assert!(error.position() <= value.len()),
        (Err(HeaderError::Syntax(error)), Some(expected)) => {
            let over = expected.len() > countersign::MAX_PARAMS;
            assert!(
                over || value.len() > countersign::MAX_VALUE_BYTES,
                "{error}"
            );
        }
        (found, None) => panic!("read {found:?} from {}", show(value)),
        (Ok(found), Some(expected)) => {
            let params = Params(&expected);
            for (name, text) in [
                ("nextnonce", found.nextnonce()),
                ("rspauth", found.rspauth()),
                ("cnonce", found.cnonce()),
            ] {
                assert_eq!(
                    text.map(octets),
                    params.only(name),
                    "{name}: {}",
                    show(value)
                );
            }
            assert_eq!(found.qop().map(Qop::as_str), params.lower("qop").as_deref());
            let nc = found.nc().map(|nc| format!("{nc:08x}"));
            assert_eq!(nc, params.lower("nc"), "{}", show(value));
        }
        (Err(HeaderError::Param(error)), Some(expected)) => {
            assert!(
                is_to_blame(error, &Params(&expected)),
                "{error}: {}",
                show(value)
            );
        }
        (Err(error), Some(_)) => panic!("{error}"),
    }
}

/// A challenge that was read without its meaning, with it.
fn typed_later(
    challenge: Result<RawChallenge<'_>, ParseError>,
) -> Result<Challenge<'_>, HeaderError> {
    let challenge = challenge?;
    match challenge.scheme() {
        Scheme::Basic => challenge.try_into().map(Challenge::Basic),
        Scheme::Digest => challenge.try_into().map(Challenge::Digest),
        _ => Ok(Challenge::Other(challenge)),
    }
}

/// What Basic and Digest make of a challenge.
fn meaning(challenge: RawChallenge<'_>, naive: &naive::Challenge) {
    let params = params_of(naive);
    match challenge.scheme() {
        Scheme::Basic => match basic::Challenge::try_from(challenge) {
            Ok(found) => {
                // Where there is none it is empty, but not where a token68 is.
                assert!(matches!(naive.body, naive::Body::Params(_)));
                let realm = params.only("realm").unwrap_or_default();
                assert_eq!(octets(found.realm()), realm);
                let charset = params.lower("charset");
                assert_eq!(found.is_utf8(), charset.as_deref() == Some("utf-8"));
            }
            Err(error) => blame(error, &params),
        },
        Scheme::Digest => match digest::Challenge::try_from(challenge) {
            Ok(found) => digest_challenge(&found, &params),
            Err(error) => {
                blame(error, &params);
                let is_qop = matches!(error, HeaderError::Param(error)
                    if error.name == ParamName::Qop && error.problem == ParamProblem::Unsupported);
                assert!(!is_qop || !offered(&params).is_empty());
            }
        },
        _ => {}
    }
}

fn digest_challenge(found: &digest::Challenge<'_>, params: &Params<'_>) {
    assert_eq!(Some(octets(found.realm())), params.only("realm"));
    assert_eq!(Some(octets(found.nonce())), params.only("nonce"));
    assert_eq!(found.opaque().map(octets), params.only("opaque"));
    assert_eq!(found.domain().map(octets), params.only("domain"));
    assert_eq!(found.algorithm_text().map(octets), params.only("algorithm"));
    assert_eq!(Some(found.algorithm()), algorithm(params));
    let is = |name, keyword: &str| params.lower(name).as_deref() == Some(keyword);
    assert_eq!(found.is_stale(), is("stale", "true"));
    assert_eq!(found.supports_userhash(), is("userhash", "true"));
    assert_eq!(found.is_utf8(), is("charset", "utf-8"));
    for qop in [Qop::Auth, Qop::AuthInt] {
        let offered = offered(params).iter().any(|one| one == qop.as_str());
        assert_eq!(found.qop().contains(qop), offered);
    }
    assert_eq!(found.qop().is_empty(), offered(params).is_empty());
}

fn digest_credentials(found: &digest::Credentials<'_>, params: &Params<'_>) {
    assert_eq!(Some(octets(found.realm())), params.only("realm"));
    assert_eq!(Some(octets(found.nonce())), params.only("nonce"));
    assert_eq!(Some(octets(found.uri())), params.only("uri"));
    assert_eq!(found.opaque().map(octets), params.only("opaque"));
    assert_eq!(Some(found.algorithm()), algorithm(params));
    assert_eq!(
        Some(found.response().as_str()),
        params.lower("response").as_deref()
    );
    let protection = found.qop_params();
    let qop = protection.map(|it| it.qop().as_str());
    assert_eq!(qop, params.lower("qop").as_deref());
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
    match error {
        HeaderError::Param(error) => assert!(is_to_blame(error, params), "{error}"),
        other => panic!("{other}"),
    }
}

/// Whether there is what an error is about.
fn is_to_blame(error: ParamError, params: &Params<'_>) -> bool {
    if error.name == ParamName::Token68 {
        return true;
    }
    let count = params.all(error.name.as_str()).count();
    match error.problem {
        ParamProblem::Missing => count == 0,
        ParamProblem::Repeated => count > 1,
        ParamProblem::Unsupported if error.name == ParamName::Algorithm => {
            algorithm(params).is_none()
        }
        ParamProblem::Unsupported => {
            error.name == ParamName::Qop
                && !matches!(params.lower("qop").as_deref(), Some("auth" | "auth-int"))
        }
        _ => count == 1,
    }
}

/// Whether `expected` is more than the library reads.
fn is_over(error: ParseError, expected: &[naive::Challenge]) -> bool {
    match error.kind() {
        ParseErrorKind::ValueTooLong => error.position() == countersign::MAX_VALUE_BYTES,
        ParseErrorKind::TooManyChallenges => expected.len() > countersign::MAX_CHALLENGES,
        ParseErrorKind::TooManyParams => expected
            .iter()
            .any(|challenge| params_of(challenge).0.len() > countersign::MAX_PARAMS),
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
                .map(|param| (param.name.into(), octets(param.value)))
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
    assert_eq!(text, *octets);
    assert_eq!(text.chunks().collect::<Vec<_>>().concat(), octets);
    assert_eq!(text.is_empty(), octets.is_empty());
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
