//! How to do what the examples do not show.
//!
//! # A proxy
//!
//! The same calls with the names of [`Issuer::Proxy`](crate::Issuer::Proxy): status 407,
//! `Proxy-Authenticate`, `Proxy-Authorization`, `Proxy-Authentication-Info`. A server gives
//! `rejection.status(Issuer::Proxy)`; a client is made with
//! [`for_proxy`](crate::client::Client::for_proxy). The target is what stands on the request line:
//! the absolute form, or for `CONNECT` the authority.
//!
//! # A proxy and an origin
//!
//! Both may ask for credentials, in any order, so each has a client and an exchange of its own. A
//! response that is not 407 has come past the proxy: tell its client so before the origin's is
//! asked.
//!
//! A [`Keyring`](crate::client::Keyring) with room for both lends one client at a time. So ask for
//! it at each call: an [`Answer`](crate::client::Answer) borrows the exchange, not the client.
//!
//! ```
//! use countersign::client::{Answer, Client, Exchange, Keyring, Next, Origin, Policy};
//! use countersign::digest::Cnonce;
//! use countersign::rand_core::UnwrapErr;
//! use countersign::{Body, Channel, Issuer, Target};
//!
//! fn get(keyring: &mut Keyring) -> Result<Response, Box<dyn std::error::Error>> {
//!     let new = || Client::new(Channel::Cleartext, Policy::new());
//!     let proxy = Origin::proxy("http", "proxy", 3128);
//!     let origin = Origin::new("http", "example.com", None).unwrap();
//!     // The request line as it reaches each of them.
//!     let to_proxy = Target::new("GET", "http://example.com/a");
//!     let to_origin = Target::new("GET", "/a");
//!     let (mut at_proxy, mut at_origin) = (Exchange::new(), Exchange::new());
//!     loop {
//!         let cnonce = || Cnonce::generate(&mut UnwrapErr(getrandom::SysRng));
//!         let client = keyring.client(&proxy, new);
//!         let for_proxy = client.authorize(&mut at_proxy, &to_proxy, &cnonce())?;
//!         let client = keyring.client(&origin, new);
//!         let for_origin = client.authorize(&mut at_origin, &to_origin, &cnonce())?;
//!         let response = send(for_proxy.map(Answer::as_bytes), for_origin.map(Answer::as_bytes));
//!         let body = Body::Bytes(&response.body);
//!
//!         if response.status == Issuer::Proxy.status() {
//!             let challenges = response.all(Issuer::Proxy.challenge_field());
//!             let client = keyring.client(&proxy, new);
//!             match client.challenged(&mut at_proxy, challenges) {
//!                 Next::Login => client.login("Zazu", "Morning report")?,
//!                 Next::Retry => {}
//!                 Next::Refused(why) => return Err(why.into()),
//!             }
//!             continue;
//!         }
//!         let info = response.all(Issuer::Proxy.info_field());
//!         keyring.client(&proxy, new).accepted(&mut at_proxy, info, body)?;
//!
//!         if response.status == Issuer::Origin.status() {
//!             let challenges = response.all(Issuer::Origin.challenge_field());
//!             let client = keyring.client(&origin, new);
//!             match client.challenged(&mut at_origin, challenges) {
//!                 Next::Login => client.login("Mufasa", "Circle of Life")?,
//!                 Next::Retry => {}
//!                 Next::Refused(why) => return Err(why.into()),
//!             }
//!             continue;
//!         }
//!         let info = response.all(Issuer::Origin.info_field());
//!         keyring.client(&origin, new).accepted(&mut at_origin, info, body)?;
//!         return Ok(response);
//!     }
//! }
//!
//! # struct Response { status: u16, body: Vec<u8> }
//! # impl Response {
//! #     fn all(&self, name: &str) -> &[&str] {
//! #         match name {
//! #             "proxy-authenticate" if self.status == 407 => {
//! #                 &[r#"Digest realm="proxy", nonce="p", qop="auth", algorithm=SHA-256"#]
//! #             }
//! #             "www-authenticate" if self.status == 401 => {
//! #                 &[r#"Digest realm="files", nonce="o", qop="auth", algorithm=SHA-256"#]
//! #             }
//! #             _ => &[],
//! #         }
//! #     }
//! # }
//! # fn send(for_proxy: Option<&[u8]>, for_origin: Option<&[u8]>) -> Response {
//! #     let holds = |value: Option<&[u8]>, text: &str| {
//! #         value.is_some_and(|value| String::from_utf8_lossy(value).contains(text))
//! #     };
//! #     let status = match () {
//! #         () if !holds(for_proxy, r#"uri="http://example.com/a""#) => 407,
//! #         () if !holds(for_origin, r#"uri="/a""#) => 401,
//! #         () => 200,
//! #     };
//! #     Response { status, body: Vec::new() }
//! # }
//! let mut keyring = Keyring::with_capacity(100);
//! assert_eq!(get(&mut keyring)?.status, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Through a tunnel they are asked one after the other: the proxy's client for the `CONNECT`, and
//! within the tunnel the origin's alone.
//!
//! # Slow password hashes
//!
//! With Argon2 or bcrypt of passwords you can offer Basic only: a server made
//! [`with_algorithms(&[])`](crate::server::Server::with_algorithms) and
//! [`with_basic`](crate::server::Server::with_basic), and a
//! [`ReplayTable`](crate::server::ReplayTable) with room for nothing.
//!
//! ```
//! use countersign::server::{Attempt, NonceKey, Proof, Rejection, ReplayTable, Server};
//! # use countersign::rand_core::UnwrapErr;
//!
//! fn verify<'a>(attempt: Attempt<'a>, nobody: &str) -> Result<Proof<'a>, Rejection> {
//!     let stored = attempt.claimed_user().name().and_then(stored_hash);
//!     let password = attempt.password().unwrap_or_default();
//!     // Hash also where there is no such user, so that both take as long.
//!     let matches = slow_compare(stored.as_deref().unwrap_or(nobody), password);
//!     attempt.decide(matches && stored.is_some())
//! }
//!
//! # let key = NonceKey::generate(&mut UnwrapErr(getrandom::SysRng));
//! let server = Server::new("files", key)?.with_algorithms(&[]).with_basic();
//! let replays = ReplayTable::with_capacity(0);
//! # let _ = (server, replays);
//! # fn stored_hash(_: &str) -> Option<String> { None }
//! # fn slow_compare(_: &str, _: &[u8]) -> bool { false }
//! # let _ = |attempt| { let _ = verify(attempt, ""); };
//! # Ok::<(), countersign::InvalidText>(())
//! ```
//!
//! `nobody` is a real hash of a random password, made at the start with the algorithm and the cost
//! of all others. A text that is no hash would be refused at once, and that there is no such user
//! could be told from the time.
//!
//! # A body that streams
//!
//! Where the response covers the body, the attempt says which hash it needs:
//!
//! ```
//! use countersign::digest::{BodyHasher, Ha1};
//! use countersign::server::{Attempt, Proof, Rejection};
//!
//! fn verify<'a>(
//!     mut attempt: Attempt<'a>,
//!     ha1: &Ha1,
//!     body: &[&[u8]],
//! ) -> Result<Proof<'a>, Rejection> {
//!     if let Some(hash) = attempt.wants_body() {
//!         let mut hasher = BodyHasher::new(hash);
//!         for piece in body {
//!             hasher.update(piece);
//!         }
//!         attempt = attempt.with_body(hasher.finish());
//!     }
//!     attempt.verify(Some(ha1))
//! }
//! # let _ = verify;
//! ```
//!
//! # Hashed user names
//!
//! Keep [`userhash`](crate::digest::userhash) of each user beside the HA1, for each algorithm
//! offered, and look up by [`User::Hash`](crate::digest::User::Hash); then say
//! [`with_userhash`](crate::server::Server::with_userhash).
//!
//! # RTSP
//!
//! Method and target are bytes and never interpreted: `DESCRIBE rtsp://camera/stream1` is a target
//! like any other. Give each request its own method and the URI of its own request line: `SETUP`
//! names a track, where `DESCRIBE` named the stream. One client for each camera answers all of
//! them, with one nonce. The examples are `rtsp_client` and `rtsp_responder`.
//!
//! RTSP 1.0 took Digest from RFC 2069 (RFC 2326, section 1.3), which has no qop, and its peers still
//! speak that: GStreamer's `rtspsrc` answers every challenge without a qop, and gst-rtsp-server and
//! most cameras offer none. So a client needs
//! [`Policy::with_rfc2069`](crate::client::Policy::with_rfc2069), and a server
//! [`Server::with_rfc2069`](crate::server::Server::with_rfc2069); it goes on to offer `qop="auth"`
//! and to accept answers that use it, as ffmpeg's do. Both examples do so. Some cameras offer nothing
//! but Basic, and need [`with_cleartext_basic`](crate::client::Policy::with_cleartext_basic).
//!
//! The form without a qop has no count, so a nonce is good for one request in it, and the server
//! refuses each further one once, with a new nonce and `stale=true`: twelve requests to set up and
//! play a stream take 24 messages. If that is too many,
//! [`with_reusable_nonces`](crate::server::Server::with_reusable_nonces) lets a nonce be used for as
//! long as it lives, and the twelve requests take 13. The price is that whoever captures a request can
//! send the same one again until then: the same method for the same URI, and with any other headers,
//! which Digest does not cover. Keep the time short by
//! [`with_nonce_lifetime`](crate::server::Server::with_nonce_lifetime), say 30 seconds, which costs a
//! refused request as often.
//!
//! # SIP
//!
//! The target is the method and the Request-URI: `REGISTER sip:example.org`. A registrar asks with
//! 401, a proxy with 407 and the names of [`Issuer::Proxy`](crate::Issuer::Proxy). Where a request
//! passes several proxies, take a client for each realm, and give each only the challenges of its
//! own. Do not tell a client its origin: a SIP URI has none. Over UDP a retransmission looks like a
//! replay: answer it from the transaction, before it gets here, as the example `sip_registrar`
//! does.
//!
//! # Nonces bound to a client
//!
//! [`Arrival::bound_to`](crate::server::Arrival::bound_to) takes any bytes that the next request of
//! the same client will show again. Bind to an address only where addresses are stable.
//!
//! # A key that changes
//!
//! Make a new server with the new key and
//! [`with_previous_key`](crate::server::Server::with_previous_key), and put it in the place of the
//! old. The replay table stays. After one nonce lifetime the previous key may go.
