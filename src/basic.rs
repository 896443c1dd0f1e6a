//! The Basic scheme (RFC 7617): no state, so no types but the two headers.
//!
//! ```
//! use countersign::{Authorization, basic};
//!
//! let challenge = basic::challenge("WallyWorld")?;
//! assert_eq!(challenge, r#"Basic realm="WallyWorld", charset="UTF-8""#);
//!
//! let value = basic::credentials("Aladdin", "open sesame")?;
//! assert_eq!(value, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
//!
//! let Ok(Authorization::Basic(pair)) = Authorization::parse(&value) else { unreachable!() };
//! assert!(pair.matches("Aladdin", "open sesame"));
//! assert!(!pair.matches("Aladdin", "close sesame"));
//! # Ok::<(), countersign::InvalidText>(())
//! ```

use alloc::vec;
use core::fmt;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::error::{HeaderError, InvalidText, ParamError, ParamName, ParamProblem};
use crate::field_value::FieldValue;
use crate::hash::{HashFunction, Hasher};
use crate::secret::{self, SecretBytes};
use crate::syntax::{Names, ParamTable, RawChallenge, Text, Writer};

/// Bits left over must be zero, so that they do not give credentials more spellings (RFC 4648,
/// section 3.5).
static PADDED: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical)
        .with_decode_allow_trailing_bits(false),
);

/// All padding may be missing, as it is from some devices: what is decoded is the same.
static UNPADDED: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(false),
);

/// The challenge a server sends: `Basic realm="...", charset="UTF-8"`.
///
/// # Errors
///
/// [`InvalidText::Control`] if the realm holds a control byte other than HTAB.
pub fn challenge(realm: &str) -> Result<FieldValue, InvalidText> {
    Ok(Challenge::new(realm)?.with_utf8().to_field_value())
}

/// The credentials a client sends: `Basic dXNlcjpwYXNz`.
///
/// Needs no challenge, so a client may send it with its first request. Give text in the charset
/// the server wants: UTF-8 if its challenge says so, and most likely even if not. With
/// `charset="UTF-8"` it asks for Unicode Normalization Form C, too (RFC 7617, section 2.1): nothing
/// is normalised here.
///
/// # Errors
///
/// [`InvalidText::ColonInUsername`], or [`InvalidText::Control`] if user name or password hold a
/// control byte, HTAB included (RFC 7617, section 2).
pub fn credentials<U, P>(username: U, password: P) -> Result<FieldValue, InvalidText>
where
    U: AsRef<[u8]>,
    P: AsRef<[u8]>,
{
    let (username, password) = (username.as_ref(), password.as_ref());
    check_username(username)?;
    check_control(password)?;
    Ok(encode(username, password))
}

fn encode(username: &[u8], password: &[u8]) -> FieldValue {
    const SCHEME: &[u8] = b"Basic ";
    // Joined on the stack, unless they are longer than any that people type.
    let mut short = [0; 128];
    let mut long;
    let pair = match short.get_mut(..username.len() + 1 + password.len()) {
        Some(pair) => pair,
        None => {
            long = SecretBytes::zeroed(username.len() + 1 + password.len());
            long.as_mut_bytes()
        }
    };
    let (before, after) = pair.split_at_mut(username.len());
    before.copy_from_slice(username);
    if let [colon, after @ ..] = after {
        *colon = b':';
        after.copy_from_slice(password);
    }
    let mut value = vec![0; SCHEME.len() + pair.len().div_ceil(3) * 4];
    let (scheme, token68) = value.split_at_mut(SCHEME.len());
    scheme.copy_from_slice(SCHEME);
    // There is just the room it takes, so this cannot fail.
    let _ = PADDED.encode_slice(&*pair, token68);
    secret::wipe(pair);
    FieldValue::new(value)
}

/// Whether Basic can carry this user name.
fn check_username(username: &[u8]) -> Result<(), InvalidText> {
    if username.contains(&b':') {
        return Err(InvalidText::ColonInUsername);
    }
    check_control(username)
}

fn check_control(text: &[u8]) -> Result<(), InvalidText> {
    // Whether there is one is found out of many bytes together, where it is of each alone.
    if !text
        .iter()
        .fold(false, |any, byte| any | byte.is_ascii_control())
    {
        return Ok(());
    }
    let at = text.iter().position(u8::is_ascii_control);
    Err(InvalidText::Control(at.unwrap_or_default()))
}

/// A Basic challenge, read from a header or to be written to one.
///
/// ```
/// use countersign::basic;
///
/// let value = r#"Basic realm="foo", charset="UTF-8""#;
/// let generic = countersign::challenges([value]).raw().next().unwrap()?;
/// let challenge = basic::Challenge::try_from(generic)?;
/// assert_eq!(challenge.realm(), "foo");
/// assert!(challenge.is_utf8());
/// assert_eq!(challenge.to_field_value(), value);
/// # Ok::<(), countersign::HeaderError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Challenge<'a> {
    realm: Text<'a>,
    utf8: bool,
}

impl<'a> Challenge<'a> {
    pub(crate) const PARAMS: Names = Names::of(&[ParamName::Realm, ParamName::Charset]);

    /// One for a realm, which is shown to the user.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the realm holds a control byte other than HTAB.
    pub fn new<T: AsRef<[u8]> + ?Sized>(realm: &'a T) -> Result<Self, InvalidText> {
        Ok(Self {
            realm: Text::new(realm)?,
            utf8: false,
        })
    }

