//! Header values of 64 KiB, for which work that grows faster than the length would show.

/// The name of each value, its start, and the piece that is repeated after it.
pub const SHAPES: [(&str, &str, &str); 7] = [
    ("commas", "", ","),
    ("blanks", "", " "),
    ("escapes", "Digest response=\"", "\\a"),
    ("unclosed quote", "Digest realm=\"", "a"),
    ("parameters", "Digest a=b", ", abcdefgh=ijklmno"),
    ("faults in one challenge", "A ", "@,"),
    ("challenges", "", ", A b=c"),
];

/// The hostile value with this name.
pub fn value(name: &str) -> String {
    let mut shapes = SHAPES.iter();
    let (_, start, repeated) = shapes.find(|shape| shape.0 == name).unwrap();
    let room = 64 * 1024 - start.len();
    format!("{start}{}", repeated.repeat(room / repeated.len()))
}
