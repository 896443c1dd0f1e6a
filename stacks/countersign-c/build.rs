//! Names the shared library for the linker: programs ask for this name when they start.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // In 0.x each second number is an ABI of its own.
    let major = env!("CARGO_PKG_VERSION_MAJOR");
    let minor = env!("CARGO_PKG_VERSION_MINOR");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcountersign.so.{major}.{minor}");
    }
}
