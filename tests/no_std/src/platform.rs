//! What std does elsewhere: memory, and an end for what must not happen.

use core::panic::PanicInfo;

use dlmalloc::GlobalDlmalloc;

#[global_allocator]
static MEMORY: GlobalDlmalloc = GlobalDlmalloc;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    abort()
}

fn abort() -> ! {
    // SAFETY: it takes nothing and does not return.
    unsafe { libc::abort() }
}

// The compiled `alloc` of a hosted target names these two, which a program that aborts never calls.

#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() -> ! {
    abort()
}

#[unsafe(no_mangle)]
extern "C" fn _Unwind_Resume() -> ! {
    abort()
}
