//! The fuzz input, read as a script.

/// The rest of the input. After its end it reads as zeros.
pub(super) struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    pub(super) const fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> u8 {
        let Some((&byte, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        byte
    }

    /// Reads a number below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        usize::from(self.byte()) % end
    }

    /// Reads an index below `length`, which may exceed 256.
    pub(super) fn position(&mut self, length: usize) -> usize {
        let at = u16::from_be_bytes([self.byte(), self.byte()]);
        usize::from(at) % length
    }

    pub(super) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Reads a length byte and that many bytes.
    pub(super) fn text(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()).min(self.0.len());
        let (text, rest) = self.0.split_at(length);
        self.0 = rest;
        text
    }
}
