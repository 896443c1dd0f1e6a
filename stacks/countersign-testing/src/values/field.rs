//! The three fields, and their valid values.

use arbitrary::{Result, Unstructured};
use countersign::digest::{Algorithm, Qop};
use countersign::wire;

use super::super::answer::Answer;
use super::super::params::Params;
use super::PASSWORD;
use super::element::{Body, Element};
use super::pieces::{
    NAMES, NONCES, OTHER_NAMES, OTHER_SCHEMES, TEXTS, TOKEN68S, TOKENS, URIS, one, one_in, some,
};

/// `WWW-Authenticate` and `Proxy-Authenticate`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum WwwAuthenticate {}

/// `Authorization` and `Proxy-Authorization`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Authorization {}

/// `Authentication-Info` and `Proxy-Authentication-Info`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum AuthenticationInfo {}

/// A field that [values](super::Value) are made for. Sealed.
pub trait Field: Sealed + 'static {
    /// The name of the field.
    const NAME: &'static str;
}

/// What the crate's own fields have.
#[allow(unnameable_types, reason = "seals `Field`")]
pub trait Sealed {
    #[expect(private_interfaces, reason = "sealed")]
    #[doc(hidden)]
    fn elements(u: &mut Unstructured<'_>) -> Result<Vec<Element>>;
}

impl Field for WwwAuthenticate {
    const NAME: &'static str = "WWW-Authenticate";
}

impl Field for Authorization {
    const NAME: &'static str = "Authorization";
}

impl Field for AuthenticationInfo {
    const NAME: &'static str = "Authentication-Info";
}

impl Sealed for WwwAuthenticate {
    #[expect(private_interfaces, reason = "sealed")]
    fn elements(u: &mut Unstructured<'_>) -> Result<Vec<Element>> {
        let count = one(u, &[1, 1, 1, 2, 2, 3, 4])?;
        (0..count)
            .map(|_| match u.int_in_range(0..=5)? {
                0..=2 => digest_challenge(u),
                3 => basic_challenge(u),
                _ => other(u),
            })
            .collect()
    }
}

impl Sealed for Authorization {
    #[expect(private_interfaces, reason = "sealed")]
    fn elements(u: &mut Unstructured<'_>) -> Result<Vec<Element>> {
        let element = match u.int_in_range(0..=7)? {
            0..=4 => digest_credentials(u)?,
            5 => basic_credentials(u)?,
            _ => other(u)?,
        };
        Ok(vec![element])
    }
}

impl Sealed for AuthenticationInfo {
    #[expect(private_interfaces, reason = "sealed")]
    fn elements(u: &mut Unstructured<'_>) -> Result<Vec<Element>> {
        let answer = answer(u)?;
        let mut params = match one_in(u, 5)? {
            false => answer.info(b""),
            true => Params::default(),
        };
        if params.0.is_empty() || one_in(u, 3)? {
            params = params.quoted("nextnonce", one(u, NONCES)?);
        }
        Ok(vec![Element {
            scheme: None,
            body: Body::Params(params),
        }])
    }
}

fn digest_challenge(u: &mut Unstructured<'_>) -> Result<Element> {
    let mut params = Params::default()
        .quoted("realm", some(u, TEXTS, 4)?)
        .quoted("nonce", one(u, NONCES)?);
    if !one_in(u, 6)? {
        params = params.token("algorithm", one(u, Algorithm::ALL)?.to_string());
    }
    if !one_in(u, 6)? {
        let qop = one(
            u,
            &[
                "auth",
                "auth",
                "auth,auth-int",
                "auth-int",
                "auth, x, auth-int",
            ],
        )?;
        params = params.quoted("qop", qop);
    }
    for (name, values) in [
        ("opaque", TEXTS),
        ("domain", &["/", "/a /b", "https://example.org/ /c"][..]),
    ] {
        if one_in(u, 3)? {
            params = params.quoted(name, one(u, values)?);
        }
    }
    for (name, values) in [
        ("stale", &["true", "false", "TRUE"][..]),
        ("userhash", &["true", "false"]),
        ("charset", &["UTF-8", "utf-8"]),
    ] {
        if one_in(u, 3)? {
            params = params.token(name, one(u, values)?);
        }
    }
    Ok(Element::new("Digest", Body::Params(params)))
}

fn basic_challenge(u: &mut Unstructured<'_>) -> Result<Element> {
    let mut params = Params::default().quoted("realm", some(u, TEXTS, 4)?);
    if one_in(u, 2)? {
        params = params.token("charset", "UTF-8");
    }
    Ok(Element::new("Basic", Body::Params(params)))
}

/// A challenge or credentials of another scheme.
fn other(u: &mut Unstructured<'_>) -> Result<Element> {
    let scheme = one(u, OTHER_SCHEMES)?;
    let body = match u.int_in_range(0..=4_u8)? {
        0 => Body::Empty,
        1 => Body::Token68(one(u, TOKEN68S)?.to_owned()),
        count => {
            let mut params = Params::default();
            for name in &OTHER_NAMES[..usize::from(count) - 1] {
                params = match one_in(u, 2)? {
                    false => params.quoted(name, some(u, TEXTS, 3)?),
                    true => params.token(name, one(u, TOKENS)?),
                };
            }
            Body::Params(params)
        }
    };
    Ok(Element::new(scheme, body))
}

/// What Digest credentials say.
fn answer(u: &mut Unstructured<'_>) -> Result<Answer> {
    let algorithm = one(u, Algorithm::ALL)?;
    let qop = match u.int_in_range(0..=5)? {
        5 if !algorithm.is_sess() => None,
        4 => Some(Qop::AuthInt),
        _ => Some(Qop::Auth),
    };
    Ok(Answer {
        user: one(u, NAMES)?.to_owned(),
        password: PASSWORD.to_owned(),
        realm: some(u, TEXTS, 4)?.into_bytes(),
        nonce: one(u, NONCES)?.into(),
        method: "GET".to_owned(),
        uri: one(u, URIS)?.to_owned(),
        algorithm,
        // Its absence means MD5.
        algorithm_given: algorithm.to_string() != "MD5" || !one_in(u, 2)?,
        qop,
        nc: one(u, &[1, 2, 10, u32::MAX])?,
        cnonce: one(u, &["f2/wE4q74E6zIJEt", "0", "a\"b", "x,y=z"])?.to_owned(),
        opaque: one_in(u, 3)?
            .then(|| one(u, TEXTS))
            .transpose()?
            .map(Into::into),
        userhash: one_in(u, 6)?,
        body: Vec::new(),
    })
}

fn digest_credentials(u: &mut Unstructured<'_>) -> Result<Element> {
    let answer = answer(u)?;
    let mut params = answer.params();
    if !answer.user.is_ascii() && !answer.userhash {
        params.0.remove(0);
        params = params.token(
            "username*",
            format!("UTF-8''{}", percent_encoded(&answer.user)),
        );
    }
    Ok(Element::new("Digest", Body::Params(params)))
}

/// Everything but letters and digits encoded.
fn percent_encoded(name: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(byte).collect()
}

fn basic_credentials(u: &mut Unstructured<'_>) -> Result<Element> {
    // None of the names has a colon.
    let (name, password) = (one(u, NAMES)?, one(u, &[PASSWORD, "", "a:b", "ä€😀"])?);
    let value = wire::basic_credentials(name, password);
    let value = value
        .as_ref()
        .map_or(&b"Basic Og=="[..], |value| value.as_bytes());
    let token68 = value["Basic ".len()..].to_owned();
    Ok(Element::new("Basic", Body::Token68(token68)))
}
