//! Recipes for common tasks.
//!
//! # A proxy
//!
//! A proxy is authenticated to with the same calls. Only the status and the field names differ:
//! 407, `Proxy-Authenticate`, `Proxy-Authorization` and `Proxy-Authentication-Info`, which
//! [`Challenger::Proxy`](crate::Challenger::Proxy) returns. Make the server's realm with
//! [`for_proxy`](crate::server::Realm::for_proxy), and the client with
//! [`Endpoint::proxy`](crate::client::Endpoint::proxy). The target is the one on the request line:
//! the absolute-form (`http://example.com/a`), or for `CONNECT` the authority-form
//! (`example.com:443`).
//!
//! # A proxy and an origin
//!
//! Both may ask for credentials, in any order, so each needs its own client and exchange. Give
//! every response to the proxy's client first. If that returns [`Next::Done`], the proxy asked for
//! nothing, so give the response to the origin's client.
//!
//! An [`AuthCache`](crate::client::AuthCache) with room for both lends one client at a time, so
//! borrow the client anew for each call. An answer borrows the exchange, not the client.
//!
//! [`Next::Done`]: crate::client::Next::Done
//!
//! ```
//! use countersign::client::{AuthCache, Endpoint, Exchange, Next, Policy};
//! use countersign::{Challenger, EntityBody, FieldValue, Target};
//!
//! struct Hop {
//!     endpoint: Endpoint,
//!     /// The request-target that this hop receives.
//!     uri: &'static str,
//!     exchange: Exchange,
//! }
//!
//! fn get(cache: &mut AuthCache) -> Result<Response, Box<dyn std::error::Error>> {
//!     let mut proxy = Hop {
//!         endpoint: Endpoint::proxy("http", "proxy", 3128),
//!         uri: "http://example.com/a",
//!         exchange: Exchange::new(),
//!     };
//!     let mut origin = Hop {
//!         endpoint: Endpoint::origin("http", "example.com", None)?,
//!         uri: "/a",
//!         exchange: Exchange::new(),
//!     };
//!     'again: loop {
//!         for hop in [&mut proxy, &mut origin] {
//!             let target = Target::new("GET", hop.uri);
//!             cache.client(&hop.endpoint).authorize(&mut hop.exchange, &target)?;
//!         }
//!         let response = send(proxy.exchange.answer(), origin.exchange.answer());
//!         for hop in [&mut proxy, &mut origin] {
//!             let client = cache.client(&hop.endpoint);
//!             let (fields, body) = (|name| response.all(name), EntityBody::Bytes(&response.body));
//!             match client.received(&mut hop.exchange, response.status, fields, body)? {
//!                 Next::Done(_) => continue,
//!                 Next::Retry => {}
//!                 Next::Login(ask) if ask.endpoint().challenger() == Challenger::Proxy => {
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
//! With a TLS tunnel, use the proxy's client for the `CONNECT` request, and only the origin's
//! client within the tunnel. A 407 that comes out of the tunnel is not the proxy's: do not pass
//! that response to the proxy's client. Otherwise the origin could ask for the proxy's credentials.
//!
//! # From a URL
//!
//! These functions make an [`Endpoint`](crate::client::Endpoint) and the request-target from an
//! `http::Uri`:
//!
//! ```
//! use countersign::client::Endpoint;
//! use http::Uri;
//!
//! fn endpoint(uri: &Uri) -> Result<Endpoint, Box<dyn std::error::Error>> {
//!     let scheme = uri.scheme_str().ok_or("an absolute URI is needed")?;
//!     let host = uri.host().ok_or("an absolute URI is needed")?;
//!     Ok(Endpoint::origin(scheme, host, uri.port_u16())?)
//! }
//!
//! fn request_target(uri: &Uri) -> &str {
//!     uri.path_and_query().map_or("/", |target| target.as_str())
//! }
//!
//! let uri = "http://[::1]:8080/a%20b?c=d#e".parse()?;
//! assert_eq!(endpoint(&uri)?.to_string(), "http://[::1]:8080");
//! assert_eq!(request_target(&uri), "/a%20b?c=d");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! From a `url::Url`, the endpoint is `Endpoint::origin(url.scheme(), host, url.port())` with
//! `host` from `url.host_str()`, and the request-target is
//! `&url[Position::BeforePath..Position::AfterQuery]`. Both leave out the userinfo, which must not
//! be in a request-target.
//!
//! # One cache for all threads
//!
//! All threads and tasks share one [`AuthCache`](crate::client::AuthCache) behind a mutex, and lock
//! the mutex for one call at a time. An answer borrows only the exchange, so the answer may outlive
//! the guard.
//!
//! When several tasks get [`Next::Login`](crate::client::Next::Login) at once, only one may prompt
//! the user. A second mutex, the prompt lock, ensures this: the task that holds the lock prompts.
//! The others wait for the lock and then check whether the login is still
//! [wanted](crate::client::Client::wants). If not, they send their requests again. Without that
//! check, each task would send a wrong password once.
//!
//! ```
//! use std::sync::Mutex;
//!
//! use countersign::client::{Ask, AuthCache, Endpoint, Exchange, GiveUp, LoginError, Next};
//! use countersign::{EntityBody, Target};
//! # use countersign::client::Policy;
//!
//! type Error = Box<dyn std::error::Error>;
//!
//! struct Auth {
//!     cache: Mutex<AuthCache>,
//!     /// The prompt lock. It holds the asks for which the user cancelled the prompt.
//!     cancelled: Mutex<Vec<Ask>>,
//! }
//!
//! impl Auth {
//!     fn get(&self, endpoint: &Endpoint, uri: &str) -> Result<Response, Error> {
//!         let target = Target::new("GET", uri);
//!         let mut exchange = Exchange::new();
//!         loop {
//!             // Each guard is dropped at the end of its statement.
//!             let cache = || self.cache.lock().unwrap();
//!             let answer = cache().client(endpoint).authorize(&mut exchange, &target)?;
//!             let response = send(endpoint, uri, answer);
//!             let (status, fields) = (response.status, |name| response.all(name));
//!             let body = EntityBody::Unknown;
//!             let next = cache().client(endpoint).received(&mut exchange, status, fields, body)?;
//!             let ask = match next {
//!                 Next::Done(_) => return Ok(response),
//!                 Next::Retry => continue,
//!                 Next::Login(ask) => ask,
//!                 Next::GiveUp(GiveUp::WrongCredentials(ask)) => {
//!                     exchange = Exchange::new();
//!                     ask
//!                 }
//!                 Next::GiveUp(why) => return Err(why.into()),
//!             };
//!             if !self.login(&ask)? {
//!                 return Ok(response);
//!             }
//!         }
//!     }
//!
//!     /// Returns whether to send the request again.
//!     fn login(&self, ask: &Ask) -> Result<bool, LoginError> {
//!         // One prompt at a time.
//!         let mut cancelled = self.cancelled.lock().unwrap();
//!         if !self.cache.lock().unwrap().client(ask.endpoint()).wants(ask) {
//!             // Somebody has logged in, or a login has failed. If needed, a new ask comes.
//!             return Ok(true);
//!         }
//!         if cancelled.contains(ask) {
//!             return Ok(false);
//!         }
//!         let mut failed = ask.is_again();
//!         loop {
//!             let login = prompt(ask.endpoint(), &ask.realm_text(), failed);
//!             let Some((name, password)) = login else {
//!                 cancelled.push(ask.clone());
//!                 return Ok(false);
//!             };
//!             let mut cache = self.cache.lock().unwrap();
//!             match cache.client(ask.endpoint()).login(ask, &name, &password) {
//!                 Ok(()) => return Ok(true),
//!                 // The server asks for something else by now, and will challenge again.
//!                 Err(LoginError::Superseded) => return Ok(true),
//!                 // The user typed what the server has just refused.
//!                 Err(LoginError::AlreadyRefused) => failed = true,
//!                 Err(why) => return Err(why),
//!             }
//!         }
//!     }
//! }
//! # struct Response { status: u16 }
//! # impl Response {
//! #     fn all(&self, name: &str) -> &[&str] {
//! #         match name {
//! #             "www-authenticate" => {
//! #                 &[r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#]
//! #             }
//! #             _ => &[],
//! #         }
//! #     }
//! # }
//! # fn send(_: &Endpoint, _: &str, answer: Option<&countersign::FieldValue>) -> Response {
//! #     let count = PROMPTS.with(|count| count.get());
//! #     Response { status: if answer.is_some() && count > 2 { 200 } else { 401 } }
//! # }
//! # thread_local! { static PROMPTS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) } }
//! # fn prompt(_: &Endpoint, _: &str, failed: bool) -> Option<(String, String)> {
//! #     let count = PROMPTS.with(|count| count.replace(count.get() + 1));
//! #     assert_eq!(failed, count > 0);
//! #     let password = if count < 2 { "wrong" } else { "Circle of Life" };
//! #     Some(("Mufasa".to_owned(), password.to_owned()))
//! # }
//!
//! let cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
//! let auth = Auth { cache: Mutex::new(cache), cancelled: Mutex::default() };
//! let endpoint = Endpoint::origin("https", "example.com", None)?;
//! assert_eq!(auth.get(&endpoint, "/")?.status, 200);
//! # assert_eq!(PROMPTS.with(|count| count.get()), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Equal asks are for the same login, so a task that waited while the user cancelled the prompt
//! does not prompt again. Clear the list when the user starts a new action. In asynchronous code,
//! use the runtime's mutex for the prompt lock, and drop the guard of the cache before each await.
//!
//! Workers that share no client each send a wrong password once, which may lock the account. Let
//! one worker try a new password first.
//!
//! # Three attempts
//!
//! After [`GiveUp::WrongCredentials`](crate::client::GiveUp::WrongCredentials), log in with the ask
//! of that value and start a new exchange. A login with the credentials that were just refused is
//! [`AlreadyRefused`](crate::client::LoginError::AlreadyRefused). That counts as an attempt, too,
//! but sends no request.
//!
//! ```
//! use countersign::client::{Client, Exchange, GiveUp, LoginError, Next};
//! use countersign::{EntityBody, Target};
//!
//! fn get(client: &mut Client, uri: &str) -> Result<Response, Box<dyn std::error::Error>> {
//!     let target = Target::new("GET", uri);
//!     let mut exchange = Exchange::new();
//!     let mut attempts = 0;
//!     loop {
//!         let response = send(client.authorize(&mut exchange, &target)?);
//!         let fields = |name| response.all(name);
//!         let body = EntityBody::Unknown;
//!         let ask = match client.received(&mut exchange, response.status, fields, body)? {
//!             Next::Done(_) => return Ok(response),
//!             Next::Retry => continue,
//!             Next::Login(ask) if attempts < 3 => ask,
//!             Next::Login(_) => return Err("no attempt is left".into()),
//!             Next::GiveUp(GiveUp::WrongCredentials(ask)) if attempts < 3 => {
//!                 exchange = Exchange::new();
//!                 ask
//!             }
//!             Next::GiveUp(why) => return Err(why.into()),
//!         };
//!         let mut failed = ask.is_again();
//!         loop {
//!             attempts += 1;
//!             let (name, password) = prompt(&ask.realm_text(), failed);
//!             match client.login(&ask, &name, &password) {
//!                 Ok(()) => break,
//!                 Err(LoginError::AlreadyRefused) if attempts < 3 => failed = true,
//!                 Err(why) => return Err(why.into()),
//!             }
//!         }
//!     }
//! }
//! # struct Response { status: u16 }
//! # impl Response {
//! #     fn all(&self, _: &str) -> &[&str] {
//! #         &[r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#]
//! #     }
//! # }
//! # fn send(_: Option<&countersign::FieldValue>) -> Response { Response { status: 401 } }
//! # thread_local! { static PROMPTS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) } }
//! # fn prompt(_: &str, failed: bool) -> (String, String) {
//! #     let count = PROMPTS.with(|count| count.replace(count.get() + 1));
//! #     assert_eq!(failed, count > 0);
//! #     ("Mufasa".to_owned(), (count / 2).to_string())
//! # }
//! # use countersign::client::{Endpoint, Policy};
//! # let endpoint = Endpoint::origin("https", "example.com", None)?;
//! # let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//! # assert!(get(&mut client, "/").is_err());
//! # assert_eq!(PROMPTS.with(|count| count.get()), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Redirects
//!
//! 1. Pass the redirect response to [`received`](crate::client::Client::received). A redirect ends
//!    the exchange.
//! 2. Make the [`Endpoint`](crate::client::Endpoint) of the new URL and a new
//!    [`Exchange`](crate::client::Exchange). Keep the cache.
//! 3. Call [`authorize`](crate::client::Client::authorize) for the new request. If the result is
//!    `None`, remove the field from a request object that you reuse.
//!
//! Never copy the `Authorization` field to the new request. A Digest response covers the
//! request-target, so servers refuse a copied one with 400, and another origin would learn the
//! credentials. Turn off redirects that the HTTP library follows by itself: httpx and requests, for
//! example, keep the field for redirects on the same origin.
//!
//! A server cannot direct the client to send credentials to another origin either: URIs of other
//! origins in `domain` are ignored.
//!
//! # A WebSocket
//!
//! The handshake is a GET with an `Upgrade` field. The target is the path and the query, and each
//! new connection is a new exchange. Give the 101 to
//! [`received`](crate::client::Client::received) like any other response: a 101 may carry the
//! server's proof, and shows that the login was accepted.
//!
//! # Keeping the strength
//!
//! To resist downgrades across restarts, store the [`Strength`](crate::client::Strength) of each
//! endpoint, and pass the stored value to new clients with
//! [`with_strength`](crate::client::Client::with_strength). The example does this for the clients
//! of a cache. Store the strength only after a response with a valid proof: no other response
//! raises the strength, and on a cleartext channel any other may be an attacker's.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use countersign::client::{AuthCache, Client, Endpoint, Policy, ServerProof, Strength};
//! # use countersign::client::UnknownStrength;
//!
//! type Store = BTreeMap<String, String>;
//!
//! fn client_with_stored_strength<'c>(
//!     cache: &'c mut AuthCache,
//!     store: &Store,
//!     endpoint: &Endpoint,
//! ) -> Result<&'c mut Client, UnknownStrength> {
//!     let strength = match store.get(&endpoint.to_string()) {
//!         // An unknown name is an error, not `Nothing`: a newer version may have stored it.
//!         Some(text) => text.parse()?,
//!         None => Strength::Nothing,
//!     };
//!     Ok(cache.client_with(endpoint, |client| client.with_strength(strength)))
//! }
//!
//! fn store_strength(client: &Client, store: &mut Store, proof: ServerProof) {
//!     if proof == ServerProof::Valid {
//!         store.insert(client.endpoint().to_string(), client.strength().to_string());
//!     }
//! }
//! # let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
//! # let endpoint = Endpoint::origin("https", "example.com", None)?;
//! # let mut store = Store::from([(endpoint.to_string(), "digest-sha2".to_owned())]);
//! # let client = client_with_stored_strength(&mut cache, &store, &endpoint)?;
//! # assert_eq!(client.strength(), Strength::DigestSha2);
//! # store_strength(client, &mut store, ServerProof::Valid);
//! # assert_eq!(store["https://example.com:443"], "digest-sha2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! If a server has been downgraded for a good reason, challenges are skipped as
//! [`BelowStrength`](crate::client::SkipReason::BelowStrength). Ask the user to confirm the
//! downgrade. Then delete the stored value and call
//! [`AuthCache::forget`](crate::client::AuthCache::forget).
//!
//! # A proof for some requests
//!
//! [`Policy::require_server_proof`](crate::client::Policy::require_server_proof) applies to all
//! requests of a client, so public resources and public redirects of that origin fail. To require a
//! proof for some requests only, leave this setting off and use
//! [`without_basic`](crate::client::Policy::without_basic). Trust a response to such a request only
//! if the result is `Next::Done(ServerProof::Valid)`.
//!
//! # A large upload
//!
//! [`Client::readiness`](crate::client::Client::readiness) predicts whether the first request will
//! carry an answer. If not, send `Expect: 100-continue`, or probe first with a safe method (HEAD or
//! OPTIONS) for the same request-target, in an exchange of its own. Never probe with an empty PUT:
//! a server that does not ask for credentials would store the empty body. With
//! [`require_server_proof`](crate::client::Policy::require_server_proof), a probe that needs no
//! credentials is [`Missing`](crate::client::ServerProofError::Missing).
//!
//! # Slow password hashes
//!
//! Where some accounts have HA1s and others a slow hash, branch on
//! [`Attempt::basic`](crate::server::Attempt::basic): `None` goes to
//! [`verify_by`](crate::server::Attempt::verify_by). With Argon2 or bcrypt hashes alone, offer Basic
//! only: use a realm
//! [`with_algorithms(&[])`](crate::server::Realm::with_algorithms) and
//! [`with_basic`](crate::server::Realm::with_basic), and an
//! [`Authenticator`](crate::server::Authenticator) with capacity 0.
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
//!     dummy_hash: &str,
//! ) -> Result<Verified<'a, Account>, Rejected<'a>> {
//!     let account = attempt.claimed_user().name().and_then(look_up);
//!     let password = attempt.basic().map_or(&b""[..], |pair| pair.password());
//!     // Hash for an unknown user, too, so that both cases take the same time.
//!     let stored = account.as_ref().map_or(dummy_hash, |account| &account.slow_hash);
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
//! `dummy_hash` is a real hash of a random password, made at startup with the same algorithm and
//! cost as all others. A string that is not a valid hash would be rejected immediately, and the
//! time would reveal that the user does not exist.
//!
//! Users who also have an HA1 can use Digest in the same realm. For that, offer algorithms, make
//! the `Authenticator` with a capacity for their nonces, and branch on
//! [`Attempt::basic`](crate::server::Attempt::basic): `None` means Digest.
//!
//! # A streaming body
//!
//! Where the response covers the body (`auth-int`), the attempt tells which hash function it needs:
//! see the example at
//! [`Attempt::required_body_hash`](crate::server::Attempt::required_body_hash). Call
//! [`nonce_is_fresh`](crate::server::Attempt::nonce_is_fresh) before reading a large body.
//!
//! # An asynchronous server
//!
//! With an asynchronous user store you cannot await inside the closure of `and_then`. Use a
//! function that returns a response in both cases:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::digest::{Ha1, HashFunction};
//! use countersign::server::{Arrival, Authenticator, Rejected};
//! use countersign::{Channel, EntityBody, Target};
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
//! [`receipt`](crate::server::Grant::receipt) does not: keep the receipt in the extensions of the
//! request, together with the account, and build the `Authentication-Info` from the receipt once
//! the response is known. A `Rejected` has
//! [`into_owned`](crate::server::Rejected::into_owned). axum's `Request` is not `Sync`: split the
//! request with `into_parts` before an await, and hold the parts.
//!
//! # Several protection spaces
//!
//! If a part of a site has its own users, such as `/admin/`, give each such part its own
//! [`Realm`](crate::server::Realm). One [`Authenticator`](crate::server::Authenticator) serves all
//! realms:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::server::{Arrival, Authenticator, Realm};
//! use countersign::{Channel, Target};
//!
//! let files = Realm::new("files@example.org")?.with_domain("/files/")?;
//! let admin = Realm::new("admin@example.org")?.with_domain("/admin/")?;
//! let auth = Authenticator::new(files, 10_000, &mut getrandom::SysRng)?;
//!
//! let path = "/admin/log";
//! let realm = if path.starts_with("/admin/") { &admin } else { auth.realm() };
//! let (target, arrival) = (Target::new("GET", path), Arrival::now(Channel::Encrypted));
//! let rejected = auth.begin_as(realm, None::<&str>, &target, &arrival).unwrap_err();
//! let refusal = auth.refuse(&rejected);
//! assert!(refusal.challenges[0].to_str()?.contains(r#"realm="admin@example.org""#));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Key and memory are shared, so one key file is enough, and the capacity is for all realms
//! together. All steps after [`begin_as`](crate::server::Authenticator::begin_as) use the settings
//! of that realm, and a refusal has the challenges of that realm. The HA1 of a user is made for the
//! name of one realm, so look users up by [`Attempt::realm`](crate::server::Attempt::realm), too.
//! Credentials for one realm are refused in another with
//! [`RealmMismatch`](crate::server::Rejection::RealmMismatch). The counts of a nonce are kept for
//! each HA1, so the requests to one realm cannot use up the counts of another.
//!
//! - Choose the realm by the path that the program routes by, after the same decoding. Otherwise a
//!   request may be checked against one realm and served from the part of another.
//! - Without [`with_domain`](crate::server::Realm::with_domain), the protection space of a
//!   challenge is the whole origin, and clients send the credentials of one realm to another, where
//!   they are refused.
//! - Always construct the `Authenticator` with the same realm, on every machine and after every
//!   restart: its name goes into the nonce MAC. With another realm, nonces of the same key are
//!   foreign.
//! - Clients cannot tell two realms of the same name apart. If their settings differ, a client may
//!   be refused when the client moves from one to the other: see
//!   [`begin_as`](crate::server::Authenticator::begin_as).
//!
//! # A rate limiter
//!
//! Ask the limiter between `begin` and `verify`, so that a client over its limit does not learn
//! whether a password was right. Count only the
//! [class](crate::server::RejectionClass) `WrongSecret`. A replay, or a field that was made for
//! another request, is no guess at a password, and anyone who has captured a field could send it to
//! lock its user out.
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use std::collections::HashMap;
//! use std::net::IpAddr;
//! use std::time::{Duration, Instant};
//!
//! use countersign::digest::User;
//! use countersign::server::{Arrival, Authenticator, RejectionClass};
//! use countersign::{Channel, Target};
//!
//! #[derive(Clone, Eq, Hash, PartialEq)]
//! enum Subject {
//!     /// The id of an account, which is the same for all spellings of the user name.
//!     Account(u64),
//!     /// Unknown users are limited, too. Otherwise the limit would reveal which users exist.
//!     Unknown(User<'static>),
//! }
//!
//! /// The number of wrong passwords and the time of the first, for each subject and address. With
//! /// limits by subject alone, anyone could lock a user out.
//! #[derive(Default)]
//! struct Limiter(HashMap<(Subject, IpAddr), (u32, Instant)>);
//!
//! impl Limiter {
//!     const LIMIT: u32 = 5;
//!     const PERIOD: Duration = Duration::from_secs(60);
//!     const MAX_ENTRIES: usize = 10_000;
//!
//!     /// Returns how long to wait if the limit is reached.
//!     fn wait(&mut self, key: &(Subject, IpAddr)) -> Option<Duration> {
//!         self.0.retain(|_, (_, since)| since.elapsed() < Self::PERIOD);
//!         let (wrong, since) = self.0.get(key)?;
//!         (*wrong >= Self::LIMIT).then(|| Self::PERIOD.saturating_sub(since.elapsed()))
//!     }
//!
//!     fn count(&mut self, key: (Subject, IpAddr)) {
//!         // Clients choose the unknown names, so bound their number: drop the oldest entry.
//!         if self.0.len() >= Self::MAX_ENTRIES && !self.0.contains_key(&key) {
//!             let oldest = self.0.iter().min_by_key(|(_, (_, since))| *since);
//!             if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
//!                 self.0.remove(&oldest);
//!             }
//!         }
//!         self.0.entry(key).or_insert((0, Instant::now())).0 += 1;
//!     }
//! }
//!
//! fn answer(
//!     auth: &Authenticator,
//!     limiter: &mut Limiter,
//!     request: &http::Request<()>,
//!     peer: IpAddr,
//! ) -> http::Response<()> {
//!     let uri = request.uri().path_and_query().map_or("/", |uri| uri.as_str());
//!     let target = Target::new(request.method().as_str(), uri);
//!     let arrival = Arrival::now(Channel::Encrypted);
//!     let credentials = request.headers().get_all("authorization");
//!     let attempt = match auth.begin(credentials, &target, &arrival) {
//!         Ok(attempt) => attempt,
//!         Err(rejected) => return refused(auth.refuse(&rejected)),
//!     };
//!     let user = attempt.claimed_user();
//!     let account = find(&user);
//!     let subject = match &account {
//!         Some(account) => Subject::Account(account.id),
//!         None => Subject::Unknown(user.into_owned()),
//!     };
//!     let key = (subject, peer);
//!     if let Some(wait) = limiter.wait(&key) {
//!         // A challenge would make a browser prompt the user, so send none.
//!         let response = http::Response::builder().status(429);
//!         return response.header("retry-after", wait.as_secs() + 1).body(()).unwrap();
//!     }
//!     match attempt.verify(account).and_then(|verified| auth.admit(verified)) {
//!         Ok(grant) => granted(grant),
//!         Err(rejected) => {
//!             if rejected.class() == RejectionClass::WrongSecret {
//!                 limiter.count(key);
//!             }
//!             refused(auth.refuse(&rejected))
//!         }
//!     }
//! }
//! # use countersign::basic;
//! # use countersign::digest::{Ha1, HashFunction};
//! # use countersign::server::{BasicOffer, Grant, Realm, Refusal};
//! # struct Account { id: u64, ha1: Ha1 }
//! # impl AsRef<Ha1> for Account {
//! #     fn as_ref(&self) -> &Ha1 { &self.ha1 }
//! # }
//! # fn find(user: &User<'_>) -> Option<Account> {
//! #     let ha1 = Ha1::new(HashFunction::Sha256, "Mufasa", "files", "Circle of Life");
//! #     (user.name() == Some("Mufasa")).then_some(Account { id: 1, ha1 })
//! # }
//! # fn granted(_: Grant<'_, Account>) -> http::Response<()> { http::Response::new(()) }
//! # fn refused(refusal: Refusal) -> http::Response<()> {
//! #     http::Response::builder().status(refusal.status).body(()).unwrap()
//! # }
//! # let realm = Realm::new("files")?.with_basic(BasicOffer::Encrypted);
//! # let auth = Authenticator::new(realm, 100, &mut getrandom::SysRng)?;
//! # let limiter = &mut Limiter::default();
//! # let mut send = |name: &str, password: &str, peer: [u8; 4]| {
//! #     let value = basic::credentials(name, password).unwrap();
//! #     let request = http::Request::builder().header("authorization", value.as_bytes());
//! #     answer(&auth, limiter, &request.body(()).unwrap(), peer.into()).status().as_u16()
//! # };
//! # for name in ["Mufasa", "nobody"] {
//! #     for status in [401, 401, 401, 401, 401, 429] {
//! #         assert_eq!(send(name, "wrong", [192, 0, 2, 7]), status);
//! #     }
//! # }
//! # assert_eq!(send("Mufasa", "Circle of Life", [192, 0, 2, 7]), 429);
//! # assert_eq!(send("Mufasa", "Circle of Life", [192, 0, 2, 8]), 200);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! RFC 6585, section 4, defines status 429 and its `Retry-After`. Also count by address alone, with
//! a higher limit, against password spraying. Requests that are checked at the same time may exceed
//! a limit by their number.
//!
//! # A log
//!
//! [`Rejected`](crate::server::Rejected) has the reason and the claimed user. Log the
//! [name](crate::server::Rejection::name) of the reason, which is stable, and the user with
//! `Display`, which escapes what the client wrote. Log the [class](crate::server::RejectionClass)
//! `ServerFault` as an error, and `Suspicious` as a warning.
//!
//! For a grant log the account, which [`User::Name`](crate::digest::User::Name) writes with the same
//! escapes. A 413 or 429 of the program's own has no rejection, so its name is yours to choose.
//!
//! # Hashed user names
//!
//! Store the [`userhash`](crate::digest::userhash) of each user beside the HA1, for the hash
//! function of each algorithm offered, and look users up by
//! [`User::Hash`](crate::digest::User::Hash). Then set
//! [`with_userhash`](crate::server::Realm::with_userhash).
//!
//! # Other schemes
//!
//! This crate implements Basic and Digest. For all other schemes it parses challenges and
//! credentials, and writes them so that no text can inject anything. Their meaning is up to you:
//! `Client` and `Authenticator` protect neither tokens nor connections of another scheme.
//!
//! A server puts its own challenges beside those of a
//! [`Refusal`](crate::server::Refusal::challenges). The server handles credentials of its own
//! schemes before it calls `begin`, which would refuse them with
//! [`SchemeNotOffered`](crate::server::Rejection::SchemeNotOffered):
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::server::{Arrival, Authenticator};
//! use countersign::{Authorization, Channel, InvalidText, RawChallenge, Target};
//!
//! /// Returns the token if the request has exactly one `Authorization`, of the scheme `Bearer`.
//! fn bearer<'a>(credentials: &[&'a str]) -> Option<&'a str> {
//!     let [value] = credentials else { return None };
//!     match Authorization::parse(*value) {
//!         Ok(Authorization::Other(raw)) if raw.scheme_name().eq_ignore_ascii_case("Bearer") => {
//!             raw.token68()
//!         }
//!         _ => None,
//!     }
//! }
//!
//! /// Returns the status and the challenges.
//! fn answer(
//!     auth: &Authenticator,
//!     credentials: &[&str],
//! ) -> Result<(u16, Vec<String>), InvalidText> {
//!     let mut bearer_challenge = RawChallenge::builder("Bearer")?.param("realm", "api")?;
//!     if let Some(token) = bearer(credentials) {
//!         if is_valid(token) {
//!             return Ok((200, Vec::new()));
//!         }
//!         bearer_challenge = bearer_challenge.param("error", "invalid_token")?;
//!     }
//!     let (target, arrival) = (Target::new("GET", "/"), Arrival::now(Channel::Encrypted));
//!     let rejected = match auth.begin(credentials.iter().copied(), &target, &arrival) {
//!         Ok(attempt) => return Ok((verify_and_admit(attempt), Vec::new())),
//!         Err(rejected) => rejected,
//!     };
//!     let mut refusal = auth.refuse(&rejected);
//!     if matches!(refusal.status, 401 | 407) {
//!         refusal.challenges.push(bearer_challenge.build());
//!     }
//!     let text = refusal.challenges.iter().map(|value| value.to_str().unwrap().to_owned());
//!     Ok((refusal.status, text.collect()))
//! }
//! # fn is_valid(token: &str) -> bool { token == "mF_9.B5f-4.1JqM" }
//! # fn verify_and_admit(_: countersign::server::Attempt<'_>) -> u16 { unreachable!() }
//! # use countersign::server::Realm;
//! # let auth = Authenticator::new(Realm::new("files")?, 100, &mut getrandom::SysRng)?;
//! # for (credentials, status, last) in [
//! #     (&[][..], 401, Some(r#"Bearer realm="api""#)),
//! #     (&["Bearer mF_9.B5f-4.1JqM"], 200, None),
//! #     (&["bearer old"], 401, Some(r#"Bearer realm="api", error="invalid_token""#)),
//! #     (&["Digest"], 400, None),
//! #     (&["Bearer mF_9.B5f-4.1JqM", "Bearer x"], 400, None),
//! # ] {
//! #     let (code, challenges) = answer(&auth, credentials)?;
//! #     assert_eq!((code, challenges.last().map(|it| &**it)), (status, last), "{credentials:?}");
//! # }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A program that adds a scheme looks for that scheme in the challenges first. If the program has
//! no token for any challenge, it gives the response to
//! [`received`](crate::client::Client::received). Scheme names are case-insensitive.
//!
//! ```
//! use countersign::{Challenge, FieldValue, InvalidText, RawChallenge, challenges};
//!
//! /// Returns the answer to the first challenge of a scheme that `token_for` has a token for.
//! fn answer<'a>(
//!     www_authenticate: impl IntoIterator<Item = &'a str>,
//!     token_for: impl Fn(&RawChallenge<'_>) -> Option<String>,
//! ) -> Result<Option<FieldValue>, InvalidText> {
//!     for challenge in challenges(www_authenticate) {
//!         if let Ok(Challenge::Other(raw)) = challenge
//!             && let Some(token) = token_for(&raw)
//!         {
//!             return RawChallenge::of_token68(raw.scheme_name(), &token).map(Some);
//!         }
//!     }
//!     Ok(None)
//! }
//!
//! let token_for = |challenge: &RawChallenge<'_>| {
//!     let is_bearer = challenge.scheme_name().eq_ignore_ascii_case("Bearer");
//!     let is_ours = challenge.realm().is_some_and(|realm| realm == "api");
//!     (is_bearer && is_ours).then(|| "mF_9.B5f-4.1JqM".to_owned())
//! };
//! let values = [r#"Digest realm="api", nonce="n""#, r#"Negotiate, Bearer realm="api""#];
//! let value = answer(values, token_for)?.unwrap();
//! assert_eq!(value, "Bearer mF_9.B5f-4.1JqM");
//! assert_eq!(answer(["Negotiate"], token_for)?, None);
//! # Ok::<(), InvalidText>(())
//! ```
//!
//! - Any server can name any realm, so do not choose a token by realm: keep tokens by
//!   [`Endpoint`](crate::client::Endpoint), and send none over a cleartext channel.
//! - The client's policy and pins do not cover such an answer. A forged challenge of another scheme
//!   can keep a client from using Digest.
//! - Send no `Authorization` of [`authorize`](crate::client::Client::authorize) with that request:
//!   the field holds one value. Do not pass the response to that request to the client, either.
//! - Negotiate and NTLM authenticate a connection, in several steps: the next request must use the
//!   same one. A server's last token is in the `WWW-Authenticate` of a response other than 401
//!   (RFC 4559, section 5).
//! - If the credentials of a scheme have parameters, build them with
//!   [`RawChallenge::builder`](crate::RawChallenge::builder).
//!
//! # RTSP
//!
//! The method may be any token, and the target need not be an HTTP one: `DESCRIBE` and
//! `rtsp://camera/stream1` make a [`Target`](crate::Target) like any other. Give each request its
//! own method and the URI of its own request line: `SETUP` names a track, where `DESCRIBE` named
//! the stream. One client per camera answers all requests with one nonce. The examples are
//! `rtsp_client` and `rtsp_responder`.
//!
//! RTSP 1.0 uses Digest as in RFC 2069 (RFC 2326, section 1.4), which has no qop, and RTSP
//! implementations still do: GStreamer's `rtspsrc` answers every challenge without a qop, and
//! gst-rtsp-server and most cameras offer none. So a client needs
//! [`Policy::with_rfc2069`](crate::client::Policy::with_rfc2069), and a server
//! [`Realm::with_rfc2069`](crate::server::Realm::with_rfc2069). The server still offers
//! `qop="auth"` and accepts responses that use it, such as ffmpeg's. Both examples do so. Some
//! cameras offer only Basic, and need
//! [`with_cleartext_basic`](crate::client::Policy::with_cleartext_basic).
//!
//! The form without a qop has no count, so a nonce is valid for one request in it. The server
//! refuses every further request once, with a new nonce and `stale=true`: the client sends 24
//! requests for the twelve that set up and play a stream. If that is too many, set
//! [`with_reusable_nonces`](crate::server::Realm::with_reusable_nonces), which makes a nonce valid
//! for its whole lifetime, so that the client sends 13. In return, an attacker who captures
//! a request can repeat it until the nonce expires: the same method for the same URI, but with any
//! other headers, because Digest does not cover these. Set a short
//! [`with_nonce_lifetime`](crate::server::Realm::with_nonce_lifetime), such as 30 seconds, which
//! costs one refused request per lifetime.
//!
//! # SIP
//!
//! The target is the method and the Request-URI: `REGISTER sip:example.org`. A registrar challenges
//! with 401, a proxy with 407: see [`Realm::for_proxy`](crate::server::Realm::for_proxy).
//!
//! - Where a request passes several proxies, use one client per realm, as below.
//! - Where requests carry credentials for several realms, a server selects its own with
//!   [`Authorization::parse`](crate::Authorization::parse) first, because `begin` refuses two
//!   values.
//! - A server behind a proxy that retargets requests needs
//!   [`UriCheck::Unchecked`](crate::server::UriCheck::Unchecked) (RFC 3261, sections 22.3 and
//!   22.4).
//! - A SIP URI names no origin, so a client of a `sip` or `sips`
//!   [endpoint](crate::client::Endpoint) answers for every target.
//! - Over UDP a retransmission looks like a replay. Let the SIP transaction answer retransmissions
//!   before `begin` sees them, as the example `sip_registrar` does.
//!
//! A 407 may have challenges of several proxies. Keep a client and an exchange for each realm, and
//! give each the challenges of its realm with
//! [`challenged_by`](crate::client::Client::challenged_by). A
//! [`NoUsableChallenge`](crate::client::GiveUp::NoUsableChallenge) with an empty slice means that
//! the response has no challenge for that realm: its proxy did not refuse the request, so go on
//! with the others. Then call `authorize` of every client, and send all the answers.
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
//! for realm in challenges(proxy_authenticate).flatten().filter_map(|it| digest_realm(&it)) {
//!     if !clients.contains_key(&realm) {
//!         let endpoint = Endpoint::proxy("sips", "proxy.example", 5061);
//!         let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//!         clients.insert(realm, (client, Exchange::new()));
//!     }
//! }
//! for (realm, (client, exchange)) in &mut clients {
//!     let is_of_realm = |it: &Challenge<'_>| digest_realm(it).as_ref() == Some(realm);
//!     let challenges_of_realm = challenges(proxy_authenticate).flatten().filter(is_of_realm);
//!     match client.challenged_by(exchange, challenges_of_realm) {
//!         Next::Login(ask) => client.login(&ask, "Mufasa", "Circle of Life")?,
//!         Next::GiveUp(GiveUp::NoUsableChallenge(skipped)) if skipped.is_empty() => {}
//!         Next::GiveUp(why) => return Err(why.into()),
//!         Next::Retry | Next::Done(_) => {}
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
//!
//! # Nonces bound to a client
//!
//! [`Arrival::bound_to`](crate::server::Arrival::bound_to) takes any bytes that the next request of
//! the same client will present again. Bind to an address only if addresses are stable.
//!
//! # Key rotation
//!
//! [`Authenticator::rotate`](crate::server::Authenticator::rotate) takes a new key. Nonces of the
//! previous one stay valid for their lifetime, and used counts are still remembered. To void all
//! nonces at once, rotate twice. That logs nobody out: clients retry with a new nonce, without a
//! prompt. To end a user's access, change the account.
//!
//! # Several machines
//!
//! If each machine has its own key, a client is refused at each move to another machine, with
//! `stale=true`, and does not prompt its user. To avoid these refusals, use sticky sessions, or let
//! all machines share one key and a store with a set-if-absent operation: see
//! [`Authenticator::for_shared_store`](crate::server::Authenticator::for_shared_store) and
//! [`Verified::claim`](crate::server::Verified::claim).
//! [`PendingClaim`](crate::server::PendingClaim#a-store-that-loses-its-data) says what to do when
//! the store loses its data.
//!
//! # A restart
//!
//! A new key at each start is fine, so no key file is needed: every client with a nonce of the
//! previous key is refused once, with `stale=true`, and does not prompt its user. Keeping the key
//! saves only nonces that were issued later than every used one, and only after a clean shutdown,
//! which stores the horizon: see
//! [`with_key`](crate::server::Authenticator::with_key).
