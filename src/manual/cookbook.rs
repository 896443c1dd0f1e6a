//! How to do what the examples do not show.
//!
//! # A proxy
//!
//! The same calls with the names of [`Challenger::Proxy`](crate::Challenger::Proxy): status 407,
//! `Proxy-Authenticate`, `Proxy-Authorization`, `Proxy-Authentication-Info`. A server's realm is made
//! with [`for_proxy`](crate::server::Realm::for_proxy), a client with
//! [`Endpoint::proxy`](crate::client::Endpoint::proxy). The target is what stands on the request line:
//! the absolute form, or for `CONNECT` the authority.
//!
//! # A proxy and an origin
//!
//! Both may ask for credentials, in any order, so each has a client and an exchange of its own. A
//! response that is not 407 has come past the proxy: tell its client so before the origin's is
//! asked.
//!
//! An [`AuthCache`](crate::client::AuthCache) with room for both lends one client at a time. So ask
//! for it at each call: an answer borrows the exchange, not the client.
//!
//! ```
//! use countersign::client::{AuthCache, Endpoint, Exchange, Next, Policy};
//! use countersign::{EntityBody, FieldValue, Target};
//!
//! fn get(cache: &mut AuthCache) -> Result<Response, Box<dyn std::error::Error>> {
//!     // The request line as it reaches each of them.
//!     let mut hops = [
//!         (Endpoint::proxy("http", "proxy", 3128), "http://example.com/a", Exchange::new()),
//!         (Endpoint::origin("http", "example.com", None)?, "/a", Exchange::new()),
//!     ];
//!     'again: loop {
//!         for (endpoint, uri, exchange) in &mut hops {
//!             cache.client(endpoint).authorize(exchange, &Target::new("GET", *uri))?;
//!         }
//!         let response = send(hops[0].2.answer(), hops[1].2.answer());
//!         for (endpoint, _, exchange) in &mut hops {
//!             let client = cache.client(endpoint);
//!             let (field, body) = (|name| response.all(name), EntityBody::Bytes(&response.body));
//!             match client.received(exchange, response.status, field, body)? {
//!                 Next::Done(_) => continue,
//!                 Next::Retry => {}
//!                 Next::Login(ask) if ask.realm() == b"proxy" => {
//!                     client.login(&ask, "Zazu", "Morning report")?;
//!                 }
//!                 Next::Login(ask) => client.login(&ask, "Mufasa", "Circle of Life")?,
//!                 Next::GiveUp(why) => return Err(why.into()),
//!             }
//!             continue 'again;
//!         }
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
//! # fn send(for_proxy: Option<&FieldValue>, for_origin: Option<&FieldValue>) -> Response {
//! #     let holds = |value: Option<&FieldValue>, text: &str| {
//! #         value.is_some_and(|value| value.to_str().unwrap().contains(text))
//! #     };
//! #     let status = match () {
//! #         () if !holds(for_proxy, r#"uri="http://example.com/a""#) => 407,
//! #         () if !holds(for_origin, r#"uri="/a""#) => 401,
//! #         () => 200,
//! #     };
//! #     Response { status, body: Vec::new() }
//! # }
//! let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
//! assert_eq!(get(&mut cache)?.status, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Through a tunnel they are asked one after the other: the proxy's client for the `CONNECT`, and
//! within the tunnel the origin's alone.
//!
//! # One prompt for many tasks
//!
//! Tasks that share a client lock it for each call. When several are asked for a login at once, the
//! first one to take a second lock asks the user; the others wait for that lock, and then look
//! whether the login is still [wanted](crate::client::Client::wants). If it is not, they send their
//! requests again.
//!
//! ```
//! use std::sync::Mutex;
//!
//! use countersign::client::{Ask, Client, LoginError};
//!
//! fn login(client: &Mutex<Client>, prompt: &Mutex<()>, ask: &Ask) -> Result<(), LoginError> {
//!     let _one_at_a_time = prompt.lock().unwrap();
//!     if !client.lock().unwrap().wants(ask) {
//!         return Ok(());
//!     }
//!     let (name, password) = ask_the_user(&ask.realm_text(), ask.is_again());
//!     match client.lock().unwrap().login(ask, &name, &password) {
//!         // The server asks for something else by now, and will say so again.
//!         Err(LoginError::Superseded) => Ok(()),
//!         result => result,
//!     }
//! }
//! # fn ask_the_user(_: &str, _: bool) -> (String, String) { unimplemented!() }
//! # let _ = login;
//! ```
//!
//! In asynchronous code the guard of the client's lock must be gone before the next await: keep it
//! within a block.
//!
//! # Slow password hashes
//!
//! With Argon2 or bcrypt hashes of passwords you can offer Basic only: a realm
//! [`with_algorithms(&[])`](crate::server::Realm::with_algorithms) and
//! [`with_basic`](crate::server::Realm::with_basic), and an
//! [`Authenticator`](crate::server::Authenticator) that remembers nothing. Users that have an HA1
//! as well may have Digest in the same realm: branch on
//! [`Attempt::basic`](crate::server::Attempt::basic).
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::server::{Attempt, Authenticator, BasicOffer, Realm, Rejected, Verified};
//!
//! struct Account {
//!     name: String,
//!     slow_hash: String,
//! }
//!
//! fn verify<'a>(
//!     attempt: Attempt<'a>,
//!     nobody: &str,
//! ) -> Result<Verified<'a, Account>, Rejected<'a>> {
//!     let account = attempt.claimed_user().name().and_then(look_up);
//!     let password = attempt.basic().map_or(&b""[..], |pair| pair.password());
//!     // Hash also where there is no such user, so that both take as long.
//!     let stored = account.as_ref().map_or(nobody, |account| &account.slow_hash);
//!     let matches = slow_compare(stored, password);
//!     attempt.decide(account.filter(|_| matches))
//! }
//!
//! let realm = Realm::new("files")?.with_algorithms(&[]).with_basic(BasicOffer::Encrypted);
//! let auth = Authenticator::new(realm, 0, &mut getrandom::SysRng)?;
//! # let _ = auth;
//! # fn look_up(name: &str) -> Option<Account> {
//! #     Some(Account { name: name.to_owned(), slow_hash: String::new() })
//! # }
//! # fn slow_compare(_: &str, _: &[u8]) -> bool { false }
//! # let _ = |attempt| { let _ = verify(attempt, "").map(|_| ()); };
//! # let _ = |account: Account| account.name;
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A slow hash belongs on a thread of its own: clone the
//! [pair](crate::server::Attempt::basic), which is wiped when dropped, and the name with
//! [`User::into_owned`](crate::digest::User::into_owned).
//!
//! `nobody` is a real hash of a random password, made at the start with the algorithm and the cost
//! of all others. A text that is no hash would be refused at once, and that there is no such user
//! could be told from the time.
//!
//! # A body that streams
//!
//! Where the response covers the body (`auth-int`), the attempt says which hash function it needs:
//! see [`Attempt::wants_body`](crate::server::Attempt::wants_body), which has an example. Ask
//! [`nonce_is_ours`](crate::server::Attempt::nonce_is_ours) before a large body is read.
//!
//! # A server with awaits
//!
//! Where the store is asynchronous, neither a closure nor `and_then` will do. A function that
//! answers in both cases reads as well:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::digest::{Ha1, HashFunction};
//! use countersign::server::{Arrival, Authenticator, Rejected};
//! use countersign::{EntityBody, Channel, Target};
//!
//! async fn answer(auth: &Authenticator, request: &Request) -> Result<Response, Response> {
//!     let refuse = |rejected: Rejected<'_>| Response::refused(auth.refuse(&rejected));
//!     let target = Target::new(&request.method, &request.target);
//!     let arrival = Arrival::now(Channel::Encrypted);
//!     let attempt = auth.begin(&request.authorization, &target, &arrival).map_err(refuse)?;
//!     let account = look_up(attempt.claimed_user().name(), attempt.hash_function()).await;
//!     let verified = attempt.verify(account).map_err(refuse)?;
//!     let grant = auth.admit(verified).map_err(refuse)?;
//!     Ok(Response::granted(grant.authentication_info(EntityBody::Unknown)))
//! }
//! # struct Request { method: String, target: String, authorization: Vec<String> }
//! # struct Response;
//! # impl Response {
//! #     fn refused(_: countersign::server::Refusal) -> Self { Self }
//! #     fn granted(_: Option<countersign::FieldValue>) -> Self { Self }
//! # }
//! # async fn look_up(_: Option<&str>, _: HashFunction) -> Option<Ha1> { None }
//! # let _ = answer;
//! # }
//! ```
//!
//! # The request-target of a framework
//!
//! The response covers the request-target as it stands on the request line. axum's `nest` strips it
//! from the `Uri`: take `OriginalUri`. hyper gives an absolute `Uri` for HTTP/2, where the client
//! hashed `:path`: take `path_and_query()`, which is right for HTTP/1 as well. A proxy needs the
//! whole of it, `to_string()`, because its requests have the absolute form. A wrong one is a
//! [`UriMismatch`](crate::server::Rejection::UriMismatch) for Digest, while Basic works.
//!
//! # A response made elsewhere
//!
//! A [`Grant`](crate::server::Grant) borrows the request. Its
//! [`receipt`](crate::server::Grant::receipt) does not: keep it, and the account, in the extensions
//! of the request, and make the `Authentication-Info` of it when the response is there. axum's
//! `Request` is not `Sync`: split it with `into_parts` before an await, and hold the parts.
//!
//! # A rate limiter and a log
//!
//! [`Rejected`](crate::server::Rejected) says why and who was claimed; its
//! [class](crate::server::RejectionClass) says what to make of it. Count what is suspicious, by user
//! and by address; log a server's fault as an error.
//!
//! # Hashed user names
//!
//! Keep [`userhash`](crate::digest::userhash) of each user beside the HA1, for each algorithm
//! offered, and look up by [`User::Hash`](crate::digest::User::Hash); then say
//! [`with_userhash`](crate::server::Realm::with_userhash).
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
//! [`Realm::with_rfc2069`](crate::server::Realm::with_rfc2069); it goes on to offer `qop="auth"`
//! and to accept answers that use it, as ffmpeg's do. Both examples do so. Some cameras offer nothing
//! but Basic, and need [`with_cleartext_basic`](crate::client::Policy::with_cleartext_basic).
//!
//! The form without a qop has no count, so a nonce is good for one request in it, and the server
//! refuses each further one once, with a new nonce and `stale=true`: twelve requests to set up and
//! play a stream take 24 messages. If that is too many,
//! [`with_reusable_nonces`](crate::server::Realm::with_reusable_nonces) lets a nonce be used for as
//! long as it lives, and the twelve requests take 13. The price is that whoever captures a request can
//! send the same one again until then: the same method for the same URI, and with any other headers,
//! which Digest does not cover. Keep the time short by
//! [`with_nonce_lifetime`](crate::server::Realm::with_nonce_lifetime), say 30 seconds, which costs a
//! refused request as often.
//!
//! # SIP
//!
//! The target is the method and the Request-URI: `REGISTER sip:example.org`. A registrar asks with
//! 401, a proxy with 407: see [`Realm::for_proxy`](crate::server::Realm::for_proxy). Where a request
//! passes several proxies, take a client for each realm, and give each only the challenges of its
//! own, by [`challenged_by`](crate::client::Client::challenged_by). A server whose requests carry credentials for several realms picks its own by
//! [`Authorization::parse`](crate::Authorization::parse) first, because two values are refused; one
//! behind a proxy that retargets requests needs
//! [`UriCheck::Unchecked`](crate::server::UriCheck::Unchecked) (RFC 3261, sections 22.3 and 22.4). A SIP URI names no origin,
//! so a client of a `sip` or `sips` [endpoint](crate::client::Endpoint) answers for every target. Over UDP a retransmission looks like a
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
//! [`Authenticator::rotate`](crate::server::Authenticator::rotate) takes a new key; nonces of the one
//! before it stay good for as long as they live. The memory of counts stays.
//!
//! # Several machines
//!
//! With a key each, a client that moves to another machine is refused once, with `stale=true`, and
//! asked for nothing. With one key and a store that can set a key if it is absent, it is not even
//! refused: [`Authenticator::for_shared_store`](crate::server::Authenticator::for_shared_store) and
//! [`Verified::claim`](crate::server::Verified::claim). What to do when the store loses its data
//! stands at [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data).
//!
//! # A restart
//!
//! A new key at each start is fine: every client whose nonce is of the key before is refused once,
//! and no user is asked. Keeping the key gains only the nonces that were handed out and not used.
