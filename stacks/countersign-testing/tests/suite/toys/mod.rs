//! Small servers and clients, each with one fault or none.

pub(crate) mod client;
pub(crate) mod server;

pub(crate) const USER: &str = "Mufasa";
pub(crate) const PASSWORD: &str = "Circle of Life";
