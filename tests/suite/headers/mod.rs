//! The headers as values: written, read back, and safe whatever text they hold.

mod control_bytes;
mod other_schemes;
mod quoting;
mod round_trip;
