//! Header field values to send.

use alloc::vec::Vec;
use core::fmt;
use core::str::Utf8Error;

use crate::secret::SecretBytes;

/// A header field value, ready to send.
///
/// It contains no control bytes other than HTAB, so it cannot inject another field or line. Because
/// credentials are secrets, `Debug` hides it and it is wiped when dropped; a `Vec` converted from
/// it is not wiped.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use countersign::server::{Authenticator, Realm};
/// # use countersign::server::Arrival;
/// # use countersign::{Channel, Target};
/// # let auth = Authenticator::new(Realm::new("files")?, 100, &mut getrandom::SysRng)?;
/// # let target = Target::new("GET", "/");
/// # let arrival = Arrival::now(Channel::Encrypted);
/// # let rejected = auth.begin([""; 0].iter(), &target, arrival).unwrap_err();
/// let challenge = &auth.refuse(&rejected).challenges[0];
/// assert!(challenge.to_str()?.starts_with(r#"Digest realm="files""#));
/// let mut value = http::HeaderValue::from_bytes(challenge.as_ref())?;
/// // For credentials: keeps them out of the logs and compression tables of `http` libraries.
/// value.set_sensitive(true);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct FieldValue(SecretBytes);

impl FieldValue {
    /// `bytes` must contain no control bytes other than HTAB.
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(SecretBytes::new(bytes))
    }

    /// The value as bytes. Bytes above 0x7F come from the peer's header or from the caller's text.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The value as a string.
    ///
    /// # Errors
    ///
    /// [`Utf8Error`] if the value is not UTF-8: see [`as_bytes`](Self::as_bytes).
    pub fn to_str(&self) -> Result<&str, Utf8Error> {
        core::str::from_utf8(self.as_bytes())
    }
}

impl AsRef<[u8]> for FieldValue {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl From<FieldValue> for Vec<u8> {
    fn from(value: FieldValue) -> Self {
        value.0.into_vec()
    }
}

/// The time of the comparison depends on the contents.
impl PartialEq for FieldValue {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for FieldValue {}

/// The time of the comparison depends on the contents.
impl PartialEq<str> for FieldValue {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

/// The time of the comparison depends on the contents.
impl PartialEq<&str> for FieldValue {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Debug for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldValue({} bytes)", self.as_bytes().len())
    }
}
