//! The grammar of header values (RFC 9110, sections 5.6 and 11, and RFC 8187), and of URIs.
//!
//! No control byte other than HTAB gets past `Text::new`, which refuses it in the caller's text,
//! and `closing_quote` in `cursor`, which refuses it in the quoted strings of the peer. All limits
//! on input are listed in [`manual::security`](crate::manual::security#limits).
//!
//! The attributes `inline(always)`, `inline(never)` and `cold` keep the parser's fast path in
//! registers and rare cases out of it. Without them, parsing executes 26 to 45 % more instructions
//! (callgrind, `benches`).

// A module imports from those above it on this page only.

pub(crate) mod chars;
pub(crate) mod uri;

mod scheme;
mod text;

mod cursor;
mod ext_value;
mod param_name;

mod params;

mod writer;

mod raw_challenge;

pub(crate) use chars::hex_digits;
pub(crate) use cursor::Cursor;
pub use cursor::MAX_VALUE_BYTES;
pub(crate) use ext_value::ExtValue;
pub(crate) use param_name::ParamName;
pub(crate) use params::{ParamList, ParamTable};
pub use raw_challenge::{MAX_CHALLENGES, RawChallenge};
pub(crate) use raw_challenge::{ParsedScheme, RawChallenges};
pub use scheme::Scheme;
pub use text::Text;
pub(crate) use writer::Writer;
