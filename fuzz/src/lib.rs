//! The fuzz targets: functions that take any bytes and panic if the library is wrong. `cargo test`
//! runs them on all stored inputs.

#[allow(dead_code)]
#[path = "../../tests/support/accounts.rs"]
mod accounts;
#[allow(dead_code)]
#[path = "../../tests/support/compare.rs"]
mod compare;
#[allow(dead_code)]
#[path = "../../tests/support/errors.rs"]
mod errors;
mod http_auth_peer;
#[path = "../../tests/support/naive.rs"]
mod naive;
#[allow(dead_code)]
#[path = "../../tests/support/round_trip.rs"]
mod round_trip;
mod session;

use countersign::Authorization;

pub use http_auth_peer::http_auth_peer;
pub use session::session;

/// Defines the fuzz target of a binary from a function of this crate.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::$name(data));

        #[cfg(not(fuzzing))]
        fn main() {
            eprintln!(concat!(
                "run it with: cargo +nightly fuzz run ",
                stringify!($name)
            ));
        }
    };
}

/// A challenge list, as one value and as one value per line.
pub fn challenges(data: &[u8]) {
    compare::challenges(data);
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    for line in &lines {
        compare::challenges(line);
    }
    let together = countersign::raw_challenges(lines.iter().copied());
    let apart = lines
        .iter()
        .flat_map(|&line| countersign::raw_challenges([line]));
    for (one, other) in together.zip(apart).take(countersign::MAX_CHALLENGES) {
        assert_eq!(one, other);
    }
}

/// A credentials value.
pub fn authorization(data: &[u8]) {
    compare::authorization(data);
}

/// An `Authentication-Info` value.
pub fn authentication_info(data: &[u8]) {
    compare::info(data);
}

/// Basic: encodes `data`, and decodes it.
pub fn basic(data: &[u8]) {
    let pair = decode(data).filter(|pair| !pair.iter().any(u8::is_ascii_control));
    let pair = pair.as_deref().and_then(split);
    let value = [b"Basic ", data].concat();
    let found = match Authorization::parse(&value) {
        Ok(Authorization::Basic(found)) => Some(found),
        _ => None,
    };
    let found = found.as_ref().map(|it| (it.username(), it.password()));
    // Whitespace around base64 belongs to the field.
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    if value.len() <= countersign::MAX_VALUE_BYTES && !data.iter().any(is_blank) {
        assert_eq!(found, pair);
    }

    let (username, password) = split(data).unwrap_or((data, b""));
    let is_fine = !data.iter().any(u8::is_ascii_control);
    match countersign::wire::basic_credentials(username, password) {
        Ok(value) => {
            let Ok(Authorization::Basic(read)) = Authorization::parse(&value) else {
                panic!("no pair");
            };
            assert_eq!((read.username(), read.password()), (username, password));
        }
        Err(_) => assert!(!is_fine),
    }
    compare::authorization(&value);
}

fn split(pair: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = pair.iter().position(|&byte| byte == b':')?;
    Some((&pair[..colon], &pair[colon + 1..]))
}

/// Decodes base64 by its definition (RFC 4648, section 4), with its padding, a part of it, or none.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let padding = text.iter().rev().take_while(|&&byte| byte == b'=').count();
    let digits = &text[..text.len() - padding];
    if padding > (4 - digits.len() % 4) % 4 {
        return None;
    }
    let mut bits = Vec::new();
    for digit in digits {
        let value = DIGITS.iter().position(|it| it == digit)?;
        bits.extend((0..6).rev().map(|bit| value >> bit & 1));
    }
    let bytes = bits.chunks_exact(8);
    let left_over = bytes.remainder();
    if left_over.len() >= 6 || left_over.contains(&1) {
        return None;
    }
    Some(
        bytes
            .map(|bits| bits.iter().fold(0, |byte, &bit| byte << 1 | bit as u8))
            .collect(),
    )
}

/// Everything that can be parsed from `data`.
pub fn round_trip(data: &[u8]) {
    round_trip::read(data);
}
