//! HA1, the secret of Digest.

use core::fmt;

use crate::digest::hash_input::HashInput;
use crate::error::InvalidText;
use crate::hash::{HashFunction, Hasher, HexDigest};

/// HA1, `H(username:realm:password)`: the secret a server stores instead of the password (RFC 7616,
/// section 3.4.2).
///
/// It is valid for one hash function, user name and realm. Whoever has it can log in to that realm
/// as that user, so `Debug` hides it, equality takes constant time, and it is wiped when dropped.
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
    /// Computes HA1 from a password.
    ///
    /// Pass the realm of a challenge as the [`Text`](crate::Text) that
    /// [`Challenge::realm`](crate::digest::Challenge::realm) returns, so that its escapes are
    /// resolved. Strings and bytes are hashed verbatim. Use UTF-8, unless client and server are
    /// known to agree on another charset.
    ///
    /// Nothing is normalised. `charset=UTF-8`, which servers of this crate always send, asks for
    /// user names and passwords in Unicode Normalization Form C (RFC 7616, section 4). So normalise
    /// them to NFC before you call this, also for an HA1 that a server stores. If a stored HA1 was
    /// made from a name that is not in NFC, clients that normalise it, such as Java's
    /// `HttpURLConnection` from JDK 19 on, cannot log in. The functions of the feature `precis` do
    /// this and map other characters, too.
    pub fn new<U, R, P>(hash: HashFunction, username: U, realm: R, password: P) -> Self
    where
        U: HashInput,
        R: HashInput,
        P: HashInput,
    {
        let mut hasher = Hasher::new(hash);
        hasher.chunks(username.chunks()).colon();
        hasher.chunks(realm.chunks()).colon();
        hasher.chunks(password.chunks());
        Self(hasher.finish())
    }

    /// Like [`new`](Self::new), but hashes the same number of blocks whatever the lengths, so that
    /// the time does not tell a known user from an unknown one, for whom the caller hashes another
    /// name and password. This holds if the padded input fits into [`Hasher::EQUAL_WORK_BYTES`].
    pub(crate) fn with_equal_work(
        hash: HashFunction,
        username: &str,
        realm: &str,
        password: &str,
    ) -> Self {
        let colons = 2;
        let length = username.len() + realm.len() + password.len() + colons;
        Hasher::equalize_work(hash, length);
        Self::new(hash, username, realm, password)
    }

    /// Parses the hex digits of an HA1, in upper or lower case, for example the third field of a
    /// line of an `htdigest` file.
    ///
    /// # Errors
    ///
    /// [`InvalidText::NotHex`] at the first byte that is not a hexadecimal digit,
    /// [`InvalidText::Length`] unless there are [`hash.hex_len()`](HashFunction::hex_len) digits,
    /// [`InvalidText::Zeros`] if all are zeros: with the default of a database column, anybody
    /// could log in.
    pub fn from_hex(hash: HashFunction, hex: &str) -> Result<Self, InvalidText> {
        let digest = HexDigest::from_hex(hash, hex)?;
        match digest.as_bytes().iter().all(|digit| *digit == b'0') {
            true => Err(InvalidText::Zeros),
            false => Ok(Self(digest)),
        }
    }

    /// The secret in lower-case hex, for storing.
    pub fn as_hex(&self) -> &str {
        self.0.as_str()
    }

    /// The hash function it was computed with.
    pub const fn hash_function(&self) -> HashFunction {
        self.0.hash_function()
    }

    /// Computes the session key of the `-sess` algorithms, `H(HA1:nonce:cnonce)` with HA1 in hex
    /// (RFC 7616, section 3.4.2; erratum 1649 of RFC 2617). It is valid for this nonce and cnonce
    /// only. Its type is `Ha1`, because it takes the place of HA1 in the formulas.
    ///
    /// ```
    /// use countersign::digest::{Ha1, HashFunction, QopParams, ha2, response};
    ///
    /// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
    /// let qop_params = QopParams::new("auth", "00000001", "f2/wE4q74E6z")?;
    /// let key = ha1.session_key("bm9uY2U", qop_params.cnonce());
    /// let ha2 = ha2(HashFunction::Sha256, "GET", "/", None);
    /// let of_sha256_sess = response(&key, "bm9uY2U", Some(&qop_params), &ha2);
    /// assert_ne!(of_sha256_sess, response(&ha1, "bm9uY2U", Some(&qop_params), &ha2));
    /// # Ok::<(), countersign::ParamError>(())
    /// ```
    #[must_use]
    pub fn session_key<N, C>(&self, nonce: N, cnonce: C) -> Self
    where
        N: HashInput,
        C: HashInput,
    {
        let mut hasher = Hasher::new(self.hash_function());
        hasher.hex(&self.0).colon();
        hasher.chunks(nonce.chunks()).colon();
        hasher.chunks(cnonce.chunks());
        Self(hasher.finish())
    }

    pub(crate) const fn digest(&self) -> &HexDigest {
        &self.0
    }

    /// A placeholder for an unknown user, so that checking a response costs the same work as for a
    /// known one. Everybody knows it, and can make a response that matches it. So refuse the request
    /// whatever the check says.
    pub(crate) const fn dummy(hash: HashFunction) -> Self {
        Self(HexDigest::zeros(hash))
    }
}

/// Lets functions take an `Ha1` or a type that contains one, such as a user record.
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
