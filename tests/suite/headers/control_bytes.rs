//! Every byte in every text of every header that can be built: it is refused where it stands, or
//! it reads back and changes nothing else.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use countersign::digest::{self, Algorithm, HashFunction, HexDigest, User, userhash};
use countersign::wire::{
    AuthenticationInfo, DigestChallenge, DigestCredentials, QopParams, basic_challenge,
    basic_credentials,
};
use countersign::{Authorization, FieldValue, HeaderError, InvalidText, Text};

use crate::support::naive;

type Header = Result<FieldValue, InvalidText>;

const FINE: &[u8] = b"fine";

fn response() -> HexDigest {
    userhash(HashFunction::Sha256, "", "")
}

fn challenge(
    [realm, nonce, opaque, domain]: [&[u8]; 4],
) -> Result<DigestChallenge<'_>, InvalidText> {
    let mut challenge = DigestChallenge::new(realm, nonce, Algorithm::SHA_256)?;
    challenge.opaque = Some(Text::new(opaque)?);
    challenge.domain = Some(Text::new(domain)?);
    Ok(challenge)
}

fn protection(cnonce: &str) -> Result<QopParams<'_>, InvalidText> {
    // A parameter's error has no position; the one of the text it is made from has.
    QopParams::new("auth", "00000001", cnonce).map_err(|error: HeaderError| {
        assert_eq!(error.to_string(), "parameter `cnonce` malformed");
        Text::new(cnonce).expect_err("a refused text")
    })
}

fn credentials(texts: [&[u8]; 4], user: User<'_>, uri: &[u8], cnonce: &str) -> Header {
    let (challenge, protection) = (challenge(texts)?, Some(protection(cnonce)?));
    let all = DigestCredentials::new(&challenge, &user, Text::new(uri)?, protection, response());
    Ok(all?.to_field_value())
}

fn info(nextnonce: &[u8], cnonce: &str) -> Header {
    let mut info = AuthenticationInfo::default();
    info.cnonce = Some(protection(cnonce)?.cnonce());
    info.nextnonce = Some(Text::new(nextnonce)?);
    Ok(info.to_field_value())
}

/// Each header with `value` for one of its parameters, under the name of that. Those that take UTF-8
/// alone are last.
fn headers(value: &[u8]) -> Vec<(&'static str, Header)> {
    let octets = |name: &[u8]| User::Octets(name.to_vec().into());
    let mut all = vec![
        ("username", credentials([FINE; 4], octets(value), FINE, "")),
        ("uri", credentials([FINE; 4], octets(FINE), value, "")),
        ("nextnonce", info(value, "")),
    ];
    let names = ["realm", "nonce", "opaque", "domain"];
    for (at, name) in names.into_iter().enumerate() {
        let mut texts = [FINE; 4];
        texts[at] = value;
        all.push((name, challenge(texts).map(|it| it.to_field_value())));
        // That one is of challenges alone.
        if name != "domain" {
            all.push((name, credentials(texts, octets(FINE), FINE, "")));
        }
    }
    if let Ok(value) = str::from_utf8(value) {
        all.push(("realm", basic_challenge(value, true)));
        all.push(("cnonce", credentials([FINE; 4], octets(FINE), FINE, value)));
        all.push(("cnonce", info(FINE, value)));
        all.push(("x", FieldValue::with_params("Bearer", &[("x", value)])));
    }
    all
}

/// The parameters that take any text: all that are in quotes, but for those with fixed values or
/// digits alone.
#[test]
fn every_parameter_in_quotes_has_its_row() {
    let rows: BTreeSet<_> = headers(FINE).into_iter().map(|(name, _)| name).collect();
    let fixed = ["charset", "qop", "response", "rspauth"];
    for (_, params) in super::params_of_others::WITH_ALL {
        for param in params.split(", ").filter(|param| param.ends_with('"')) {
            let name = param.split('=').next().unwrap();
            assert!(rows.contains(name) || fixed.contains(&name), "{name}");
        }
    }
}

/// The parameters of whichever header this is, as the naive parser reads them.
fn params(header: &FieldValue) -> Vec<naive::Param> {
    match naive::credentials(header.as_bytes()).map(|it| it.body) {
        Some(naive::Body::Params(params)) => params,
        Some(naive::Body::Token68(_)) => panic!("a token68"),
        None => naive::params(header.as_bytes()).expect("parameters"),
    }
}

