//! The secret key of nonces.

use core::fmt;

use rand_core::TryCryptoRng;

use crate::error::InvalidText;
use crate::secret;
use crate::syntax::hex_digits;

/// The 32-byte key that authenticates a server's nonces. `Debug` hides it, and it is wiped when
/// dropped.
///
/// An attacker who has it can forge nonces, but cannot log in with them. Servers that do not share
/// a key refuse each other's nonces.
///
/// You need one only if the key outlives the process or is shared by several machines;
/// [`Authenticator::new`](super::Authenticator::new) draws its own.
///
/// It is not `Clone`, because two replay tables under one key would each admit a captured header
/// once.
///
/// ```compile_fail,E0382
/// use countersign::server::{Authenticator, NonceKey, Realm};
///
/// let key = NonceKey::from_bytes([7; 32]);
/// let rng = &mut getrandom::SysRng;
/// let one = Authenticator::with_key(Realm::new("a")?, key, None, 100, rng)?;
/// let two = Authenticator::with_key(Realm::new("a")?, key, None, 100, rng)?; // moved
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Eq, PartialEq)]
pub struct NonceKey([u8; 32]);

impl NonceKey {
    /// A key from 32 random bytes.
    pub const fn from_bytes(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// A key from 64 hexadecimal digits of either case, such as from a configuration file.
    ///
    /// # Errors
    ///
    /// [`InvalidText::NotHex`] with the position of the first byte that is not a digit;
    /// [`InvalidText::Length`] if there are not 64 digits.
    ///
    /// ```
    /// use countersign::server::NonceKey;
    ///
    /// let key = NonceKey::random(&mut getrandom::SysRng)?;
    /// assert_eq!(NonceKey::from_hex(&key.to_hex())?, key);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_hex(hex: &str) -> Result<Self, InvalidText> {
        if let Some(at) = hex.bytes().position(|byte| !byte.is_ascii_hexdigit()) {
            return Err(InvalidText::NotHex(at));
        }
        let mut key = Self([0; 32]);
        hex::decode_to_slice(hex, &mut key.0).map_err(|_| InvalidText::Length)?;
        Ok(key)
    }

    /// A new random key.
    ///
    /// # Errors
    ///
    /// The error of `rng`.
    pub fn random<R>(rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let mut key = Self([0; 32]);
        rng.try_fill_bytes(&mut key.0)?;
        Ok(key)
    }

    /// The 32 bytes, for storing. The caller has to wipe them.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.0
    }

    /// The key as 64 lower-case hexadecimal digits, for storing. The caller has to wipe them.
    pub fn to_hex(&self) -> alloc::string::String {
        self.0
            .iter()
            .flat_map(|byte| hex_digits(*byte))
            .map(char::from)
            .collect()
    }

    pub(super) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Drop for NonceKey {
    fn drop(&mut self) {
        secret::wipe(&mut self.0);
    }
}

impl fmt::Debug for NonceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NonceKey(..)")
    }
}
