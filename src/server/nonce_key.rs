//! The secret key of nonces.

use core::fmt;

use rand_core::TryCryptoRng;

use crate::error::InvalidText;
use crate::secret;
use crate::syntax::hex_digits;

/// The 32-byte key that authenticates a server's nonces. `Debug` hides it, and it is wiped when
/// dropped.
///
/// An attacker who has it can forge nonces, but needs a correct response to log in with one. Servers
/// that do not share a key refuse each other's nonces.
///
/// [`Authenticator::new`](super::Authenticator::new) generates a key itself. Make one yourself if
/// it is to outlive the process or to be shared by several machines, to
/// [rotate](super::Authenticator::rotate) keys, and for [`Nonces`](super::Nonces).
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

    /// A key from 64 hexadecimal digits of either case, such as from a file, which only the
    /// server's user should be able to read (mode 0600). ASCII whitespace around the digits is
    /// ignored, because most files end with a line break.
    ///
    /// # Errors
    ///
    /// [`InvalidText::NotHex`] with the position in `hex` of the first byte that is not a digit;
    /// [`InvalidText::Length`] if there are not 64 digits.
    ///
    /// ```
    /// use countersign::server::NonceKey;
    ///
    /// let key = NonceKey::random(&mut getrandom::SysRng)?;
    /// let file = format!("{}\n", key.to_hex());
    /// assert_eq!(NonceKey::from_hex(&file)?, key);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_hex(hex: &str) -> Result<Self, InvalidText> {
        let indent = hex.len() - hex.trim_ascii_start().len();
        let digits = hex.trim_ascii();
        if let Some(at) = digits.bytes().position(|byte| !byte.is_ascii_hexdigit()) {
            return Err(InvalidText::NotHex(indent + at));
        }
        let mut key = Self([0; 32]);
        hex::decode_to_slice(digits, &mut key.0).map_err(|_| InvalidText::Length)?;
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
