//! Lines of an `htdigest` file.

use core::error::Error;
use core::fmt;

use crate::digest::ha1::Ha1;
use crate::error::InvalidText;
use crate::hash::HashFunction;

/// One line of an `htdigest` file: `user:realm:HA1`.
///
/// Apache's `htdigest` writes MD5; lighttpd reads 64 digits, too, and then means SHA-256. So the
/// number of digits tells the hash function.
///
/// ```
/// use countersign::digest::{HashFunction, Htdigest};
///
/// let file = "# users\nMufasa:files:939e7578ed9e3c518a452acee763bce9939e7578ed9e3c518a452acee763bce9\n";
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
    /// Reads one line, with or without its end. A realm may hold colons, a user name may not.
    ///
    /// # Errors
    ///
    /// [`HtdigestError::Fields`] if the line does not have three fields; [`HtdigestError::Ha1`] if
    /// the last is neither 64 hexadecimal digits nor, with the feature `md5`, 32.
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

    /// Reads all lines of a file but those that are empty or start with `#`, each with its number,
    /// counted from 1.
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

    /// The realm the secret is good for.
    pub const fn realm(&self) -> &'a str {
        self.realm
    }

    /// The secret.
    pub const fn ha1(&self) -> &Ha1 {
        &self.ha1
    }
}

/// A line that is not an `htdigest` line.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HtdigestError {
    /// It does not have the three fields `user:realm:HA1`.
    Fields,
    /// Its last field is no HA1. The position counts from the start of that field.
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
