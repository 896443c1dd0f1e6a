//! What is read although the grammar does not allow it, and what is not.
//!
//! A reader that forgives may read something else than the next one does. So a header is read by
//! the letter of RFC 9110, sections 5.6 and 11, but for the few cases below, in which every reader
//! that accepts the header at all reads the same.
//!
//! # In challenges
//!
//! | the rule | what we do | who needs it |
//! |---|---|---|
//! | an unquoted value is a token (RFC 9110, section 11.2) | it goes on to the next comma or whitespace, over whatever is visible ASCII but `"`, `,`, `;` and `\`; it is quoted when written | servers that write `nonce=abc==`, `domain=/`, `realm=api@example.org`; curl, libsoup, Chromium, HttpComponents, Werkzeug and requests take them (`field-nonce-unquoted-b64`) |
//! | a value is not empty unless it is quoted (RFC 9110, section 11.2) | `name=` before a comma or the end is an empty value. Where a token68 may stand it is one, as in `Negotiate abc=`; Basic and Digest have none | the same (`g-param-no-value-eq-comma`) |
//! | Basic has a realm (RFC 7617, section 2) | without one it is empty | bare `Basic` of small servers; browsers, .NET, HttpComponents, Qt and curl take it (`gb-simplebasicnorealm`, `curl-1418-basic-bare`) |
//! | `qop` has a value (RFC 7616, section 3.3) | `qop=""` offers none, as without `qop`: a client answers it with [`with_rfc2069`](crate::client::Policy::with_rfc2069) | an API met by users of requests; curl, requests, httpx and aiohttp take it (`field-qop-empty`) |
//! | `stale` and `userhash` are `true` or `false`, `charset` is `UTF-8` (RFC 7616, section 3.3) | any other value is as without the parameter | (`stale-8`, `userhash-5`) |
//!
//! # In credentials and `Authentication-Info`
//!
//! | the rule | what we do | who needs it |
//! |---|---|---|
//! | base64 is padded (RFC 4648, section 3.2) | missing padding in Basic is taken; wrong padding and left-over bits are not | small clients that strip it; Tomcat takes it (`b64-no-padding`) |
//! | `nc` has eight digits (RFC 7616, section 3.4) | one to eight digits in credentials, hashed as sent | old Android, old pjsip (`nc-1-digit`) |
//! | hexadecimal digits are lower case (RFC 2617, section 3.2) | `response`, `rspauth`, `nc` and a hashed user name may have upper case; only `nc` is hashed as sent | RTSP clients and devices (`response-mixedcase`, `nc-uppercase`, `userhash-uppercase-hex`) |
//! | without `qop` there is no `nc` and no `cnonce` (RFC 2617, section 3.2.2) | they are ignored; whether the form without `qop` is let in is for the server to say | Java's HttpURLConnection, npm digest-fetch (`missing-qop-rfc2069-resp`) |
//! | a user name beyond ASCII is sent as `username*` (RFC 7616, section 3.4) | bytes from 0x80 on in `username` are kept as they are | curl, browsers (`username-raw-utf8`) |
//!
//! # In all of them
//!
//! | the rule | what we do | who needs it |
//! |---|---|---|
//! | `1*SP` stands between scheme and parameters (RFC 9110, section 11.3) | HTAB is taken, too | some devices and probes send `Digest`, HTAB; most servers take it (`tab-after-scheme`, `g-sp-tab-after-scheme`, `tab-separator`) |
//! | each parameter is quoted or is not, as RFC 7616, sections 3.3 to 3.5, has it | either form, but for `username*` | most peers get one of them wrong (`all-tokens-quoted`, `stale-7`, `cr-nonce-unquoted`) |
//!
//! The names in brackets are rows of the vectors in `tests/vectors`.
//!
//! # What is refused, although others take it
//!
//! | what | why |
//! |---|---|
//! | a known parameter twice, even with the same value | some readers take the first and some the last: whoever can slip one in chooses what each sees |
//! | both `username` and `username*` | two names for one user (RFC 7616, section 3.4) |
//! | a user name with a control character in `username*`, or in Basic | no user name has one, and a reader that stops at NUL sees another name than one that does not |
//! | `userhash` neither `true` nor `false` in credentials | readers differ on whether the name is a hash |
//! | `qop` without `nc` or `cnonce` | there is no formula for it |
//! | a `-sess` algorithm without `qop` | the session key is made with a cnonce, and without `qop` there is none; a client does not answer such a challenge |
//! | in a challenge, an unquoted value with `"`, `;`, `\` or a byte beyond ASCII; elsewhere, one that is no token, or nothing | where the value ends is a guess, and a server that guesses otherwise than a proxy before it lets somebody else in |
//! | a quoted string that is not closed, a missing comma | where the value ends is a guess |
//! | a control byte other than HTAB, escaped or not | it ends a value for some readers and the field for others |
//! | a challenge whose `qop` has values and none that is known | answering it without a qop would be a downgrade |
//! | a Digest challenge without a realm | the realm is hashed, and readers differ on whether it is then empty |
//! | a Basic or Digest challenge with a token68, as `Basic realm==` | to some readers it is a parameter, to others nothing |
//! | a challenge that calls a nonce stale and has the same again | a client takes it for wrong credentials: nothing is new, so the same answer would be refused again |
//! | base64 whose left-over bits are not zero | one pair would have several spellings |
//! | a Basic pair without a colon | where the user name ends is a guess |
//!
//! A challenge that is refused is an error of its own: those before and after it are read, see
//! [`challenges`](crate::challenges).
