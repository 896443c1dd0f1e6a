//! Of the functions that read and write headers.

use countersign::digest::{
    self, Algorithm, BodyHasher, Cnonce, HashFunction, HexDigest, QopParams, Username,
};
use countersign::{
    AuthenticationInfo, Authorization, InvalidText, RawChallenge, Text, basic, challenges,
};

use super::Try::{Bytes, Text as Str};
use super::{Row, checked, is_one_value};

const HASH: HashFunction = HashFunction::Sha256;

fn challenge() -> digest::Challenge<'static> {
    digest::Challenge::new("r", "n", Algorithm::SHA_256).expect("plain text")
}

fn digest_of(text: &[u8]) -> HexDigest {
    let mut hasher = BodyHasher::new(HASH);
    hasher.update(text);
    hasher.finish()
}

fn params() -> QopParams<'static> {
    QopParams::new("auth", "1", "c").expect("plain text")
}

fn credentials(username: Username<'_>, uri: Text<'_>) {
    let challenge = challenge();
    let made = digest::Credentials::new(&challenge, username, uri, Some(params()), digest_of(b""));
    is_one_value(&made.to_field_value());
}

pub(super) const ROWS: &[Row] = &[
    (
        "basic::challenge",
        "realm",
        Str(|it| {
            checked(it, basic::challenge(it))
                .iter()
                .for_each(is_one_value);
        }),
    ),
    (
        "basic::credentials",
        "username",
        Bytes(|it| {
            let made = basic::credentials(it, "p");
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
        "basic::credentials",
        "password",
        Bytes(|it| {
            if let Some(value) = checked(it, basic::credentials("u", it)) {
                let Ok(Authorization::Basic(pair)) = Authorization::parse(&value) else {
                    return assert!(value.as_bytes().len() > countersign::MAX_VALUE_BYTES);
                };
                assert_eq!((pair.username(), pair.password()), (&b"u"[..], it));
            }
        }),
    ),
    (
        "basic::Challenge::new",
        "realm",
        Bytes(|it| {
            let made = checked(it, basic::Challenge::new(it));
            made.iter()
                .for_each(|it| is_one_value(&it.to_field_value()));
        }),
    ),
    (
        "basic::Credentials::decode",
        "token68",
        Str(|it| {
            if let Ok(pair) = basic::Credentials::decode(it) {
                assert!(!pair.username().contains(&b':'));
                is_one_value(&pair.to_field_value());
            }
        }),
    ),
    (
        "basic::Credentials::matches",
        "username",
        Bytes(|it| {
            let pair = basic::Credentials::decode("dTpw").expect("u:p");
            assert_eq!(pair.matches(it, "p"), it == b"u");
        }),
    ),
    (
        "basic::Credentials::matches",
        "password",
        Bytes(|it| {
            let pair = basic::Credentials::decode("dTpw").expect("u:p");
            assert_eq!(pair.matches("u", it), it == b"p");
        }),
    ),
    (
        "digest::Challenge::new",
        "realm",
        Bytes(|it| {
            let made = checked(it, digest::Challenge::new(it, "n", Algorithm::SHA_256));
            made.iter()
                .for_each(|it| is_one_value(&it.to_field_value()));
        }),
    ),
    (
        "digest::Challenge::new",
        "nonce",
        Bytes(|it| {
            let made = checked(it, digest::Challenge::new("r", it, Algorithm::SHA_256));
            made.iter()
                .for_each(|it| is_one_value(&it.to_field_value()));
        }),
    ),
    (
        "digest::Challenge::with_opaque",
        "opaque",
        Bytes(|it| {
            let made = checked(it, Text::new(it)).map(|it| challenge().with_opaque(it));
            made.iter()
                .for_each(|it| is_one_value(&it.to_field_value()));
        }),
    ),
    (
        "digest::Challenge::with_domain",
        "domain",
        Bytes(|it| {
            let made = checked(it, Text::new(it)).map(|it| challenge().with_domain(it));
            made.iter()
                .for_each(|it| is_one_value(&it.to_field_value()));
        }),
    ),
    (
        "digest::Cnonce::new",
        "text",
        Str(|it| {
            if let Some(cnonce) = checked(it, Cnonce::new(it)) {
                assert_eq!(cnonce.as_str(), it);
                assert!(it.len() <= Cnonce::MAX_LEN);
            }
        }),
    ),
    (
        "digest::Credentials::new",
        "uri",
        Bytes(|it| {
            if let Some(uri) = checked(it, Text::new(it)) {
                credentials(Username::new("u").expect("plain text"), uri);
            }
        }),
    ),
    (
        "digest::QopParams::new",
        "qop",
        Str(|it| {
            let known = it.eq_ignore_ascii_case("auth") || it.eq_ignore_ascii_case("auth-int");
            assert_eq!(QopParams::new(it, "1", "c").is_ok(), known);
        }),
    ),
    (
        "digest::QopParams::new",
        "nc",
        Str(|it| {
            let fits = (1..=8).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_hexdigit());
            assert_eq!(QopParams::new("auth", it, "c").is_ok(), fits);
        }),
    ),
    (
        "digest::QopParams::new",
        "cnonce",
        Str(|it| {
            if let Ok(made) = QopParams::new("auth", "1", it) {
                assert_eq!(made.cnonce(), *it.as_bytes());
                let info = AuthenticationInfo::new();
                is_info(&info.with_proof(&digest_of(b""), &made));
            }
        }),
    ),
    (
        "digest::Username::new",
        "name",
        Str(|it| {
            if let Some(name) = checked_name(it, Username::new(it)) {
                credentials(name, Text::new("/").expect("plain text"));
            }
        }),
    ),
    (
        "digest::Username::plain",
        "name",
        Bytes(|it| {
            if let Some(name) = checked(it, Text::new(it)) {
                credentials(Username::plain(name), Text::new("/").expect("plain text"));
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
                let found = challenges([&value, &value]).raw().flatten();
                found.for_each(|found| is_one_value(&found.to_field_value()));
                let typed = challenges([&value, &value]).count();
                assert!(typed <= countersign::MAX_CHALLENGES + 1);
            }
        }),
    ),
    (
        "AuthenticationInfo::parse",
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
        "AuthenticationInfo::with_nextnonce",
        "nonce",
        Bytes(|it| {
            if let Some(nonce) = checked(it, Text::new(it)) {
                is_info(&AuthenticationInfo::new().with_nextnonce(nonce));
            }
        }),
    ),
    (
        "RawChallenge::builder",
        "scheme",
        Str(|it| {
            if let Ok(made) = RawChallenge::builder(it) {
                is_one_value(&made.build());
            }
        }),
    ),
    (
        "RawChallenge::of_token68",
        "scheme",
        Str(|it| {
            if let Ok(made) = RawChallenge::of_token68(it, "YQ==") {
                is_one_value(&made);
            }
        }),
    ),
    (
        "RawChallenge::of_token68",
        "token68",
        Str(|it| {
            if let Ok(made) = RawChallenge::of_token68("Negotiate", it) {
                is_one_value(&made);
            }
        }),
    ),
    (
        "RawChallengeBuilder::param",
        "name",
        Str(|it| {
            let builder = RawChallenge::builder("Bearer").expect("a token");
            if let Ok(made) = builder.param(it, "v") {
                is_one_value(&made.build());
            }
        }),
    ),
    (
        "RawChallengeBuilder::param",
        "value",
        Bytes(|it| {
            let builder = RawChallenge::builder("Bearer").expect("a token");
            let made = checked(it, builder.param("n", it));
            made.into_iter()
                .for_each(|made| is_one_value(&made.build()));
        }),
    ),
    (
        "RawChallenge::param",
        "name",
        Str(|it| {
            let mut found = challenges(["A n=v"]).raw();
            let found = found.next().expect("one").expect("well formed");
            assert_eq!(found.param(it).is_some(), it.eq_ignore_ascii_case("n"));
        }),
    ),
];

/// A name outside ASCII may hold what a quoted string cannot.
fn checked_name<'a>(name: &str, made: Result<Username<'a>, InvalidText>) -> Option<Username<'a>> {
    match name.is_ascii() {
        true => checked(name, made),
        false => made.ok(),
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
