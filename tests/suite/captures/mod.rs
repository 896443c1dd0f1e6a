//! What real clients and servers sent, as recorded in `tests/captures/*.json`.

mod client;
mod server;
