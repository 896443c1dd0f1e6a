//! The grammar of header values (RFC 9110, sections 5.6 and 11, and RFC 8187), and of URIs.
//!
//! - `chars`: the classes of bytes. No class contains a control byte other than HTAB.
//! - `limits`: the limits on the size of headers.
//! - `reading`: strict or lenient.
//! - `text`: the value of a parameter. `Text::new` refuses control bytes other than HTAB in the
//!   caller's text.
//! - `cursor`: whitespace, tokens and quoted strings. `closing_quote` refuses control bytes other
//!   than HTAB in the quoted strings of the peer.
//! - `digits` and `ext_value`: hexadecimal numbers, and the encoding of `username*`.
//! - `params`: parameter lists, with the whitespace around `=` that RFC 9110 calls bad (BWS).
//! - `param_table`: the parameters that this crate interprets. It rejects repeated ones.
//! - `scheme` and `raw_challenge`: challenges and credentials of any scheme.
//! - `writer` and `builder`: the other direction.
//! - `uri`: request-targets, to be compared.
//!
//! The attributes `inline(always)`, `inline(never)` and `cold` keep the parser's fast path in
//! registers and rare cases out of it. Without them, parsing executes 26 to 45 % more instructions
//! (callgrind, `benches`).

// A module imports from those above it on this page only.

pub(crate) mod chars;
mod limits;
mod reading;

mod scheme;
mod text;

mod digits;

mod cursor;
mod ext_value;

mod params;
pub(crate) mod uri;
mod writer;

mod raw_challenge;

mod builder;
mod param_table;

pub use builder::RawChallengeBuilder;
pub(crate) use cursor::Cursor;
pub(crate) use digits::{hex_digits, nc_digits, read_nc};
pub(crate) use ext_value::ExtValue;
pub use limits::{MAX_CHALLENGES, MAX_PARAMS, MAX_VALUE_BYTES};
pub(crate) use param_table::{Names, ParamTable};
pub(crate) use params::ParamList;
pub use params::{Param, Params};
pub(crate) use raw_challenge::ParsedScheme;
pub use raw_challenge::{RawChallenge, RawChallenges};
pub use scheme::Scheme;
pub use text::{Chunks, Text};
pub(crate) use writer::Writer;
