//! A body that is made anew each time it is read.
use std::io::{self, Read, Repeat, Take};

use countersign::digest::{BodyHasher, HashFunction, HexDigest};

/// A body that is made anew each time it is read, at a price.
pub struct Source {
    size: u64,
    rest: Take<Repeat>,
}

impl Source {
    pub fn new(size: u64) -> Self {
        let rest = io::repeat(b'x').take(size);
        Self { size, rest }
    }

    /// How much was read.
    pub fn taken(&self) -> u64 {
        self.size - self.rest.limit()
    }

    pub fn hash(size: u64, hash: HashFunction) -> io::Result<HexDigest> {
        let mut source = Self::new(size);
        let mut hasher = BodyHasher::new(hash);
        let mut buffer = vec![0; 1 << 16];
        loop {
            match source.read(&mut buffer)? {
                0 => return Ok(hasher.finish()),
                read => hasher.update(&buffer[..read]),
            }
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.rest.read(buffer)
    }
}
