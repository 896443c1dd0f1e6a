//! The Digest scheme (RFC 7616, RFC 2617, RFC 2069): types, headers and formulas.
//!
//! [`client`](crate::client) and [`server`](crate::server) are built from these. To use Digest in
//! another protocol, or with a device that deviates from the RFCs, call the formulas directly:
//!
//! ```
//! # #[cfg(feature = "md5")] {
//! use countersign::digest::{Ha1, HashFunction, QopParams, ha2, response};
//!
//! // RFC 7616, section 3.9.1
//! let ha1 = Ha1::new(HashFunction::Md5, "Mufasa", "http-auth@example.org", "Circle of Life");
//! let ha2 = ha2(HashFunction::Md5, "GET", "/dir/index.html", None);
//! let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v";
//! let cnonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ";
//! let qop_params = QopParams::new("auth", "00000001", cnonce)?;
//! let response = response(&ha1, nonce, Some(&qop_params), &ha2);
//! assert_eq!(response.as_str(), "8ca523f5e9506fed4657c9700eebdbec");
//! # }
//! # Ok::<(), countersign::ParamError>(())
//! ```

// A module imports from those above it on this page only.

mod algorithm;
mod cnonce;
mod hash_input;
mod qop;
mod user;

mod ha1;
mod qop_params;
mod username;

mod challenge;
mod compute;
mod htdigest;

mod credentials;

pub use algorithm::Algorithm;
pub use challenge::Challenge;
pub use cnonce::Cnonce;
pub use compute::{ha2, response, rspauth, userhash};
pub use credentials::Credentials;
pub use ha1::Ha1;
pub use hash_input::HashInput;
pub use htdigest::{Htdigest, HtdigestError};
pub use qop::{Qop, QopSet};
pub use qop_params::QopParams;
pub use user::User;
pub use username::Username;

pub use crate::hash::{BodyHasher, HashFunction, HexDigest};

pub(crate) use compute::Keyed;
