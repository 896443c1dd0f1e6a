//! HA1, the secret of Digest.

use crate::error::InvalidText;
use crate::hash::{HashFunction, Hasher, HexDigest};
use crate::syntax::Text;

/// HA1, `H(username:realm:password)`: the secret a server stores instead of the password (RFC 7616,
/// section 3.4.2).
///
/// Whoever has it can log in to that realm as that user, so `Debug` hides it, equality takes
/// constant time, and it is wiped when dropped.
///
/// ```
/// use countersign::digest::{Ha1, HashFunction};
///
/// let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "http-auth@example.org", "Circle of Life");
/// let stored = ha1.as_hex();
/// assert_eq!(Ha1::from_hex(HashFunction::Sha256, stored)?, ha1);
/// # Ok::<(), countersign::InvalidText>(())
/// ```
#[derive(Clone, Eq, PartialEq, Debug)]
pub struct Ha1(HexDigest);

impl Ha1 {
    /// Computes HA1 from a password.
    ///
    /// Pass the realm of a challenge as its [`Text`], so that its escapes are resolved. Strings and
    /// bytes are hashed verbatim. Use UTF-8, unless client and server are known to agree on another
    /// charset.
    ///
    /// Pass user names and passwords in Unicode Normalization Form C, as `charset=UTF-8` asks (RFC
    /// 7616, section 4), also for an HA1 that a server stores: otherwise clients that normalise,
    /// such as Java's `HttpURLConnection` from JDK 19 on, cannot log in. The functions of the
    /// feature `precis` do this.
    pub fn new<U, R, P>(hash: HashFunction, username: U, realm: R, password: P) -> Self
    where
        U: HashInput,
        R: HashInput,
        P: HashInput,
    {
        let parts = [&*username.bytes(), &realm.bytes(), &password.bytes()];
        Self(Hasher::hash(hash, &parts))
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

    /// Parses the hex digits of an HA1, in upper or lower case.
    ///
    /// # Errors
    ///
    /// [`InvalidText::NotHex`] at the first byte that is not a hexadecimal digit,
    /// [`InvalidText::Digits`] unless there are 32 digits for MD5, and 64 for the others,
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
    /// only, and takes the place of HA1 in the formulas.
    #[must_use]
    pub fn session_key<N, C>(&self, nonce: N, cnonce: C) -> Self
    where
        N: HashInput,
        C: HashInput,
    {
        let parts = [self.0.as_bytes(), &nonce.bytes(), &cnonce.bytes()];
        Self(Hasher::hash(self.hash_function(), &parts))
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

/// An argument of [`Ha1::new`](crate::digest::Ha1::new) and the formulas: a string or bytes, hashed
/// verbatim, or a [`Text`], hashed with its escapes resolved.
/// (`unq` in RFC 7616, section 3.4). The trait is sealed.
pub trait HashInput: sealed::Sealed {}

impl<T: AsRef<[u8]> + ?Sized> HashInput for T {}

impl HashInput for Text<'_> {}

pub(super) mod sealed {
    use alloc::borrow::Cow;

    use crate::syntax::Text;

    #[expect(unnameable_types, reason = "seals the trait")]
    pub trait Sealed {
        /// The bytes to hash.
        fn bytes(&self) -> Cow<'_, [u8]>;
    }

    impl<T: AsRef<[u8]> + ?Sized> Sealed for T {
        fn bytes(&self) -> Cow<'_, [u8]> {
            self.as_ref().into()
        }
    }

    impl Sealed for Text<'_> {
        fn bytes(&self) -> Cow<'_, [u8]> {
            self.to_bytes()
        }
    }
}
