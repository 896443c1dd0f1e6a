//! An allocator that counts allocations.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

/// The system's allocator, which counts its calls. It has to be quick: the two locked additions of
/// stats_alloc and the copy at each reallocation of allocation-counter would show in the times.
#[derive(Debug)]
pub struct Counting;

static COUNT: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

fn count(size: usize) {
    COUNT.fetch_add(1, Ordering::Relaxed);
    // Cheaper than an atomic addition. The counters are read only while no other thread runs.
    BYTES.store(
        BYTES.load(Ordering::Relaxed) + size as u64,
        Ordering::Relaxed,
    );
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

/// Returns how often `work` allocates or reallocates. No other thread may run.
pub fn allocations_of<R>(work: impl FnOnce() -> R) -> u64 {
    let before = COUNT.load(Ordering::Relaxed);
    black_box(work());
    COUNT.load(Ordering::Relaxed) - before
}

/// Returns the result of `work`, and how many bytes it allocates. No other thread may run.
pub fn bytes_of<R>(work: impl FnOnce() -> R) -> (R, u64) {
    let before = BYTES.load(Ordering::Relaxed);
    let result = work();
    (result, BYTES.load(Ordering::Relaxed) - before)
}
