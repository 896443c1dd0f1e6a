//! Client nonces.

use core::fmt;

use rand_core::CryptoRng;

use crate::error::InvalidText;
use crate::syntax::Text;

/// A client nonce (RFC 7616, section 3.4).
///
/// Generated ones have 16 characters, because some servers fail on longer ones.
///
/// ```
/// use countersign::digest::Cnonce;
/// use countersign::rand_core::UnwrapErr;
///
/// let cnonce = Cnonce::generate(&mut UnwrapErr(getrandom::SysRng));
/// assert_eq!(cnonce.as_str().len(), 16);
/// ```
#[derive(Clone, Copy, Eq, PartialEq)]
pub struct Cnonce {
    text: [u8; Self::MAX_LEN],
    length: u8,
}

impl Cnonce {
    /// The maximum length, in bytes.
    pub const MAX_LEN: usize = 64;

    /// The length of generated cnonces, in bytes.
    pub(crate) const DRAWN_LEN: usize = 16;

    /// Generates a cnonce of 16 lower-case hexadecimal digits: 64 random bits.
    pub fn generate<R>(rng: &mut R) -> Self
    where
        R: CryptoRng + ?Sized,
    {
        Self::from_alphabet(*b"0123456789abcdef", rng)
    }

    /// Generates a cnonce of 16 decimal digits, 53 random bits, for servers that accept only those.
    pub fn generate_digits<R>(rng: &mut R) -> Self
    where
        R: CryptoRng + ?Sized,
    {
        Self::from_alphabet(*b"0123456789", rng)
    }

    fn from_alphabet<const N: usize, R>(alphabet: [u8; N], rng: &mut R) -> Self
    where
        R: CryptoRng + ?Sized,
    {
        let mut text = [0; Self::MAX_LEN];
        for place in text.iter_mut().take(Self::DRAWN_LEN) {
            // The modulo bias of 32 random bits is below one part in 10⁸.
            let draw = usize::try_from(rng.next_u32()).unwrap_or_default();
            *place = alphabet.get(draw % N).copied().unwrap_or_default();
        }
        Self { text, length: 16 }
    }

    /// Creates a cnonce from printable ASCII, for test vectors. In production use
    /// [`generate`](Self::generate): a predictable cnonce is useless.
    ///
    /// # Errors
    ///
    /// [`InvalidText::Control`] if `text` contains a control byte, including HTAB,
    /// [`InvalidText::NotAscii`] if it contains a character outside ASCII (RFC 7616, section 3.4),
    /// [`InvalidText::Length`] if it is empty or longer than [`MAX_LEN`](Self::MAX_LEN).
    ///
    /// ```
    /// use countersign::InvalidText;
    /// use countersign::digest::Cnonce;
    ///
    /// assert_eq!(Cnonce::new("0a4f113b")?.as_str(), "0a4f113b");
    /// assert_eq!(Cnonce::new("0a4f\u{e9}"), Err(InvalidText::NotAscii(4)));
    /// assert_eq!(Cnonce::new(""), Err(InvalidText::Length));
    /// # Ok::<(), InvalidText>(())
    /// ```
    pub fn new(text: &str) -> Result<Self, InvalidText> {
        let is_printable = |byte: &u8| matches!(byte, b' '..=b'~');
        match text
            .bytes()
            .enumerate()
            .find(|(_, byte)| !is_printable(byte))
        {
            Some((at, byte)) if byte.is_ascii() => return Err(InvalidText::Control(at)),
            Some((at, _)) => return Err(InvalidText::NotAscii(at)),
            None if text.is_empty() => return Err(InvalidText::Length),
            None => {}
        }
        let mut bytes = [0; Self::MAX_LEN];
        bytes
            .get_mut(..text.len())
            .ok_or(InvalidText::Length)?
            .copy_from_slice(text.as_bytes());
        let length = u8::try_from(text.len()).map_err(|_| InvalidText::Length)?;
        Ok(Self {
            text: bytes,
            length,
        })
    }

    /// Creates a cnonce from the first 16 of the given random digits.
    pub(crate) fn drawn(digits: &[u8]) -> Self {
        let mut text = [0; Self::MAX_LEN];
        for (place, digit) in text.iter_mut().zip(digits).take(Self::DRAWN_LEN) {
            *place = *digit;
        }
        Self { text, length: 16 }
    }

    /// The cnonce as a string.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    fn as_bytes(&self) -> &[u8] {
        let text = self.text.get(..usize::from(self.length));
        text.unwrap_or_default()
    }

    pub(crate) fn text(&self) -> Text<'_> {
        Text::literal(self.as_bytes())
    }
}

impl fmt::Display for Cnonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Cnonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cnonce({} bytes)", self.length)
    }
}
