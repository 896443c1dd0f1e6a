//! The words of the RFCs and of this crate.
//!
//! Each entry names the section that defines the word, if it comes from an RFC, and the item of
//! this crate that stands for it, if there is one.
//!
//! - **account**: The user as the caller's store knows it.
//!   [`Grant::account`](crate::server::Grant::account)
//! - **admission**: The step of the server that detects replays.
//!   [`Authenticator::admit`](crate::server::Authenticator::admit)
//! - **algorithm**: The parameter that names the hash function, and whether a session key is used
//!   (RFC 7616, section 3.3). [`Algorithm`](crate::digest::Algorithm)
//! - **answer**: The value of `Authorization` or `Proxy-Authorization` that a client sends, also
//!   before a challenge. [`Exchange::answer`](crate::client::Exchange::answer)
//! - **arrival**: The channel and the time of a request, and the binding of its nonces.
//!   [`Arrival`](crate::server::Arrival)
//! - **ask**: A client's request for a login, for one endpoint, protection space, scheme and hash
//!   function. [`Ask`](crate::client::Ask)
//! - **attempt**: A request whose credentials are well-formed and acceptable, before the secret is
//!   checked. [`Attempt`](crate::server::Attempt)
//! - **auth**: The qop whose response covers no body (RFC 7616, section 3.4.3).
//!   [`Qop::Auth`](crate::digest::Qop::Auth)
//! - **auth-int**: The qop whose response also covers the body: *authentication with integrity
//!   protection* (RFC 7616, sections 3.3 and 3.4.3). [`Qop::AuthInt`](crate::digest::Qop::AuthInt)
//! - **Authentication-Info**: The response field with the server's proof and the next nonce (RFC
//!   7615, section 3; RFC 7616, section 3.5). [`AuthenticationInfo`](crate::wire::AuthenticationInfo)
//! - **authenticator**: What a server program keeps: a realm's settings, the nonce key and the
//!   replay table. It can serve further realms. [`Authenticator`](crate::server::Authenticator)
//! - **Authorization**: The request field with the credentials (RFC 9110, section 11.6.2). To a
//!   proxy it is `Proxy-Authorization` (section 11.7.2). [`Authorization`](crate::Authorization)
//! - **Basic**: The scheme that sends user name and password in base64 (RFC 7617).
//!   [`wire`](crate::wire)
//! - **binding**: Bytes that a nonce is tied to, such as the client's address.
//!   [`Arrival::bound_to`](crate::server::Arrival::bound_to)
//! - **BWS**: *Bad whitespace*, here around `=`: a recipient has to skip it, and a sender must not
//!   write it (RFC 9110, section 5.6.3). [`leniency`](super::leniency#in-all-of-them)
//! - **challenge**: What a server or proxy sends with 401 or 407 to ask for credentials: a scheme
//!   with parameters or a token68 (RFC 9110, section 11.3). [`Challenge`](crate::Challenge), and
//!   [`RawChallenge`](crate::RawChallenge) for any scheme.
//! - **challenger**: The origin server or the proxy that sent a challenge.
//!   [`Challenger`](crate::Challenger)
//! - **channel**: Whether others can read the connection. [`Channel`](crate::Channel)
//! - **charset**: The challenge parameter that asks for UTF-8 in Normalization Form C (RFC 7616,
//!   sections 3.3 and 4; RFC 7617, section 2.1).
//! - **claim**: The request to a shared store to set a key if it is absent, which detects replays.
//!   [`Claim`](crate::server::Claim), [`PendingClaim`](crate::server::PendingClaim)
//! - **claimed user**: The user name, or its hash, as sent in a request: the sender chooses it.
//!   [`Attempt::claimed_user`](crate::server::Attempt::claimed_user)
//! - **client**: The program that sends the requests. [`Client`](crate::client::Client) holds its
//!   logins and nonces for one endpoint.
//! - **cnonce**: The client's own nonce, which makes the response depend on a value that the server
//!   cannot choose (RFC 7616, section 3.4). [`QopParams::cnonce`](crate::wire::QopParams::cnonce)
//! - **count**: The number in `nc`. In the counted form, a server detects replays by it.
//!   [`Rejection::Replayed`](crate::server::Rejection::Replayed)
//! - **counted form**: A response that covers `qop`, `nc` and `cnonce` (RFC 7616, section 3.4.1).
//!   [`Grant::is_counted`](crate::server::Grant::is_counted)
//! - **credentials**: What a client sends to authenticate: a scheme with parameters or a token68
//!   (RFC 9110, section 11.4). [`DigestCredentials`](crate::wire::DigestCredentials),
//!   [`BasicCredentials`](crate::wire::BasicCredentials)
//! - **current nonce**: The nonce that a client keeps for its next answer in a protection space,
//!   usable or not. [`states`](crate::client::states)
//! - **Digest**: The scheme that sends a hash of the password, a nonce and the request (RFC 7616).
//!   [`digest`](crate::digest)
//! - **domain**: The challenge parameter that lists the URIs of the protection space (RFC 7616,
//!   section 3.3). [`Realm::with_domain`](crate::server::Realm::with_domain)
//! - **endpoint**: The origin server or proxy that a client talks to.
//!   [`Endpoint`](crate::client::Endpoint)
//! - **entity body**: The body of a message after its transfer coding was removed, but before a
//!   content coding such as gzip is. auth-int hashes it (RFC 7616, section 3.4.3).
//!   [`EntityBody`](crate::EntityBody)
//! - **eviction**: The removal of an entry from a table, cache or list of fixed size, to make room.
//! - **exchange**: One logical request with all its retries.
//!   [`Exchange`](crate::client::Exchange)
//! - **floor**: The weakest hash function that a policy allows.
//!   [`Policy::with_floor`](crate::client::Policy::with_floor)
//! - **foreign nonce**: A nonce that this server did not issue, or issued with a key that it has
//!   since dropped, for another binding, or under other
//!   [settings](crate::server::Authenticator::begin_as).
//!   [`Rejection::NonceForeign`](crate::server::Rejection::NonceForeign)
//! - **forgotten nonce**: A nonce of which the server does not know which counts were used.
//!   [`Rejection::NonceForgotten`](crate::server::Rejection::NonceForgotten)
//! - **fresh nonce**: A nonce that is neither foreign nor expired.
//!   [`Attempt::nonce_is_fresh`](crate::server::Attempt::nonce_is_fresh)
//! - **grant**: An admitted request. [`Grant`](crate::server::Grant)
//! - **H, KD**: `H(data)` is the hash of the data in lower-case hex, `KD(secret, data)` is
//!   `H(secret:data)` (RFC 7616, section 3.3). [`HashFunction`](crate::digest::HashFunction)
//! - **HA1**: The hash `H(username:realm:password)`, also with `-sess`. A server stores it instead
//!   of the password; it is no less secret (RFC 7616, section 3.4.2). [`Ha1`](crate::digest::Ha1)
//! - **HA2**: `H(A2)`, the hash of the request: `H(method:uri)`, or `H(method:uri:H(body))` for
//!   auth-int (RFC 7616, section 3.4.3). [`ha2`](crate::wire::ha2)
//! - **hash-like cnonce**: A cnonce in the form of a hash: exactly as many hexadecimal digits as
//!   the hash function returns.
//!   [`Realm::with_hash_like_cnonces`](crate::server::Realm::with_hash_like_cnonces)
//! - **horizon**: A time at or after the issue time of every nonce that `admit` has recorded. New
//!   nonces are not older. [`Authenticator::horizon`](crate::server::Authenticator::horizon)
//! - **lifetime**: How long after its issue a nonce is valid.
//!   [`Realm::with_nonce_lifetime`](crate::server::Realm::with_nonce_lifetime)
//! - **login**: A user name with its secret, as a client uses it in a protection space.
//!   [`Client::login`](crate::client::Client::login)
//! - **nc**: The nonce count: how many requests the client has sent with this nonce, including this
//!   one, in eight hexadecimal digits (RFC 7616, section 3.4).
//!   [`QopParams::nc`](crate::wire::QopParams::nc)
//! - **nextnonce**: The nonce that the client should use from now on (RFC 7616, section 3.5).
//!   [`NextNonce`](crate::server::NextNonce)
//! - **NFC**: Unicode Normalization Form C, in which `ä` is one character.
//!   [`Ha1::new`](crate::digest::Ha1::new)
//! - **nonce**: The server's value that makes a response valid only for a limited time (RFC 7616,
//!   section 3.3). Here it holds its issue time, a counter and a MAC.
//!   [`Nonces`](crate::server::Nonces)
//! - **nonce in doubt**: A nonce that the server may be unable to read. The client sends its next
//!   request without an answer, so that the server challenges it with another nonce.
//!   [`Client::completed`](crate::client::Client::completed)
//! - **nonce key**: The secret key for the MAC of nonces. [`NonceKey`](crate::server::NonceKey)
//! - **one-time nonce**: A nonce that is valid for one request (RFC 7616, section 3.3).
//!   [`Realm::with_one_time_nonces`](crate::server::Realm::with_one_time_nonces)
//! - **opaque**: A challenge parameter that the client returns unchanged (RFC 7616, section 3.3).
//!   [`Realm::with_opaque`](crate::server::Realm::with_opaque)
//! - **origin**: Scheme, host and port of a server (RFC 9110, section 4.3.1).
//!   [`Endpoint::origin`](crate::client::Endpoint::origin)
//! - **pair**: The decoded user name and password of Basic.
//!   [`BasicCredentials`](crate::wire::BasicCredentials)
//! - **peer**: The program at the other end of the connection.
//! - **policy**: What a client accepts and sends. [`Policy`](crate::client::Policy)
//! - **PRECIS**: The rules for comparing user names and passwords outside ASCII (RFC 8265): the
//!   feature `precis`.
//! - **preemptive**: Of credentials: sent before the server asks for them.
//!   [`Client::with_preemptive_basic`](crate::client::Client::with_preemptive_basic)
//! - **prompt**: The dialog in which a user types a name and a password.
//! - **protection space**: The resources that share credentials: a realm of an endpoint, in Digest
//!   limited by `domain` (RFC 9110, section 11.5; RFC 7616, section 3.3; RFC 7617, section 2.2).
//! - **proxy**: An intermediary that may send its own challenges, with status 407 and the `Proxy-`
//!   fields (RFC 9110, section 11.7). [`Challenger::Proxy`](crate::Challenger::Proxy)
//! - **qop**: *Quality of protection*: what the response covers. A challenge offers a list, the
//!   credentials name one (RFC 7616, sections 3.3 and 3.4). [`QopSet`](crate::digest::QopSet),
//!   [`Qop`](crate::digest::Qop)
//! - **readiness**: Whether the first request of an exchange will carry an answer.
//!   [`Readiness`](crate::client::Readiness)
//! - **realm**: The name of a protection space, which is shown to the user and is part of HA1 (RFC
//!   9110, section 11.5). A [`Realm`](crate::server::Realm) configures a server's protection space.
//! - **receipt**: What the `Authentication-Info` of a granted request is built from, without
//!   borrowing from the request. [`Receipt`](crate::server::Receipt)
//! - **refusal**: The response to a rejected request: status and challenges. For a client, a
//!   challenge in response to an answer. [`Refusal`](crate::server::Refusal)
//! - **refused secret**: A secret that a server has refused, and that a client does not send again
//!   at once. [`LoginError::AlreadyRefused`](crate::client::LoginError::AlreadyRefused)
//! - **rejection**: The reason why a server does not let a request in, for the log.
//!   [`Rejection`](crate::server::Rejection), and [`Rejected`](crate::server::Rejected) with the
//!   claimed user.
//! - **replay**: A request that repeats an earlier one, from an attacker or by mistake.
//!   [`Rejection::Replayed`](crate::server::Rejection::Replayed)
//! - **replay key**: What identifies a request for the detection of replays: nonce and HA1, and the
//!   count, unless the nonce is valid for one request.
//!   [`PendingClaim::key`](crate::server::PendingClaim::key)
//! - **replay table**: The memory of a server for used counts. It holds a window for each pair of a
//!   nonce and an HA1. [`server`](crate::server#what-the-server-remembers)
//! - **request-target**: What the request line names: path and query, URI, authority or `*` (RFC
//!   9112, section 3.2). [`Target`](crate::Target) also has the method and the body.
//! - **response**: The parameter that proves that the client knows the secret (RFC 7616, section
//!   3.4.1). [`response`](crate::wire::response()). Also the HTTP response, where a status, field
//!   or body is meant.
//! - **RFC 2069**: The first version of Digest, without `qop`, `nc` and `cnonce`.
//!   [`QopSet::NONE`](crate::digest::QopSet::NONE),
//!   [`Policy::with_rfc2069`](crate::client::Policy::with_rfc2069),
//!   [`Realm::with_rfc2069`](crate::server::Realm::with_rfc2069)
//! - **rotation**: The replacement of the nonce key. The previous key stays valid for checks.
//!   [`Authenticator::rotate`](crate::server::Authenticator::rotate)
//! - **rspauth**: The server's proof that it knows the secret, too (RFC 7616, section 3.5).
//!   [`rspauth`](crate::wire::rspauth), [`ServerProof`](crate::client::ServerProof)
//! - **scheme**: The way to authenticate, such as `Basic` or `Digest` (RFC 9110, section 11.1).
//!   [`Scheme`](crate::Scheme)
//! - **secret**: What proves an identity: a password, or the HA1 that stands for it.
//! - **session key**: The key of the `-sess` algorithms in place of HA1: `H(HA1:nonce:cnonce)` (RFC
//!   7616, section 3.4.2). [`Ha1::session_key`](crate::digest::Ha1::session_key)
//! - **shared store**: A store, such as Redis, that detects replays for several machines.
//!   [`Authenticator::for_shared_store`](crate::server::Authenticator::for_shared_store)
//! - **skipped challenge**: A challenge that a client cannot or may not answer.
//!   [`SkipReason`](crate::client::SkipReason)
//! - **stale**: The challenge parameter that tells the client to retry with the new nonce, without
//!   asking the user (RFC 7616, section 3.3). [`Rejection`](crate::server::Rejection) says when it
//!   is sent.
//! - **strength**: The rank of credentials, from Basic to Digest with SHA-2, by which a client
//!   resists downgrades. [`Strength`](crate::client::Strength)
//! - **token68**: A single value in place of parameters, such as the base64 of Basic credentials
//!   (RFC 9110, section 11.2). [`RawChallenge::token68`](crate::RawChallenge::token68)
//! - **uncounted form**: A response computed as in RFC 2069 although `qop`, `nc` and `cnonce` are
//!   sent, so that they are not protected.
//!   [`Realm::with_uncounted_form`](crate::server::Realm::with_uncounted_form)
//! - **unusable nonce**: A nonce that a client does not use, for example because it is in doubt.
//!   [`Readiness::NoNonce`](crate::client::Readiness::NoNonce)
//! - **uri**: The parameter with the request-target that the response covers (RFC 7616, sections
//!   3.4 and 3.4.6). [`UriCheck`](crate::server::UriCheck)
//! - **user store**: The caller's table of users, in memory, a file or a database.
//!   [`server`](crate::server#the-user-store)
//! - **user-pass**: User name, colon and password, as Basic encodes them (RFC 7617, section 2).
//!   [`basic_credentials`](crate::wire::basic_credentials)
//! - **userhash**: `H(username:realm)`, sent instead of the user name where the challenge says
//!   `userhash=true` (RFC 7616, section 3.4.4). [`userhash`](crate::digest::userhash),
//!   [`User::Hash`](crate::digest::User::Hash)
//! - **username\***: The user name in the extended notation of RFC 5987, for names that a quoted
//!   string cannot carry (RFC 7616, section 3.4). [`User`](crate::digest::User)
//! - **verdict**: Whether a caller accepts a Basic password, or a shared store a key.
//!   [`Attempt::decide`](crate::server::Attempt::decide),
//!   [`PendingClaim::settle`](crate::server::PendingClaim::settle)
//! - **verified**: A request whose response or password is correct, but which may be a replay.
//!   [`Verified`](crate::server::Verified)
//! - **window**: The highest count of a nonce and the 63 below it, which may arrive in any order.
//!   Lower ones count as used. [`server`](crate::server#what-the-server-remembers)
//! - **WWW-Authenticate**: The response field with the challenges (RFC 9110, section 11.6.1). From
//!   a proxy it is `Proxy-Authenticate` (section 11.7.1). [`challenges`](crate::challenges())
