//! The request for a login.

use alloc::borrow::Cow;
use alloc::string::String;
use core::mem;

use crate::client::endpoint::Endpoint;
use crate::digest::HashFunction;
use crate::inline_bytes::InlineBytes;
use crate::secret;
use crate::syntax::Scheme;

/// A login that a challenge asks for: the endpoint and realm, and the form in which the password
/// will be sent. It is answered by [`Client::login`](super::Client::login).
///
/// An ask is valid only for its client, realm, scheme and hash function, even if other requests were
/// challenged while the user was typing. It borrows nothing, so it can be kept across an await. Two
/// asks are equal if they put the same question to the user, so a program can keep those that the
/// user declined.
#[derive(Clone, Debug)]
pub struct Ask {
    pub(super) endpoint: Endpoint,
    /// Identifies the protection space.
    pub(super) id: SpaceId,
    pub(super) realm: InlineBytes<64>,
    /// The hash function of Digest; `None` for Basic.
    pub(super) hash: Option<HashFunction>,
    /// Credentials were refused in the protection space, and none accepted since.
    pub(super) again: bool,
    /// The number of refusals in the protection space when the ask was made.
    pub(super) refusals: u32,
}

impl Ask {
    /// The origin or proxy that asks. Show it to the user: a redirect can lead to any server.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The realm, unescaped, as bytes that are usually UTF-8. Empty for a Basic challenge without
    /// one.
    pub fn realm(&self) -> &[u8] {
        self.realm.as_bytes()
    }

    /// The realm as text. It is the server's choice, so show it after the
    /// [endpoint](Self::endpoint), put quotation marks around it, and cut it to some 60 characters.
    /// Bytes that are not UTF-8 become U+FFFD, and so do characters that could change what is shown
    /// beside it.
    pub fn realm_text(&self) -> Cow<'_, str> {
        let text = String::from_utf8_lossy(self.realm());
        match text.contains(is_misleading) {
            true => text.replace(is_misleading, "\u{fffd}").into(),
            false => text,
        }
    }

    /// The scheme: the password is sent hashed by Digest, and in the clear by Basic.
    pub const fn scheme(&self) -> Scheme {
        match self.hash {
            Some(_) => Scheme::Digest,
            None => Scheme::Basic,
        }
    }

    /// The hash function of Digest; `None` for Basic.
    pub const fn hash_function(&self) -> Option<HashFunction> {
        self.hash
    }

    /// Returns whether the last login to this realm failed. If so, tell the user.
    pub const fn is_again(&self) -> bool {
        self.again
    }
}

// Marks such as U+200F are left, because they are usual in text.
fn is_misleading(c: char) -> bool {
    let is_separator = matches!(c, '\u{2028}' | '\u{2029}');
    let is_directional = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_separator || is_directional
}

/// Two asks are equal if they put the same question to the user.
impl PartialEq for Ask {
    fn eq(&self, other: &Self) -> bool {
        let question = |ask: &Self| (ask.id, ask.hash, ask.again, ask.refusals);
        question(self) == question(other) && self.endpoint == other.endpoint
    }
}

impl Eq for Ask {}

/// The number of a protection space, by which asks and exchanges name it. A client counts up from a
/// random number, so that it does not take another client's ask for its own.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) struct SpaceId(u64);

impl SpaceId {
    /// Takes the first number out of a client's seed: asks and exchanges are not wiped, so these
    /// bytes must not determine cnonces as well.
    pub(super) fn take_from(seed: &mut [u8; 32]) -> Self {
        let id = seed.first_chunk_mut().map_or([0; 8], mem::take);
        Self(u64::from_le_bytes(id))
    }

    /// Counts up, and returns the new number.
    pub(super) fn advance(&mut self) -> Self {
        self.0 = self.0.wrapping_add(1);
        *self
    }
}

secret::hide!(SpaceId);
