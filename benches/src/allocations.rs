//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator, counted.
#[derive(Debug)]
pub struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

fn count(size: usize) {
    COUNT.fetch_add(1, Ordering::Relaxed);
    // Cheaper than an addition that other threads see whole: it is read where there are none.
    BYTES.store(
        BYTES.load(Ordering::Relaxed) + size as u64,
        Ordering::Relaxed,
    );
}

// SAFETY: every call is handed on as it came; counting touches no memory but the counter.
unsafe impl GlobalAlloc for Counting {
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

/// How often `work` allocates or reallocates. No other thread may run.
pub fn allocations_of<R>(work: impl FnOnce() -> R) -> u64 {
    let before = COUNT.load(Ordering::Relaxed);
    let result = work();
    let after = COUNT.load(Ordering::Relaxed);
    black_box(&result);
    after - before
}

/// What `work` returns, and how many bytes it allocates for that. No other thread may run.
pub fn bytes_of<R>(work: impl FnOnce() -> R) -> (R, u64) {
    let before = BYTES.load(Ordering::Relaxed);
    let result = work();
    (result, BYTES.load(Ordering::Relaxed) - before)
}
