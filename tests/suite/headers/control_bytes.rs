//! Every byte in every text of every header that can be built: it is refused where it stands, or
//! it reads back and changes nothing else.

use base64::Engine;
use countersign::digest::{self, Algorithm, HashFunction, HexDigest, User};
use countersign::wire::{
    AuthenticationInfo, BasicChallenge, DigestChallenge, DigestCredentials, QopParams,
    basic_challenge, basic_credentials,
};
use countersign::{Authorization, FieldValue, HeaderError, InvalidText, Text};

use crate::support::naive;

type Header = Result<FieldValue, InvalidText>;

const FINE: &[u8] = b"fine";

fn text(text: &[u8]) -> Result<Text<'_>, InvalidText> {
    Text::new(text)
}

fn response() -> HexDigest {
    HexDigest::from_hex(HashFunction::Sha256, &"0".repeat(64)).expect("64 digits")
}

/// The name of a parameter and a way to write a header with any bytes for its value.
type Position = (&'static str, fn(&[u8]) -> Header);
/// The same, for what must be UTF-8.
type TextPosition = (&'static str, fn(&str) -> Header);

const OF_BYTES: &[Position] = &[
    ("realm", |it| Ok(BasicChallenge::new(it)?.to_field_value())),
    ("realm", |it| Ok(BasicChallenge::new(it)?.to_field_value())),
    ("realm", |it| Ok(challenge(it, FINE)?.to_field_value())),
    ("nonce", |it| Ok(challenge(FINE, it)?.to_field_value())),
    ("opaque", |it| {
        let mut challenge = challenge(FINE, FINE)?;
        challenge.opaque = Some(text(it)?);
        Ok(challenge.to_field_value())
    }),
    ("domain", |it| {
        let mut challenge = challenge(FINE, FINE)?;
        challenge.domain = Some(text(it)?);
        Ok(challenge.to_field_value())
    }),
    ("realm", |it| {
        credentials(&challenge(it, FINE)?, FINE, FINE, "")
    }),
    ("nonce", |it| {
        credentials(&challenge(FINE, it)?, FINE, FINE, "")
    }),
    ("opaque", |it| {
        let mut challenge = challenge(FINE, FINE)?;
        challenge.opaque = Some(text(it)?);
        credentials(&challenge, FINE, FINE, "")
    }),
    ("username", |it| {
        credentials(&challenge(FINE, FINE)?, it, FINE, "")
    }),
    ("uri", |it| {
        credentials(&challenge(FINE, FINE)?, FINE, it, "")
    }),
    ("nextnonce", |it| {
        let proof = response();
        let mut info = AuthenticationInfo::with_proof(&proof, &protection("")?);
        info.nextnonce = Some(text(it)?);
        Ok(info.to_field_value())
    }),
];

const OF_TEXT: &[TextPosition] = &[
    ("realm", |it| basic_challenge(it, true)),
    ("cnonce", |it| {
        credentials(&challenge(FINE, FINE)?, FINE, FINE, it)
    }),
    ("cnonce", |it| {
        Ok(AuthenticationInfo::with_proof(&response(), &protection(it)?).to_field_value())
    }),
];

fn challenge<'a>(realm: &'a [u8], nonce: &'a [u8]) -> Result<DigestChallenge<'a>, InvalidText> {
    DigestChallenge::new(realm, nonce, Algorithm::SHA_256)
}

fn protection(cnonce: &str) -> Result<QopParams<'_>, InvalidText> {
    // A parameter's error has no position; the one of the text it is made from has.
    QopParams::new("auth", "00000001", cnonce).map_err(|error: HeaderError| {
        assert_eq!(error.to_string(), "parameter `cnonce` malformed");
        Text::new(cnonce).expect_err("a refused text")
    })
}

fn credentials(
    challenge: &DigestChallenge<'_>,
    username: &[u8],
    uri: &[u8],
    cnonce: &str,
) -> Header {
    let user = User::Octets(username.into());
    let protection = Some(protection(cnonce)?);
    let all = DigestCredentials::new(challenge, &user, text(uri)?, protection, response());
    Ok(all?.to_field_value())
}

/// The parameters of whichever header this is, as the naive parser reads them.
fn params(header: &FieldValue) -> Vec<naive::Param> {
    let header = header.as_bytes();
    if let Some(challenge) = naive::credentials(header) {
        match challenge.body {
            naive::Body::Params(params) => return params,
            naive::Body::Token68(_) => panic!("a token68"),
        }
    }
    naive::params(header).unwrap_or_else(|| panic!("{}", header.escape_ascii()))
}

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && byte != b'\t'
}

/// Checks one header that has `text` for the value of `name`, against the same with a fine text.
fn check(name: &str, text: &[u8], header: Header, fine: Header) {
    let shown = format!("{name} = {}", text.escape_ascii());
    let at = text.iter().position(|&byte| is_control(byte));
    let header = match (header, at) {
        (Err(error), Some(at)) => return assert_eq!(error, InvalidText::Control(at), "{shown}"),
        (Ok(header), None) => header,
        (result, _) => panic!("{shown}: {result:?}"),
    };
    assert!(
        !header.as_bytes().iter().any(|&byte| is_control(byte)),
        "{shown}"
    );
    let mut expected = params(&fine.expect("a header"));
    let param = expected.iter_mut().find(|param| param.0 == name.as_bytes());
    param.expect("the parameter").1 = text.to_vec();
    assert_eq!(params(&header), expected, "{shown}");
}

