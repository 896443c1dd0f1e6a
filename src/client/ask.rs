//! A login that is asked for.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use crate::client::endpoint::Endpoint;
use crate::client::short::Short;
use crate::digest::HashFunction;
use crate::syntax::Scheme;

/// A login that a challenge asks for: whose name and password, and in which form they will be sent.
///
/// It is good for that protection space, scheme and hash function alone. So a password that a user
/// gave for one realm by Digest never goes out for another, or as Basic, whatever other requests
/// were challenged for while the user was typing. It owns what it says, so it lives across an await,
/// and may be kept for as long as the client.
#[derive(Clone, Eq, PartialEq)]
pub struct Ask {
    pub(super) endpoint: Endpoint,
    pub(super) id: u64,
    pub(super) realm: Short<64>,
    pub(super) hash: Option<HashFunction>,
    pub(super) again: bool,
    /// How many refusals there had been in its protection space.
    pub(super) refusals: u32,
    /// The request that was challenged carried no credentials.
    pub(super) is_fresh: bool,
}

impl Ask {
    /// Who asks. A password belongs to an endpoint and a realm together: any server can name its
    /// realm as it likes, and a redirect leads to any server.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The realm, as it was sent: most likely UTF-8. Empty for a Basic challenge without one.
    pub fn realm(&self) -> &[u8] {
        self.realm.as_bytes()
    }

    /// The realm as text to show the user, with replacement characters for what is not UTF-8.
    pub fn realm_text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.realm())
    }

    /// How the password will be sent: by [`Scheme::Digest`] hashed, by [`Scheme::Basic`] as it is.
    pub const fn scheme(&self) -> Scheme<'static> {
        match self.hash {
            Some(_) => Scheme::Digest,
            None => Scheme::Basic,
        }
    }

    /// The hash function of a Digest challenge, which an HA1 to [log in
    /// with](super::Client::login_with_ha1) must be of. `None` for Basic.
    pub const fn hash_function(&self) -> Option<HashFunction> {
        self.hash
    }

    /// Whether a name and password were refused there, and none have been accepted since.
    pub const fn is_again(&self) -> bool {
        self.again
    }
}

/// Neither the realm, which is header text, nor the number, which comes from the client's seed.
impl fmt::Debug for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask")
            .field("endpoint", &self.endpoint)
            .field("scheme", &self.scheme())
            .field("hash_function", &self.hash)
            .field("again", &self.again)
            .finish_non_exhaustive()
    }
}
