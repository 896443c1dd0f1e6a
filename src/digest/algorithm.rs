//! Values of the `algorithm` parameter. A new hash function also needs a place in `hash/function.rs`,
//! `hash/hasher.rs` and `client/strength.rs`, and 64 digits at most (`hash/output.rs`).

use core::fmt;

use crate::error::HeaderError;
use crate::hash::HashFunction;
use crate::syntax::{ParamName, Text};

/// A value of the `algorithm` parameter: a hash function, with or without `-sess` (RFC 7616,
/// section 3.3).
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Algorithm {
    hash: HashFunction,
    session: bool,
}

impl Algorithm {
    /// `MD5`, also the default where `algorithm` is absent. Requires the feature `md5`.
    #[cfg(feature = "md5")]
    pub const MD5: Self = Self::of(HashFunction::Md5, false);
    /// `MD5-sess`. Requires the feature `md5`.
    #[cfg(feature = "md5")]
    pub const MD5_SESS: Self = Self::of(HashFunction::Md5, true);
    /// `SHA-256`.
    pub const SHA_256: Self = Self::of(HashFunction::Sha256, false);
    /// `SHA-256-sess`.
    pub const SHA_256_SESS: Self = Self::of(HashFunction::Sha256, true);
    /// `SHA-512-256`.
    pub const SHA_512_256: Self = Self::of(HashFunction::Sha512_256, false);
    /// `SHA-512-256-sess`.
    pub const SHA_512_256_SESS: Self = Self::of(HashFunction::Sha512_256, true);

    /// All algorithms, strongest hash function first.
    pub const ALL: &'static [Self] = &[
        Self::SHA_512_256,
        Self::SHA_512_256_SESS,
        Self::SHA_256,
        Self::SHA_256_SESS,
        #[cfg(feature = "md5")]
        Self::MD5,
        #[cfg(feature = "md5")]
        Self::MD5_SESS,
    ];

    const fn of(hash: HashFunction, session: bool) -> Self {
        Self { hash, session }
    }

    /// The hash function.
    pub const fn hash_function(self) -> HashFunction {
        self.hash
    }

    /// Returns whether this is a `-sess` algorithm: see
    /// [`Ha1::session_key`](crate::digest::Ha1::session_key).
    pub const fn is_sess(self) -> bool {
        self.session
    }

    /// The name, as registered by RFC 7616, section 6.1.
    pub const fn as_str(self) -> &'static str {
        match (self.hash, self.session) {
            #[cfg(feature = "md5")]
            (HashFunction::Md5, false) => "MD5",
            #[cfg(feature = "md5")]
            (HashFunction::Md5, true) => "MD5-sess",
            (HashFunction::Sha256, false) => "SHA-256",
            (HashFunction::Sha256, true) => "SHA-256-sess",
            (HashFunction::Sha512_256, false) => "SHA-512-256",
            (HashFunction::Sha512_256, true) => "SHA-512-256-sess",
        }
    }

    fn named(name: Text<'_>) -> Option<Self> {
        Some(match name {
            _ if name.is_word(b"sha-256") => Self::SHA_256,
            #[cfg(feature = "md5")]
            _ if name.is_word(b"md5") => Self::MD5,
            _ if name.is_word(b"sha-512-256") => Self::SHA_512_256,
            _ => return Self::by_letters(name),
        })
    }

    /// The session variants, which few servers have, and any name without its hyphens: inverters
    /// write `SHA256`. No longer than the right names, because an answer echoes it.
    #[cold]
    fn by_letters(name: Text<'_>) -> Option<Self> {
        if name.bytes().count() > "SHA-512-256-sess".len() {
            return None;
        }
        let is_letter = |byte: &u8| *byte != b'-';
        let is_it = |it: &&Self| {
            let mut letters = it.as_str().bytes().filter(is_letter);
            let mut is_next = |byte: u8| {
                letters
                    .next()
                    .is_some_and(|it| it.eq_ignore_ascii_case(&byte))
            };
            name.bytes().filter(is_letter).all(&mut is_next) && letters.next().is_none()
        };
        Self::ALL.iter().find(is_it).copied()
    }

    /// Parses the parameter. If it is absent, the algorithm is MD5 (RFC 7616, section 3.3), which
    /// is not supported without the feature `md5`.
    pub(crate) fn read(text: Option<Text<'_>>) -> Result<Self, HeaderError> {
        match text {
            Some(name) => Self::named(name),
            #[cfg(feature = "md5")]
            None => Some(Self::MD5),
            #[cfg(not(feature = "md5"))]
            None => None,
        }
        .ok_or(UNSUPPORTED)
    }
}

const UNSUPPORTED: HeaderError = ParamName::Algorithm.unsupported();

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Parses the name, ignoring ASCII case and hyphens. Without the feature `md5`, the names of MD5
/// are errors, too.
impl core::str::FromStr for Algorithm {
    type Err = HeaderError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let name = Text::new(name).ok();
        name.and_then(Self::named).ok_or(UNSUPPORTED)
    }
}
