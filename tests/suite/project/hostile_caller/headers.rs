//! Of the functions that read and write headers.

use countersign::digest::{Algorithm, BodyHasher, HashFunction, HexDigest, User};
use countersign::wire::{
    AuthenticationInfo, BasicChallenge, DigestChallenge, DigestCredentials, QopParams,
    basic_challenge, basic_credentials,
};
use countersign::{Authorization, FieldValue, InvalidText, Text, challenges, raw_challenges};

use super::Try::{Bytes, Text as Str};
use super::{Row, checked, is_one_value};

const HASH: HashFunction = HashFunction::Sha256;

fn challenge() -> DigestChallenge<'static> {
    DigestChallenge::new("r", "n", Algorithm::SHA_256).expect("plain text")
}

fn digest_of(text: &[u8]) -> HexDigest {
    let mut hasher = BodyHasher::new(HASH);
    hasher.update(text);
    hasher.finish()
}

fn params() -> QopParams<'static> {
    QopParams::new("auth", "1", "c").expect("plain text")
}

fn credentials(user: &User<'_>, uri: &[u8]) -> Result<(), InvalidText> {
    let (challenge, uri, params) = (challenge(), Text::new(uri)?, Some(params()));
    let made = DigestCredentials::new(&challenge, user, uri, params, digest_of(b""))?;
    is_one_value(&made.to_field_value());
    Ok(())
}

