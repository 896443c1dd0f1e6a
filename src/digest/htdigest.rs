//! Lines of an `htdigest` file.

use core::error::Error;
use core::fmt;

use crate::digest::ha1::Ha1;
use crate::error::InvalidText;
use crate::hash::HashFunction;

/// One line of an `htdigest` file: `user:realm:HA1`.
///
/// The number of digits determines the hash function: 32 digits are MD5, as written by Apache's
/// `htdigest`, and 64 digits are SHA-256, as read by lighttpd.
///
/// ```
/// use countersign::digest::{HashFunction, Htdigest};
///
/// let file = "# users\n\
///     Mufasa:files:939e7578ed9e3c518a452acee763bce9939e7578ed9e3c518a452acee763bce9\n";
/// for (number, line) in Htdigest::lines(file) {
///     match line {
///         Ok(line) => {
///             assert_eq!((line.username(), line.realm()), ("Mufasa", "files"));
///             assert_eq!(line.ha1().hash_function(), HashFunction::Sha256);
///         }
///         // Never print the line itself: it holds a secret.
///         Err(error) => eprintln!("line {number}: {error}"),
///     }
/// }
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Htdigest<'a> {
    username: &'a str,
    realm: &'a str,
    ha1: Ha1,
}

impl<'a> Htdigest<'a> {
    /// Parses one line, with or without its line ending. The realm may contain colons, the user
    /// name may not.
    ///
    /// # Errors
    ///
    /// [`HtdigestError::Fields`] if the line does not have three fields; [`HtdigestError::Ha1`] if
    /// the last field is neither 64 hexadecimal digits nor (with the feature `md5`) 32.
    pub fn parse(line: &'a str) -> Result<Self, HtdigestError> {
        let line = line.trim_end_matches(['\r', '\n']);
        let (username, rest) = line.split_once(':').ok_or(HtdigestError::Fields)?;
        let (realm, hex) = rest.rsplit_once(':').ok_or(HtdigestError::Fields)?;
        let hash = match hex.len() {
            #[cfg(feature = "md5")]
            32 => HashFunction::Md5,
            _ => HashFunction::Sha256,
        };
        let ha1 = Ha1::from_hex(hash, hex).map_err(HtdigestError::Ha1)?;
        Ok(Self {
            username,
            realm,
            ha1,
        })
    }

    /// Parses all lines of a file except empty lines and comments (`#`), and returns each with its
    /// line number, starting from 1.
    pub fn lines(file: &'a str) -> impl Iterator<Item = (usize, Result<Self, HtdigestError>)> {
        (1..)
            .zip(file.lines())
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(number, line)| (number, Self::parse(line)))
    }

    /// The user name.
    pub const fn username(&self) -> &'a str {
        self.username
    }

    /// The realm.
    pub const fn realm(&self) -> &'a str {
        self.realm
    }

    /// The secret.
    pub const fn ha1(&self) -> &Ha1 {
        &self.ha1
    }
}

/// An invalid line of an `htdigest` file.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HtdigestError {
    /// It does not have the three fields `user:realm:HA1`.
    Fields,
    /// The last field is not an HA1. Positions are offsets in that field.
    Ha1(InvalidText),
}

impl fmt::Display for HtdigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fields => f.write_str("expected `user:realm:HA1`"),
            Self::Ha1(error) => write!(f, "in the last field: {error}"),
        }
    }
}

impl Error for HtdigestError {}
