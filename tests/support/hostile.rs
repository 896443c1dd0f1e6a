//! Header values made to be dear to read.

/// The sizes they come in.
pub const SIZES: [usize; 3] = [16 * 1024, 32 * 1024, 64 * 1024];

/// One value of each shape, each of `size` bytes, or one or two fewer.
pub fn values(size: usize) -> Vec<(&'static str, String)> {
    let shapes = [
        ("commas", "", ","),
        ("blanks before a byte that is wrong", "", " \t"),
        ("a token", "", "a"),
        ("no token68", "A ", "a"),
        ("a token68", "A a", "="),
        ("escapes", "A b=\"", "\\\""),
        ("an unclosed quote", "A b=\"", "c, A d=e"),
        ("unclosed escapes", "A b=\"", "\\\\"),
        ("quotes", "A b=", "\"\""),
        ("short parameters", "A ", "b=c,"),
        ("parameters", "A ", "bbbbbb=\"ccc\\c\" ,\t"),
        ("parameters and blanks", "A ", "b\t\t\t\t=      c,        "),
        ("schemes", "", "A,"),
        ("token68s", "", "A b,"),
        (
            "long challenges",
            "",
            ", A b=\"cccccccccccccccccccccccccccccccccccccccccccccc\", d=e",
        ),
        ("faults", "", ", A b c"),
        ("what a fault takes along", "A b c", ", d=\"e, A f\""),
        ("no scheme", "", "=,"),
        ("control bytes", "", ", A b=\"\0\""),
        ("high bytes", "A b=\"", "\u{80}"),
        ("unquoted values", "A b=c", ",b=c/"),
        ("no values in challenges", "", "Digest b=,"),
        ("faults in unquoted values", "", ",A b=c/;"),
    ];
    shapes
        .into_iter()
        .map(|(name, start, unit)| {
            let mut value = start.to_owned();
            let end = match name {
                "escapes" => "\"",
                "no token68" => "!",
                "blanks before a byte that is wrong" => "@",
                _ => "",
            };
            let room = size - start.len() - end.len();
            value.push_str(&unit.repeat(room / unit.len()));
            value.push_str(end);
            (name, value)
        })
        .collect()
}

/// The same value without the scheme that some shapes start with.
pub fn without_scheme(value: &str) -> &str {
    value.strip_prefix("A ").unwrap_or(value)
}
