//! What a request carries.

use core::fmt;
use core::str::Utf8Error;

use crate::challenge::{Scheme, Start};
use crate::credentials::Authorization;
use crate::digest::{Credentials, Ha1};
use crate::secret::SecretBytes;

/// The header value for one request.
///
/// `Debug` hides it, and it is wiped when dropped: for Basic it holds the password. Mark it
/// sensitive if your HTTP library can.
#[derive(Clone)]
pub struct Answer {
    pub(super) value: SecretBytes,
    /// The secret of a Digest answer, to check the server's proof with.
    pub(super) ha1: Option<Ha1>,
    pub(super) overview_form: bool,
}

impl Answer {
    /// The value for `Authorization` or `Proxy-Authorization`. No byte of it is a control byte
    /// but HTAB. Bytes from 0x80 on stand in it only where the challenge had them in what must be
    /// returned unchanged, where the request-target has them, and in a user name beyond ASCII that
    /// goes as `username`: see
    /// [`with_plain_usernames`](super::Policy::with_plain_usernames) and
    /// [`with_latin1`](super::Policy::with_latin1).
    pub fn as_bytes(&self) -> &[u8] {
        self.value.as_bytes()
    }

    /// The value as text, for protocols whose headers are.
    ///
    /// # Errors
    ///
    /// [`Utf8Error`] if it is not UTF-8.
    pub fn to_str(&self) -> Result<&str, Utf8Error> {
        core::str::from_utf8(self.as_bytes())
    }

    /// The credentials this answer is, if they are Digest's.
    pub(super) fn digest(&self) -> Option<Credentials<'_>> {
        let (start, rest) = Start::of_credentials(self.as_bytes()).ok()?;
        match start.scheme() {
            Scheme::Digest => Authorization::read_digest(start, rest).ok(),
            Scheme::Basic | Scheme::Other(_) => None,
        }
    }
}

impl AsRef<[u8]> for Answer {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Answer(..)")
    }
}