#[test]
fn every_byte_in_every_parameter() {
    for byte in 0..=u8::MAX {
        for value in [
            &[byte][..],
            &[b'a', byte],
            &[byte, b'z'],
            &[b'a', b'b', byte, b'z'],
        ] {
            for (name, write) in OF_BYTES {
                check(name, value, write(value), write(FINE));
            }
        }
    }
}

#[test]
fn every_character_up_to_u_00ff_in_every_text_parameter() {
    for c in '\0'..='\u{ff}' {
        for value in [format!("{c}"), format!("a{c}z"), format!("ä{c}")] {
            for (name, write) in OF_TEXT {
                check(name, value.as_bytes(), write(&value), write("fine"));
            }
        }
    }
}

#[test]
fn no_parameter_can_be_injected() {
    for value in [
        "\"",
        "\\",
        "\\\"",
        "\\\\",
        "\\\\\"",
        "\", stale=true, x=\"",
        "\\\", stale=true, x=\\\"",
        "x\", realm=\"y",
        "x\\\", realm=\"y\\",
        "\",Basic realm=\"z",
        ", Basic realm=z",
        "a=b",
        "=",
        ",",
        "",
        " ",
        "\t",
        "'",
        "%22%5C%0A",
        "UTF-8''%22",
        "ä\"ö\\ü",
    ] {
        for (name, write) in OF_BYTES {
            check(name, value.as_bytes(), write(value.as_bytes()), write(FINE));
        }
        for (name, write) in OF_TEXT {
            check(name, value.as_bytes(), write(value), write("fine"));
        }
        let user = format!("ö{value}");
        let user = user.replace('\t', "");
        assert_eq!(extended(&user), Ok(user.clone()));
    }
    for value in ["a\r\nSet-Cookie: b", "a\nb", "a\0", "\x7f"] {
        for (name, write) in OF_TEXT {
            check(name, value.as_bytes(), write(value), write("fine"));
        }
    }
}

/// The name that is read from a header with this one, which is not ASCII.
fn extended(name: &str) -> Result<String, InvalidText> {
    let challenge = challenge(FINE, FINE)?;
    let protection = Some(protection("")?);
    let user = User::from(name);
    let all = DigestCredentials::new(&challenge, &user, text(FINE)?, protection, response())?;
    let header = all.to_field_value();
    assert!(
        header
            .as_bytes()
            .iter()
            .all(|byte| matches!(byte, b' '..=b'~'))
    );
    let names: Vec<_> = params(&header).into_iter().map(|param| param.0).collect();
    assert_eq!(
        names.join(&b" "[..]),
        b"username* realm nonce uri algorithm qop nc cnonce response"
    );
    match Authorization::parse(&header) {
        Ok(Authorization::Digest(read)) => Ok(read.user().name().expect("a name").to_owned()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_character_in_a_user_name() {
    for c in '\0'..='\u{ff}' {
        for (name, at) in [(format!("ä{c}z"), 2), (format!("€a{c}"), 4)] {
            let expected = if c.is_control() {
                Err(InvalidText::Control(at))
            } else {
                Ok(name.clone())
            };
            assert_eq!(extended(&name), expected, "{}", name.escape_debug());
        }
    }
}

#[test]
fn every_byte_in_what_basic_encodes() {
    for byte in 0..=u8::MAX {
        let value = [b'a', byte, b'z'];
        let control = byte.is_ascii_control().then_some(InvalidText::Control(1));
        let colon = (byte == b':').then_some(InvalidText::ColonInUsername);
        for (username, password, refused) in [
            (&value[..], &b"fine"[..], control.or(colon)),
            (b"fine", &value, control),
        ] {
            match basic_credentials(username, password) {
                Err(error) => assert_eq!(Some(error), refused),
                Ok(header) => {
                    assert_eq!(refused, None, "{byte:#x}");
                    assert!(
                        header
                            .as_bytes()
                            .iter()
                            .all(|byte| matches!(byte, b' '..=b'~'))
                    );
                    match Authorization::parse(&header) {
                        Ok(Authorization::Basic(pair)) => {
                            assert_eq!((pair.username(), pair.password()), (username, password));
                        }
                        other => panic!("{other:?}"),
                    }
                }
            }
        }
    }
}

/// RFC 7617, section 2: what a server decodes has no control characters either, whoever encoded it.
#[test]
fn every_byte_in_what_basic_decodes() {
    for byte in 0..=u8::MAX {
        for (pair, at) in [(*b"a.z:fine", 1), (*b"fine:a.z", 6)] {
            let mut pair = pair.to_vec();
            pair[at] = byte;
            let value = format!(
                "Basic {}",
                base64::engine::general_purpose::STANDARD.encode(&pair)
            );
            let read = Authorization::parse(&value);
            if byte.is_ascii_control() {
                assert!(
                    matches!(read, Err(error) if error.name() == Some("token68")),
                    "{byte:#x}: {read:?}"
                );
                continue;
            }
            let Ok(Authorization::Basic(read)) = read else {
                panic!("{byte:#x}: {read:?}");
            };
            // A colon in the name ends it.
            let end = pair.iter().position(|byte| *byte == b':').expect("a colon");
            assert_eq!(read.username(), &pair[..end], "{byte:#x}");
            assert_eq!(read.password(), &pair[end + 1..], "{byte:#x}");
        }
    }
}

/// Digest hashes the password and sends none of it, so it may be of any bytes.
#[test]
fn every_byte_in_a_digest_password() {
    let mut all: Vec<_> = (0..=u8::MAX)
        .map(|byte| {
            digest::Ha1::new(HashFunction::Sha256, "user", "realm", [byte])
                .as_hex()
                .to_owned()
        })
        .collect();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 256);
}
