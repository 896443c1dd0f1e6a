//! Deviations from the grammar that are accepted, and that are refused.
//!
//! Lenient parsers can disagree about what a header means. So a header is parsed strictly by RFC
//! 9110, sections 5.6 and 11, except in the cases below, in which most other parsers that accept
//! the header find the same values in it.
//!
//! # In challenges
//!
//! | the rule | what we do | who needs it |
//! |---|---|---|
//! | an unquoted value is a token (RFC 9110, section 11.2) | it extends to the next comma or whitespace and may have all visible ASCII except `"`, `,`, `;` and `\`; if it is not a token, it is quoted when written | servers that write `nonce=abc==`, `domain=/`, `realm=api@example.org`; curl, libsoup, Chromium, HttpComponents, Werkzeug and requests accept them (`field-nonce-unquoted-b64`) |
//! | a value is not empty unless it is quoted (RFC 9110, section 11.2) | `name=` before a comma or the end is an empty value. Where a token68 is allowed, it is a token68, as in `Negotiate abc=`; Basic and Digest challenges have none | the same (`g-param-no-value-eq-comma`) |
//! | Basic has a realm (RFC 7617, section 2) | a missing realm is empty | bare `Basic` of small servers; browsers, .NET, HttpComponents, Qt and curl accept it (`gb-simplebasicnorealm`, `curl-1418-basic-bare`) |
//! | `qop` has a value (RFC 7616, section 3.3) | `qop=""` is the same as no `qop`: a client answers it with [`with_rfc2069`](crate::client::Policy::with_rfc2069) | an API reported by users of requests; curl, requests, httpx and aiohttp accept it (`field-qop-empty`) |
//! | `stale` and `userhash` are `true` or `false`, `charset` is `UTF-8` (RFC 7616, section 3.3) | the parameter is ignored if it has any other value | (`stale-8`, `userhash-5`) |
//!
//! # In credentials and `Authentication-Info`
//!
//! | the rule | what we do | who needs it |
//! |---|---|---|
//! | base64 is padded (RFC 4648, section 3.2) | missing padding is accepted in Basic; wrong padding and non-zero trailing bits are not | small clients that strip it; Tomcat accepts it (`b64-no-padding`) |
//! | `nc` has eight digits (RFC 7616, section 3.4) | one to eight digits in credentials, hashed as sent | old Android, old pjsip (`nc-1-digit`) |
//! | hexadecimal digits are lower case (RFC 2617, section 3.2) | `response`, `rspauth`, `nc` and a hashed user name may have upper case; only `nc` is hashed as sent | RTSP clients and devices (`response-mixedcase`, `nc-uppercase`, `userhash-uppercase-hex`) |
//! | without `qop` there is no `nc` and no `cnonce` (RFC 2617, section 3.2.2) | they are ignored; whether the form without `qop` is accepted depends on the server's settings | Java's HttpURLConnection, npm digest-fetch (`missing-qop-rfc2069-resp`) |
//! | a non-ASCII user name is sent as `username*` (RFC 7616, section 3.4) | bytes from 0x80 on in `username` are accepted and kept unchanged | curl, browsers (`username-raw-utf8`) |
//!
//! # In all of them
//!
//! | the rule | what we do | who needs it |
//! |---|---|---|
//! | a sender writes no whitespace around `=` (RFC 9110, sections 5.6.3 and 11.2) | spaces and HTAB there (*bad whitespace*, BWS) are skipped, as the RFC requires, and never written | libmicrohttpd reads it, and tests that it does (`bws-around-equals`) |
//! | a parameter occurs once (RFC 9110, section 11.2) | an unknown parameter may be repeated: it is ignored | (`g-dup-unknown`) |
//! | `1*SP` separates scheme and parameters (RFC 9110, section 11.3) | HTAB is accepted, too | some devices and probes send `Digest`, HTAB; most servers accept it (`tab-after-scheme`, `g-sp-tab-after-scheme`, `tab-separator`) |
//! | RFC 7616, sections 3.3 to 3.5, says for each parameter whether it is quoted | both forms are accepted, except for `username*` | most peers get one of them wrong (`all-tokens-quoted`, `stale-7`, `cr-nonce-unquoted`) |
//!
//! The names in parentheses are rows of the test vectors in `tests/vectors`.
//!
//! # What is refused, although others accept it
//!
//! | what | why |
//! |---|---|
//! | a known parameter twice, even with the same value | some parsers use the first and some the last, so an attacker who can inject one chooses what each of them sees |
//! | both `username` and `username*`, or `username*` with `userhash=true` | two names for one user (RFC 7616, section 3.4) |
//! | a control character in `username*`, or a control byte in the user name or password of Basic | parsers that stop at NUL see a different name than others |
//! | `userhash` neither `true` nor `false` in credentials | parsers differ on whether the name is a hash |
//! | `qop` without `nc` or `cnonce` | there is no formula for it |
//! | a `-sess` algorithm without `qop` | the session key needs a cnonce, and without `qop` there is none; a client does not answer such a challenge |
//! | in a challenge, an unquoted value with `"`, `;`, `\` or a non-ASCII byte; elsewhere, one that is empty or not a token | the end of the value is ambiguous, and a server that disagrees with a proxy in front of it may admit a different user |
//! | an unterminated quoted string, a missing comma | the end of the value is ambiguous |
//! | a control byte other than HTAB, escaped or not | it ends a value for some parsers and the field for others |
//! | a challenge whose `qop` has values but no known one | answering it without a qop would be a downgrade |
//! | a Digest challenge without a realm | the realm is hashed, and parsers differ on whether a missing one is empty |
//! | a Basic or Digest challenge with a token68, such as `Basic realm==` | for some parsers it is a parameter, for others nothing |
//! | `stale` in a challenge that repeats the nonce | a client ignores it: the same answer would be refused again |
//! | a Basic pair without a colon | the end of the user name is ambiguous |
//!
//! A refused challenge is a separate error: the challenges before and after it are still read, with
//! the exceptions at [`challenges`](crate::challenges()).
