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
