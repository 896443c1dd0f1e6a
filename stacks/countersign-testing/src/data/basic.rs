//! Basic credentials.

use serde::Deserialize;

use super::octets::{Hex, either};
use super::{About, Octets};

/// One value with Basic credentials.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct BasicVector {
    /// About the row.
    #[serde(flatten)]
    pub about: About,
    /// What to do.
    pub direction: Direction,
    user_bytes: Option<Hex>,
    pass_bytes: Option<Hex>,
    credentials: Option<String>,
    credentials_hex: Option<Hex>,
    /// `ok`, or the name of the error.
    pub expect: String,
    /// The same for tolerant readers.
    pub lenient_expect: Option<String>,
    lenient_user_bytes: Option<Hex>,
    lenient_pass_bytes: Option<Hex>,
}

impl BasicVector {
    /// The name and the password, if there are any.
    pub fn pair(&self) -> Option<(Octets, Octets)> {
        pair(self.user_bytes.as_ref(), self.pass_bytes.as_ref())
    }

    /// What tolerant readers take them for.
    pub fn lenient_pair(&self) -> Option<(Octets, Octets)> {
        pair(
            self.lenient_user_bytes.as_ref(),
            self.lenient_pass_bytes.as_ref(),
        )
    }

    /// The value of `Authorization`; empty if there is none, because the pair can not be encoded.
    pub fn value(&self) -> Vec<u8> {
        either(self.credentials.as_deref(), self.credentials_hex.as_ref())
    }
}

fn pair(user: Option<&Hex>, password: Option<&Hex>) -> Option<(Octets, Octets)> {
    Some((Octets(user?.0.clone()), Octets(password?.0.clone())))
}

/// What to do with Basic credentials.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Decode the value.
    Decode,
    /// Encode the pair.
    Encode,
    /// Both.
    Both,
}
