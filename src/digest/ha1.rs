//! The secret of Digest.

use core::fmt;

use crate::digest::hash_input::HashInput;
use crate::error::InvalidText;
use crate::hash::{HashFunction, Hasher, HexDigest};

/// `H(username:realm:password)`: all a server needs to store (RFC 7616, section 3.4.2).
///
/// Whoever has it can log in to that realm, so `Debug` hides it, equality takes constant time,
/// and it is wiped when dropped. It holds for one hash function, one user name and one realm.
///
/// ```
/// use countersign::digest::{Ha1, HashFunction};
///
/// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "http-auth@example.org", "Circle of Life");
/// let stored = ha1.as_hex();
/// assert_eq!(Ha1::from_hex(HashFunction::Sha256, stored)?, ha1);
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Clone, Eq, PartialEq)]
pub struct Ha1(HexDigest);

impl Ha1 {
    /// From a password. A realm that was read from a challenge goes in as the
    /// [`Text`](crate::Text) it is. All else goes in byte for byte: UTF-8, unless you know that
    /// client and server mean another charset.
    ///
    /// Nothing is normalised. A challenge with `charset=UTF-8`, as every server of this crate sends
    /// it, asks for names and passwords in Unicode Normalization Form C (RFC 7616, section 4), so
    /// give them in NFC, and store what was made of that. Java's `HttpURLConnection` hashes the
    /// user name in NFC from JDK 19 on: it cannot log in where an HA1 was made of another form.
    pub fn new<U, R, P>(hash: HashFunction, username: U, realm: R, password: P) -> Self
    where
        U: HashInput,
        R: HashInput,
        P: HashInput,
    {
        let mut hasher = Hasher::new(hash);
        hasher.text(username.text()).colon();
        hasher.text(realm.text()).colon();
        hasher.text(password.text());
        Self(hasher.finish())
    }

    /// [`new`](Self::new) in work that does not depend on the length of what is hashed, up to
    /// [`Hasher::EQUAL_WORK_BYTES`].
    pub(crate) fn in_equal_work(
        hash: HashFunction,
        username: &str,
        realm: &str,
        password: &str,
    ) -> Self {
        Hasher::fill_up(hash, username.len() + realm.len() + password.len() + 2);
        Self::new(hash, username, realm, password)
    }

    /// From stored hex of either case, as in an `htdigest` file.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Length`] if it does not have as many digits as `hash` gives,
    /// [`InvalidText::NotHex`] at the first byte that is no digit.
    pub fn from_hex(hash: HashFunction, hex: &str) -> Result<Self, InvalidText> {
        HexDigest::from_hex(hash, hex).map(Self)
    }

    /// To lower-case hex, for storing.
    pub fn as_hex(&self) -> &str {
        self.0.as_str()
    }

    /// The hash function it was made with.
    pub const fn hash_function(&self) -> HashFunction {
        self.0.hash_function()
    }

    /// The session key of the `-sess` algorithms: `H(HA1:nonce:cnonce)`, with HA1 as hex (RFC
    /// 7616, section 3.4.2; erratum 1649 of RFC 2617).
    #[must_use]
    pub fn session<N, C>(&self, nonce: N, cnonce: C) -> Self
    where
        N: HashInput,
        C: HashInput,
    {
        let mut hasher = Hasher::new(self.hash_function());
        hasher.hex(&self.0).colon();
        hasher.text(nonce.text()).colon();
        hasher.text(cnonce.text());
        Self(hasher.finish())
    }

    pub(crate) const fn digest(&self) -> &HexDigest {
        &self.0
    }

    /// What no password gives, to do the work for a user that does not exist.
    pub(crate) const fn none(hash: HashFunction) -> Self {
        Self(HexDigest::none(hash))
    }
}

/// So that an HA1 alone can be what a store gives for a user.
impl AsRef<Self> for Ha1 {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Drop for Ha1 {
    fn drop(&mut self) {
        self.0.wipe();
    }
}

impl fmt::Debug for Ha1 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ha1({:?})", self.hash_function())
    }
}
