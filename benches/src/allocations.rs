//! An allocator that counts allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

/// The system's allocator, which counts its calls. It has to be quick: the two locked additions of
/// stats_alloc and the copy at each reallocation of allocation-counter would show in the times.
#[derive(Debug)]
pub struct Counting;

thread_local! {
    // Of each thread: a counter that threads share would be in the way of the others.
    static COUNTS: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

fn count(size: usize) {
    let (calls, bytes) = COUNTS.get();
    COUNTS.set((calls + 1, bytes + size as u64));
}

// SAFETY: every call is handed on as it came; counting touches no memory but the counter.
unsafe impl GlobalAlloc for Counting {
    // Inlined, it and the zeros that a caller writes may become `calloc`, which is slower in glibc.
    #[inline(never)]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as the caller promised us.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised us.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        // SAFETY: as the caller promised us.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// Returns how often `work` allocates or reallocates in this thread.
pub fn allocations_of<R>(work: impl FnOnce() -> R) -> u64 {
    let before = COUNTS.get().0;
    black_box(work());
    COUNTS.get().0 - before
}

/// Returns the result of `work`, and how many bytes it allocates in this thread.
pub fn bytes_of<R>(work: impl FnOnce() -> R) -> (R, u64) {
    let before = COUNTS.get().1;
    let result = work();
    (result, COUNTS.get().1 - before)
}
