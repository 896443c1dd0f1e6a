//! Nothing.

fn main() {}
