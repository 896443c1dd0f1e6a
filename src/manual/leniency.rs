//! What is read although the grammar does not allow it, and what is not.
//!
//! A reader that forgives may read something else than the next one does. So a header is read by
//! the letter of RFC 9110, sections 5.6 and 11, but for the few cases below, in which every reader
//! that accepts the header at all reads the same.
//!
//! | the rule | what we do | who needs it |
//! |---|---|---|
//! | blanks between scheme and parameters are `1*SP` (RFC 9110, section 11.3) | HTAB is taken, too | some devices and probes send `Digest`, HTAB; most servers take it (`tab-after-scheme`, `g-sp-tab-after-scheme`, `tab-separator`) |
//! | base64 is padded (RFC 4648, section 3.2) | missing padding in Basic is taken; wrong padding and left-over bits are not | small clients that strip it; Tomcat takes it (`b64-no-padding`) |
//! | `nc` has eight digits (RFC 7616, section 3.5) | one to eight digits, hashed as sent | old Android, old pjsip (`nc-1-digit`) |
//! | hexadecimal digits are lower case (RFC 2617, section 3.2) | `response`, `nc` and a hashed user name may have upper case; only `nc` is hashed as sent | RTSP clients and devices (`response-mixedcase`, `nc-uppercase`, `userhash-uppercase-hex`) |
//! | `algorithm`, `qop`, `nc`, `stale`, `userhash`, `charset` have one form each, quoted or not | either form | most peers get one of them wrong (`all-tokens-quoted`, `stale-7`, `cr-nonce-unquoted`) |
//! | without `qop` there is no `nc` and no `cnonce` (RFC 2617, section 3.2.2) | they are ignored; whether the form without `qop` is let in is for the server to say | Java's HttpURLConnection, npm digest-fetch (`missing-qop-rfc2069-resp`) |
//! | a user name beyond ASCII is sent as `username*` (RFC 7616, section 3.4) | bytes from 0x80 on in `username` are kept as they are | curl, browsers (`username-raw-utf8`) |
//!
//! The names in brackets are rows of the vectors in `tests/vectors`.
//!
//! # What is refused, although others take it
//!
//! | what | why |
//! |---|---|
//! | a known parameter twice, even with the same value | some readers take the first and some the last: whoever can slip one in chooses what each sees |
//! | both `username` and `username*` | two names for one user (RFC 7616, section 3.4) |
//! | `qop` without `nc` or `cnonce` | there is no formula for it |
//! | a quoted string that is not closed, a missing comma, an unquoted value that is no token | where the value ends is a guess |
//! | a control byte other than HTAB, escaped or not | it ends a value for some readers and the field for others |
//! | a challenge whose `qop` has no known value | answering it without a qop would be a downgrade |
//! | a Basic challenge or Digest challenge without a realm | a user cannot tell whose password is asked for |
//! | base64 whose left-over bits are not zero | one pair would have several spellings |
//!
//! A challenge that is refused is an error of its own: those before and after it are read, see
//! [`challenges`](crate::challenges).
