//! What the RFCs require, and how this crate meets each requirement.
//!
//! For reviewers: 202 statements of RFC 9110, 7617, 7616, 7615 and of a few others. The statements
//! are paraphrased; the text of the RFC is authoritative. The last column of each has one of these:
//!
//! | status | meaning |
//! |---|---|
//! | a path, such as `suite::client::quirks::challenges::q06_blanks_where_they_need_not_be_and_none_where_they_should` | the test that fails if the statement does not hold |
//! | departed | the crate deviates by default: why, who needs it, and where that is documented |
//! | caller's duty | the program that uses this crate has to do it, and where that is documented |
//! | not applicable | the reason |
//!
//! The first part of a path is the test program, and what follows is the name of the test:
//!
//! ```text
//! cargo test --test suite -- --exact client::quirks::credentials::q22_parameters_come_in_one_order
//! cargo test --lib -- --exact syntax::chars::tests::the_table_is_the_rules
//! cargo test --release --test measured
//! ```
//!
//! Rows in parentheses are those of the test vectors in `tests/vectors`. A test of this crate
//! compares the page with the list of statements, and checks that the tests and rows exist.
//!
//! The level is the key word of the RFC; REQUIRED and OPTIONAL are given as MUST and MAY,
//! RECOMMENDED as SHOULD. Without one it is a *rule* of grammar, computing or scope, *derived* if
//! it follows from others, or *advice*.
//!
#![doc = include_str!("requirements.md")]
