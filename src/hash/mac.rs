//! The MAC that authenticates nonces.

use core::fmt;

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;

use crate::secret;

/// HMAC-SHA-256 with one key, which is hashed only once, in [`new`](Self::new).
#[derive(Clone)]
pub(crate) struct Mac(Hmac<Sha256>);

impl Mac {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        // `Hmac::new` takes a key of one block. HMAC pads shorter keys with zeros (RFC 2104,
        // section 2), so this is the same key.
        let mut block = [0; 64];
        for (place, byte) in block.iter_mut().zip(key) {
            *place = *byte;
        }
        let mac = Hmac::new((&block).into());
        secret::wipe(&mut block);
        Self(mac)
    }

    /// The MAC of the concatenated parts.
    pub(crate) fn of(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.0.clone();
        for part in parts {
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mac(..)")
    }
}
