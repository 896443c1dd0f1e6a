//! Tasks that the examples do not show.
//!
//! # A proxy
//!
//! Authenticating to a proxy uses the same calls with the names of
//! [`Challenger::Proxy`](crate::Challenger::Proxy): status 407, `Proxy-Authenticate`,
//! `Proxy-Authorization` and `Proxy-Authentication-Info`. Make the server's realm with
//! [`for_proxy`](crate::server::Realm::for_proxy), and the client with
//! [`Endpoint::proxy`](crate::client::Endpoint::proxy). The target is the one on the request line:
//! the absolute form, or for `CONNECT` the authority.
//!
//! # A proxy and an origin
//!
//! Both may ask for credentials, in any order, so each needs its own client and exchange. A
//! response other than 407 has passed the proxy: give it to the proxy's client before the origin's.
//!
//! An [`AuthCache`](crate::client::AuthCache) with room for both lends one client at a time, so ask
//! for it at each call. An answer borrows the exchange, not the client.
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
//! With a tunnel, use the proxy's client for the `CONNECT` request, and then only the origin's
//! client within the tunnel.
//!
//! # One prompt for many tasks
//!
//! Tasks that share a client lock it for each call. When several are asked for a login at once, the
//! first to take a second lock prompts the user. The others wait for that lock and then check
//! whether the login is still [wanted](crate::client::Client::wants). If not, they send their
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
//!         // The server has asked for something else since, and will challenge again.
//!         Err(LoginError::Superseded) => Ok(()),
//!         result => result,
//!     }
//! }
//! # fn ask_the_user(_: &str, _: bool) -> (String, String) { unimplemented!() }
//! # let _ = login;
//! ```
//!
//! In asynchronous code, drop the guard of the client's lock before the next await, for example by
//! keeping it in a block.
//!
//! # Slow password hashes
//!
//! With Argon2 or bcrypt password hashes you can offer Basic only: use a realm
//! [`with_algorithms(&[])`](crate::server::Realm::with_algorithms) and
//! [`with_basic`](crate::server::Realm::with_basic), and an
//! [`Authenticator`](crate::server::Authenticator) with capacity 0. Users who also have an HA1 can
//! use Digest in the same realm: branch on [`Attempt::basic`](crate::server::Attempt::basic).
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
//!     // For an unknown user hash, too, so that both cases take the same time.
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
//! Run a slow hash on a blocking thread: clone the [pair](crate::server::Attempt::basic), which is
//! wiped when dropped, and the name with
//! [`User::into_owned`](crate::digest::User::into_owned).
//!
//! `nobody` is a real hash of a random password, made at startup with the same algorithm and cost
//! as all others. A string that is not a valid hash would be rejected immediately, and the time
//! would reveal that the user does not exist.
//!
//! # A streaming body
//!
//! Where the response covers the body (`auth-int`), the attempt tells which hash function it needs:
//! see the example at
//! [`Attempt::required_body_hash`](crate::server::Attempt::required_body_hash). Call
//! [`nonce_is_ours`](crate::server::Attempt::nonce_is_ours) before reading a large body.
//!
//! # An asynchronous server
//!
//! With an asynchronous user store, closures and `and_then` do not work. Use a function that
//! returns a response in both cases:
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
//! The response covers the request-target as it is on the request line. axum's `nest` strips a
//! prefix from the `Uri`: use `OriginalUri`. hyper gives an absolute `Uri` for HTTP/2, where the
//! client hashed `:path`: use `path_and_query()`, which is right for HTTP/1 as well. A proxy needs
//! the whole `Uri`, by `to_string()`, because its requests have the absolute form. With a wrong
//! target Digest fails with [`UriMismatch`](crate::server::Rejection::UriMismatch), while Basic
//! works.
//!
//! # A response built elsewhere
//!
//! A [`Grant`](crate::server::Grant) borrows the request. Its
//! [`receipt`](crate::server::Grant::receipt) does not: keep it in the extensions of the request,
//! together with the account, and build the `Authentication-Info` from it once the response is
//! known. axum's `Request` is not `Sync`: split it with `into_parts` before an await, and hold the
//! parts.
//!
//! # A rate limiter and a log
//!
//! [`Rejected`](crate::server::Rejected) has the reason and the claimed user. Count rejections of
//! the [class](crate::server::RejectionClass) `Suspicious` by user and by address, and log those of
//! the class `ServerFault` as errors.
//!
//! # Hashed user names
//!
//! Store the [`userhash`](crate::digest::userhash) of each user beside the HA1, for the hash
//! function of each algorithm offered, and look users up by
//! [`User::Hash`](crate::digest::User::Hash). Then set
//! [`with_userhash`](crate::server::Realm::with_userhash).
//!
//! # RTSP
//!
//! Method and target are bytes that are not interpreted: `DESCRIBE rtsp://camera/stream1` is a
//! target like any other. Give each request its own method and the URI of its own request line:
//! `SETUP` names a track, where `DESCRIBE` named the stream. One client per camera answers all of
//! them with one nonce. The examples are `rtsp_client` and `rtsp_responder`.
//!
//! RTSP 1.0 uses Digest as in RFC 2069 (RFC 2326, section 1.3), which has no qop, and its
//! implementations still do: GStreamer's `rtspsrc` answers every challenge without a qop, and
//! gst-rtsp-server and most cameras offer none. So a client needs
//! [`Policy::with_rfc2069`](crate::client::Policy::with_rfc2069), and a server
//! [`Realm::with_rfc2069`](crate::server::Realm::with_rfc2069). The server still offers
//! `qop="auth"` and accepts responses that use it, such as ffmpeg's. Both examples do so. Some
//! cameras offer only Basic, and need
//! [`with_cleartext_basic`](crate::client::Policy::with_cleartext_basic).
//!
//! The form without a qop has no count, so a nonce is valid for one request in it. The server
//! refuses every further request once, with a new nonce and `stale=true`: twelve requests to set up
//! and play a stream take 24 messages. If that is too many, set
//! [`with_reusable_nonces`](crate::server::Realm::with_reusable_nonces), which makes a nonce valid
//! for its whole lifetime, so that the twelve requests take 13. In return, an attacker who captures
//! a request can repeat it until the nonce expires: the same method for the same URI, but with any
//! other headers, because Digest does not cover these. Set a short
//! [`with_nonce_lifetime`](crate::server::Realm::with_nonce_lifetime), such as 30 seconds; it costs
//! one refused request per lifetime.
//!
//! # SIP
//!
//! The target is the method and the Request-URI: `REGISTER sip:example.org`. A registrar challenges
//! with 401, a proxy with 407: see [`Realm::for_proxy`](crate::server::Realm::for_proxy).
//!
//! - Where a request passes several proxies, use one client per realm, and give each only the
//!   challenges for its realm, by [`challenged_by`](crate::client::Client::challenged_by).
//! - Where requests carry credentials for several realms, a server selects its own with
//!   [`Authorization::parse`](crate::Authorization::parse) first, because `begin` refuses two
//!   values.
//! - A server behind a proxy that retargets requests needs
//!   [`UriCheck::Unchecked`](crate::server::UriCheck::Unchecked) (RFC 3261, sections 22.3 and
//!   22.4).
//! - A SIP URI names no origin, so a client of a `sip` or `sips`
//!   [endpoint](crate::client::Endpoint) answers for every target.
//! - Over UDP a retransmission looks like a replay. Answer it from the transaction before it gets
//!   here, as the example `sip_registrar` does.
//!
//! # Nonces bound to a client
//!
//! [`Arrival::bound_to`](crate::server::Arrival::bound_to) takes any bytes that the next request of
//! the same client will present again. Bind to an address only if addresses are stable.
//!
//! # Key rotation
//!
//! [`Authenticator::rotate`](crate::server::Authenticator::rotate) takes a new key. Nonces of the
//! previous one stay valid for their lifetime, and used counts are still remembered.
//!
//! # Several machines
//!
//! If each machine has its own key, a client that moves to another machine is refused once, with
//! `stale=true`, and does not prompt its user. If all share one key and a store with a
//! set-if-absent operation, it is not refused: see
//! [`Authenticator::for_shared_store`](crate::server::Authenticator::for_shared_store) and
//! [`Verified::claim`](crate::server::Verified::claim).
//! [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data) says what to do when
//! the store loses its data.
//!
//! # A restart
//!
//! A new key at each start is fine: every client with a nonce of the previous key is refused once,
//! and does not prompt its user. Keeping the key only saves the nonces that were issued and not
//! used.
