//! Builds the crate with the locks and atomics of loom: see `src/server/sync.rs`.

fn main() {
    println!("cargo::rustc-cfg=loom");
    println!("cargo::rerun-if-changed=build.rs");
}
