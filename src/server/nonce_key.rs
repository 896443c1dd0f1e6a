//! The secret that nonces are made with.

use core::fmt;

use rand_core::TryCryptoRng;

use crate::error::InvalidText;
use crate::secret;
use crate::syntax::hex_digits;

/// The key of a server's nonces: 32 bytes. `Debug` hides it, and it is wiped when dropped.
///
/// Whoever has it can make nonces that the server takes for its own, but cannot log in with that.
/// There is no default: servers that do not share a key refuse each other's nonces.
///
/// A server that draws a new key at each start needs none of this: see
/// [`Authenticator::new`](super::Authenticator::new). A key that outlives the process, or that
/// several machines share, comes from bytes or hex.
///
/// It is not `Clone`, because one key must not serve two replay memories: each would grant a
/// captured header once.
///
/// ```compile_fail,E0382
/// use countersign::Timestamp;
/// use countersign::server::{Authenticator, NonceKey, Realm};
///
/// let key = NonceKey::from_bytes([7; 32]);
/// let rng = &mut getrandom::SysRng;
/// let one = Authenticator::restarted(Realm::new("a")?, key, Timestamp::now(), 100, rng)?;
/// let two = Authenticator::restarted(Realm::new("a")?, key, Timestamp::now(), 100, rng)?; // moved
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Eq, PartialEq)]
pub struct NonceKey([u8; 32]);

impl NonceKey {
    /// A key from 32 random bytes.
    pub const fn from_bytes(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// A key from 64 hexadecimal digits of either case, as a configuration file has it.
    ///
    /// # Errors
    ///
    /// [`InvalidText::NotHex`] at the first byte that is no digit, [`InvalidText::Length`] if there
    /// are not 64.
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

    /// A fresh key.
    ///
    /// # Errors
    ///
    /// The generator's own.
    pub fn random<R>(rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let mut key = Self([0; 32]);
        rng.try_fill_bytes(&mut key.0)?;
        Ok(key)
    }

    /// The bytes, to store. They are the caller's to wipe.
    pub const fn to_bytes(&self) -> [u8; 32] {
        self.0
    }

    /// The bytes as 64 hexadecimal digits in lower case, to store. They are the caller's to wipe.
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
