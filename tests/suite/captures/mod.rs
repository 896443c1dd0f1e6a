//! What real clients and servers sent, as recorded in `tests/captures/*.json`.

mod server;
mod verification;
