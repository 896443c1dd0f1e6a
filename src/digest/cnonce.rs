//! Client nonces.

use core::fmt;

use rand_core::TryCryptoRng;

use crate::error::InvalidText;
use crate::syntax::{Text, hex_digits};

/// A client nonce (RFC 7616, section 3.4).
///
/// A generated cnonce has 16 characters, because some servers fail on longer ones.
///
/// ```
/// use countersign::digest::Cnonce;
///
/// let cnonce = Cnonce::generate(&mut getrandom::SysRng)?;
/// assert_eq!(cnonce.as_str().len(), 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
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
    ///
    /// # Errors
    ///
    /// The error of `rng`, which is called once.
    pub fn generate<R>(rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let mut random = [0; Self::DRAWN_LEN / 2];
        rng.try_fill_bytes(&mut random)?;
        let mut digits = [0; Self::DRAWN_LEN];
        for (place, byte) in digits.chunks_exact_mut(2).zip(random) {
            place.copy_from_slice(&hex_digits(byte));
        }
        Ok(Self::drawn(&digits))
    }

    /// Creates a cnonce from printable ASCII, for test vectors. In production use
    /// [`generate`](Self::generate): a cnonce must be unpredictable.
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

    /// Creates a cnonce from 16 random digits.
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
        Text::assume_checked(self.as_bytes())
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

#[cfg(test)]
mod tests {
    use rand_core::TryRng;

    use super::*;

    /// A generator that returns these bytes once, and then fails.
    struct Once(Option<[u8; 8]>);

    #[derive(Debug, Eq, PartialEq)]
    struct Exhausted;

    impl fmt::Display for Exhausted {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("exhausted")
        }
    }

    impl core::error::Error for Exhausted {}

    impl TryRng for Once {
        type Error = Exhausted;

        fn try_next_u32(&mut self) -> Result<u32, Exhausted> {
            Err(Exhausted)
        }

        fn try_next_u64(&mut self) -> Result<u64, Exhausted> {
            Err(Exhausted)
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Exhausted> {
            bytes.copy_from_slice(&self.0.take().ok_or(Exhausted)?);
            Ok(())
        }
    }

    impl TryCryptoRng for Once {}

    #[test]
    fn the_generator_is_called_once_and_every_bit_is_used() {
        let bytes = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
        let rng = &mut Once(Some(bytes));
        assert_eq!(Cnonce::generate(rng).unwrap().as_str(), "0123456789abcdef");
        assert_eq!(Cnonce::generate(rng), Err(Exhausted));
    }
}
