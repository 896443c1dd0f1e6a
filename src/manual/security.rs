//! What the crate promises, what it asks of you, and what it cannot do.
//!
//! # What it promises
//!
//! - No input makes it panic, and reading takes time in proportion to the length of the header and
//!   no memory of its own, but for the one buffer that Basic is decoded into. The limits are
//!   [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES), [`MAX_PARAMS`](crate::MAX_PARAMS) and
//!   [`MAX_CHALLENGES`](crate::MAX_CHALLENGES).
//! - No request without the secret changes any state of a server: it uses up no nonce count, fills
//!   no table and evicts nobody. See the order of checks in [`server`](crate::server).
//! - No count of a nonce is granted twice, whatever the clock does, however full the table is. With
//!   a store that several machines share, that holds as long as the clocks of all of them are no
//!   more than [`STORE_MARGIN_SECS`](crate::server::PendingClaim::STORE_MARGIN_SECS) apart.
//! - An unknown user costs the same work as a wrong password: with
//!   [`verify`](crate::server::Attempt::verify) always, with
//!   [`verify_password`](crate::server::Attempt::verify_password) for names and passwords up to the
//!   length stated there. Responses, MACs and passwords are compared in constant time. Looking the
//!   user up is the caller's part.
//! - What is written reads back equal, and no control byte but HTAB ever gets into a header.
//! - `Debug` and errors show no header text and no secret. HA1s, keys, decoded Basic credentials,
//!   and what [`Client`](crate::client::Client) and [`FieldValue`](crate::FieldValue) hold are wiped
//!   when dropped. Copies that the compiler makes on the stack are not. A `String` or `Vec` that
//!   was handed out, as by [`basic::credentials`](crate::basic::credentials) and `to_bytes`, is
//!   yours to wipe.
//! - A client answers one request of the user a bounded number of times, and keeps to its
//!   protection space.
//! - A client speaks no RFC 2069, no uncounted form and no Basic over a cleartext channel unless its
//!   [`Policy`](crate::client::Policy) says so. Once an answer was accepted, it gives nothing below
//!   the [`Strength`](crate::client::Strength) of that. Before, the best offer counts, of the server or of
//!   whoever answers in its place, be it MD5, or Basic over an encrypted channel:
//!   [`without_md5`](crate::client::Policy::without_md5) and
//!   [`without_basic`](crate::client::Policy::without_basic) rule these out.
//!
//! # What it asks of you
//!
//! In both roles:
//!
//! - Tell the truth about the [`Channel`](crate::Channel), and give the method and the
//!   request-target as they stand on the request line.
//! - Use randomness that is fit for keys.
//! - Keep an [`Ha1`](crate::digest::Ha1) as secret as a password: whoever has it can log in to its
//!   realm.
//! - Keep userinfo (`user:password@`) out of request-targets and of what you give to
//!   [`with_domain`](crate::server::Realm::with_domain) (RFC 9110, section 4.2.4). A client copies
//!   the request-target into `uri`, so the password in it would be sent once more, unhashed. A
//!   [`Client`](crate::client::Client) sends no credentials with such a request-target.
//! - If you forward messages, forward the values of `WWW-Authenticate`, `Authorization` and
//!   `Authentication-Info` byte for byte, as they came (RFC 9110, sections 11.6.1 and 11.6.2; RFC
//!   7616, section 3.6; RFC 7615, section 3). Parsing a value and writing it with `to_bytes`
//!   changes its spelling.
//!
//! As a server:
//!
//! - Keep the [`NonceKey`](crate::server::NonceKey) secret.
//! - Give all values of `Authorization` to [`begin`](crate::server::Authenticator::begin). A request
//!   with more than one is answered 400, because recipients differ on which of them counts.
//! - Send the status and the challenges of the [`Refusal`](crate::server::Refusal) together: a 401 or
//!   407 must have a challenge (RFC 9110, sections 15.5.2 and 15.5.8), and the refusal says 403 where
//!   nothing is offered.
//! - Decide yourself what a user may do. A [`Grant`](crate::server::Grant) says who sent the
//!   request, not what they may do. Answer 403, not 401, to a known user who may not: a 401 only
//!   asks for other credentials (RFC 9110, section 11.4).
//! - Authorise, and limit attempts, by the account that the user store found, never by the spelling
//!   of [`claimed_user`](crate::server::Attempt::claimed_user), which the sender chooses;
//!   [`Grant::account`](crate::server::Grant::account) hands the account on. A store may find one
//!   account by many spellings: it may compare without case, ignore trailing blanks, normalise
//!   Unicode or know aliases. Replays are recognised all the same, by the HA1 of the account (see
//!   [below](#what-a-response-covers)). Always return that HA1, never one made of the claimed
//!   spelling. An honest client has to use the stored spelling, because its HA1 is made of that.
//! - Let looking a user up take the same time whether the user exists or not, if it matters to you
//!   that nobody finds out who does.
//! - Log failed logins (RFC 7616, section 3.4). [`Rejected`](crate::server::Rejected) says why, and
//!   who was claimed. Escape the name: it is text from outside.
//! - Count the rejections whose class is [`Suspicious`](crate::server::RejectionClass::Suspicious), by
//!   user and by address, and slow down whoever causes many. By the user alone, anyone who knows a
//!   name can slow its owner down. A weak password can be guessed with Digest, too: online, and
//!   offline by anyone who has captured an exchange.
//! - Store user names and passwords in Unicode Normalization Form C, or HA1s made of that: it is
//!   what `charset=UTF-8` asks clients for (RFC 7616, section 4), and nothing is normalised here.
//!   One spelling for each name also keeps two accounts from looking alike.
//! - Make one [`Authenticator`](crate::server::Authenticator) for each realm, and give no two servers
//!   the same key bytes unless they share a [store](crate::server::Authenticator::for_shared_store):
//!   each would grant a captured header once. A new key at each start is fine; a key that outlives
//!   the process needs [`restarted`](crate::server::Authenticator::restarted). Choose the
//!   [capacity](crate::server::Authenticator::new) so that one account cannot evict all others.
//! - If a shared store lost its data, change the key twice: see
//!   [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data).
//! - Take special care of requests that change something, such as POST and PUT (RFC 7616, section
//!   5.5): offer `auth-int`, or make their nonces good for one request, while those of GET stay
//!   good for their lifetime (section 3.3). For one-time nonces by method, give those requests a
//!   realm [`with_one_time_nonces`](crate::server::Realm::with_one_time_nonces), by
//!   [`begin_as`](crate::server::Authenticator::begin_as). A POST with a nonce that a GET has used
//!   then costs a refused request.
//! - To insist on hashed user names after [`with_userhash`](crate::server::Realm::with_userhash),
//!   treat every claimed user that is not [`User::Hash`](crate::digest::User::Hash) as unknown (RFC
//!   7616, section 3.4.4, allows it). Most clients send the clear name, and would be locked out.
//! - Give [`with_opaque`](crate::server::Realm::with_opaque) base64 or hexadecimal digits, as RFC
//!   7616, section 3.3, recommends. Any other text is sent, too, but some clients return it
//!   altered.
//! - Consider whether to send `Authentication-Info` on a cleartext channel. It shows listeners that
//!   the exchange was authenticated (RFC 9110, section 17.16.4; RFC 7615, section 5). It is only
//!   sent if you call [`Grant::authentication_info`](crate::server::Grant::authentication_info) and send what that returns.
//!
//! As a client:
//!
//! - Use one [`Client`](crate::client::Client) for each origin. An
//!   [`AuthCache`](crate::client::AuthCache) does that for you.
//! - Say [`without_basic`](crate::client::Policy::without_basic) where the server has Digest. A
//!   Digest challenge that cannot be read is skipped, and over an encrypted channel the client then
//!   answers a Basic challenge beside it with the password. So a server with a broken Digest
//!   challenge, and anyone who can spoil one within the channel, get the password.
//! - Keep Digest credentials to a part of an origin yourself, if that matters. A challenge without
//!   `domain` makes the whole origin their protection space, so each resource on it sees answers,
//!   also those of other people on a shared host (RFC 9110, section 17.16.3). No setting narrows
//!   it: do not call [`authorize`](crate::client::Client::authorize) for requests elsewhere.
//!
//! # What a response covers
//!
//! A Digest response is a hash of HA1, the nonce and HA2, and in the counted form of `nc`, `cnonce`
//! and `qop` (RFC 7616, section 3.4.1). Whoever captures a header can rewrite everything else and
//! the response stays right. So nothing else may enter a key of the server's state: a replay is
//! recognised by nonce, count and HA1, in the memory of an
//! [`Authenticator`](crate::server::Authenticator) as in the key of a
//! [`PendingClaim`](crate::server::PendingClaim).
//!
//! | input | covered by the response | checked otherwise | in a key of state |
//! |---|---|---|---|
//! | the user's secret (HA1) | yes | – | yes: the first 128 bits of it |
//! | `nonce` | yes | its MAC, which covers issue time, salt, binding, and the settings that decide how often and how long it is good | yes: issue time and eight bytes of the MAC that are never sent |
//! | `nc` | in the counted form, as it is spelled | – | in the counted form, as a number; otherwise the nonce is good for one use |
//! | `cnonce` | in the counted form, and by the key of a `-sess` algorithm | – | no |
//! | `qop` | in the counted form | whether it is offered | no |
//! | `uri` | yes | against the request-target, by the [`UriCheck`](crate::server::UriCheck) | no |
//! | method | yes | whether it is a token | no |
//! | body | with `qop=auth-int` | – | no |
//! | `realm` | by HA1 | whether it is the server's own, whole | no |
//! | `username`, `username*`, `userhash` | no; HA1 is the one of the account that the store found | a hashed name only where it was asked for | no |
//! | `algorithm` | its hash function, and whether it is `-sess` | whether it is offered | by HA1, which is of one hash function |
//! | `response` | – | compared without case | no |
//! | `opaque` | no | no | no |
//! | unknown parameters, order, quotes, escapes, whitespace, case of names | no | no | no |
//!
//! What follows for a user store: it may take as many spellings of a name for one account as it
//! likes (case, trailing blanks, Unicode forms, aliases), because all of them lead to the same HA1.
//! What a grant tells as the user's name is the spelling that was sent, which whoever replayed a
//! header could have chosen: authorise by the account that the store found.
//!
//! In the forms without a protected count (RFC 2069, and the uncounted form) `qop` is not covered
//! either, and HA2 of an `auth-int` request for `/x` is also HA2 of a request for `/x:` followed by
//! the hash of the body. A `uri` that ends in such a way is refused in these forms.
//!
//! # What it cannot do
//!
//! - Digest protects the request line, and with `auth-int` the body; never the other headers, and
//!   the response only by `rspauth`. Over a cleartext channel someone on the way can read all and
//!   change most. Use TLS.
//! - MD5 is broken as a hash. No attack on its use in Digest is known that is better than guessing
//!   the password, but guessing is fast. Leave it out where clients allow: by policy and by
//!   configuration, because the feature `md5` may be switched on by another crate of the program.
//! - Basic gives the server the password itself.
//! - A nonce hides nothing but its key: it shows when it was issued, to the millisecond, and two of
//!   them show how many were issued between them.
//! - RFC 2069 and the uncounted form have no count that is protected. Both roles speak them only
//!   when told to by name.
