//! Words for a fuzzer.

const TEXT: &str = include_str!("../../data/dict.txt");

/// What headers of authentication are made of, as libFuzzer and AFL read it: one quoted word a
/// line. Write it to a file for `-dict=`.
///
/// ```
/// let dictionary = countersign_testing::data::dictionary();
/// assert!(dictionary.lines().any(|line| line == "\"nonce=\""));
/// ```
pub const fn dictionary() -> &'static str {
    TEXT
}
