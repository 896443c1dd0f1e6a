//! The locks and atomics of the authenticator: those of `std`; in `tests/interleavings` those of
//! loom, which runs every interleaving of its threads; without `std` cells, for one thread.

#[cfg(not(any(feature = "std", loom)))]
pub(super) use cells::{AtomicU64, Mutex, RwLock, lock, read, write};
#[cfg(any(feature = "std", loom))]
pub(super) use locks::{lock, read, write};
#[cfg(loom)]
pub(super) use loom::sync::{Mutex, RwLock, atomic::AtomicU64};
#[cfg(all(feature = "std", not(loom)))]
pub(super) use {
    core::sync::atomic::AtomicU64,
    std::sync::{Mutex, RwLock},
};

// Not every processor has what `Arc` needs.
#[cfg(not(target_has_atomic = "ptr"))]
pub(super) use alloc::rc::Rc as Arc;
#[cfg(target_has_atomic = "ptr")]
pub(super) use alloc::sync::Arc;

/// A thread that panicked while it held a lock left nothing half done.
#[cfg(any(feature = "std", loom))]
mod locks {
    use super::{Mutex, RwLock};
    use core::ops::{Deref, DerefMut};
    use std::sync::PoisonError;

    pub(in crate::server) fn lock<T>(lock: &Mutex<T>) -> impl DerefMut<Target = T> {
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::server) fn read<T>(lock: &RwLock<T>) -> impl Deref<Target = T> {
        lock.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::server) fn write<T>(lock: &RwLock<T>) -> impl DerefMut<Target = T> {
        lock.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Never borrowed twice: the authenticator calls no code of the program while it holds one.
#[cfg(not(any(feature = "std", loom)))]
mod cells {
    use core::cell::Cell;
    pub(in crate::server) use core::cell::{RefCell as Mutex, RefCell as RwLock};
    use core::ops::{Deref, DerefMut};
    use core::sync::atomic::Ordering;

    pub(in crate::server) fn lock<T>(cell: &Mutex<T>) -> impl DerefMut<Target = T> {
        cell.borrow_mut()
    }

    pub(in crate::server) fn read<T>(cell: &RwLock<T>) -> impl Deref<Target = T> {
        cell.borrow()
    }

    pub(in crate::server) fn write<T>(cell: &RwLock<T>) -> impl DerefMut<Target = T> {
        cell.borrow_mut()
    }

    /// Has the methods of the atomic, which not every processor has.
    pub(in crate::server) struct AtomicU64(Cell<u64>);

    impl AtomicU64 {
        pub(in crate::server) const fn new(value: u64) -> Self {
            Self(Cell::new(value))
        }

        pub(in crate::server) const fn load(&self, _: Ordering) -> u64 {
            self.0.get()
        }

        pub(in crate::server) fn store(&self, value: u64, _: Ordering) {
            self.0.set(value);
        }

        pub(in crate::server) fn fetch_max(&self, value: u64, _: Ordering) {
            self.0.set(self.0.get().max(value));
        }

        pub(in crate::server) fn fetch_add(&self, value: u64, _: Ordering) -> u64 {
            self.0.replace(self.0.get().wrapping_add(value))
        }
    }
}
