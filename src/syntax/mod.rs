//! The grammar of RFC 9110, sections 5.6 and 11, and of RFC 8187: no meaning, only form.

pub(crate) mod chars;
mod cursor;
mod digits;
mod ext_value;
mod limits;
mod params;
mod reading;
mod text;
pub(crate) mod uri;
mod writer;

pub(crate) use cursor::Cursor;
pub(crate) use digits::{hex_digits, nc_digits, read_nc};
pub(crate) use ext_value::ExtValue;
pub use limits::{MAX_CHALLENGES, MAX_PARAMS, MAX_VALUE_BYTES};
pub(crate) use params::ParamList;
pub use params::{Param, Params};
pub(crate) use reading::Reading;
pub use text::{Chunks, Text};
pub(crate) use writer::Writer;
