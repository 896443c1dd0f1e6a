//! The headers as values: written, read back, and safe whatever text they hold.

mod control_bytes;
mod other_schemes;
mod params_of_others;
mod quoting;
mod raw_equality;
mod round_trip;
