//! The Basic scheme (RFC 7617): challenges and credentials.

use alloc::vec;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::error::{HeaderError, InvalidText};
use crate::field_value::FieldValue;
use crate::hash::{HashFunction, Hasher};
use crate::secret::{self, SecretBytes};
use crate::syntax::{ParamName, ParamTable, RawChallenge, Text, Writer, chars};

/// Base64, of which some devices omit the padding. Trailing bits must be zero (RFC 4648, section
/// 3.5): two encodings of one pair can differ only in padding.
static BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Returns the challenge a server sends: `Basic realm="..."`, and `charset="UTF-8"` if it reads
/// credentials as `utf8` (RFC 7617, section 2.1).
///
/// # Errors
///
/// [`InvalidText::Control`] if the realm contains a control byte other than HTAB.
pub fn basic_challenge(realm: &str, utf8: bool) -> Result<FieldValue, InvalidText> {
    let mut writer = Writer::list(64);
    writer.quoted("Basic realm=", Text::new(realm)?);
    if utf8 {
        writer.quoted(", charset=", Text::keyword("UTF-8"));
    }
    Ok(writer.finish())
}

/// Interprets the parameters of a challenge: the realm, and whether `charset` is UTF-8.
pub(crate) fn read_challenge<'a>(
    params: &ParamTable<'a>,
    challenge: &RawChallenge<'a>,
) -> Result<(Text<'a>, bool), HeaderError> {
    params.check_repeated()?;
    // A Basic challenge has no token68, and parsers differ on how they interpret one.
    if challenge.token68().is_some() {
        return Err(ParamName::Realm.missing());
    }
    let realm = params.get(ParamName::Realm).unwrap_or(Text::EMPTY);
    Ok((realm, params.has_keyword(ParamName::Charset, b"utf-8")))
}

/// Returns the credentials a client sends: `Basic dXNlcjpwYXNz`.
///
/// Pass text in UTF-8 if the challenge has `charset="UTF-8"`, in Normalization Form C (RFC 7617,
/// section 2.1), and usually also if it has not.
///
/// # Errors
///
/// [`InvalidText::ColonInUsername`] if the user name contains a colon, [`InvalidText::Control`] if
/// user name or password contain a control byte, including HTAB (RFC 7617, section 2).
pub fn basic_credentials<U, P>(username: U, password: P) -> Result<FieldValue, InvalidText>
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
    let mut value = vec![0; SCHEME.len() + pair.len().div_ceil(3) * 4];
    let (scheme, token68) = value.split_at_mut(SCHEME.len());
    scheme.copy_from_slice(SCHEME);
    // Cannot fail: `token68` has exactly the encoded length.
    let _ = BASE64.encode_slice(&*pair, token68);
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

/// A decoded user name and password.
///
/// Both are bytes, because clients use different charsets. `Debug` hides them, and they are wiped
/// when dropped.
#[derive(Clone, Debug)]
pub struct BasicCredentials {
    pair: SecretBytes,
    colon: usize,
}

impl BasicCredentials {
    /// Decodes the token68 that follows `Basic`. Padding may be missing. `None` if it is not base64,
    /// or if the decoded bytes have no colon or contain a control byte (RFC 7617, section 2).
    #[inline(always)]
    pub(crate) fn from_base64(token68: &[u8]) -> Option<Self> {
        let digits = match token68 {
            [digits @ .., b'=', b'='] | [digits @ .., b'='] => digits.len(),
            _ => token68.len(),
        };
        // Wiped when dropped, also if decoding fails halfway. It has room for exactly what these
        // digits encode.
        let mut pair = SecretBytes::zeroed(digits * 3 / 4);
        BASE64.decode_slice(token68, pair.as_mut_bytes()).ok()?;
        let colon = pair.as_bytes().iter().position(|&byte| byte == b':')?;
        (!chars::has_control(pair.as_bytes())).then_some(Self { pair, colon })
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
            let hash = |bytes| Hasher::hash(HashFunction::Sha256, &[bytes]);
            hash(a) == hash(b)
        };
        let same_username = same(self.username(), username.as_ref());
        let same_password = same(self.password(), password.as_ref());
        same_username & same_password
    }
}
