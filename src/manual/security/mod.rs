//! What the crate guarantees, what it requires of you, and what it does not do.
//!
//! # What the crate guarantees
//!
//! - No message makes it panic. Parsing takes time linear in the length of the header, and
//!   allocates nothing except the one buffer that Basic is decoded into. Headers are
//!   [limited](#limits-on-input).
//! - No request whose response or password is wrong changes what a server remembers: it cannot use
//!   up a nonce count, fill a table or evict a nonce. See the order of checks in
//!   [`server`](crate::server#order-of-checks).
//! - [`admit`](crate::server::Authenticator::admit) of one `Authenticator` grants no count that a
//!   response covers twice to a user of the nonce, whatever the clock does and however full the
//!   table is. Several users of one nonce have separate counts. Machines with a shared store grant
//!   no count twice either, as long as the store keeps each key until it expires, and its clock
//!   differs from each machine's by at most
//!   [`STORE_MARGIN_SECS`](crate::server::PendingClaim::STORE_MARGIN_SECS), or its own time is
//!   passed to [`settle`](crate::server::PendingClaim::settle).
//! - An unknown user costs the same work as a wrong password: with
//!   [`verify`](crate::server::Attempt::verify) and
//!   [`verify_by`](crate::server::Attempt::verify_by) always, and with
//!   [`verify_password`](crate::server::Attempt::verify_password) for names and passwords up to the
//!   length stated there. Responses, MACs and HA1s are compared in constant time, and so are the
//!   HA1s that these functions make of Basic passwords. With
//!   [`decide`](crate::server::Attempt::decide) the caller compares. The time of the user lookup is
//!   up to the caller.
//! - Every header value that the crate writes holds no control byte other than HTAB. If it is at
//!   most [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES) long and its parts are
//!   [consistent](crate::wire::DigestCredentials), it parses back to an equal value.
//! - `Debug` and errors show no header text and no secret. HA1s, keys, seeds, decoded Basic
//!   credentials, the secrets that [`Client`](crate::client::Client) holds, and the bytes of a
//!   [`FieldValue`](crate::FieldValue) are wiped when dropped. Copies that the compiler makes on
//!   the stack are not, and neither are copies that you take out, such as a `Vec` made from a
//!   `FieldValue`, nor the result of `precis::password`, nor what the mapping of a text with
//!   many combining characters in a row frees.
//! - Every retry loop of a client ends. The client gives up on an
//!   [`Exchange`](crate::client::Exchange) when the server has refused its credentials as often as
//!   [`with_max_answers`](crate::client::Policy::with_max_answers) allows, or has challenged nine
//!   of its requests that carried none. The first refusal is not counted if the credentials were
//!   sent before the server asked, and another realm refuses them. Refusals for which other
//!   requests may be the reason have a [limit of their own](crate::client::states#giving-up).
//!   Accepted credentials set these counts to zero.
//! - A client releases credentials only for the endpoint they belong to, and only within their
//!   protection space or in an exchange that the server challenged. Credentials given to
//!   [`with_preemptive_basic`](crate::client::Client::with_preemptive_basic) go to the whole
//!   endpoint.
//! - A client uses each of these only if its [`Policy`](crate::client::Policy) allows it:
//!   - RFC 2069, whose response covers no count, by
//!     [`with_rfc2069`](crate::client::Policy::with_rfc2069);
//!   - the uncounted form, which sends a count that the response does not cover, by
//!     [`with_uncounted_form`](crate::client::Policy::with_uncounted_form);
//!   - Basic over a cleartext channel, by
//!     [`with_cleartext_basic`](crate::client::Policy::with_cleartext_basic).
//! - Once a server has proved that it knows the secret, a client answers no challenge of that realm
//!   that is weaker than the [`Strength`](crate::client::Strength) of the credentials proved with,
//!   as long as it [keeps](#limits-on-input) that strength. It is not required of other realms, so
//!   give out a fixed password [for its realm alone](duties#as-a-client). Before that proof, the
//!   client answers the strongest challenge that the policy allows, first of realms that it is
//!   logged in to. By default, it may be MD5's, or Basic's over an encrypted channel, from an
//!   attacker in the server's place. [`without_md5`](crate::client::Policy::without_md5) and
//!   [`without_basic`](crate::client::Policy::without_basic) exclude these two.
//! - A login that a challenge with qop asked for is never used for a challenge without qop in the
//!   same realm: the client forgets it, and asks again.
//! - Forged responses do not lock a client out for good. A forged challenge cannot raise the
//!   required strength. A forged nonce that the server cannot read usually costs one failed
//!   request, if the server says so by a 401 or by a status that [puts the nonce in
//!   doubt](crate::client::Client::completed). A filter that refuses it with another status, such
//!   as 404 or 405, refuses the client's requests until [`logout`](crate::client::Client::logout).
//!   After a forged refusal the client asks for the login again, and takes the same secret from the
//!   next [`Next::Login`](crate::client::Next::Login) on; after repeated ones, from the 64th on at
//!   the latest.
//!
//! ## Limits on input
//!
//! | input | limit | beyond it |
//! |---|---|---|
//! | one header value | 128 KiB ([`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES)) | an error; a client does not send it: [`AuthorizeError::TooLong`](crate::client::AuthorizeError::TooLong) |
//! | parameters of one challenge, or of one value of `Authorization` or `Authentication-Info` | 4,096 ([`MAX_PARAMS`](crate::MAX_PARAMS)) | an error |
//! | challenges in all values of a field | 256 ([`MAX_CHALLENGES`](crate::MAX_CHALLENGES)) | an error |
//! | realm, nonce and opaque of a challenge that a client answers | 4 KiB together, as escaped | [`SkipReason::TooLong`](crate::client::SkipReason::TooLong); a [`nextnonce`](crate::client::Client::completed) is ignored |
//! | paths of a protection space | 64, and 8 KiB together | of one `domain` the first are kept, of several challenges the latest: [`Client::covers`](crate::client::Client::covers) |
//! | protection spaces of a [`Client`](crate::client::Client) | 8 | one is [evicted](crate::client::states): the least recently used without a login, or else of all |
//! | realms whose [`Strength`](crate::client::Client::strength) a client keeps | 8 | the oldest without a proof is evicted; if all have one, the oldest, and only for another with a proof |
//! | refused secrets of a protection space | 4 | [the one refused longest ago is forgotten](crate::client::states#refused-secrets) |
//! | nonces whose counts a client remembers | 17, the current one included | the least recently used is forgotten: [`Client::authorize`](crate::client::Client::authorize) |
//! | refused credentials of an exchange | one less than [`max_answers`](crate::client::Policy::with_max_answers), which is 2 by default; and up to eight for which [other requests](crate::client::states#giving-up) may be the reason | [`GiveUp::TooManyAnswers`](crate::client::GiveUp::TooManyAnswers) |
//! | challenged requests of an exchange without credentials | 8 | [`GiveUp::NeverAnswered`](crate::client::GiveUp::NeverAnswered) |
//! | clients of an [`AuthCache`](crate::client::AuthCache) | its [capacity](crate::client::AuthCache::new) | the least recently used is evicted |
//! | nonces that a server remembers | the [capacity](crate::server::Authenticator::new), at most 2³⁰; from 1,024 on, 16 tables share it and have spare room | the one of its table whose first use is the oldest is evicted |
//! | counts that a server remembers of a nonce | [the highest and the 63 below](crate::server#what-the-server-remembers) | lower ones count as used |
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
//! A Digest response is a hash of HA1 (with `-sess`, of the session key made from it), the nonce
//! and HA2 (the hash of the request), and in the counted form also of `nc`, `cnonce` and `qop` (RFC
//! 7616, section 3.4.1). An attacker who captures a header can change everything else, and the
//! response is still correct. So nothing else may be part of the replay key, which is made of nonce
//! and HA1, and of the count unless the nonce is valid for one use, both in the table of an
//! [`Authenticator`](crate::server::Authenticator) and in the key of a
//! [`PendingClaim`](crate::server::PendingClaim).
//!
//! | input | covered by the response | other checks | in the replay key |
//! |---|---|---|---|
//! | the user's secret (HA1) | yes | – | yes: the first 128 bits of it |
//! | `nonce` | yes | its MAC, which covers issue time, salt (a counter), binding, and the settings [lifetime](crate::server::Realm::with_nonce_lifetime), [one use](crate::server::Realm::with_one_time_nonces) and [hash-like cnonces](crate::server::Realm::with_hash_like_cnonces) | yes: issue time and eight bytes of the MAC that are never sent |
//! | `nc` | in the counted form, as spelled | – | in the counted form, as a number, unless the nonce is valid for one use |
//! | `cnonce` | in the counted form, and by the key of a `-sess` algorithm | with `-sess`, that it has no colon and [not the form of a hash](crate::server#the--sess-algorithms) | no |
//! | `qop` | in the counted form | that it is offered | no |
//! | `uri` | yes | against the request-target, by the [`UriCheck`](crate::server::UriCheck) | no |
//! | method | yes | that it is a token | no |
//! | body | with `qop=auth-int` | – | no |
//! | `realm` | by HA1 | that it equals the server's realm | no |
//! | `username`, `username*`, `userhash` | no; HA1 belongs to the account that the store found | a hashed name only where offered | no |
//! | `algorithm` | its hash function, and whether it is `-sess` | that it is offered | by HA1, which belongs to one hash function |
//! | `response` | – | compared case-insensitively | no |
//! | `opaque` | no | no | no |
//! | unknown parameters, order, quotes, escapes, whitespace, case of names | no | no | no |
//!
//! So a user store may accept any number of spellings for one account (case, trailing spaces,
//! Unicode forms, aliases), because all of them lead to the same HA1. That lets nobody in who types
//! another spelling, because a client hashes the name as it was typed: for that, store an HA1 for
//! each spelling in use. [`Grant::claimed_user`](crate::server::Grant::claimed_user) is the
//! spelling that was sent.
//!
//! In the forms without a protected count (RFC 2069 and the uncounted form) a nonce is valid for
//! one use, unless [`with_reusable_nonces`](crate::server::Realm::with_reusable_nonces) allows such
//! requests to have no replay key, and so to be replayed. In these forms `qop` is not covered
//! either, and HA2 of an `auth-int` request for `/x` is also HA2 of a request for `/x:` followed by
//! the hash of the body. There, a `uri` that ends like this is refused.
//!
//! # What the crate does not do
//!
//! - Digest does not protect a whole message. It protects the method and the `uri`, and with
//!   `auth-int` the body of the request; never the other headers. `rspauth` proves that the server
//!   knows the secret, and with `auth-int` protects the body of the response; never its status and
//!   headers. Over a cleartext channel an attacker on the path can read everything and change most
//!   of it. Use TLS.
//! - MD5 is broken as a hash. No attack on its use in Digest is known that is better than guessing
//!   the password, but guessing is fast. Exclude it where your peers allow: as a client with
//!   [`Policy::without_md5`](crate::client::Policy::without_md5), as a server with
//!   [`Realm::with_algorithms`](crate::server::Realm::with_algorithms). To leave the feature `md5`
//!   off is not enough, because another crate in the program may enable it.
//! - Basic gives the password to the server.
//! - A nonce is not encrypted: it shows its issue time in milliseconds, and two of them show how
//!   many the same `Authenticator` issued in between.
//! - RFC 2069 and the uncounted form have no protected count. Both roles use them only if a setting
//!   allows it.

pub mod duties;
pub mod losses;
pub mod storage;
