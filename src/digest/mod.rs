//! The Digest scheme (RFC 7616, RFC 2617, RFC 2069): secrets, hash functions and settings.
//!
//! [`wire`](crate::wire) has the headers and the formulas.

// A module imports from those above it on this page only.

mod algorithm;
mod ha1;
pub(crate) mod qop;
pub(crate) mod user;

pub(crate) mod challenge;
pub(crate) mod compute;

pub(crate) mod credentials;

pub use algorithm::Algorithm;
pub use compute::userhash;
pub use ha1::{Ha1, HashInput};
pub use qop::{Qop, QopSet};
pub use user::User;

pub use crate::hash::{BodyHasher, HashFunction, HexDigest};

pub(crate) use challenge::DigestChallenge;
pub(crate) use compute::{Kd, ha2};
pub(crate) use credentials::{DigestCredentials, Marks};
pub(crate) use qop::{Cnonce, QopParams, nc_digits, read_nc};
pub(crate) use user::Username;
