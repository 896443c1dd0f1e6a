//! One spelling for user names and passwords outside ASCII: the mappings of the PRECIS profiles
//! UsernameCasePreserved and OpaqueString (RFC 8265, sections 3.4 and 4.2). Feature `precis`.
//!
//! The same text can be different bytes: depending on the system that it comes from, `ä` is one
//! character or two (`a` and U+0308), and Digest hashes bytes. `charset=UTF-8` asks for Unicode
//! Normalization Form C (RFC 7616, section 4; RFC 7617, section 2.1). These functions return it,
//! and also replace most fullwidth and halfwidth characters in names, and spaces other than U+0020
//! in passwords.
//!
//! As a client, set [`Policy::with_precis`](crate::client::Policy::with_precis). As a server, call
//! [`username`] and [`password`] when you store a password or make an [`Ha1`](crate::digest::Ha1),
//! and [`username`] to look up the name that a client claims, unless it is hashed. Who gets in with
//! which spelling is in [the manual](crate::manual::server#names-beyond-ascii). Text that the
//! profiles forbid is mapped as well, not refused: which characters a new name may have is for the
//! server to decide.

use alloc::borrow::Cow;
use alloc::string::String;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::secret::SecretBytes;

/// The user name as RFC 8265, section 3.4 (UsernameCasePreserved), maps it: fullwidth and halfwidth
/// characters in their usual form, and all in Normalization Form C. Upper and lower case stay
/// apart. Characters that the profile forbids in either form keep theirs.
pub fn username(username: &str) -> Cow<'_, str> {
    compose(username, usual_width)
}

/// The password as RFC 8265, section 4.2 (OpaqueString), maps it: every space outside ASCII as
/// U+0020, and all in Normalization Form C.
///
/// A string that had to be changed is a copy, which is not wiped when dropped.
pub fn password(password: &str) -> Cow<'_, str> {
    compose(password, ascii_space)
}

/// Calls `f` with the mapped name and password, and wipes the mapped password if it is a copy.
pub(crate) fn with_mapped<T>(name: &str, secret: &str, f: impl FnOnce(&str, &str) -> T) -> T {
    let secret = password(secret);
    let result = f(&username(name), &secret);
    if let Cow::Owned(secret) = secret {
        drop(SecretBytes::new(secret.into_bytes()));
    }
    result
}

fn compose(text: &str, map: fn(char) -> char) -> Cow<'_, str> {
    if text.is_ascii() || text.chars().all(|c| map(c) == c) && is_nfc(text) {
        return Cow::Borrowed(text);
    }
    // No text grows to more than three times its length (UAX #15). Allocated once, because a string
    // that grows leaves copies of the secret behind.
    let mut composed = String::with_capacity(3 * text.len());
    composed.extend(text.chars().map(map).nfc());
    Cow::Owned(composed)
}

/// Maps a fullwidth or halfwidth character (decomposition type `<wide>` or `<narrow>`) to its usual
/// form. Those after U+FF9F (Hangul letters and symbols) stay: no name may have either form.
fn usual_width(c: char) -> char {
    match c {
        '\u{3000}' => ' ',
        '\u{FF01}'..='\u{FF9F}' => {
            let mut usual = c;
            unicode_normalization::char::decompose_compatible(c, |c| usual = c);
            usual
        }
        _ => c,
    }
}

/// Maps a space (general category Zs) to U+0020.
const fn ascii_space(c: char) -> char {
    match c {
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => {
            ' '
        }
        _ => c,
    }
}
