//! The MAC that makes nonces.

use core::fmt;

use crate::hash::function::HashFunction;
use crate::hash::hasher::{Hasher, State};
use crate::secret;

/// HMAC-SHA-256 (RFC 2104) under one key, of which both blocks are hashed once.
#[derive(Clone)]
pub(crate) struct Mac {
    inner: State,
    outer: State,
}

impl Mac {
    const BLOCK: usize = 64;

    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let keyed = |pad: u8| {
            let mut block = [pad; Self::BLOCK];
            for (place, byte) in block.iter_mut().zip(key) {
                *place ^= byte;
            }
            let mut state = State::new(HashFunction::Sha256);
            state.compress(&block);
            secret::wipe(&mut block);
            state
        };
        Self {
            inner: keyed(0x36),
            outer: keyed(0x5C),
        }
    }

    /// The MAC of all parts, one behind the other.
    pub(crate) fn of(&self, parts: &[&[u8]]) -> [u8; 32] {
        let hasher = |state: &State| Hasher::resumed(state.clone(), 64);
        let mut inner = hasher(&self.inner);
        for part in parts {
            inner.bytes(part);
        }
        let mut outer = hasher(&self.outer);
        outer.bytes(&inner.finish_bytes());
        outer.finish_bytes()
    }
}

impl fmt::Debug for Mac {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mac(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4231, sections 4.2 to 4.5: HMAC fills short keys up with zeros, as is done here.
    #[test]
    fn the_test_cases_of_the_rfc() {
        let counted: [u8; 25] = core::array::from_fn(|at| at as u8 + 1);
        let cases: [(&[u8], &[u8], &str); 4] = [
            (
                &[0x0B; 20],
                b"Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            ),
            (
                b"Jefe",
                b"what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (
                &[0xAA; 20],
                &[0xDD; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
            ),
            (
                &counted,
                &[0xCD; 50],
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
            ),
        ];
        for (key, data, expected) in cases {
            let mut filled = [0; 32];
            filled[..key.len()].copy_from_slice(key);
            let mac = Mac::new(&filled);
            for at in 0..data.len() {
                let (before, after) = data.split_at(at);
                let mut digits = [0; 64];
                hex::encode_to_slice(mac.of(&[before, after]), &mut digits).unwrap();
                assert_eq!(digits, expected.as_bytes());
            }
        }
    }
}