    /// Says that the server reads credentials as UTF-8 (RFC 7617, section 2.1).
    #[must_use]
    pub const fn with_utf8(self) -> Self {
        Self { utf8: true, ..self }
    }

    /// Makes sense of the parameters of a challenge of this scheme.
    #[inline(always)]
    pub(crate) fn read(
        known: &ParamTable<'a>,
        challenge: &RawChallenge<'a>,
    ) -> Result<Self, HeaderError> {
        known.check()?;
        // What Basic has no place for may be a realm to one reader and nothing to the next.
        if challenge.token68().is_some() {
            known.require(&[ParamName::Realm])?;
        }
        Ok(Self {
            // RFC 7617, section 2, requires one. Browsers and HTTP libraries ask for a password all
            // the same, and none takes it for another realm than the empty one.
            realm: known.text(ParamName::Realm),
            utf8: known.says(ParamName::Charset, b"utf-8"),
        })
    }

    /// What to show the user; empty where the header has none.
    pub const fn realm(&self) -> Text<'a> {
        self.realm
    }

    /// Whether the server says that it reads credentials as UTF-8.
    pub const fn is_utf8(&self) -> bool {
        self.utf8
    }

    /// The header value.
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::scheme("Basic", 64);
        writer.quoted("realm", self.realm);
        if self.utf8 {
            writer.quoted_plain("charset", b"UTF-8");
        }
        writer.finish()
    }
}

/// Reads the parameters of a challenge whose scheme is known to be Basic. From a header,
/// [`challenges`](crate::challenges()) reads it in one pass.
///
/// RFC 7617, section 2, requires `realm`. A challenge without one reads as one with an empty realm,
/// as browsers read it. Unknown parameters and values of `charset` are ignored.
///
/// The error is [`Repeated`](ParamProblem::Repeated) for `realm` and `charset`, and
/// [`Missing`](ParamProblem::Missing) for `realm` where a token68 stands in place of parameters.
impl<'a> TryFrom<RawChallenge<'a>> for Challenge<'a> {
    type Error = HeaderError;

    fn try_from(challenge: RawChallenge<'a>) -> Result<Self, Self::Error> {
        Self::read(&ParamTable::of(Self::PARAMS, challenge), &challenge)
    }
}

/// A user name and a password, decoded.
///
/// Bytes, because clients differ in charset. `Debug` hides them, and they are wiped when dropped.
#[derive(Clone)]
pub struct Credentials {
    pair: SecretBytes,
    colon: usize,
}

impl Credentials {
    /// Decodes the token68 after `Basic`.
    ///
    /// # Errors
    ///
    /// [`ParamProblem::Malformed`] if it is not base64, has no colon, or holds a control byte
    /// (RFC 7617, section 2). Missing padding is accepted; left-over bits that are not zero are
    /// not.
    pub fn decode(token68: &str) -> Result<Self, ParamError> {
        Self::from_base64(token68.as_bytes())
            .ok_or(ParamError::new(ParamName::Token68, ParamProblem::Malformed))
    }

    #[inline(always)]
    pub(crate) fn from_base64(token68: &[u8]) -> Option<Self> {
        // A long one is looked over before memory is asked for.
        let is_base64 =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        if token68.len() > 1024 && !token68.iter().all(|&byte| is_base64(byte)) {
            return None;
        }
        // In a buffer of ours, which is wiped also when the rest of the token is no base64.
        let mut pair = SecretBytes::zeroed(token68.len().div_ceil(4) * 3);
        let buffer = pair.as_mut_bytes();
        let length = match token68.last() {
            Some(b'=') => PADDED.decode_slice(token68, buffer),
            _ => UNPADDED.decode_slice(token68, buffer),
        };
        let length = length.ok()?;
        pair.truncate(length);
        check_control(pair.as_bytes()).ok()?;
        let colon = pair.as_bytes().iter().position(|&byte| byte == b':')?;
        Some(Self { pair, colon })
    }

    /// The user name.
    pub fn username(&self) -> &[u8] {
        self.pair.as_bytes().get(..self.colon).unwrap_or_default()
    }

    /// The password. It may hold colons.
    pub fn password(&self) -> &[u8] {
        let after = self.colon.saturating_add(1);
        self.pair.as_bytes().get(after..).unwrap_or_default()
    }

    /// The header value.
    pub fn to_field_value(&self) -> FieldValue {
        encode(self.username(), self.password())
    }

    /// Compares with a known pair, in time that does not tell how much of it matched, nor how
    /// long the known ones are but for the time it takes to hash them.
    ///
    /// For a stored password hash, give [`password`](Self::password) to your hash function
    /// instead.
    pub fn matches<U, P>(&self, username: U, password: P) -> bool
    where
        U: AsRef<[u8]>,
        P: AsRef<[u8]>,
    {
        let same = |a: &[u8], b: &[u8]| {
            let hash = |bytes| {
                let mut hasher = Hasher::new(HashFunction::Sha256);
                hasher.bytes(bytes);
                hasher.finish()
            };
            hash(a) == hash(b)
        };
        let username = same(self.username(), username.as_ref());
        let password = same(self.password(), password.as_ref());
        username & password
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("basic::Credentials(..)")
    }
}
