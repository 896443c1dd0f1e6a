//! Secrets: hidden from `Debug`, wiped when dropped, compared in constant time.

use alloc::vec;
use alloc::vec::Vec;
use ctutils::CtEq;
use rand_core::TryCryptoRng;

/// `Debug` of a type that shows its name alone.
macro_rules! hide {
    ($type:ident) => {
        impl core::fmt::Debug for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($type), "(..)"))
            }
        }
    };
}
pub(crate) use hide;

/// Bytes that are hidden from `Debug` and wiped when dropped.
#[derive(Clone, Eq, PartialEq)]
pub(crate) struct SecretBytes(Vec<u8>);

impl SecretBytes {
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Creates an empty value with capacity for `bytes` bytes. Pushing more reallocates, which
    /// leaves a copy in freed memory.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    pub(crate) fn push(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// Creates a value of `bytes` zero bytes, to be overwritten.
    pub(crate) fn zeroed(bytes: usize) -> Self {
        Self(vec![0; bytes])
    }

    pub(crate) fn as_mut_bytes(&mut self) -> &mut [u8] {
        &mut self.0
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the bytes, which are no longer wiped when dropped.
    pub(crate) fn into_vec(mut self) -> Vec<u8> {
        core::mem::take(&mut self.0)
    }
}

hide!(SecretBytes);

impl Drop for SecretBytes {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

/// Draws a seed of 32 bytes, makes something of it, and wipes it.
pub(crate) fn with_seed<R, T>(rng: &mut R, make: impl FnOnce([u8; 32]) -> T) -> Result<T, R::Error>
where
    R: TryCryptoRng + ?Sized,
{
    let mut seed = [0; 32];
    rng.try_fill_bytes(&mut seed)?;
    let made = make(seed);
    wipe(&mut seed);
    Ok(made)
}

/// Overwrites a secret with zeros.
///
/// The barrier keeps the compiler from removing the dead store. Volatile writes would, too, but
/// write byte by byte.
#[inline]
pub(crate) fn wipe(bytes: &mut [u8]) {
    bytes.fill(0);
    zeroize::optimization_barrier(bytes);
}

/// Returns whether `a` equals `b`, in time that depends only on `LENGTH`.
///
/// ORs all byte differences together, which vectorizes, and then compares once.
#[inline]
pub(crate) fn eq<const LENGTH: usize>(a: &[u8; LENGTH], b: &[u8; LENGTH]) -> bool {
    let differing = a.iter().zip(b).fold(0, |all, (a, b)| all | (a ^ b));
    differing.ct_eq(&0).to_bool()
}
