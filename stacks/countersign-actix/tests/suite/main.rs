//! The middleware in memory, and the program of the README.

mod bodies;
mod check;
mod login;
mod support;
