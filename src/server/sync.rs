//! The locks and atomics of the authenticator. `tests/interleavings` builds the crate with those of
//! loom, which runs every interleaving of its threads.

#[cfg(loom)]
pub(super) use loom::sync::atomic::AtomicU64;
#[cfg(loom)]
pub(super) use loom::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard};

#[cfg(not(loom))]
pub(super) use core::sync::atomic::AtomicU64;
#[cfg(not(loom))]
pub(super) use std::sync::{Mutex, MutexGuard, RwLock, RwLockReadGuard};
