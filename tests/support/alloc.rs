//! Counts allocations.
//!
//! A test that counts says `#[global_allocator] static ALLOCATOR: Counting = Counting;`.
#![expect(unsafe_code, reason = "there is no safe way to be an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Of this thread alone, so that tests that run side by side do not count each other's.
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counted.
pub struct Counting;

fn count(bytes: usize) {
    // A thread that ends allocates when there is no counter any more; nobody asks for that.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    let _ = BYTES.try_with(|sum| sum.set(sum.get() + bytes));
}

// SAFETY: every call goes to the system's allocator as it came. Counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps to the contract of this very function.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as above.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

/// How often `work` allocates, growing included. Its result is dropped afterwards.
pub fn allocations<T>(work: impl FnOnce() -> T) -> usize {
    let before = COUNT.get();
    let result = std::hint::black_box(work());
    let count = COUNT.get() - before;
    drop(result);
    count
}

/// How many bytes `work` allocates in all, those that it frees again included. Its result is dropped
/// afterwards.
pub fn allocated_bytes<T>(work: impl FnOnce() -> T) -> usize {
    let before = BYTES.get();
    let result = std::hint::black_box(work());
    let bytes = BYTES.get() - before;
    drop(result);
    bytes
}
