//! The crate in a program that has no standard library.
#![no_std]

use core::alloc::{GlobalAlloc, Layout};

use countersign::Authorization;
use countersign::client::{Client, Endpoint, Policy};
use countersign::server::{NonceKey, Nonces, Realm};

struct NoMemory;

// Nothing is ever run, so nothing need ever be given.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }
    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static MEMORY: NoMemory = NoMemory;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Draws on both roles and the parser.
#[unsafe(no_mangle)]
pub extern "C" fn uses_everything() -> bool {
    let key = NonceKey::from_bytes([0; 32]);
    let nonces = Realm::new("realm").map(|realm| Nonces::new(&realm, key, None, 4, 0));
    let client = Client::from_seed(Endpoint::proxy("http", "h", 80), Policy::new(), [0; 32]);
    nonces.is_ok_and(|nonces| nonces.is_empty())
        && !client.covers("/")
        && Authorization::parse("Basic dTpw").is_ok()
}
