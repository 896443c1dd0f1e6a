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
//! - What is written parses back to an equal value, and no control byte other than HTAB is ever
//!   written to a header.
//! - `Debug` and errors show no header text and no secret. HA1s, keys, decoded Basic credentials,
//!   the secrets that [`Client`](crate::client::Client) holds, and the bytes of a
//!   [`FieldValue`](crate::FieldValue) are wiped when dropped. Copies that the compiler makes on
//!   the stack are not, and neither is a `Vec` that was made from a `FieldValue`.
//! - Every loop of a client ends. It gives up on an [`Exchange`](crate::client::Exchange) when the
//!   server has refused as many answers as
//!   [`with_max_answers`](crate::client::Policy::with_max_answers) allows, or has challenged nine
//!   requests without an answer. A refused answer is not counted if it was sent before the server
//!   asked and another realm refuses it. An accepted answer starts both counts again.
//! - A client releases credentials only for the endpoint they belong to, and only within their
//!   protection space or where the server asked for them.
//! - A client uses each of these only if its [`Policy`](crate::client::Policy) allows it:
//!   - RFC 2069, by [`with_rfc2069`](crate::client::Policy::with_rfc2069);
//!   - the uncounted form, by [`with_uncounted_form`](crate::client::Policy::with_uncounted_form);
//!   - Basic over a cleartext channel, by
//!     [`with_cleartext_basic`](crate::client::Policy::with_cleartext_basic).
//! - Once a server has proved that it knows the secret, a client accepts nothing weaker than that
//!   [`Strength`](crate::client::Strength) for the same realm. Before that it takes the best offer,
//!   even if that is MD5, or Basic over an encrypted channel, and even if it comes from an attacker
//!   in the server's place: [`without_md5`](crate::client::Policy::without_md5) and
//!   [`without_basic`](crate::client::Policy::without_basic) rule these out.
//! - A challenge without qop is never answered with the secret of a login that a challenge with qop
//!   in the same realm asked for: it asks for a login again.
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
//! In both roles:
//!
//! - State the [`Channel`](crate::Channel) truthfully: behind a TLS-terminating proxy it is the one
//!   between the client and that proxy. Pass the method and the request-target as they are on the
//!   request line.
//! - Pass a cryptographically secure random number generator wherever a function takes an `rng`. A
//!   seed or a key that you pass must come from one, too, and must not be used for anything else.
//! - Keep an [`Ha1`](crate::digest::Ha1) as secret as a password: anyone who has it can log in to
//!   its realm.
//! - Keep userinfo (`user:password@`) out of request-targets and out of
//!   [`with_domain`](crate::server::Realm::with_domain) (RFC 9110, section 4.2.4). `uri` repeats
//!   the request-target, so it would expose the password once more. A
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
//! - Authorise users yourself. A [`Grant`](crate::server::Grant) tells who sent the request, not
//!   what they are allowed to do. Answer 403, not 401, to a known user who lacks permission: a 401
//!   only asks for other credentials (RFC 9110, section 11.4).
//! - Base authorisation on the account that the user store found, which
//!   [`Grant::account`](crate::server::Grant::account) returns, and never on the spelling of
//!   [`claimed_user`](crate::server::Attempt::claimed_user), which the sender chooses. A store may
//!   find one account by several spellings: it may compare case-insensitively, ignore trailing
//!   spaces, normalise Unicode or know aliases. Replays are detected nevertheless, by the HA1 of
//!   the account (see [below](#what-a-response-covers)). Always return that HA1, never one made
//!   from the claimed spelling. A conforming client has to use the stored spelling, because the HA1
//!   was made from it.
//! - Look users up in the same time whether they exist or not, if their existence is to stay
//!   secret.
//! - Log failed logins (RFC 7616, section 3.4). [`Rejected`](crate::server::Rejected) has the
//!   reason and the claimed user. The name is untrusted text: write it by the `Display` of
//!   [`User`](crate::digest::User), which escapes it.
//! - Count the rejections of the class [`WrongSecret`](crate::server::RejectionClass::WrongSecret)
//!   by user and by address, and slow down those who cause many: [the
//!   cookbook](crate::manual::cookbook::limits#a-rate-limiter) shows how. The user is the account that the
//!   store found, or the claimed user if it found none. If you count by user alone, anyone who
//!   knows a name can slow its owner down. Digest does not protect weak passwords: they can be
//!   guessed online, and offline by anyone who has captured an exchange.
//! - Normalise user names and passwords to Unicode Normalization Form C before you store them or
//!   make HA1s from them: `charset=UTF-8` asks clients for that form (RFC 7616, section 4). The
//!   module `precis`, of the feature with this name, has functions for it, and says which clients
//!   get in with which spelling.
//! - Make one [`Authenticator`](crate::server::Authenticator), also for [several
//!   realms](crate::manual::cookbook::realms#several-protection-spaces): each of several with the same key
//!   would grant a captured request once. For the same reason, use the bytes of a key in one server
//!   only, unless all servers share a [store](crate::server::Authenticator::for_shared_store).
//! - Make a new key at each start, or pass a key that outlives the process to
//!   [`with_key`](crate::server::Authenticator::with_key) together with the
//!   [horizon](crate::server::Authenticator::horizon) that was stored with it.
//! - Choose a [capacity](crate::server::Authenticator::new) so large that the requests of one
//!   account cannot evict the nonces of all others. An evicted nonce costs its client a round trip.
//! - If a shared store lost its data, rotate the key twice: see
//!   [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data).
//! - Protect requests that change something, such as POST and PUT (RFC 7616, section 5.5). With
//!   `qop=auth` nothing protects their body: an attacker on a cleartext channel can replace it in
//!   transit. Only `auth-int` covers it, and only TLS protects the other headers as well.
//! - Consider one-time nonces for such requests (RFC 7616, section 3.3). Counts already refuse a
//!   request that is sent twice, but not one that is delayed: if an attacker holds a request back,
//!   its client sees a timeout and sends it again with the next count, and the first one can still
//!   be delivered until the nonce expires. Of a one-time nonce only the first request to arrive is
//!   granted, so the delayed one is refused if its repetition with the same nonce was granted.
//! - To have one-time nonces for some methods only, pass these requests to
//!   [`begin_as`](crate::server::Authenticator::begin_as) with a realm that has
//!   [`with_one_time_nonces`](crate::server::Realm::with_one_time_nonces). A POST with a nonce that
//!   was issued for a GET is then refused once.
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
//! - Release a password only for the [endpoint](crate::client::Ask::endpoint) that it belongs to.
//!   Any server can choose any realm name.
//! - Pass every value of a repeated field to
//!   [`received`](crate::client::Client::received). If the HTTP library keeps only one, an attacker
//!   or a server can hide the stronger challenge.
//! - Follow redirects yourself, with a new [`Exchange`](crate::client::Exchange), and never copy
//!   the credentials to another request: see [redirects](crate::manual::cookbook::urls#redirects).
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
//! everything else, and the response is still correct. So nothing else may be part of the lookup
//! key of a replay: it is identified by nonce, count and HA1, both in the table of an
//! [`Authenticator`](crate::server::Authenticator) and in the key of a
//! [`PendingClaim`](crate::server::PendingClaim).
//!
//! | input | covered by the response | other checks | in the lookup key |
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
