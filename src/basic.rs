//! The Basic scheme (RFC 7617): challenges and credentials.
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

use core::fmt;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::error::{HeaderError, InvalidText, ParamError, ParamName, ParamProblem};
use crate::field_value::FieldValue;
use crate::hash::{HashFunction, Hasher};
use crate::secret::{self, SecretBytes};
use crate::syntax::{Names, ParamTable, RawChallenge, Text, Writer, chars};

/// Base64 with padding. Trailing bits must be zero (RFC 4648, section 3.5): two encodings of one
/// pair can differ only in padding.
static PADDED: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical)
        .with_decode_allow_trailing_bits(false),
);

/// Like [`PADDED`], but without padding, which some devices omit.
static UNPADDED: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(false),
);

/// Returns the challenge a server sends: `Basic realm="...", charset="UTF-8"`.
///
/// ```
/// let challenge = countersign::basic::challenge("WallyWorld")?;
/// assert_eq!(challenge, r#"Basic realm="WallyWorld", charset="UTF-8""#);
/// # Ok::<(), countersign::InvalidText>(())
/// ```
///
/// # Errors
///
/// [`InvalidText::Control`] if the realm contains a control byte other than HTAB.
pub fn challenge(realm: &str) -> Result<FieldValue, InvalidText> {
    Ok(Challenge::new(realm)?.with_utf8().to_field_value())
}

/// Returns the credentials a client sends: `Basic dXNlcjpwYXNz`.
///
/// They contain nothing from a challenge, so a client may send them with its first request. Pass
/// text in UTF-8 if the challenge has `charset="UTF-8"`, and usually also if it has not. With the
/// parameter, normalise to Unicode Normalization Form C before (RFC 7617, section 2.1).
///
/// ```
/// let value = countersign::basic::credentials("Aladdin", "open sesame")?;
/// assert_eq!(value, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
/// # Ok::<(), countersign::InvalidText>(())
/// ```
///
/// # Errors
///
/// [`InvalidText::ColonInUsername`] if the user name contains a colon, [`InvalidText::Control`] if
/// user name or password contain a control byte, including HTAB (RFC 7617, section 2).
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
    // On the stack if short, to save an allocation.
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
    let mut value = secret::zeroed(SCHEME.len() + pair.len().div_ceil(3) * 4);
    let (scheme, token68) = value.split_at_mut(SCHEME.len());
    scheme.copy_from_slice(SCHEME);
    // Cannot fail: `token68` has exactly the encoded length.
    let _ = PADDED.encode_slice(&*pair, token68);
    secret::wipe(pair);
    FieldValue::new(value)
}

/// Checks that Basic can carry this user name.
fn check_username(username: &[u8]) -> Result<(), InvalidText> {
    if !chars::has_control_or_colon(username) {
        return Ok(());
    }
    if username.contains(&b':') {
        return Err(InvalidText::ColonInUsername);
    }
    check_control(username)
}

fn check_control(text: &[u8]) -> Result<(), InvalidText> {
    if !chars::has_control(text) {
        return Ok(());
    }
    let at = text.iter().position(u8::is_ascii_control);
    Err(InvalidText::Control(at.unwrap_or_default()))
}

