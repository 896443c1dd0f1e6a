//! SIP.
//!
//! # SIP
//!
//! The target is the method and the Request-URI: `REGISTER sip:example.org`. A registrar challenges
//! with 401, a proxy with 407: see [`Realm::for_proxy`](crate::server::Realm::for_proxy).
//!
//! - Where a request passes several proxies, use one client per realm, as below.
//! - Where requests carry credentials for several realms, a server first selects those for its own
//!   with [`Authorization::parse`](crate::Authorization::parse): `begin` refuses two values.
//! - A server behind a proxy that retargets requests needs
//!   [`UriCheck::Unchecked`](crate::server::UriCheck::Unchecked) (RFC 3261, sections 22.3 and
//!   22.4).
//! - A SIP URI names no origin, so a client of a `sip` or `sips`
//!   [endpoint](crate::client::Endpoint) answers for every one.
//! - Over UDP a retransmission looks like a replay. Let the SIP transaction answer retransmissions
//!   before `begin` sees them, as the example `sip_registrar` does: only those that come from the same
//!   peer with the same branch, and only for 32 seconds (RFC 3261, section 17.2). Otherwise anyone who
//!   captured a request could fetch the stored response to it.
//!
//! A 407 may have challenges of several proxies. Keep a client for each realm that the account has
//! a password for, make an exchange of each client for each request, and give each client the
//! challenges of its realm with [`challenged_by`](crate::client::Client::challenged_by).
//! [`NoUsableChallenge`](crate::client::GiveUp::NoUsableChallenge) means that the response has no
//! challenge for that realm that can be answered: go on with the others. Then call `authorize` of
//! every client, and send all the answers.
//!
//! Before you pass a response to a client, check that it is final, and that it is one to your
//! request: it has the branch and the `CSeq` of the request (RFC 3261, section 17.1.3). A client
//! checks neither, and says `Done` for a response from 100 to 199 and for a 200 that somebody sent
//! from elsewhere. Also limit the number of requests for one exchange, because each client counts
//! only the refusals of its own answers. The recipe `sip-agent` does all this.
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
//! let mut clients: BTreeMap<Vec<u8>, (Client, Exchange)> = BTreeMap::new();
//! let proxy_authenticate = [
//!     r#"Digest realm="a.example", nonce="1", qop="auth", algorithm=SHA-256"#,
//!     r#"Digest realm="b.example", nonce="2", qop="auth", algorithm=SHA-256"#,
//! ];
//! // The realms of the account. Others get no client, because anyone who can send a response can
//! // invent realms. A client made anew would also have lost its login and its strength.
//! for realm in ["a.example", "b.example"] {
//!     let endpoint = Endpoint::proxy("sips", "proxy.example", 5061);
//!     let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//!     clients.insert(realm.into(), (client, Exchange::new()));
//! }
//! for (realm, (client, exchange)) in &mut clients {
//!     let is_of_realm = |it: &Challenge<'_>| digest_realm(it).as_ref() == Some(realm);
//!     let challenges_of_realm = challenges(proxy_authenticate).flatten().filter(is_of_realm);
//!     match client.challenged_by(exchange, challenges_of_realm) {
//!         Next::Login(ask) => client.login(&ask, "Mufasa", "Circle of Life")?,
//!         Next::GiveUp(GiveUp::NoUsableChallenge(_)) | Next::Retry | Next::Done(_) => {}
//!         Next::GiveUp(why) => return Err(why.into()),
//!     }
//! }
//! let target = Target::new("INVITE", "sips:simba@example.org");
//! let mut proxy_authorization: Vec<&FieldValue> = Vec::new();
//! for (client, exchange) in clients.values_mut() {
//!     proxy_authorization.extend(client.authorize(exchange, &target)?);
//! }
//! assert_eq!(proxy_authorization.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
