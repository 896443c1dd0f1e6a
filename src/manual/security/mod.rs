//! What the crate guarantees, what it requires of you, and what it does not do.
//!
//! # What the crate guarantees
//!
//! - No input makes it panic. Parsing takes time linear in the length of the header, and allocates
//!   nothing except the one buffer that Basic is decoded into. All input is
//!   [limited](#limits-on-input).
//! - No request without the secret changes the state of a server: it cannot use up a nonce count,
//!   fill a table or evict a nonce. See the order of checks in [`server`](crate::server).
//! - No count of a nonce is granted twice to a user, whatever the clock does and however full the
//!   table is. Each user of a nonce has separate counts. With a store shared by several machines,
//!   this holds as long as their clocks differ by at most
//!   [`STORE_MARGIN_SECS`](crate::server::PendingClaim::STORE_MARGIN_SECS).
//! - An unknown user costs the same work as a wrong password: with
//!   [`verify`](crate::server::Attempt::verify) and
//!   [`verify_by`](crate::server::Attempt::verify_by) always, and with
//!   [`verify_password`](crate::server::Attempt::verify_password) for names and passwords up to the
//!   length stated there. Responses, MACs and HA1s are compared in constant time; Basic passwords
//!   are compared by their HA1s. The time of the user lookup is up to the caller.
//! - Every header value that the crate writes parses back to an equal value, and holds no control
//!   byte other than HTAB.
//! - `Debug` and errors show no header text and no secret. HA1s, keys, decoded Basic credentials,
//!   the secrets that [`Client`](crate::client::Client) holds, and the bytes of a
//!   [`FieldValue`](crate::FieldValue) are wiped when dropped. Copies that the compiler makes on
//!   the stack are not, and neither is a `Vec` that was made from a `FieldValue`.
//! - Every retry loop of a client ends. The client gives up on an
//!   [`Exchange`](crate::client::Exchange) when the server has refused as many answers as
//!   [`with_max_answers`](crate::client::Policy::with_max_answers) allows, or has challenged nine
//!   requests without an answer. A refused answer is not counted if it was sent before the server
//!   asked and another realm refuses it. An accepted answer sets both counts to zero.
//! - A client releases credentials only for the endpoint they belong to, and only within their
//!   protection space or where the server asked for them.
//! - A client uses each of these only if its [`Policy`](crate::client::Policy) allows it:
//!   - RFC 2069, by [`with_rfc2069`](crate::client::Policy::with_rfc2069);
//!   - the uncounted form, by [`with_uncounted_form`](crate::client::Policy::with_uncounted_form);
//!   - Basic over a cleartext channel, by
//!     [`with_cleartext_basic`](crate::client::Policy::with_cleartext_basic).
//! - Once a server has proved that it knows the secret, a client answers no challenge of that realm
//!   that is weaker than the [`Strength`](crate::client::Strength) of the proved answer. Before
//!   that, the client answers the strongest challenge of a response, which may be MD5, or Basic
//!   over an encrypted channel, and may come from an attacker in the server's place.
//!   [`without_md5`](crate::client::Policy::without_md5) and
//!   [`without_basic`](crate::client::Policy::without_basic) exclude these two.
//! - A login that a challenge with qop asked for is never used for a challenge without qop in the
//!   same realm: the client asks for another login.
//! - Forged responses do not lock a client out for good. A forged challenge cannot raise the
//!   required strength. A forged nonce that the server cannot read is replaced after one failed
//!   request. The first forged refusal of a secret costs one request, and each further one delays
//!   the login by at most 64 requests.
//!
//! ## Limits on input
//!
//! | input | limit | beyond it |
//! |---|---|---|
//! | one header value | 128 KiB ([`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES)) | [`ValueTooLong`](crate::ParseErrorKind::ValueTooLong); to be sent: [`AuthorizeError::TooLong`](crate::client::AuthorizeError::TooLong) |
//! | parameters of one challenge, of credentials, or of `Authentication-Info` | 4,096 ([`MAX_PARAMS`](crate::MAX_PARAMS)) | [`TooManyParams`](crate::ParseErrorKind::TooManyParams) |
//! | challenges in all values of a field | 256 ([`MAX_CHALLENGES`](crate::MAX_CHALLENGES)) | [`TooManyChallenges`](crate::ParseErrorKind::TooManyChallenges) |
//! | realm, nonce and opaque of a challenge that a client answers | 4 KiB together | [`SkipReason::TooLong`](crate::client::SkipReason::TooLong); a [`nextnonce`](crate::client::Client::completed) is ignored |
//! | paths of a protection space | 64, and 8 KiB together | the oldest are forgotten: [`Client::covers`](crate::client::Client::covers) |
//! | protection spaces of a [`Client`](crate::client::Client) | 8 | the least recently used is [evicted](crate::client::states) |
//! | realms whose [`Strength`](crate::client::Client::strength) a client keeps | 8 | the oldest without a proof is evicted first |
//! | refused secrets of a protection space | 4 | [the oldest is forgotten](crate::client::states#refused-secrets) |
//! | nonces whose counts a client remembers | 17, the current one included | the oldest is forgotten: [`Client::authorize`](crate::client::Client::authorize) |
//! | refused answers of an exchange | [`max_answers`](crate::client::Policy::with_max_answers): 2 by default | [`GiveUp::TooManyAnswers`](crate::client::GiveUp::TooManyAnswers) |
//! | challenged requests of an exchange without an answer | 8 | [`GiveUp::NeverAnswered`](crate::client::GiveUp::NeverAnswered) |
//! | clients of an [`AuthCache`](crate::client::AuthCache) | its [capacity](crate::client::AuthCache::new) | the least recently used is evicted |
//! | a [`Cnonce`](crate::digest::Cnonce) that you make | 64 bytes ([`MAX_LEN`](crate::digest::Cnonce::MAX_LEN)) | an error |
//! | nonces that a server remembers | the [capacity](crate::server::Authenticator::new), at most 2³⁰ | the one whose first use is the oldest is evicted |
//! | counts that a server remembers of a nonce | [the 64 most recent](crate::server#what-the-server-remembers) | older ones count as used |
//!
//! # What the crate requires of you
//!
//! - [`duties`]: everything that a program has to do, by role
//! - [`storage`]: what to store for each user, and how to get there from passwords or `htdigest`
//! - [`losses`]: what it means if a key, a store or an HA1 is lost or leaks
//! - [`errors`](super::errors#a-server-rejects-a-request): what to log and what to count, by
//!   rejection and by class
//!
//! The order of the server's checks is at [`server`](crate::server#order-of-checks).
//!
//! # What a response covers
//!
//! A Digest response is a hash of HA1, the nonce and HA2, and in the counted form also of `nc`,
//! `cnonce` and `qop` (RFC 7616, section 3.4.1). An attacker who captures a header can change
//! everything else, and the response is still correct. So nothing else may be part of the
//! replay key, which is made of nonce, count and HA1, both in the table of an
//! [`Authenticator`](crate::server::Authenticator) and in the key of a
//! [`PendingClaim`](crate::server::PendingClaim).
//!
//! | input | covered by the response | other checks | in the replay key |
//! |---|---|---|---|
//! | the user's secret (HA1) | yes | – | yes: the first 128 bits of it |
//! | `nonce` | yes | its MAC, which covers issue time, counter, binding, and the settings that decide how often and how long it is valid | yes: issue time and eight bytes of the MAC that are never sent |
//! | `nc` | in the counted form, as spelled | – | in the counted form, as a number; otherwise the nonce is valid for one use |
//! | `cnonce` | in the counted form, and by the key of a `-sess` algorithm | – | no |
//! | `qop` | in the counted form | that it is offered | no |
//! | `uri` | yes | against the request-target, by the [`UriCheck`](crate::server::UriCheck) | no |
//! | method | yes | that it is a token | no |
//! | body | with `qop=auth-int` | – | no |
//! | `realm` | by HA1 | that it equals the server's realm | no |
//! | `username`, `username*`, `userhash` | no; HA1 is that of the account the store found | a hashed name only where offered | no |
//! | `algorithm` | its hash function, and whether it is `-sess` | that it is offered | by HA1, which belongs to one hash function |
//! | `response` | – | compared case-insensitively | no |
//! | `opaque` | no | no | no |
//! | unknown parameters, order, quotes, escapes, whitespace, case of names | no | no | no |
//!
//! So a user store may accept any number of spellings for one account (case, trailing spaces,
//! Unicode forms, aliases), because all of them lead to the same HA1. The user name of a grant is
//! the spelling that was sent.
//!
//! In the forms without a protected count (RFC 2069 and the uncounted form) `qop` is not covered
//! either, and HA2 of an `auth-int` request for `/x` is also HA2 of a request for `/x:` followed by
//! the hash of the body. A `uri` that ends like this is refused in these forms.
//!
//! # What the crate does not do
//!
//! - Digest does not protect a whole message. It protects the method and the request-target, and
//!   with `auth-int` the body of the request; never the other headers. `rspauth` proves that the
//!   server knows the secret, and with `auth-int` protects the body of the response; never its
//!   status and headers. Over a cleartext channel an attacker on the path can read everything and
//!   change most of it. Use TLS.
//! - MD5 is broken as a hash. No attack on its use in Digest is known that is better than guessing
//!   the password, but guessing is fast. Exclude it where your peers allow: as a client with
//!   [`Policy::without_md5`](crate::client::Policy::without_md5), as a server with
//!   [`Realm::with_algorithms`](crate::server::Realm::with_algorithms). To leave the feature `md5`
//!   off is not enough, because another crate in the program may enable it.
//! - Basic gives the password to the server.
//! - A nonce is not encrypted: it shows its issue time in milliseconds, and two of them show how
//!   many were issued in between.
//! - RFC 2069 and the uncounted form have no protected count. Both roles use them only if a setting
//!   allows it.

pub mod duties;
pub mod losses;
pub mod storage;