/// A Basic challenge (RFC 7617, section 2), parsed from a header or to be written to one.
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

    /// A challenge without `charset`. Clients may show the realm to the user.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if the realm contains a control byte other than HTAB.
    pub fn new<T: AsRef<[u8]> + ?Sized>(realm: &'a T) -> Result<Self, InvalidText> {
        Ok(Self {
            realm: Text::new(realm)?,
            utf8: false,
        })
    }

    /// Adds `charset="UTF-8"`: the server reads credentials as UTF-8 (RFC 7617, section 2.1).
    ///
    /// ```
    /// use countersign::basic::Challenge;
    ///
    /// let challenge = Challenge::new("files")?.with_utf8();
    /// assert_eq!(challenge.to_field_value(), r#"Basic realm="files", charset="UTF-8""#);
    /// # Ok::<(), countersign::InvalidText>(())
    /// ```
    #[must_use]
    pub const fn with_utf8(self) -> Self {
        Self { utf8: true, ..self }
    }

    /// Interprets the parameters of a Basic challenge.
    #[inline(always)]
    pub(crate) fn read(
        params: &ParamTable<'a>,
        challenge: &RawChallenge<'a>,
    ) -> Result<Self, HeaderError> {
        params.check_repeated()?;
        // A Basic challenge has no token68, and parsers differ on how they interpret one.
        if challenge.token68().is_some() {
            return Err(ParamError::new(ParamName::Realm, ParamProblem::Missing).into());
        }
        Ok(Self {
            // RFC 7617, section 2, requires a realm, but most browsers do not.
            realm: params.get(ParamName::Realm).unwrap_or(Text::EMPTY),
            utf8: params.has_keyword(ParamName::Charset, b"utf-8"),
        })
    }

    /// The realm, which may be shown to the user; empty if the header has none.
    pub const fn realm(&self) -> Text<'a> {
        self.realm
    }

    /// Returns whether the challenge has `charset="UTF-8"`: the server reads credentials as UTF-8.
    pub const fn is_utf8(&self) -> bool {
        self.utf8
    }

    /// Returns the header value.
    pub fn to_field_value(&self) -> FieldValue {
        let mut writer = Writer::scheme("Basic", 64);
        writer.quoted("realm", self.realm);
        if self.utf8 {
            writer.quoted_plain("charset", b"UTF-8");
        }
        writer.finish()
    }
}

/// Interprets the parameters of a challenge, without checking that its scheme is Basic. To parse a
/// header field, use [`challenges`](crate::challenges()), which checks it.
///
/// RFC 7617, section 2, requires `realm`; as in most browsers, a missing realm is empty. Unknown
/// parameters and unknown values of `charset` are ignored.
///
/// The error is [`Repeated`](ParamProblem::Repeated) for a repeated `realm` or `charset`, and
/// [`Missing`](ParamProblem::Missing) for `realm` if there is a token68 instead of parameters.
impl<'a> TryFrom<RawChallenge<'a>> for Challenge<'a> {
    type Error = HeaderError;

    fn try_from(challenge: RawChallenge<'a>) -> Result<Self, Self::Error> {
        Self::read(&ParamTable::of(Self::PARAMS, challenge), &challenge)
    }
}

/// A decoded user name and password.
///
/// Both are bytes, because clients use different charsets. `Debug` hides them, and they are wiped
/// when dropped.
///
/// ```
/// let pair = countersign::basic::Credentials::decode("QWxhZGRpbjpvcGVuIHNlc2FtZQ==")?;
/// assert_eq!((pair.username(), pair.password()), (&b"Aladdin"[..], &b"open sesame"[..]));
/// # Ok::<(), countersign::ParamError>(())
/// ```
#[derive(Clone)]
pub struct Credentials {
    pair: SecretBytes,
    colon: usize,
}

impl Credentials {
    /// Decodes the token68 that follows `Basic`. Padding may be missing, but not in part; trailing
    /// bits must be zero.
    ///
    /// # Errors
    ///
    /// [`ParamProblem::Malformed`] if the token68 is not base64, or if the decoded bytes have no
    /// colon or contain a control byte (RFC 7617, section 2).
    pub fn decode(token68: &str) -> Result<Self, ParamError> {
        Self::from_base64(token68.as_bytes())
            .ok_or(ParamError::new(ParamName::Token68, ParamProblem::Malformed))
    }

    #[inline(always)]
    pub(crate) fn from_base64(token68: &[u8]) -> Option<Self> {
        // Refuse long input with a byte that base64 never has before allocating memory for it.
        let is_base64 =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
        if token68.len() > 1024 && !token68.iter().all(|&byte| is_base64(byte)) {
            return None;
        }
        // Wiped when dropped, also if decoding fails halfway.
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

    /// The password, which may contain colons.
    pub fn password(&self) -> &[u8] {
        let after = self.colon.saturating_add(1);
        self.pair.as_bytes().get(after..).unwrap_or_default()
    }

    /// Returns the header value.
    pub fn to_field_value(&self) -> FieldValue {
        encode(self.username(), self.password())
    }

    /// Returns whether the credentials have this user name and this password.
    ///
    /// Compares SHA-256 hashes in constant time, so the time reveals only the approximate length of
    /// the texts. If you store password hashes, pass [`password`](Self::password) to your password
    /// hash function instead.
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
        let same_username = same(self.username(), username.as_ref());
        let same_password = same(self.password(), password.as_ref());
        same_username & same_password
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("basic::Credentials(..)")
    }
}