/// RFC 9110, section 5.6.4: a sender should escape nothing but `"` and `\`.
#[test]
fn every_byte_in_every_parameter() {
    let bytes = (0..=u8::MAX).flat_map(|byte| {
        let beyond_ascii = format!("ä{}z", char::from(byte));
        let ascii = [
            &[byte][..],
            &[b'a', byte],
            &[byte, b'z'],
            &[b'a', b'b', byte, b'z'],
        ];
        ascii
            .map(<[u8]>::to_vec)
            .into_iter()
            .chain([beyond_ascii.into()])
    });
    let injections =
        r#"\" \ \\" ",stale=true,x=" \",stale=true,x=\" x\",realm="y\ ",Basic,realm="z"#;
    let more = [", Basic realm=z", "", "a\r\nb: c", "UTF-8''%22"];
    let injections = injections.split(' ').chain(more);
    for text in bytes.chain(injections.map(Into::into)) {
        let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
        let at = text.iter().position(is_control);
        let escaped = text.iter().flat_map(|byte| match byte {
            b'"' | b'\\' => vec![b'\\', *byte],
            _ => vec![*byte],
        });
        let escaped: Vec<u8> = escaped.collect();
        for ((name, header), (_, fine)) in headers(&text).into_iter().zip(headers(FINE)) {
            let shown = format!("{name} = {}", text.escape_ascii());
            let header = match (header, at) {
                (Err(error), Some(at)) => {
                    assert_eq!(error, InvalidText::Control(at), "{shown}");
                    continue;
                }
                (Ok(header), None) => header,
                (result, _) => panic!("{shown}: {result:?}"),
            };
            let written = [name.as_bytes(), b"=\"", &escaped, b"\""].concat();
            let mut parts = header.as_bytes().windows(written.len());
            assert!(parts.any(|part| part == written), "{shown}");
            assert!(!header.as_bytes().iter().any(is_control), "{shown}");
            let mut expected = params(&fine.expect("a header"));
            let param = expected.iter_mut().find(|param| param.0 == name.as_bytes());
            param.expect("the parameter").1 = text.clone();
            assert_eq!(params(&header), expected, "{shown}");
        }
    }
}

fn is_plain(header: &FieldValue) -> bool {
    let mut bytes = header.as_bytes().iter();
    bytes.all(|byte| matches!(byte, b' '..=b'~'))
}

/// Those that are not ASCII.
#[test]
fn every_character_in_a_user_name() {
    for c in '\0'..='\u{ff}' {
        for (name, at) in [(format!("ä{c}z"), 2), (format!("€a{c}"), 4)] {
            let header = credentials([FINE; 4], User::from(&*name), FINE, "");
            if c.is_control() {
                assert_eq!(header.err(), Some(InvalidText::Control(at)), "{c:?}");
                continue;
            }
            let header = header.unwrap();
            assert!(is_plain(&header));
            let names: Vec<_> = params(&header).into_iter().map(|param| param.0).collect();
            assert_eq!(
                names.join(&b" "[..]),
                b"username* realm nonce uri algorithm qop nc cnonce opaque response"
            );
            match Authorization::parse(&header) {
                Ok(Authorization::Digest(read)) => assert_eq!(read.user().name(), Some(&*name)),
                other => panic!("{other:?}"),
            }
        }
    }
}

fn basic_pair(header: &impl AsRef<[u8]>) -> Result<(Vec<u8>, Vec<u8>), HeaderError> {
    match Authorization::parse(header)? {
        Authorization::Basic(pair) => Ok((pair.username().into(), pair.password().into())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_byte_in_what_basic_encodes() {
    for byte in 0..=u8::MAX {
        let value = [b'a', byte, b'z'];
        let control = byte.is_ascii_control().then_some(InvalidText::Control(1));
        let colon = (byte == b':').then_some(InvalidText::ColonInUsername);
        for (username, password, refused) in [
            (&value[..], FINE, control.or(colon)),
            (FINE, &value, control),
        ] {
            let header = basic_credentials(username, password);
            assert_eq!(header.as_ref().err(), refused.as_ref(), "{byte:#x}");
            let Ok(header) = header else { continue };
            assert!(is_plain(&header));
            assert_eq!(basic_pair(&header), Ok((username.into(), password.into())));
        }
    }
}

/// RFC 7617, section 2: what a server decodes has no control characters either, whoever encoded it.
#[test]
fn every_byte_in_what_basic_decodes() {
    for byte in 0..=u8::MAX {
        for pair in
            [[b"a", &[byte][..], b"z:fine"], [b"fine:a", &[byte], b"z"]].map(|it| it.concat())
        {
            let read = basic_pair(&format!("Basic {}", STANDARD.encode(&pair)));
            if byte.is_ascii_control() {
                let name = read.as_ref().err().and_then(HeaderError::name);
                assert_eq!(name, Some("token68"), "{byte:#x}: {read:?}");
                continue;
            }
            // A colon in the name ends it.
            let end = pair.iter().position(|byte| *byte == b':').expect("a colon");
            let expected = (pair[..end].to_vec(), pair[end + 1..].to_vec());
            assert_eq!(read, Ok(expected), "{byte:#x}");
        }
    }
}

/// Digest hashes the password and sends none of it, so it may be of any bytes.
#[test]
fn every_byte_in_a_digest_password() {
    let ha1 = |byte| digest::Ha1::new(HashFunction::Sha256, "user", "realm", [byte]);
    let all = (0..=u8::MAX).map(|byte| ha1(byte).as_hex().to_owned());
    assert_eq!(all.collect::<BTreeSet<_>>().len(), 256);
}
