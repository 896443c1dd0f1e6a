//! What the crate guarantees, what it requires of you, and what it cannot do.
//!
//! # What it guarantees
//!
//! - No input makes it panic. Parsing takes time linear in the length of the header, and allocates
//!   nothing except the one buffer that Basic is decoded into. The limits are
//!   [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES), [`MAX_PARAMS`](crate::MAX_PARAMS) and
//!   [`MAX_CHALLENGES`](crate::MAX_CHALLENGES).
//! - No request without the secret changes the state of a server: it cannot use up a nonce count,
//!   fill a table or evict a nonce. See the order of checks in [`server`](crate::server).
//! - No count of a nonce is granted twice, whatever the clock does and however full the table is.
//!   With a store shared by several machines, this holds as long as their clocks differ by at most
//!   [`STORE_MARGIN_SECS`](crate::server::PendingClaim::STORE_MARGIN_SECS).
//! - An unknown user costs the same work as a wrong password: with
//!   [`verify`](crate::server::Attempt::verify) always, and with
//!   [`verify_password`](crate::server::Attempt::verify_password) for names and passwords up to the
//!   length stated there. Responses, MACs and passwords are compared in constant time. The time of
//!   the user lookup is up to the caller.
//! - What is written parses back to an equal value, and no control byte other than HTAB is ever
//!   written to a header.
//! - `Debug` and errors show no header text and no secret. HA1s, keys, decoded Basic credentials,
//!   and what [`Client`](crate::client::Client) and [`FieldValue`](crate::FieldValue) hold are
//!   wiped when dropped. Copies that the compiler makes on the stack are not, and neither is a
//!   `Vec` that was made from a `FieldValue`.
//! - Every loop of a client ends: per [`Exchange`](crate::client::Exchange), a server can refuse at
//!   most [`max_answers`](crate::client::Policy::with_max_answers) answers, and challenge at most
//!   eight requests without one before the client gives up.
//! - A client sends credentials only to their endpoint, and only within their protection space or
//!   where the server asked for them.
//! - A client uses RFC 2069, the uncounted form, and Basic over a cleartext channel only if its
//!   [`Policy`](crate::client::Policy) allows them.
//! - Once a server has proved that it knows the secret, a client accepts nothing weaker than that
//!   [`Strength`](crate::client::Strength) for the same realm. Before that it takes the best offer,
//!   even if that is MD5, or Basic over an encrypted channel, and even if it comes from an attacker
//!   in the server's place: [`without_md5`](crate::client::Policy::without_md5) and
//!   [`without_basic`](crate::client::Policy::without_basic) rule these out. A challenge without
//!   qop after one with qop in the same realm asks for a login again, so it is never answered with
//!   a stored secret.
//! - Forged responses do not lock a client out for good. A forged challenge cannot raise the
//!   required strength. A forged nonce that the server cannot read is replaced after one failed
//!   request. A forged refusal costs one request, and a series of them 64 requests at most.
//!
//! # What it requires of you
//!
//! In both roles:
//!
//! - State the [`Channel`](crate::Channel) truthfully, and pass the method and the request-target
//!   as they are on the request line.
//! - Use a cryptographically secure random number generator.
//! - Keep an [`Ha1`](crate::digest::Ha1) as secret as a password: anyone who has it can log in to
//!   its realm.
//! - Keep userinfo (`user:password@`) out of request-targets and out of
//!   [`with_domain`](crate::server::Realm::with_domain) (RFC 9110, section 4.2.4). A client copies
//!   the request-target into `uri`, so the password in it would be sent once more, unhashed. A
//!   [`Client`](crate::client::Client) sends no credentials with such a request-target.
//! - If you forward messages, forward the values of `WWW-Authenticate`, `Authorization` and
//!   `Authentication-Info` unchanged, byte for byte (RFC 9110, sections 11.6.1 and 11.6.2; RFC
//!   7616, section 3.6; RFC 7615, section 3). Parsing a value and writing it with `to_field_value`
//!   changes its spelling.
//!
//! As a server:
//!
//! - Keep the [`NonceKey`](crate::server::NonceKey) secret.
//! - Pass all values of `Authorization` to [`begin`](crate::server::Authenticator::begin). A
//!   request with more than one is answered 400, because recipients differ on which one they use.
//! - Send the status and the challenges of the [`Refusal`](crate::server::Refusal) together: a 401
//!   or 407 must have a challenge (RFC 9110, sections 15.5.2 and 15.5.8), and the refusal has
//!   status 403 where nothing is offered.
//! - Decide what a user may do. A [`Grant`](crate::server::Grant) tells who sent the request, not
//!   what they are allowed to do. Answer 403, not 401, to a known user who lacks permission: a 401
//!   only asks for other credentials (RFC 9110, section 11.4).
//! - Base authorisation and rate limits on the account that the user store found, which
//!   [`Grant::account`](crate::server::Grant::account) returns, and never on the spelling of
//!   [`claimed_user`](crate::server::Attempt::claimed_user), which the sender chooses. A store may
//!   find one account by several spellings: it may compare case-insensitively, ignore trailing
//!   spaces, normalise Unicode or know aliases. Replays are detected nevertheless, by the HA1 of
//!   the account (see [below](#what-a-response-covers)). Always return that HA1, never one made
//!   from the claimed spelling. An honest client has to use the stored spelling, because the HA1
//!   was made from it.
//! - Look users up in the same time whether they exist or not, if their existence is to stay
//!   secret.
//! - Log failed logins (RFC 7616, section 3.4). [`Rejected`](crate::server::Rejected) has the
//!   reason and the claimed user. The name is untrusted text: write it by the `Display` of
//!   [`User`](crate::digest::User), which escapes it.
//! - Count the rejections of the class [`WrongSecret`](crate::server::RejectionClass::WrongSecret)
//!   by user and by address, and slow down those who cause many: [the
//!   cookbook](crate::manual::cookbook#a-rate-limiter) shows how. If you count by user alone,
//!   anyone who knows a name can slow its owner down. Digest does not protect weak passwords: they
//!   can be guessed online, and offline by anyone who has captured an exchange.
//! - Store user names and passwords in Unicode Normalization Form C, or HA1s made from that form:
//!   `charset=UTF-8` asks clients for it (RFC 7616, section 4), and this crate does not normalise.
//!   A single spelling for each name also keeps two accounts from looking alike.
//! - Make one [`Authenticator`](crate::server::Authenticator), also for [several
//!   realms](crate::manual::cookbook#several-areas), and do not use the same key bytes in two
//!   servers unless they share a [store](crate::server::Authenticator::for_shared_store): each
//!   would admit a captured header once. A new key at each start is fine; a key that outlives the
//!   process needs [`with_key`](crate::server::Authenticator::with_key), and the time until which
//!   it was used. Choose the [capacity](crate::server::Authenticator::new) so that one account
//!   cannot evict all others.
//! - If a shared store lost its data, rotate the key twice: see
//!   [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data).
//! - Protect requests that change something, such as POST and PUT (RFC 7616, section 5.5). With
//!   `qop=auth` nothing protects their body: an attacker on a cleartext channel can replace it
//!   under way. Only `auth-int` covers it, and only TLS protects the other headers as well.
//! - Consider one-time nonces for such requests (section 3.3). Counts already refuse a request that
//!   is sent twice. They do not refuse one that an attacker holds back: the client sees a timeout
//!   and sends its request again, and the first one, whose count is unused, can still be delivered
//!   until the nonce expires. Of a one-time nonce only the first request to arrive is granted, so
//!   the one held back is refused once its repetition with the same nonce was let in. For this by
//!   method, use a realm
//!   [`with_one_time_nonces`](crate::server::Realm::with_one_time_nonces) for those requests, by
//!   [`begin_as`](crate::server::Authenticator::begin_as). A POST with a nonce issued for a GET
//!   then costs a refused request.
//! - To insist on hashed user names after [`with_userhash`](crate::server::Realm::with_userhash),
//!   treat every claimed user that is not [`User::Hash`](crate::digest::User::Hash) as unknown (RFC
//!   7616, section 3.4.4, allows it). Most clients send the plain name and would be locked out.
//! - Pass base64 or hexadecimal digits to [`with_opaque`](crate::server::Realm::with_opaque), as
//!   RFC 7616, section 3.3, recommends. Some clients return other text altered.
//! - Consider whether to send `Authentication-Info` on a cleartext channel. It tells eavesdroppers
//!   that the exchange was authenticated (RFC 9110, section 17.16.4; RFC 7615, section 5). It is
//!   sent only if you call
//!   [`Grant::authentication_info`](crate::server::Grant::authentication_info) and send the result.
//!
//! As a client:
//!
//! - Use one [`Client`](crate::client::Client) per origin. An
//!   [`AuthCache`](crate::client::AuthCache) does that for you.
//! - Give out a password only for the [endpoint](crate::client::Ask::endpoint) that it belongs to.
//!   Any server can choose any realm name.
//! - Pass every value of a repeated field to
//!   [`received`](crate::client::Client::received). If the HTTP library keeps only one, an attacker
//!   or a server can hide the stronger challenge.
//! - Follow redirects yourself, with a new [`Exchange`](crate::client::Exchange), and never copy
//!   the credentials to another request: see [redirects](crate::manual::cookbook#redirects).
//! - Pass only responses of the proxy itself to a proxy's client: a 407 inside a TLS tunnel comes
//!   from the origin.
//! - Set [`without_basic`](crate::client::Policy::without_basic) if the server supports Digest. A
//!   Digest challenge that cannot be parsed is skipped, and over an encrypted channel the client
//!   then answers a Basic challenge beside it with the password. So a server with a broken Digest
//!   challenge gets the password, and so does an attacker who can break the challenge within the
//!   channel.
//! - Restrict Digest credentials to a part of an origin yourself, if you need that. A challenge
//!   without `domain` makes the whole origin their protection space, so each resource on it gets
//!   responses, even one that belongs to somebody else on a shared host (RFC 9110, section
//!   17.16.3). No setting narrows it: do not call [`authorize`](crate::client::Client::authorize)
//!   for requests outside that part.
//!
//! # What a response covers
//!
//! A Digest response is a hash of HA1, the nonce and HA2, and in the counted form also of `nc`,
//! `cnonce` and `qop` (RFC 7616, section 3.4.1). An attacker who captures a header can change
//! everything else, and the response is still right. So nothing else may be part of a key of the
//! server's state: a replay is identified by nonce, count and HA1, both in the table of an
//! [`Authenticator`](crate::server::Authenticator) and in the key of a
//! [`PendingClaim`](crate::server::PendingClaim).
//!
//! | input | covered by the response | other checks | in a key of state |
//! |---|---|---|---|
//! | the user's secret (HA1) | yes | – | yes: the first 128 bits of it |
//! | `nonce` | yes | its MAC, which covers issue time, salt, binding, and the settings that decide how often and how long it is valid | yes: issue time and eight bytes of the MAC that are never sent |
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
//! It follows that a user store may accept any number of spellings for one account (case, trailing
//! spaces, Unicode forms, aliases), because all of them lead to the same HA1. The user name of a
//! grant is the spelling that was sent, which an attacker can change: base authorisation on the
//! account that the store found.
//!
//! In the forms without a protected count (RFC 2069 and the uncounted form) `qop` is not covered
//! either, and HA2 of an `auth-int` request for `/x` is also HA2 of a request for `/x:` followed by
//! the hash of the body. A `uri` that ends like this is refused in these forms.
//!
//! # What it cannot do
//!
//! - Digest protects the request line, and with `auth-int` the body; never the other headers, and
//!   the response only by `rspauth`. Over a cleartext channel an attacker on the path can read
//!   everything and change most of it. Use TLS.
//! - MD5 is broken as a hash. No attack on its use in Digest is known that is better than guessing
//!   the password, but guessing is fast. Exclude it where your clients allow: by policy and by
//!   configuration, because the feature `md5` may be enabled by another crate in the program.
//! - Basic gives the password to the server.
//! - A nonce is not encrypted: it shows its issue time in milliseconds, and two of them show how
//!   many were issued in between.
//! - RFC 2069 and the uncounted form have no protected count. Both roles use them only if a setting
//!   allows it.
