//! What the crate requires of you.
//!
//! # In both roles
//!
//! - State the [`Channel`](crate::Channel) truthfully: behind a TLS-terminating proxy it is the one
//!   between the client and that proxy, but `Encrypted` only if each further hop is TLS, too, or
//!   inside your own machine or network. Pass the method and the request-target as
//!   [`Target`](crate::Target) describes.
//! - Pass a cryptographically secure random number generator wherever a function takes an `rng`. A
//!   seed or a key that you pass must come from one, too, and must not be used for anything else.
//! - Keep the values of `Authorization` and `Proxy-Authorization` out of logs, and mark them as
//!   sensitive where the HTTP library can.
//! - Keep an [`Ha1`](crate::digest::Ha1) as secret as a password: anyone who has it can log in to
//!   its realm.
//! - Keep userinfo (`user:password@`) out of request-targets and out of
//!   [`with_domain`](crate::server::Realm::with_domain) (RFC 9110, section 4.2.4). The parameter
//!   `uri` repeats the request-target, so it would expose the password once more. A
//!   [`Client`](crate::client::Client) sends no credentials with such a request-target, except in
//!   SIP, whose URIs name a user.
//!
//! # As a server
//!
//! - Keep the [`NonceKey`](crate::server::NonceKey) secret.
//! - Pass all values of `Authorization`, at a proxy of `Proxy-Authorization`, to
//!   [`begin`](crate::server::Authenticator::begin), in [SIP](crate::manual::cookbook::sip) those
//!   for your realm. It rejects more than one, because recipients differ on which one they use.
//! - Send the status and the challenges of the [`Refusal`](crate::server::Refusal) together: a 401
//!   or 407 must have a challenge (RFC 9110, sections 15.5.2 and 15.5.8).
//! - Authorise users yourself. A [`Grant`](crate::server::Grant) tells whose credentials a request
//!   has, not what that user is allowed to do. Answer 403, not 401, to a known user who lacks
//!   permission: a 401 asks for other credentials (RFC 9110, section 11.4).
//! - If browsers log in, protect requests that change something against cross-site request forgery.
//!   A browser adds Basic and Digest credentials to every request for the protection space, also to
//!   one that another site made it send. The handshake of a WebSocket is such a request: check its
//!   `Origin`.
//! - Do not mark a protected response with `public`, `s-maxage` or `must-revalidate` in its
//!   `Cache-Control`: these let shared caches give it to other users (RFC 9111, section 3.5).
//!   If you run such a cache, send `private` or `no-store`: some do not look at `Authorization`.
//! - A [`Grant`](crate::server::Grant) is for one request. If the request opens something that
//!   stays, such as a WebSocket, a tunnel, an RTSP session, a SIP registration or dialog, let only
//!   its account use it, and end it when the account changes.
//! - When a password changes, replace all that is stored of the old one in one transaction: the
//!   HA1s of all hash functions, realms and spellings, and a slow hash. (What is kept [to recognise
//!   an old password](crate::manual::cookbook::limits#old-passwords) must never let anybody in.)
//!   Take the new password over TLS only, or at the device itself.
//! - When a user is renamed, ask for the password over TLS, and check it against an HA1 of the old
//!   name, as a login that is counted: the HA1s of the new name are made from it. In the same
//!   transaction delete those of the old name and its `userhash`es, and give the old name to nobody
//!   while any of them is stored. Passwords that the user does not know, such as those of devices,
//!   cannot be carried over: make new ones.
//! - Base authorisation on the account that the user store found, which
//!   [`Grant::account`](crate::server::Grant::account) returns, and never on the spelling of
//!   [`claimed_user`](crate::server::Attempt::claimed_user), which the sender chooses.
//! - A response does not cover the host. If one realm serves several hosts over cleartext channels,
//!   [bind nonces](crate::server::Arrival::bound_to) to the host, or name a realm for each:
//!   otherwise a request for one can be held back and delivered to another.
//! - Where TLS accepts early data, requests with Basic, or with [reusable
//!   nonces](crate::server::Quirk::ReusableNonces), can be replayed: answer 425 to those that
//!   change something (RFC 8470), or turn early data off.
//! - Your lookup must return an HA1 that was stored for the attempt's
//!   [realm](crate::server::Attempt::realm). The client chooses what it hashes, so the HA1 of
//!   another realm lets its user into this one.
//! - Your lookup must return the stored HA1 of the account, never one made from the claimed name.
//!   It may find the account by several spellings: it may compare case-insensitively, ignore
//!   trailing spaces, normalise Unicode or know aliases. An attacker can respell the name in a
//!   captured header, but replays are told by HA1, not by name (see [what a response
//!   covers](super#what-a-response-covers)). Whoever types another spelling than the one in the HA1
//!   is refused all the same.
//! - Look users up in the same time whether they exist or not, if their existence is to stay
//!   secret.
//! - Log failed logins (RFC 7616, section 3.4). [`Rejected`](crate::server::Rejected) has the
//!   reason, and [`Attempt::claimed_user`](crate::server::Attempt::claimed_user) the user. The name is untrusted text: write it by
//!   the `Display` of [`User`](crate::digest::User), which escapes it, and limit its length. The
//!   request-target is untrusted, too: HTTP libraries accept characters above ASCII in it, and a
//!   terminal obeys some of these. Users sometimes type their password in place of the name: let
//!   few people read the log, or write the claimed name only if an account was found.
//! - Count what [is a guess](crate::server::Rejection::is_guess) by pair of user and address, and
//!   slow down those who cause many: [the
//!   cookbook](crate::manual::cookbook::limits#a-rate-limiter) shows how. The user is the account
//!   that the store found, or the claimed user if it found none. If you count by user alone, anyone
//!   who knows a name can slow its owner down. Digest does not protect weak passwords: they can be
//!   guessed online, and offline by anyone who has captured an exchange.
//! - Behind a reverse proxy, count by the client's address, which the proxy has to pass on. All
//!   connections have the proxy's own address, so counting by that, anyone could lock all users
//!   out. Take the address, and whether the client used TLS, only from a field that the proxy sets
//!   itself, in place of what the client sent. Of several proxies in a row it is the outermost that
//!   knows both: let it set the field. An inner one passes it on only over connections that it
//!   knows to come from the outer one, and otherwise sets it itself, because whoever goes round the
//!   outer one can write any field.
//! - Normalise user names and passwords to Unicode Normalization Form C before you store them or
//!   make HA1s from them: `charset=UTF-8` asks clients for that form (RFC 7616, section 4). The
//!   module `precis`, of the feature with this name, has functions for it, and says which clients
//!   get in with which spelling.
//! - If you map names, by Unicode or by case, check on the mapped name that a new name is free.
//!   Otherwise a new account under another spelling replaces an existing one.
//! - Limit the length of bodies that are read before `verify`, the time for them, and how many are
//!   read at once: anyone can send them. See [streaming
//!   bodies](crate::manual::cookbook::bodies#a-streaming-body).
//! - After a body that was read between [`begin`](crate::server::Authenticator::begin) and
//!   `verify`, [begin again](crate::server::Attempt::required_body_hash_function): otherwise an
//!   attacker who keeps the body open could finish a captured request after its nonce has expired.
//! - Make one [`Authenticator`](crate::server::Authenticator), also for [several
//!   realms](crate::manual::cookbook::realms#several-protection-spaces), or give each a key of its
//!   own: two made with the same key
//!   and realm name each grant a captured request once. For the same reason, use the bytes of a
//!   key in one server only, unless all servers share a
//!   [store](crate::server::Authenticator::for_shared_store).
//! - Without a shared store, make a new key at each start, or use the [saved
//!   key](crate::server::SavedKey) of a clean shutdown. Use each for one start only, and delete it
//!   before the first request: after a crash, use a new key.
//! - Choose a [capacity](crate::server::Authenticator::new) so large that the requests of one
//!   account cannot evict the nonces of all others. An evicted nonce costs its client a round trip,
//!   and an account that evicts all of them within each round trip keeps the other clients out.
//! - If a shared store lost its data, rotate the key of every machine twice: see
//!   [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data).
//! - For requests that change something, such as POST and PUT, use TLS, or at least `auth-int` (RFC
//!   7616, section 5.5). With `qop=auth` an attacker on a cleartext channel can replace the body in
//!   transit. `auth-int` covers it, if it is the only qop that these requests may have: offer it
//!   alone ([`QopSet::AUTH_INT`](crate::digest::QopSet::AUTH_INT)), or refuse what was granted with
//!   another [`Grant::qop`](crate::server::Grant::qop). Where both are offered, the attacker takes
//!   it out of the challenge. Only TLS protects the other headers as well.
//! - Where a realm takes logins in clear as well as over TLS, TLS protects what it carries, and not
//!   the accounts: whoever controls the connection in clear can have a browser sign a request, and
//!   send it over TLS. Let browsers only be redirected there, or give the realm for TLS other
//!   passwords. With a certificate that clients do not verify, do not offer Basic.
//! - Consider one-time nonces for such requests (RFC 7616, section 3.3). Counts already refuse a
//!   request that is sent twice, but not one that is delayed: if an attacker holds a request back,
//!   its client may send it again with the next count, and the first one can still be delivered
//!   until the nonce expires. With a one-time nonce only the first request to arrive is granted, so
//!   the delayed one is refused if its repetition with the same nonce was granted.
//! - To have one-time nonces for some methods only, pass these requests to
//!   [`begin_as`](crate::server::Authenticator::begin_as) with a realm of the same name that has
//!   [`with_one_time_nonces`](crate::server::Realm::with_one_time_nonces). At each change between
//!   these methods and the others, in either direction, a client is then refused once, as stale. If
//!   it sends requests in parallel, they keep replacing each other's nonces, and some fail (two or
//!   three in a hundred of this crate's client, with two to eight at a time). For such clients,
//!   make all nonces one-time, or give these methods a realm of another name.
//! - To insist on hashed user names after [`with_userhash`](crate::server::Realm::with_userhash),
//!   treat every claimed user that is not [`User::Hash`](crate::digest::User::Hash) as unknown (RFC
//!   7616, section 3.4.4, allows it). Most clients send the plain name and would be locked out.
//! - Pass base64 or hexadecimal digits to [`with_opaque`](crate::server::Realm::with_opaque), as
//!   RFC 7616, section 3.3, recommends. Some clients return other text altered.
//! - Consider whether to send `Authentication-Info` on a cleartext channel. It tells eavesdroppers
//!   that the exchange was authenticated (RFC 9110, section 17.16.4; RFC 7615, section 5).
//!
//! # As a proxy or gateway
//!
//! Also what a server has to do. These are for HTTP; for SIP see [its
//! page](crate::manual::cookbook::sip#a-sip-proxy).
//!
//! - As a proxy, remove `Proxy-Authorization` before you forward a request: it is for you alone
//!   (RFC 9110, section 11.7.2). An origin would learn the password from Basic, and could guess it
//!   offline from a Digest response.
//! - From each response remove `Proxy-Authenticate` and `Proxy-Authentication-Info` before you add
//!   your own, for both come from the next hop (RFC 9110, sections 11.7.1 and 11.7.3). Remove them
//!   from its trailers, too, if you forward trailers: clients that take these for header fields
//!   would believe that the proxy had sent them.
//! - As a proxy, forward the values of `WWW-Authenticate`,
//!   `Authorization` and `Authentication-Info`, which are between client and origin, unchanged,
//!   byte for byte (RFC 9110, sections 11.6.1 and 11.6.2; RFC 7616, section 3.6; RFC 7615, section
//!   3). Parsing a value and writing it with `to_field_value` may change its spelling.
//! - Answer 502 where an origin answers 407. Passed on, it could make the client drop its login for
//!   the proxy, and any origin could ask for another.
//! - As a gateway (a reverse proxy) that checks `Authorization` itself, do the same with
//!   `Authorization`, `WWW-Authenticate`, `Authentication-Info` and a 401, if the servers behind
//!   you must not learn the password: by a challenge in your realm's name they could ask your users
//!   for it. Do all of this on every route of the origin that you forward, also on those that need
//!   no login: clients send their credentials to these, too. This keeps the password from such a
//!   server, not its use: a browser adds the login to requests that a page of your origin makes,
//!   also a page from that server, which can read the answers. If browsers log in, give each server
//!   that is not trusted a host name of its own.
//! - Pass on no offer of `Upgrade` to another HTTP, such as `h2c`, and answer 502 where the server
//!   switches without an offer: later requests of the connection would go past you to that server,
//!   with their credentials.
//! - As a gateway, add `Cache-Control: private` to every response to a request that was let in, and
//!   remove fields such as `CDN-Cache-Control`: the server behind you cannot know that there was a
//!   login.
//! - If you tell the server the user in a field of your own, remove that field from requests first,
//!   also spelled with `_` in place of `-`, and what `Connection` names.
//!
//! For tower services `countersign-tower` does what concerns the login: `AuthLayer` for a proxy,
//! `AuthLayer::for_gateway` and `GatewayLayer` for a gateway.
//!
//! # As a client
//!
//! - Use one [`Client`](crate::client::Client) per origin or proxy, in SIP per realm. Except for
//!   SIP, an [`AuthCache`](crate::client::AuthCache) does that for you. If your program has several
//!   accounts at one origin, give each account a client or cache of its own: a client sends the
//!   login that it has, whoever the request is made for.
//! - Release a password only for the [endpoint](crate::client::Ask::endpoint), the
//!   [realm](crate::client::Ask::realm) and the [scheme](crate::client::Ask::scheme) that it
//!   belongs to. Anyone who controls some paths of the origin can name a new realm or the same one,
//!   and ask for the password by Basic. Until a realm has proved Digest, no
//!   [strength](crate::client::Strength) is required of it: that is so after each cold start, and
//!   always if the server sends no `Authentication-Info`. What another realm has proved does not
//!   count. A password that was stored for Basic may be used for Digest in the same realm, never
//!   the other way round. If you do not know them, send one request without credentials over
//!   verified TLS, and let a person confirm what the challenge says.
//! - Pass every value of a repeated field to [`received`](crate::client::Client::received). If the
//!   HTTP library keeps only one, the stronger of two challenges may be lost.
//! - A channel is [`Encrypted`](crate::Channel::Encrypted) only if the server's certificate is
//!   verified. If your program lets its user turn that off, pass
//!   [`Cleartext`](crate::Channel::Cleartext) to
//!   [`with_channel`](crate::client::Endpoint::with_channel) then, or anyone on the network path
//!   can ask for the password by Basic. A certificate that is not signed by an authority counts
//!   as verified if a person has compared it with the server's, or it came another trusted way. One
//!   that was stored unseen does not become verified by being seen again.
//! - Follow redirects yourself, a limited number of times, with a new
//!   [`Exchange`](crate::client::Exchange), and never copy the credentials to another request: see
//!   [redirects](crate::manual::cookbook::urls#redirects).
//! - Place a cache of responses between your program and the login, not between the login and the
//!   network: a stored `Authentication-Info` belongs to another request, so its proof is wrong.
//!   There it sees no `Authorization`, so make one for each account, as a private cache.
//! - End logins that nobody has used for long by [`logout`](crate::client::Client::logout): a
//!   client has no clock.
//! - Pass only responses from outside a tunnel to a proxy's client: a 407 inside a tunnel comes
//!   from the origin.
//! - Set [`without_basic`](crate::client::Policy::without_basic) if the server supports Digest. A
//!   Digest challenge that cannot be parsed is skipped, and over an encrypted channel the client
//!   then by default answers a Basic challenge beside it with the password, unless the required
//!   [strength](crate::client::Client::strength) forbids it. So a server with a broken Digest
//!   challenge gets the password, and so does a TLS-terminating proxy that breaks it on purpose.
//! - Where a body must be covered, use
//!   [`require_auth_int`](crate::client::Policy::require_auth_int). An attacker on a cleartext
//!   channel makes `prefer_auth_int` use `auth`, and a valid proof does not show that.
//! - Restrict Digest credentials to a part of an origin yourself, if you need that. A challenge
//!   without `domain` makes the whole origin their protection space, even resources that belong to
//!   somebody else on a shared host (RFC 9110, section 17.16.3). No setting narrows it: do not call
//!   [`authorize`](crate::client::Client::authorize) for requests outside that part.
