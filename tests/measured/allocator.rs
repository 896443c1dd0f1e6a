//! The allocator of this program: it counts what is allocated, and looks at what is freed.
#![expect(unsafe_code, reason = "there is no safe way to be an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::{Cell, RefCell};

#[global_allocator]
static ALLOCATOR: Observed = Observed;

thread_local! {
    // Of each thread alone, so that tests that run side by side do not see each other's.
    static COUNT: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
    /// What is looked for in memory that is freed.
    static SECRET: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static FOUND: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, observed.
struct Observed;

fn count(bytes: usize) {
    // A thread that ends allocates when there is no counter any more; nobody asks for that.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
    let _ = BYTES.try_with(|sum| sum.set(sum.get() + bytes));
}

/// Whether somebody looks for a secret just now.
fn is_searching() -> bool {
    let searching = SECRET.try_with(|secret| secret.try_borrow().is_ok_and(|it| !it.is_empty()));
    searching.unwrap_or(false)
}

fn search(freed: &[u8]) {
    let _ = SECRET.try_with(|secret| {
        if let Ok(secret) = secret.try_borrow()
            && freed.windows(secret.len()).any(|bytes| bytes == *secret)
        {
            FOUND.set(FOUND.get() + 1);
        }
    });
}

// SAFETY: every call goes to the system's allocator as it came, but that memory is zeroed. Counting
// and searching do not allocate.
unsafe impl GlobalAlloc for Observed {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // Zeroed, so that all that is freed has been written.
        // SAFETY: the caller keeps to the contract of `alloc`, which is that of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps to the contract of this very function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        if is_searching() {
            // SAFETY: this is memory of ours that nobody else uses any more, all of it written once.
            search(unsafe { std::slice::from_raw_parts(old, layout.size()) });
        }
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }

    // `realloc` is the default: `alloc`, which counts and zeroes, and `dealloc`, which searches.
}

/// How often `work` allocates, growing included. Its result is dropped afterwards.
pub(crate) fn allocations<T>(work: impl FnOnce() -> T) -> usize {
    let before = COUNT.get();
    let result = std::hint::black_box(work());
    let count = COUNT.get() - before;
    drop(result);
    count
}

/// How many bytes `work` allocates in all, those that it frees again included. Its result is dropped
/// afterwards.
pub(crate) fn allocated_bytes<T>(work: impl FnOnce() -> T) -> usize {
    let before = BYTES.get();
    let result = std::hint::black_box(work());
    let bytes = BYTES.get() - before;
    drop(result);
    bytes
}

/// How many of the pieces of memory that dropping `boxed` frees hold the secret.
///
/// It was boxed before it held one: what moves takes with it, in the places of what it does not
/// have, whatever lay on the stack.
pub(crate) fn found<T>(secret: &[u8], boxed: Box<T>) -> usize {
    found_during(secret, || drop(boxed))
}

/// How many of the pieces of memory that `work` frees hold the secret.
pub(crate) fn found_during(secret: &[u8], work: impl FnOnce()) -> usize {
    SECRET.with_borrow_mut(|place| place.extend_from_slice(secret));
    FOUND.set(0);
    work();
    let found = FOUND.get();
    SECRET.take();
    found
}
