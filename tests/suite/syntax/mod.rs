//! How header values are read: the grammar of RFC 9110, and what a reader does with faults.

mod against_naive_parser;
mod error_positions;
mod limits;
mod recovery;
