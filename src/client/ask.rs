//! The request for a login.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use crate::client::endpoint::Endpoint;
use crate::client::inline_bytes::InlineBytes;
use crate::client::space_id::SpaceId;
use crate::digest::HashFunction;
use crate::syntax::Scheme;

/// A login that a challenge asks for: the endpoint and realm, and the form in which the password
/// will be sent.
///
/// An ask is valid only for its protection space, scheme and hash function. So a password that a
/// user gave for one realm by Digest is never sent for another realm, or by Basic, even if other
/// requests were challenged while the user was typing. An ask borrows nothing, so it can be kept
/// across an await.
///
/// Two asks are equal if they are for the same login with the same [`is_again`](Self::is_again),
/// and in between neither were credentials refused nor was the realm challenged for another scheme
/// or hash function. So a program can keep the asks that the user declined, and not prompt for them
/// again.
///
/// ```
/// use countersign::Scheme;
/// use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
///
/// let endpoint = Endpoint::origin("https", "example.com", None)?;
/// let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
/// let challenge = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;
/// let Next::Login(ask) = client.challenged(&mut Exchange::new(), [challenge]) else { panic!() };
/// assert_eq!(ask.endpoint().to_string(), "https://example.com:443");
/// assert_eq!((ask.realm_text().as_ref(), ask.scheme()), ("files", Scheme::Digest));
/// assert!(!ask.is_again());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
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
    /// False for the ask of `GiveUp::WrongCredentials`.
    pub(super) is_fresh: bool,
}

impl Ask {
    /// The origin or proxy that asks. Check it, the [realm](Self::realm) and the
    /// [scheme](Self::scheme) before you give out a password: any server can choose any realm name,
    /// and a redirect can lead to any server.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The realm, unescaped, as bytes that are usually UTF-8. Empty for a Basic challenge without
    /// one.
    ///
    /// A program with a fixed password must compare the realm and the [scheme](Self::scheme) with
    /// those of the account: anyone who controls some paths of the origin can name a new realm or
    /// the same one, and until a realm has proved Digest, no [`Strength`](super::Strength) is
    /// required of it.
    pub fn realm(&self) -> &[u8] {
        self.realm.as_bytes()
    }

    /// The realm as text to show to the user. Bytes that are not UTF-8 become U+FFFD, and so do
    /// characters by which a server could change what is shown beside its realm: control
    /// characters, line separators, and bidirectional embeddings, overrides and isolates.
    ///
    /// The rest is the server's choice, and may be kilobytes long: it can look like a prompt of
    /// your program, and push what follows it off the screen. So show the
    /// [endpoint](Self::endpoint) first, and then the realm in quotation marks, cut to some 60
    /// characters.
    pub fn realm_text(&self) -> Cow<'_, str> {
        let text = String::from_utf8_lossy(self.realm());
        match text.contains(is_misleading) {
            true => text.replace(is_misleading, "\u{fffd}").into(),
            false => text,
        }
    }

    /// The scheme by which the password will be sent: hashed by [`Scheme::Digest`], in the clear by
    /// [`Scheme::Basic`]. Give a password that is meant for Digest to no ask for Basic, or exclude
    /// these with [`Policy::without_basic`](super::Policy::without_basic).
    pub const fn scheme(&self) -> Scheme<'static> {
        match self.hash {
            Some(_) => Scheme::Digest,
            None => Scheme::Basic,
        }
    }

    /// The hash function that the HA1 for [`login_with_ha1`](super::Client::login_with_ha1) must be
    /// made with; `None` for Basic.
    pub const fn hash_function(&self) -> Option<HashFunction> {
        self.hash
    }

    /// Returns whether credentials were refused in this protection space and none have been [shown
    /// to be right](super::Client::completed) since. If so, tell the user that the last login
    /// failed.
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

/// Shows neither the realm, which is header text, nor the number of the space.
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

/// Two asks are equal if they put the same question to the user.
impl PartialEq for Ask {
    fn eq(&self, other: &Self) -> bool {
        let question = |ask: &Self| (ask.id, ask.hash, ask.again, ask.refusals);
        question(self) == question(other) && self.endpoint == other.endpoint
    }
}

impl Eq for Ask {}
