//! Of the formulas, and of the values that headers are made of.

use countersign::digest::{self, BodyHasher, Ha1, HashFunction, HexDigest};
use countersign::wire::{QopParams, ha2, response, rspauth};
use countersign::{Target, Timestamp};

use crate::support::digest::hex_len;

use super::Row;
use super::Try::{Bytes, Number, Text as Str};

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
        "wire::ha2",
        "method",
        Bytes(|it| {
            differs(ha2(HASH, it, "/", None), ha2(HASH, "", "/", None), it);
        }),
    ),
    (
        "wire::ha2",
        "uri",
        Bytes(|it| {
            differs(ha2(HASH, "GET", it, None), ha2(HASH, "GET", "", None), it);
        }),
    ),
    (
        "wire::response",
        "nonce",
        Bytes(|it| {
            let made = |nonce: &[u8]| response(&ha1(), nonce, Some(&params()), &digest_of(b""));
            differs(made(it), made(b""), it);
        }),
    ),
    (
        "wire::rspauth",
        "nonce",
        Bytes(|it| {
            let made = |nonce: &[u8]| rspauth(&ha1(), nonce, Some(&params()), "/", None);
            differs(made(it), made(b""), it);
        }),
    ),
    (
        "wire::rspauth",
        "uri",
        Bytes(|it| {
            let made = |uri: &[u8]| rspauth(&ha1(), "n", Some(&params()), uri, None);
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
                let fits = it.len() == hex_len(hash) && it.bytes().all(|it| it.is_ascii_hexdigit());
                assert_eq!(Ha1::from_hex(hash, it).is_ok(), fits);
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
                let fits = it.len() == hex_len(hash) && it.bytes().all(|it| it.is_ascii_hexdigit());
                assert_eq!(HexDigest::from_hex(hash, it).is_ok(), fits);
            }
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
