//! How often reading, writing and letting in allocate: never, or once for what is returned.

mod reading;
mod server;
