//! The headers as values: written, read back, and safe whatever text they hold.

mod control_bytes;
mod expected_response;
#[cfg(feature = "http")]
mod http_types;
mod other_schemes;
mod params_of_others;
mod quoting;
mod raw_equality;
mod round_trip;
mod texts;

/// The parameters of Digest credentials.
const CREDENTIALS_PARAMS: [&str; 12] = [
    "username",
    "username*",
    "realm",
    "nonce",
    "uri",
    "response",
    "algorithm",
    "cnonce",
    "opaque",
    "qop",
    "nc",
    "userhash",
];
