//! SIP clients.
//!
//! # A client for each realm
//!
//! A response may have challenges of several proxies, and a [`Client`](crate::client::Client)
//! answers one challenge of a response. So keep a client for each realm that the account has a
//! password for, and never one for a realm that only a response names, because anyone who can send
//! one can invent realms. If nobody has told you the realm of your registrar, take it from its
//! first 401 to a `REGISTER` over TLS, and keep it. The realm of a proxy is usually the same, and
//! then needs two clients, one of each kind below. If it is another one, take it from a 407 to a
//! `REGISTER` over TLS, which nobody but your provider answers, and never from one to an `INVITE`.
//! Without TLS, have the realms configured.
//!
//! The [endpoint](crate::client::Endpoint) of these clients is the address that you send the
//! requests to, so several have the same one: keep them in a map of your own, because an
//! [`AuthCache`](crate::client::AuthCache) has one for each endpoint. There are two kinds:
//!
//! - A realm in `Proxy-Authenticate` is one of a proxy, and its client has an
//!   [`Endpoint::proxy`](crate::client::Endpoint::proxy). It takes part in each request that goes
//!   through that proxy.
//! - A realm in `WWW-Authenticate` is one of a server, such as your registrar, and its client has
//!   an [`Endpoint::origin`](crate::client::Endpoint::origin). It takes part only in requests that
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
//! Set [`without_basic`](crate::client::Policy::without_basic): over `sips`, the default policy
//! answers Basic, so whoever is called could ask for the password itself.
//!
//! # Requests
//!
//! For each request of your program, make an exchange for each client that takes part. It stays the
//! same when you send the request again after a challenge, with a new branch and a new `CSeq`. Over
//! UDP, a retransmission is the same bytes: do not call `authorize` for it.
//!
//! An `ACK` has the credentials of its `INVITE` (RFC 3261, section 22.1): send the same values
//! again ([`Exchange::answer`](crate::client::Exchange::answer)), and do not call `authorize`. Send
//! them only if the `ACK` goes to the endpoint. After a 2xx it may go directly to the `Contact` of
//! whoever is called: then send none, although the section has them sent. After a 401 or 407 to an
//! `INVITE`, send the `ACK` before you call `authorize` for the next `INVITE`, because until then
//! `answer` has its values. A `CANCEL` has no exchange and no credentials: nobody challenges it.
//!
//! # Responses
//!
//! Read only responses that are final (status 200 or more), and that have the branch and the `CSeq`
//! of your request (RFC 3261, section 17.1.3): a client cannot tell whose response it is.
//!
//! A 401 or 407 may have both fields, because a proxy that forks a request collects the challenges
//! of all branches (RFC 3261, section 16.7, step 7). So after either status:
//!
//! 1. Pass to [`challenged_by`](crate::client::Client::challenged_by) of each client that takes
//!    part the challenges of its realm in the [field](crate::Challenger::challenge_field) of its
//!    endpoint. [`NoUsableChallenge`](crate::client::GiveUp::NoUsableChallenge) with an empty slice
//!    means that the response has no challenge of this realm that could be parsed: go on with the
//!    others. After a 401, first call [`received`](crate::client::Client::received) of such a
//!    client if its endpoint is a proxy, because that proxy has passed the request on.
//! 2. Give up on the request if one of these clients gives up for another reason, or if none of
//!    them says `Login` or `Retry`.
//! 3. Otherwise log in where a client says `Login`, call `authorize` of all clients that take part,
//!    and send all the answers, each in the [field](crate::Challenger::credentials_field) of its
//!    endpoint. Limit how often you do this, because each client counts only the refusals of its
//!    own answers.
//!
//! After a response with another status, call `received` of all
//! clients that take part. Here and in step 1, give it the values of `Authentication-Info`
//! (`Proxy-Authentication-Info`) only if no other client of the same kind has an answer in the
//! request, and no values otherwise: the field names no realm, so a proof of one server would be a
//! wrong proof for the client of another. Several proxies therefore prove nothing, and
//! [`require_server_proof`](crate::client::Policy::require_server_proof) cannot be used with them.
//!
//! The program `sip-agent` in `stacks/recipes` does this over UDP, so it cannot know its endpoint;
//! and it sends no `ACK`.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use countersign::client::{Client, Endpoint, Exchange, GiveUp, Next, Policy};
//! use countersign::{Challenge, FieldValue, Target, challenges};
//!
//! fn digest_realm(challenge: &Challenge<'_>) -> Option<Vec<u8>> {
//!     match challenge {
//!         Challenge::Digest(digest) => Some(digest.realm.to_bytes().into_owned()),
//!         _ => None,
//!     }
//! }
//!
//! // Keep the clients: new ones have no login and no strength.
//! let mut clients: BTreeMap<Vec<u8>, Client> = BTreeMap::new();
//! let proxy_authenticate = [
//!     r#"Digest realm="a.example", nonce="1", qop="auth", algorithm=SHA-256"#,
//!     r#"Digest realm="b.example", nonce="2", qop="auth", algorithm=SHA-256"#,
//!     // Of whoever is called.
//!     r#"Basic realm="a.example""#,
//! ];
//! // One for each realm of the account. All of these are proxies at one endpoint, so the realm is the
//! // whole key.
//! for realm in ["a.example", "b.example"] {
//!     let endpoint = Endpoint::proxy("sips", "proxy.example", 5061);
//!     let policy = Policy::new().without_basic();
//!     let client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
//!     clients.insert(realm.into(), client);
//! }
//!
//! // New for each request, and kept when it is sent again after a challenge.
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
