//! SIP servers.
//!
//! # One value of several
//!
//! A request may carry credentials for several realms, and of other schemes, such as Bearer (RFC
//! 8898), and [`begin`](crate::server::Authenticator::begin) refuses more than one value. Read each
//! with [`Authorization::parse`](crate::Authorization::parse), and leave out other schemes and
//! other realms. If several are left, because a handset answers each algorithm or sends its old
//! answer, too, pass each alone to `begin`, and check the first whose nonce [is
//! fresh](crate::server::Attempt::nonce_is_fresh). If `admit` then refuses it as
//! [`Replayed`](crate::server::Rejection::Replayed) or
//! [`NonceForgotten`](crate::server::Rejection::NonceForgotten), go on with the next: it was right,
//! but old. If none is fresh, reject one that `begin` has accepted with
//! [`reject_unread`](crate::server::Attempt::reject_unread).
//!
//! A value that cannot be parsed, for example because of an algorithm that is not supported, is for
//! another server if [its realm](crate::RawChallenge) is another one: a value of credentials has
//! the form of a challenge. Leave it out, too. If the realm is yours and the `response` is empty,
//! as in the first `REGISTER` of handsets for IMS, treat it as absent, so that a challenge is sent.
//!
//! # What a grant means
//!
//! A response covers the method and the `uri`, which for each `REGISTER` is the same, and never
//! `To`, `From`, `Contact` or `Expires`. So before you store a `Contact`, check that the account
//! may register the address in `To` (RFC 3261, section 10.3), and answer 403 if not. Only TLS keeps
//! others from changing the `Contact` on the way.
//!
//! # The URI
//!
//! In SIP the `uri` of the credentials may differ from the Request-URI: a proxy may have changed
//! the latter, so a server need not refuse the request, and may check whether `uri` names one of
//! its users (RFC 3261, section 22.4). This crate's server refuses it with 400, because its
//! [`UriCheck`](crate::server::UriCheck) compares URIs of HTTP, and of two SIP URIs only equal ones
//! pass. Two kinds of clients need more: those that write the URI differently, such as LiveKit,
//! which leaves out the port and `;transport=udp`; and those behind a proxy that changes the
//! Request-URI.
//!
//! [`UriCheck::Unchecked`](crate::server::UriCheck::Unchecked) would let all of them in, but also
//! whoever captures an `INVITE`, and gets it to the server first with the Request-URI of a premium
//! number. So compare the two yourself, and if they agree, make the target from the `uri`:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::{Authorization, Target};
//!
//! /// What a request is routed by: scheme, user, host, and the parameters but for the transport.
//! /// The port and the transport have had their effect once the request is here.
//! fn route(uri: &str) -> Option<(String, Option<&str>, String, Vec<&str>)> {
//!     let (scheme, rest) = uri.split_once(':')?;
//!     let (user, rest) = match rest.split_once('@') {
//!         Some((user, rest)) => (Some(user), rest),
//!         None => (None, rest),
//!     };
//!     let mut parts = rest.split(';');
//!     let address = parts.next()?;
//!     let host = match address.rsplit_once(':') {
//!         // Within the brackets of IPv6 the last part is no port.
//!         Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
//!         _ => address,
//!     };
//!     let is_transport = |it: &&str| it.to_ascii_lowercase().starts_with("transport=");
//!     let params = parts.filter(|it| !is_transport(it)).collect();
//!     Some((scheme.to_ascii_lowercase(), user, host.to_ascii_lowercase(), params))
//! }
//!
//! /// The URI to make the target from, for the credentials that are passed to `begin`.
//! fn uri_of(credentials: &str, request_uri: &str) -> String {
//!     let Ok(Authorization::Digest(digest)) = Authorization::parse(credentials) else {
//!         return request_uri.into();
//!     };
//!     match String::from_utf8(digest.uri.to_bytes().into_owned()) {
//!         Ok(uri) if route(&uri).is_some() && route(&uri) == route(request_uri) => uri,
//!         // `begin` refuses the credentials, unless both are the same text.
//!         _ => request_uri.into(),
//!     }
//! }
//! # use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//! # use countersign::digest::Ha1;
//! # use countersign::server::{Arrival, Authenticator, Realm, Rejected, Rejection};
//! # use countersign::Channel;
//! # fn check<'a>(auth: &'a Authenticator, it: &'a str, uri: &'a str) -> Result<(), Rejected<'a>> {
//! #     let arrival = Arrival::now(Channel::Cleartext);
//! #     let attempt = auth.begin([it], &Target::new("INVITE", uri), &arrival)?;
//! #     let ha1 = Ha1::new(attempt.hash_function(), "Mufasa", "example.org", "Circle of Life");
//! #     auth.admit(attempt.verify(Some(ha1))?).map(drop)
//! # }
//! # let auth = Authenticator::new(Realm::new("example.org")?, 100, &mut getrandom::SysRng)?;
//! # let is_granted = |uri: &str, request_uri: &str| -> Result<bool, Box<dyn std::error::Error>> {
//! #     let endpoint = Endpoint::origin("sip", "example.org", None)?;
//! #     let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//! #     let mut exchange = Exchange::new();
//! #     let arrival = Arrival::now(Channel::Cleartext);
//! #     let target = Target::new("INVITE", uri);
//! #     let rejected = auth.begin([""; 0], &target, &arrival).err().ok_or("no challenge")?;
//! #     let Next::Login(ask) = client.challenged(&mut exchange, &auth.refuse(&rejected).challenges)
//! #         else { unreachable!() };
//! #     client.login(&ask, "Mufasa", "Circle of Life")?;
//! #     let answer = client.authorize(&mut exchange, &target)?.ok_or("no answer")?;
//! #     let answer = answer.to_str()?;
//! #     match check(&auth, answer, &uri_of(answer, request_uri)) {
//! #         Ok(()) => Ok(true),
//! #         Err(rejected) => {
//! #             assert_eq!(rejected.rejection(), Rejection::UriMismatch);
//! #             Ok(false)
//! #         }
//! #     }
//! # };
//!
//! for (uri, request_uri) in [
//!     ("sip:simba@example.org", "sip:simba@example.org"),
//!     ("sip:simba@example.org", "sip:simba@example.org:6060;transport=udp"),
//!     ("sip:simba@[2001:db8::1]", "SIP:simba@[2001:DB8::1]:5060"),
//! ] {
//!     assert!(is_granted(uri, request_uri)?);
//! }
//! for request_uri in [
//!     "sip:scar@example.org",
//!     "sip:Simba@example.org",
//!     "sip:simba@example.com",
//!     "sip:simba@example.org;maddr=192.0.2.1",
//!     "sips:simba@example.org",
//! ] {
//!     assert!(!is_granted("sip:simba@example.org", request_uri)?);
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What the comparison ignores, an attacker can change. So if you send requests on to the port of
//! the Request-URI, for example to another domain, compare the port and the transport, too. (As
//! URIs in general, two of which only one has the port or the transport are different: RFC 3261,
//! section 19.1.4.)
//!
//! Behind a proxy that changes the Request-URI, route the `uri` as you would route a Request-URI:
//! if it leads to this one, as the address of a user leads to its `Contact`, make the target from
//! it. Do this for known proxies only, and do not accept what merely names some user of yours: that
//! would let whoever captures a request send it to any other user.
//!
//! # Retransmissions
//!
//! Over UDP a client repeats a request until its response comes, for the first time after half a
//! second, and the copy looks like a replay. A 401 for it would end the transaction of a request
//! that is being served, and a caller would call a second time. So recognise it before `begin`: it
//! has the same text, and comes from the same address and port. (Without a check of these, anyone
//! who captured a request could fetch its response.)
//!
//! - Remember a request as under way before you call `begin`, at the latest before the first await.
//!   Drop a copy of one that is under way, or repeat its 100 (Trying).
//! - Once it is granted, send its last response again for each copy, and keep the final one for 32
//!   seconds (RFC 3261, section 17.2). Once it is refused, forget it: a challenge can be made
//!   again, and anyone can cause these.
//! - Limit both, separately, because anyone can cause those under way: drop a request for which
//!   there is no place. Make room for the granted ones of 32 seconds at the peak rate, which is
//!   26,656 at 833 requests a second (50,000 users who register once a minute), and find them by a
//!   hash of the address and the text, as `examples/sip_registrar.rs` does. The
//!   [`Authenticator`](crate::server::Authenticator::new) needs room for the nonces of one
//!   lifetime: at this rate and five minutes about 250,000, or 12 MB.
//!
//! Never pass an `ACK` or a `CANCEL` to `begin`, and never challenge one (RFC 3261, section 22.1).
//! An `ACK` repeats the credentials of its `INVITE`, whose response covers the method `INVITE`, so
//! it would be refused, and counted as a wrong password. Let it pass if it belongs to an `INVITE`
//! that was granted, or that a [proxy](super::proxy) let pass without a challenge. That of a 2xx
//! has another branch: know it by its Call-ID, the tag of its `From` and the number of its `CSeq`,
//! and keep these for 32 seconds after the 2xx. Let a `CANCEL` pass if it has the branch of the
//! `INVITE` (RFC 3261, section 9.2) and comes from its address; the port may differ, because a NAT
//! may have changed it while the phone rang.
//!
//! # Guesses over UDP
//!
//! Over UDP anyone can send a request from anybody's address, and wrong passwords from a user's own
//! address would lock that user out. So check only requests whose sender has received a nonce at
//! that address: [bind nonces](crate::server::Arrival::bound_to) to it, without the port, which a
//! NAT may change, and before `verify` reject an attempt whose nonce [is not
//! fresh](crate::server::Attempt::nonce_is_fresh), with
//! [`reject_unread`](crate::server::Attempt::reject_unread). Do not check such an attempt without
//! counting it: the result would tell a guesser the password. Then count all wrong passwords and
//! [`MissingHa1`](crate::server::Rejection::MissingHa1), as a [rate
//! limiter](crate::manual::cookbook::limits#a-rate-limiter) does. Several nodes share the counts.
//!
//! The binding holds only if the challenge goes to the address that the request came from. So
//! ignore a `maddr` in `Via`, which RFC 3261, section 18.2.2, would have you obey: with it, an
//! attacker gets a nonce for another's address.
//!
//! At the limit answer 500 without a challenge, with a `Retry-After` (RFC 3261, section 21.5.1). A
//! 403 says that the request should not be repeated (section 21.4.4), so a phone would stay
//! unregistered; it is for accounts that are blocked until somebody unblocks them. After a 503 a
//! proxy sends you no request of any other user either (section 21.5.4). 429 is for something else
//! in SIP (RFC 3892, section 5).
//!
//! Behind a proxy, all requests come from its address. The address of the client is then in
//! `received` of its own `Via`, the next one below that of the proxy: use it if the proxy always
//! sets it, in place of what the client sent. (RFC 3261, section 18.2.1, asks for it only where it
//! differs.) If it does not, have the proxy count the refusals
//! that it passes to each of its clients, and limit by account alone, with a limit that is high,
//! because any client of the proxy can then lock a user out.
//!
//! # Challenges over UDP
//!
//! A challenge goes to whoever the request claims to come from, and is several times as long as a
//! short request. So answer only requests that have a `Via`, `From`, `To`, `Call-ID` and `CSeq`, in
//! the long or the compact form (RFC 3261, section 7.3.3), offer one algorithm (MD5 if any handset
//! lacks SHA-256), and drop what exceeds a limit for each address, such as 20 challenges a second:
//! honest clients send the request again. Raise the limit for addresses from which requests were
//! granted within a day, by two for each account, and keep the list of these across a restart and
//! on all nodes: after an outage, all users behind the NAT of a carrier register at once. Or use
//! TCP or TLS.
//!
//! # Several nodes
//!
//! Send all messages with one Call-ID (`i:` in the compact form) to one node. What it remembers of
//! requests, to know retransmissions, `ACK` and `CANCEL`, no other node knows: a retransmission
//! would be refused there as a replay, even with a shared store, and a call whose `ACK` is dropped
//! ends after 32 seconds. For nonces see [several
//! machines](crate::manual::cookbook::nonces#several-machines).
//!
//! # Old handsets
//!
//! | handset | what it needs | the price |
//! |---|---|---|
//! | gives up, or fails, at a challenge with SHA-256 | MD5 first, or alone: see [what to offer to whom](crate::manual::interoperability#what-to-offer-to-whom) | all who support both and take the first use MD5 |
//! | answers without a qop, so it gets 401 without `stale` for ever | [`with_rfc2069`](crate::server::Realm::with_rfc2069) and [`with_reusable_nonces`](crate::server::Realm::with_reusable_nonces), while qop stays on offer | whoever captures such a request can repeat it until the nonce expires, with other headers: set a short [`with_nonce_lifetime`](crate::server::Realm::with_nonce_lifetime) |
//! | repeats the count `00000001` on one nonce, or does not retry when told `stale`, as sipsak | [`QopSet::NONE`](crate::digest::QopSet::NONE) and `with_reusable_nonces`, so that it answers without a qop | the same for every user; and a client that sends a qop although none is offered is refused |
//!
//! Offer such a realm at an address or a port of its own, and let in there only the accounts of
//! these handsets: for all others pass `None` to `verify`. Otherwise other users pay, too, because
//! whoever reads their messages can get an answer without a qop from them and use it there. (RFC
//! 3261, section 22.4, has a server always send a qop; `QopSet::NONE` departs from that for these
//! handsets.)
//!
//! # The proof
//!
//! Send [`Authentication-Info`](crate::server::Grant::authentication_info) in a 2xx only (RFC 3261,
//! section 20.6), and not with a 403 or 486 for a request that was granted.
