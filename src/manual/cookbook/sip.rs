//! Authentication in SIP.
//!
//! # SIP
//!
//! Make the [`Target`](crate::Target) from the method and the Request-URI: `Target::new("REGISTER",
//! "sip:example.org")`. A registrar challenges with 401, a proxy with 407: see
//! [`Realm::for_proxy`](crate::server::Realm::for_proxy).
//!
//! # A SIP server
//!
//! - A request may carry credentials for several realms, and
//!   [`begin`](crate::server::Authenticator::begin) refuses more than one value. Read the realm of
//!   each value with [`Authorization::parse`](crate::Authorization::parse), and pass the value for
//!   your realm.
//! - A proxy before the server may change the Request-URI. Then the server needs
//!   [`UriCheck::Unchecked`](crate::server::UriCheck::Unchecked) (RFC 3261, sections 22.3 and
//!   22.4), and whoever captures a request, and gets its credentials to the server first, can use
//!   them for any Request-URI.
//! - Over UDP a retransmission looks like a replay. So remember each request that was granted, and
//!   do not pass a retransmission to `begin`: send the last response again, and keep the final one
//!   for 32 seconds (RFC 3261, section 17.2), as `examples/sip_registrar.rs` does. You know it
//!   again because it has the same text, and comes from the same peer. Check the peer, or anyone
//!   who captured a request could fetch its response. Keep a bounded number, and no challenges,
//!   which can be made again: anyone can cause these.
//! - Never pass an `ACK` or a `CANCEL` to `begin`, and never challenge one (RFC 3261, section
//!   22.1). An `ACK` repeats the credentials of its `INVITE`, whose response covers the method
//!   `INVITE`, so it would be refused, and counted as a wrong password. Let it pass if it belongs
//!   to an `INVITE` that was granted, and a `CANCEL` if it matches the `INVITE` (RFC 3261, section
//!   9.2) and comes from the same peer.
//! - Over UDP anyone can send a request from anybody's address, and wrong passwords from a user's
//!   own address would lock that user out. So check only requests whose sender has received a nonce
//!   at that address: [bind nonces](crate::server::Arrival::bound_to) to it, and before `verify`
//!   reject an attempt whose nonce [is not fresh](crate::server::Attempt::nonce_is_fresh), with
//!   [`reject_unread`](crate::server::Attempt::reject_unread). Then count all wrong passwords and
//!   [`MissingHa1`](crate::server::Rejection::MissingHa1), and at the limit answer 403 or 503
//!   without a challenge. Offer no Basic, which has no nonce. Do not check such an attempt without
//!   counting it: the result would tell a guesser the password. Behind a proxy, all requests come
//!   from its address. The address of the client is then in `received` of its own `Via`, the next
//!   one below that of the proxy: use it if the proxy always sets it, in place of what the client
//!   sent. Otherwise do not count by address.
//! - Over UDP a challenge goes to whoever the request claims to come from, and is several times as
//!   long as a short request. So answer only requests that have a `Via`, `From`, `To`, `Call-ID`
//!   and `CSeq`, limit the challenges to each address, and offer one algorithm; or use TCP or TLS.
//!
//! # A SIP proxy
//!
//! - A request may carry values of `Proxy-Authorization` for several proxies. Pass the one for your
//!   realm to `begin`, and leave the others (RFC 3261, section 22.3). Remove yours from every
//!   request that you forward, also from an `ACK`, which you do not check.
//! - From a response that comes from outside (whoever is called, or another domain), remove the
//!   challenges in every realm of your domain. These are your own realm and those of your registrar
//!   and your other proxies. Remove `Proxy-Authentication-Info`, too. Leave challenges in other
//!   realms, and all that come from inside. If a 401 or 407 is left without a challenge, answer
//!   with another status. Whoever is called could otherwise pass on a challenge of yours, and get
//!   credentials with which to call somebody in the caller's name.
//! - Behind another proxy, many users have one address: see [rate
//!   limits](super::limits#a-rate-limiter).
//!
//! # A SIP client
//!
//! Keep a client for each realm that the account has a password for, and for each status that this
//! realm asks with, 401 or 407, because a response may have challenges of several proxies, and a
//! client answers one challenge of a response. Their [endpoint](crate::client::Endpoint) is the
//! address that you send the requests to, so several clients have the same one: keep them in a map
//! of your own, because an [`AuthCache`](crate::client::AuthCache) has one for each endpoint. There
//! are two kinds:
//!
//! - A realm that asks with 407 is one of a proxy, and its client has an
//!   [`Endpoint::proxy`](crate::client::Endpoint::proxy). It takes part in each request that goes
//!   through that proxy.
//! - A realm that asks with 401 is one of a server, such as your registrar, and its client has an
//!   [`Endpoint::origin`](crate::client::Endpoint::origin). It takes part only in requests that
//!   this server itself answers, such as `REGISTER`. For all others, such as `INVITE`, do not call
//!   its methods: they reach whoever is called, who would get an answer in the server's realm, and
//!   could ask for one by a 401. (If a server answers calls itself, as some exchanges do, it takes
//!   part in these, too. Then every call has to end there.)
//!
//! A SIP URI does not name an origin, so a client of a `sip` or `sips` endpoint sends credentials
//! for any Request-URI that you pass it. Send only to its endpoint what it answered, over a
//! connection that shows who that is, such as TLS. Pass no response from a `Contact`, or from where
//! a response with status 3xx points to, to these clients: anyone whom you call can answer there
//! with a challenge in your proxy's realm.
//!
//! For each request, make an exchange for each client that takes part, and keep it however often
//! you send the request again.
//!
//! Read only responses that are final (status 200 or more), and that have the branch and the `CSeq`
//! of your request (RFC 3261, section 17.1.3): a client cannot tell whose response it is.
//!
//! After a 401, take these steps with the clients that take part and whose endpoint is an origin;
//! after a 407, with those whose endpoint is a proxy:
//!
//! 1. Pass to [`challenged_by`](crate::client::Client::challenged_by) of each client the challenges
//!    of its realm. [`NoUsableChallenge`](crate::client::GiveUp::NoUsableChallenge) with an empty
//!    slice means that the response has no challenge of this realm that could be parsed: go on with
//!    the others.
//! 2. Give up on the request if one of these clients gives up for another reason, or if none of
//!    them says `Login` or `Retry`.
//! 3. Otherwise log in where a client says `Login`, call `authorize` of all clients that take part,
//!    and send all the answers, each in the [field](crate::Challenger::credentials_field) of its
//!    endpoint. Limit how often you do this, because each client counts only the refusals of its
//!    own answers.
//!
//! An `ACK` has the credentials of its `INVITE` (RFC 3261, section 22.1): send the same values
//! again ([`Exchange::answer`](crate::client::Exchange::answer)), and do not call `authorize`. Send
//! them only if the `ACK` goes to the endpoint. After a 2xx it may go directly to the `Contact` of
//! whoever is called: then send none.
//!
//! Before step 3 of a 401, also call [`received`](crate::client::Client::received) of the clients
//! of proxies, which have passed the request on. After a response with another status than 401 and
//! 407, call it of all clients that take part. Give it the values of `Authentication-Info`
//! (`Proxy-Authentication-Info`) only if no other client of the same kind has an answer in the
//! request, and no values otherwise: the field names no realm, so a proof of one server would be a
//! wrong proof for the client of another. Several proxies therefore prove nothing, and
//! [`require_server_proof`](crate::client::Policy::require_server_proof) cannot be used with them.
//!
//! The program `sip-agent` in `stacks/recipes` does all this, except that it sends no `ACK`.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use countersign::client::{Client, Endpoint, Exchange, GiveUp, Next, Policy};
//! use countersign::{Challenge, FieldValue, Target, challenges};
//!
//! fn digest_realm(challenge: &Challenge<'_>) -> Option<Vec<u8>> {
//!     match challenge {
//!         Challenge::Digest(digest) => Some(digest.realm().to_bytes().into_owned()),
//!         _ => None,
//!     }
//! }
//!
//! // Keep the clients: new ones have no login and no strength.
//! let mut clients: BTreeMap<Vec<u8>, Client> = BTreeMap::new();
//! let proxy_authenticate = [
//!     r#"Digest realm="a.example", nonce="1", qop="auth", algorithm=SHA-256"#,
//!     r#"Digest realm="b.example", nonce="2", qop="auth", algorithm=SHA-256"#,
//! ];
//! // One for each realm of the account, and not for each realm that a response names: anyone who can
//! // send a response can invent realms. All of these ask with 407 at one endpoint, so the realm is the whole key.
//! for realm in ["a.example", "b.example"] {
//!     let endpoint = Endpoint::proxy("sips", "proxy.example", 5061);
//!     let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//!     clients.insert(realm.into(), client);
//! }
//!
//! // New for each request, and kept for its repetitions.
//! let mut exchanges: Vec<Exchange> = clients.values().map(|_| Exchange::new()).collect();
//! let mut can_answer = false;
//! for ((realm, client), exchange) in clients.iter_mut().zip(&mut exchanges) {
//!     let is_of_realm = |it: &Challenge<'_>| digest_realm(it).as_ref() == Some(realm);
//!     let challenges_of_realm = challenges(proxy_authenticate).flatten().filter(is_of_realm);
//!     match client.challenged_by(exchange, challenges_of_realm) {
//!         Next::Login(ask) => client.login(&ask, "Mufasa", "Circle of Life")?,
//!         Next::Retry => {}
//!         // Not after a challenge.
//!         Next::Done(_) => continue,
//!         Next::GiveUp(GiveUp::NoUsableChallenge(why)) if why.is_empty() => continue,
//!         Next::GiveUp(why) => return Err(why.into()),
//!     }
//!     can_answer = true;
//! }
//! if !can_answer {
//!     return Err("no challenge that a client can answer".into());
//! }
//! let target = Target::new("INVITE", "sips:simba@example.org");
//! let mut proxy_authorization: Vec<&FieldValue> = Vec::new();
//! for (client, exchange) in clients.values_mut().zip(&mut exchanges) {
//!     proxy_authorization.extend(client.authorize(exchange, &target)?);
//! }
//! assert_eq!(proxy_authorization.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