pub(super) const ROWS: &[Row] = &[
    (
        "wire::basic_challenge",
        "realm",
        Str(|it| {
            checked(it, basic_challenge(it))
                .iter()
                .for_each(is_one_value);
        }),
    ),
    (
        "wire::basic_credentials",
        "username",
        Bytes(|it| {
            let made = basic_credentials(it, "p");
            assert_eq!(
                made == Err(InvalidText::ColonInUsername),
                it.contains(&b':')
            );
            if let Ok(value) = made {
                let Ok(Authorization::Basic(pair)) = Authorization::parse(&value) else {
                    return assert!(value.as_bytes().len() > countersign::MAX_VALUE_BYTES);
                };
                assert_eq!((pair.username(), pair.password()), (it, &b"p"[..]));
            }
        }),
    ),
    (
        "wire::basic_credentials",
        "password",
        Bytes(|it| {
            if let Some(value) = checked(it, basic_credentials("u", it)) {
                let Ok(Authorization::Basic(pair)) = Authorization::parse(&value) else {
                    return assert!(value.as_bytes().len() > countersign::MAX_VALUE_BYTES);
                };
                assert_eq!((pair.username(), pair.password()), (&b"u"[..], it));
            }
        }),
    ),
    (
        "wire::BasicChallenge::new",
        "realm",
        Bytes(|it| {
            let made = checked(it, BasicChallenge::new(it));
            made.iter()
                .for_each(|it| is_one_value(&it.to_field_value()));
        }),
    ),
    (
        "wire::BasicCredentials::matches",
        "username",
        Bytes(|it| {
            let pair = u_p();
            assert_eq!(pair.matches(it, "p"), it == b"u");
        }),
    ),
    (
        "wire::BasicCredentials::matches",
        "password",
        Bytes(|it| {
            let pair = u_p();
            assert_eq!(pair.matches("u", it), it == b"p");
        }),
    ),
    (
        "wire::DigestChallenge::new",
        "realm",
        Bytes(|it| {
            let made = checked(it, DigestChallenge::new(it, "n", Algorithm::SHA_256));
            made.iter()
                .for_each(|it| is_one_value(&it.to_field_value()));
        }),
    ),
    (
        "wire::DigestChallenge::new",
        "nonce",
        Bytes(|it| {
            let made = checked(it, DigestChallenge::new("r", it, Algorithm::SHA_256));
            made.iter()
                .for_each(|it| is_one_value(&it.to_field_value()));
        }),
    ),
    (
        "Text::new",
        "text",
        Bytes(|it| {
            if let Some(text) = checked(it, Text::new(it)) {
                assert_eq!(*text.to_bytes(), *it);
                let mut with_opaque = challenge();
                with_opaque.opaque = Some(text);
                is_one_value(&with_opaque.to_field_value());
                let mut with_domain = challenge();
                with_domain.domain = Some(text);
                is_one_value(&with_domain.to_field_value());
                let mut info = AuthenticationInfo::default();
                info.nextnonce = Some(text);
                is_info(&info);
            }
        }),
    ),
    (
        "wire::DigestCredentials::new",
        "uri",
        Bytes(|it| {
            checked(it, credentials(&User::from("u"), it));
            checked(it, credentials(&User::Octets(it.into()), b"/"));
            if let Ok(name) = std::str::from_utf8(it) {
                let made = credentials(&User::from(name), b"/");
                // In other forms than ASCII, a name cannot hold HTAB, either.
                if name.is_ascii() {
                    checked(it, made);
                }
            }
        }),
    ),
    (
        "wire::QopParams::new",
        "qop",
        Str(|it| {
            let known = it.eq_ignore_ascii_case("auth") || it.eq_ignore_ascii_case("auth-int");
            assert_eq!(QopParams::new(it, "1", "c").is_ok(), known);
        }),
    ),
    (
        "wire::QopParams::new",
        "nc",
        Str(|it| {
            let fits = (1..=8).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_hexdigit());
            assert_eq!(QopParams::new("auth", it, "c").is_ok(), fits);
        }),
    ),
    (
        "wire::QopParams::new",
        "cnonce",
        Str(|it| {
            if let Ok(made) = QopParams::new("auth", "1", it) {
                assert_eq!(made.cnonce(), *it.as_bytes());
                is_info(&AuthenticationInfo::with_proof(&digest_of(b""), &made));
            }
        }),
    ),
    (
        "Authorization::parse",
        "value",
        Bytes(|it| {
            for start in ["", "Basic ", "Digest ", "Digest username="] {
                let value = [start.as_bytes(), it].concat();
                if let Ok(found) = Authorization::parse(&value) {
                    is_one_value(&found.to_field_value());
                }
            }
        }),
    ),
    (
        "challenges",
        "values",
        Bytes(|it| {
            for start in [
                "",
                "Basic realm=",
                "Digest realm=",
                "Digest realm=r, nonce=",
            ] {
                let value = [start.as_bytes(), it].concat();
                let typed = challenges([&value, &value]).count();
                assert!(typed <= countersign::MAX_CHALLENGES + 1);
            }
        }),
    ),
    (
        "raw_challenges",
        "values",
        Bytes(|it| {
            for start in ["", "Digest realm=", "A b=c, d="] {
                let value = [start.as_bytes(), it].concat();
                let found = raw_challenges([&value, &value]).flatten();
                found.for_each(|found| is_one_value(&found.to_field_value()));
            }
        }),
    ),
    (
        "wire::AuthenticationInfo::parse",
        "values",
        Bytes(|it| {
            for start in ["", "nextnonce=", "rspauth="] {
                let value = [start.as_bytes(), it].concat();
                if let Ok(info) = AuthenticationInfo::parse([&value]) {
                    assert!(!info.has_proof(&digest_of(b"")));
                    is_info(&info);
                }
            }
        }),
    ),
    (
        "FieldValue::with_params",
        "scheme",
        Str(|it| {
            if let Ok(made) = FieldValue::with_params(it, &[]) {
                is_one_value(&made);
            }
        }),
    ),
    (
        "FieldValue::with_params",
        "params",
        Str(|it| {
            if let Ok(made) = FieldValue::with_params("Bearer", &[(it, "v")]) {
                is_one_value(&made);
            }
            let made = checked(it, FieldValue::with_params("Bearer", &[("n", it)]));
            made.iter().for_each(is_one_value);
        }),
    ),
    (
        "FieldValue::with_token68",
        "scheme",
        Str(|it| {
            if let Ok(made) = FieldValue::with_token68(it, "YQ==") {
                is_one_value(&made);
            }
        }),
    ),
    (
        "FieldValue::with_token68",
        "token68",
        Str(|it| {
            if let Ok(made) = FieldValue::with_token68("Negotiate", it) {
                is_one_value(&made);
            }
        }),
    ),
    (
        "RawChallenge::param",
        "name",
        Str(|it| {
            let mut found = raw_challenges(["A n=v"]);
            let found = found.next().expect("one").expect("well formed");
            assert_eq!(found.param(it).is_some(), it.eq_ignore_ascii_case("n"));
        }),
    ),
];

fn u_p() -> countersign::wire::BasicCredentials {
    match Authorization::parse("Basic dTpw") {
        Ok(Authorization::Basic(pair)) => pair,
        other => panic!("{other:?}"),
    }
}

fn is_info(info: &AuthenticationInfo<'_>) {
    let value = info.to_field_value();
    let bytes = value.as_bytes();
    assert!(
        bytes
            .iter()
            .all(|byte| !byte.is_ascii_control() || *byte == b'\t')
    );
    let read = AuthenticationInfo::parse([bytes]);
    assert!(
        read.is_ok() || bytes.len() > countersign::MAX_VALUE_BYTES,
        "{read:?}"
    );
}
