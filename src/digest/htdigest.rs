//! Lines of an `htdigest` file.

use alloc::format;
use alloc::string::String;
use core::error::Error;
use core::fmt;

use crate::digest::ha1::Ha1;
use crate::error::InvalidText;
use crate::hash::HashFunction;
use crate::syntax::Text;

/// One line of an `htdigest` file: `user:realm:HA1`.
///
/// The number of digits determines the hash function: 32 digits are MD5 (with the feature `md5`),
/// as written by Apache's `htdigest`, and 64 digits are SHA-256, as read by lighttpd. If the server
/// offers algorithms of both hash functions, a user has one line for each.
///
/// ```
/// use countersign::digest::{HashFunction, Htdigest};
///
/// let file = "# users\n\
///     Mufasa:files:fc8b2da7371f139a97679f16b5d65b193979ca693792108ecf9da9d2211be765\n";
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
    /// A line to be [written](Self::to_line). [`parse`](Self::parse) reads it back, even if the
    /// realm contains a colon; Apache and lighttpd do not read such a line.
    ///
    /// # Errors
    ///
    /// [`HtdigestError::Username`] if the user name contains a colon or a control byte other than
    /// HTAB, or begins with `#` as a comment does; [`HtdigestError::Realm`] if the realm contains a
    /// control byte other than HTAB; [`HtdigestError::HashFunction`] if the HA1 is of SHA-512-256,
    /// because its 64 digits would be read as SHA-256.
    ///
    /// ```
    /// use countersign::digest::{Ha1, HashFunction, Htdigest};
    ///
    /// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
    /// let line = Htdigest::new("Mufasa", "files", ha1)?;
    /// assert_eq!(Htdigest::parse(&line.to_line())?, line);
    /// # Ok::<(), countersign::digest::HtdigestError>(())
    /// ```
    pub fn new(username: &'a str, realm: &'a str, ha1: Ha1) -> Result<Self, HtdigestError> {
        if Text::new(username).is_err() || username.contains(':') || username.starts_with('#') {
            return Err(HtdigestError::Username);
        }
        if Text::new(realm).is_err() {
            return Err(HtdigestError::Realm);
        }
        if ha1.hash_function() == HashFunction::Sha512_256 {
            return Err(HtdigestError::HashFunction);
        }
        Ok(Self {
            username,
            realm,
            ha1,
        })
    }

    /// Parses one line, with or without its line ending. The user name ends at the first colon
    /// and the realm at the last, so only the realm can contain colons. Comments are recognized by
    /// [`lines`](Self::lines), not here.
    ///
    /// # Errors
    ///
    /// [`HtdigestError::Fields`] if the line has fewer than two colons; [`HtdigestError::Ha1`] if
    /// the last field is neither 64 hexadecimal digits nor (with the feature `md5`) 32.
    pub fn parse(line: &'a str) -> Result<Self, HtdigestError> {
        let line = line.trim_end_matches(['\r', '\n']);
        let (username, rest) = line.split_once(':').ok_or(HtdigestError::Fields)?;
        let (realm, hex) = rest.rsplit_once(':').ok_or(HtdigestError::Fields)?;
        let hash = match hex.len() {
            #[cfg(feature = "md5")]
            32 => HashFunction::Md5,
            // 64 digits, or a length that `from_hex` refuses for SHA-256.
            _ => HashFunction::Sha256,
        };
        let ha1 = Ha1::from_hex(hash, hex).map_err(HtdigestError::Ha1)?;
        Ok(Self {
            username,
            realm,
            ha1,
        })
    }

    /// Parses all lines of a file except empty ones and comments, which begin with `#`, and returns
    /// each with its line number, starting from 1.
    pub fn lines(file: &'a str) -> impl Iterator<Item = (usize, Result<Self, HtdigestError>)> {
        (1..)
            .zip(file.lines())
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(number, line)| (number, Self::parse(line)))
    }

    /// The line, without a line ending. It holds the secret, so let only the server read the file.
    pub fn to_line(&self) -> String {
        format!("{}:{}:{}", self.username, self.realm, self.ha1.as_hex())
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

/// An invalid line of an `htdigest` file, or text that cannot be written to one.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum HtdigestError {
    /// The line has fewer than the three fields `user:realm:HA1`.
    Fields,
    /// The last field is not an HA1. Positions are offsets in that field.
    Ha1(InvalidText),
    /// From [`new`](Htdigest::new): a user name with a colon or a control byte other than HTAB, or
    /// one that begins with `#`.
    Username,
    /// From [`new`](Htdigest::new): a realm with a control byte other than HTAB.
    Realm,
    /// From [`new`](Htdigest::new): an HA1 of SHA-512-256, which an `htdigest` file cannot tell
    /// from one of SHA-256.
    HashFunction,
}

impl fmt::Display for HtdigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fields => f.write_str("expected `user:realm:HA1`"),
            Self::Ha1(error) => write!(f, "in the last field: {error}"),
            Self::Username => {
                f.write_str("user name contains a colon or a control byte, or begins with `#`")
            }
            Self::Realm => f.write_str("realm contains a control byte"),
            Self::HashFunction => f.write_str("HA1 is of SHA-512-256, not of MD5 or SHA-256"),
        }
    }
}

impl Error for HtdigestError {}
