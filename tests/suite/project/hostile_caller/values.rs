//! Of the formulas, and of the values that headers are made of.

use countersign::digest::{self, BodyHasher, Ha1, HashFunction, HexDigest, Htdigest, QopParams};
use countersign::{Target, Text, Timestamp};

use super::Try::{Bytes, Number, Text as Str};
use super::{Row, checked};

const HASH: HashFunction = HashFunction::Sha256;

fn digest_of(text: &[u8]) -> HexDigest {
    let mut hasher = BodyHasher::new(HASH);
    hasher.update(text);
    hasher.finish()
}

fn ha1() -> Ha1 {
    Ha1::new(HASH, "u", "r", "p")
}

fn params() -> QopParams<'static> {
    QopParams::new("auth", "1", "c").expect("plain text")
}

/// Another input, another output.
fn differs(one: HexDigest, from_nothing: HexDigest, text: &[u8]) {
    assert_eq!(one == from_nothing, text.is_empty());
}

pub(super) const ROWS: &[Row] = &[
    (
        "digest::userhash",
        "username",
        Bytes(|it| {
            differs(
                digest::userhash(HASH, it, "r"),
                digest::userhash(HASH, "", "r"),
                it,
            );
        }),
    ),
    (
        "digest::userhash",
        "realm",
        Bytes(|it| {
            differs(
                digest::userhash(HASH, "u", it),
                digest::userhash(HASH, "u", ""),
                it,
            );
        }),
    ),
    (
        "digest::ha2",
        "method",
        Bytes(|it| {
            differs(
                digest::ha2(HASH, it, "/", None),
                digest::ha2(HASH, "", "/", None),
                it,
            );
        }),
    ),
    (
        "digest::ha2",
        "uri",
        Bytes(|it| {
            differs(
                digest::ha2(HASH, "GET", it, None),
                digest::ha2(HASH, "GET", "", None),
                it,
            );
        }),
    ),
    (
        "digest::response",
        "nonce",
        Bytes(|it| {
            let made =
                |nonce: &[u8]| digest::response(&ha1(), nonce, Some(&params()), &digest_of(b""));
            differs(made(it), made(b""), it);
        }),
    ),
    (
        "digest::rspauth",
        "nonce",
        Bytes(|it| {
            let made = |nonce: &[u8]| digest::rspauth(&ha1(), nonce, Some(&params()), "/", None);
            differs(made(it), made(b""), it);
        }),
    ),
    (
        "digest::rspauth",
        "uri",
        Bytes(|it| {
            let made = |uri: &[u8]| digest::rspauth(&ha1(), "n", Some(&params()), uri, None);
            differs(made(it), made(b""), it);
        }),
    ),
    (
        "digest::Ha1::new",
        "username",
        Bytes(|it| {
            assert_eq!(
                Ha1::new(HASH, it, "r", "p") == Ha1::new(HASH, "", "r", "p"),
                it.is_empty()
            );
        }),
    ),
    (
        "digest::Ha1::new",
        "realm",
        Bytes(|it| {
            assert_eq!(
                Ha1::new(HASH, "u", it, "p") == Ha1::new(HASH, "u", "", "p"),
                it.is_empty()
            );
        }),
    ),
    (
        "digest::Ha1::new",
        "password",
        Bytes(|it| {
            assert_eq!(
                Ha1::new(HASH, "u", "r", it) == Ha1::new(HASH, "u", "r", ""),
                it.is_empty()
            );
        }),
    ),
    (
        "digest::Ha1::from_hex",
        "hex",
        Str(|it| {
            for &hash in HashFunction::ALL {
                let fits =
                    it.len() == hash.hex_len() && it.bytes().all(|it| it.is_ascii_hexdigit());
                let is_secret = it.bytes().any(|it| it != b'0');
                assert_eq!(Ha1::from_hex(hash, it).is_ok(), fits && is_secret);
            }
        }),
    ),
    (
        "digest::Ha1::session_key",
        "nonce",
        Bytes(|it| {
            assert_eq!(
                ha1().session_key(it, "c") == ha1().session_key("", "c"),
                it.is_empty()
            );
        }),
    ),
    (
        "digest::Ha1::session_key",
        "cnonce",
        Bytes(|it| {
            assert_eq!(
                ha1().session_key("n", it) == ha1().session_key("n", ""),
                it.is_empty()
            );
        }),
    ),
    (
        "digest::Htdigest::new",
        "username",
        Str(|it| {
            if let Ok(entry) = Htdigest::new(it, "r", ha1()) {
                let line = entry.to_line();
                assert_eq!(Htdigest::parse(&line).expect("a line").username(), it);
            }
        }),
    ),
    (
        "digest::Htdigest::new",
        "realm",
        Str(|it| {
            if let Ok(entry) = Htdigest::new("u", it, ha1()) {
                let line = entry.to_line();
                assert_eq!(Htdigest::parse(&line).expect("a line").realm(), it);
            }
        }),
    ),
    (
        "digest::Htdigest::parse",
        "line",
        Str(|it| {
            for line in [
                it.to_owned(),
                format!("u:r:{it}"),
                format!("{it}:r:{}", ha1().as_hex()),
            ] {
                if let Ok(entry) = Htdigest::parse(&line) {
                    assert_eq!(
                        entry.to_line().trim_end(),
                        line.trim_end_matches(['\r', '\n'])
                    );
                }
            }
        }),
    ),
    (
        "digest::Htdigest::lines",
        "file",
        Str(|it| {
            assert!(Htdigest::lines(it).count() <= it.lines().count());
        }),
    ),
    (
        "BodyHasher::update",
        "bytes",
        Bytes(|it| {
            let mut hasher = BodyHasher::new(HASH);
            it.chunks(7).for_each(|chunk| hasher.update(chunk));
            assert_eq!(hasher.finish(), digest_of(it));
        }),
    ),
    (
        "HexDigest::from_hex",
        "hex",
        Str(|it| {
            for &hash in HashFunction::ALL {
                let fits =
                    it.len() == hash.hex_len() && it.bytes().all(|it| it.is_ascii_hexdigit());
                assert_eq!(HexDigest::from_hex(hash, it).is_ok(), fits);
            }
        }),
    ),
    (
        "Text::new",
        "text",
        Bytes(|it| {
            if let Some(text) = checked(it, Text::new(it)) {
                assert_eq!(*text.to_bytes(), *it);
            }
        }),
    ),
    (
        "Text::eq_ignore_ascii_case",
        "text",
        Str(|it| {
            let text = Text::new("Auth").expect("plain text");
            assert_eq!(
                text.eq_ignore_ascii_case(it),
                it.eq_ignore_ascii_case("auth")
            );
        }),
    ),
    (
        "Target::new",
        "method",
        Bytes(|it| {
            let target = Target::new(it, "/");
            assert!(!format!("{target:?}").is_empty());
        }),
    ),
    (
        "Target::new",
        "uri",
        Bytes(|it| {
            let target = Target::new("GET", it);
            assert!(!format!("{target:?}").is_empty());
        }),
    ),
    (
        "Timestamp::from_unix_millis",
        "millis",
        Number(|it| {
            assert_eq!(Timestamp::from_unix_millis(it).as_unix_millis(), it);
        }),
    ),
    (
        "Timestamp::from_unix_secs",
        "secs",
        Number(|it| {
            assert_eq!(
                Timestamp::from_unix_secs(it).as_unix_millis(),
                it.saturating_mul(1000)
            );
        }),
    ),
    (
        "Timestamp::plus_secs",
        "secs",
        Number(|it| {
            let time = Timestamp::from_unix_millis(1).plus_secs(it);
            assert_eq!(
                time.as_unix_millis(),
                it.saturating_mul(1000).saturating_add(1)
            );
        }),
    ),
    (
        "Timestamp::plus_millis",
        "millis",
        Number(|it| {
            let time = Timestamp::from_unix_millis(u64::MAX - 1).plus_millis(it);
            assert_eq!(time.as_unix_millis(), (u64::MAX - 1).saturating_add(it));
        }),
    ),
    #[cfg(feature = "precis")]
    (
        "precis::username",
        "username",
        Str(|it| {
            let mapped = countersign::precis::username(it);
            assert_eq!(countersign::precis::username(&mapped), mapped);
        }),
    ),
    #[cfg(feature = "precis")]
    (
        "precis::password",
        "password",
        Str(|it| {
            let mapped = countersign::precis::password(it);
            assert_eq!(countersign::precis::password(&mapped), mapped);
        }),
    ),
];
