//! What an error in a header says.

use countersign::HeaderError;

/// Everything that can be wrong with a header value, in the words of `Display`.
const PROBLEMS: [&str; 16] = [
    "expected an authentication scheme",
    "expected a parameter name",
    "expected `=` after a parameter name",
    "expected a parameter value",
    "expected `,` or the end",
    "expected the end",
    "quoted string without a closing quote",
    "control byte in a quoted string",
    "header value too long",
    "too many parameters",
    "too many challenges",
    "missing",
    "given more than once",
    "malformed",
    "not supported",
    "in conflict with another parameter",
];

/// What is wrong, without its position or the name of the parameter.
pub fn problem(error: &HeaderError) -> &'static str {
    let text = error.to_string();
    let words = match (error.position(), error.name()) {
        (Some(at), None) => text.strip_suffix(&format!(" at byte {at}")),
        (None, Some(name)) => text.strip_prefix(&format!("parameter `{name}` ")),
        both => panic!("{both:?}"),
    };
    let is_it = |one: &&&str| Some(**one) == words;
    PROBLEMS
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("{text}"))
}

/// What is wrong with the syntax, and where.
pub fn syntax(error: HeaderError) -> Option<(&'static str, usize)> {
    Some((problem(&error), error.position()?))
}

/// The parameter at fault, and what is wrong with it.
pub fn param(error: HeaderError) -> Option<(&'static str, &'static str)> {
    Some((error.name()?, problem(&error)))
}
