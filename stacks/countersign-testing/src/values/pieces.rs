//! What values are put together from, and how to choose. The plainest piece comes first, because
//! choices shrink to it.

use arbitrary::{Result, Unstructured};

/// Bytes of a kind.
pub(super) type Pieces = &'static [&'static [u8]];

pub(super) const SEPARATORS: Pieces = &[
    b", ", b", ", b", ", b", ", b",", b" ,", b"\t,\t", b",, ", b" , ,",
];
pub(super) const WHITESPACE: Pieces = &[b"", b"", b"", b"", b"", b"", b" ", b"\t", b"  "];
/// Schemes that countersign does not implement.
pub(super) const OTHER_SCHEMES: &[&str] = &["Bearer", "Negotiate", "Newauth", "A", "!x~"];
pub(super) const OTHER_NAMES: &[&str] = &["a", "title", "realm", "scope", "nonce", "!#$x"];
pub(super) const TOKENS: &[&str] = &["a", "1", "auth", "true", "MD5", "!#$%&'*+-.^_`|~", "00"];
pub(super) const TOKEN68S: Pieces = &[b"YTpi", b"a", b"YQ==", b"-._~+/", b"a====="];
/// Parts of what stands between quotes, before escaping.
pub(super) const TEXTS: &[&str] = &[
    "a",
    "files",
    " ",
    "@example.org",
    ",",
    "=",
    "\"",
    "\\",
    ", Basic x=y",
    "'",
    "\t",
    "ä€😀",
    "nonce=\"",
    "auth-int",
];
pub(super) const NAMES: &[&str] = &[
    "Mufasa",
    "Jäsøn Doe",
    "a\"b\\c",
    "x y",
    "user@example.org",
    "",
];
pub(super) const URIS: &[&str] = &["/", "/a?b=c", "/dir/a,b;c='d'", "/%7Ex?q=%22", "*"];
pub(super) const NONCES: &[&str] = &["bm9uY2U", "7ypf/xlj9XXwfDPEoM4U==", "a:b", "\"\\", "0 1"];
/// Bytes on which some rule of the grammar, or some mistake in reading it, turns.
pub(super) const SPECIALS: &[u8] = b"\" \t,=\\aB1-/*@:;()\0\n\r\x1f\x7f\x80\xff";
/// For noise.
pub(super) const SCRAPS: Pieces = &[
    b"Digest ",
    b"Basic ",
    b"realm=",
    b"nonce=",
    b"qop=",
    b"algorithm=",
    b"response=",
    b"nc=",
    b"username=",
    b"username*=",
    b"rspauth=",
    b"nextnonce=",
    b"\"",
    b"\\",
    b",",
    b"=",
    b" ",
    b"a",
    b"auth",
    b"SHA-256",
    b"00000001",
    b"UTF-8''%C3%A4",
    b"\t",
    b"\0",
    b"\r\n",
    b"\xff",
];

/// One of `pieces`.
pub(super) fn one<T: Copy>(u: &mut Unstructured<'_>, pieces: &[T]) -> Result<T> {
    u.choose(pieces).copied()
}

/// Whether something happens that has odds of one in `n`.
pub(super) fn one_in(u: &mut Unstructured<'_>, n: u8) -> Result<bool> {
    // By the highest number, because choices shrink to the lowest.
    Ok(u.int_in_range(1..=n)? == n)
}

/// Up to `most` of `pieces`, joined, and at least one.
pub(super) fn some(u: &mut Unstructured<'_>, pieces: &[&str], most: u8) -> Result<String> {
    let count = u.int_in_range(1..=most)?;
    (0..count).map(|_| one(u, pieces)).collect()
}

/// A position up to and including `end`.
pub(super) fn position(u: &mut Unstructured<'_>, end: usize) -> Result<usize> {
    u.int_in_range(0..=end)
}
