//! Many threads or tasks with one login.
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
//! [wanted](crate::client::Client::wants). If not, they send their requests again.
//!
//! ```
//! use std::collections::VecDeque;
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
//!     /// The prompt lock. It holds the last asks for which the user cancelled the prompt.
//!     cancelled: Mutex<VecDeque<Ask>>,
//! }
//!
//! impl Auth {
//!     fn get(&self, endpoint: &Endpoint, uri: &str) -> Result<Response, Error> {
//!         let target = Target::new("GET", uri);
//!         let mut exchange = Exchange::new();
//!         let mut asks = 0;
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
//!             // Bounded, because a server can refuse everything, and an account may be locked after
//!             // a few wrong passwords.
//!             asks += 1;
//!             if asks > 3 || !self.login(&ask)? {
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
//!             // Somebody else was faster, for example. If needed, a new ask comes.
//!             return Ok(true);
//!         }
//!         if cancelled.contains(ask) {
//!             return Ok(false);
//!         }
//!         // It shows the endpoint first, then the realm, which can be long, and says if the
//!         // password will be sent by Basic.
//!         let Some((name, password)) = prompt(ask) else {
//!             // Bounded, because servers choose how many realms there are.
//!             cancelled.truncate(99);
//!             cancelled.push_front(ask.clone());
//!             return Ok(false);
//!         };
//!         let mut cache = self.cache.lock().unwrap();
//!         match cache.client(ask.endpoint()).login(ask, &name, &password) {
//!             // Superseded: if a login is still needed, a new ask comes.
//!             // Already refused: the user typed what was refused before. A later ask may take it,
//!             // because the refusal may have been forged.
//!             Ok(()) | Err(LoginError::Superseded | LoginError::AlreadyRefused) => Ok(true),
//!             Err(why) => Err(why),
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
//! # fn prompt(ask: &Ask) -> Option<(String, String)> {
//! #     let count = PROMPTS.with(|count| count.replace(count.get() + 1));
//! #     assert_eq!(ask.is_again(), count > 0);
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
//! After a login, each request in flight sends the new password once, even if it is wrong, and so
//! do workers that share no client. If a few wrong passwords lock the account, send one request
//! alone after a login, and the others once that was accepted.
//!
//! # Under async
//!
//! - *Locks.* A mutex of `std` is right for the client or the cache: its guard is never held across
//!   an await, and a call takes microseconds. The prompt lock is held while the user types, so it
//!   has to be the runtime's.
//! - *One prompt.* The task that gets the prompt lock first prompts. After its login, each other
//!   task finds that its ask is no longer wanted, and sends its request again.
//! - *The body of a 401.* Read it to its end before the next request, or HTTP/1 has to open another
//!   connection. Stop after some 64 KiB, and after a few seconds: a new connection then costs less,
//!   and a body that stalls must not hold the request.
//! - *The request's body.* It may have to be sent twice. If it cannot be made again, see [a large
//!   upload](super::bodies#a-large-upload).
//! - *Cancelled tasks.* A future may be dropped at every await. The count of its request may then
//!   be lost; most servers accept gaps. After a timeout, call `authorize` again for each
//!   repetition: a header that is sent twice is a replay. If the HTTP library repeats a request by
//!   itself, the server may refuse it with `stale=true`, and the client sends it once more.
//! - *Requests in parallel.* This crate's server accepts counts in any order, up to 63 below the
//!   highest one. A lower count is refused with `stale=true`, and the request is sent again.
//!   Others, such as Squid, refuse each request that another one has overtaken. The client sends
//!   such a request up to ten times if they say `stale`, up to four times if they do not but let
//!   others through meanwhile, and then gives up. Where a nonce is valid for one request, or where
//!   only the nonce of the server's last challenge is valid (as with many small devices), send
//!   requests one after the other: in parallel they keep making each other's nonces invalid, and a
//!   right password may be refused.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use countersign::client::{Ask, Client, Exchange, LoginError, Next};
//! use countersign::{EntityBody, Target};
//!
//! type Error = Box<dyn std::error::Error + Send + Sync>;
//!
//! struct Auth {
//!     client: Mutex<Client>,
//!     /// The prompt lock.
//!     prompt: tokio::sync::Mutex<()>,
//! }
//!
//! impl Auth {
//!     async fn get(&self, uri: &str) -> Result<Response, Error> {
//!         let target = Target::new("GET", uri);
//!         let mut exchange = Exchange::new();
//!         loop {
//!             let answer = self.client.lock().unwrap().authorize(&mut exchange, &target)?.cloned();
//!             let response = send(uri, answer).await;
//!             let (status, fields) = (response.status, |name| response.all(name));
//!             let body = EntityBody::Unknown;
//!             let next = self.client.lock().unwrap().received(&mut exchange, status, fields, body)?;
//!             match next {
//!                 Next::Done(_) => return Ok(response),
//!                 Next::GiveUp(why) => return Err(why.into()),
//!                 Next::Retry => {}
//!                 Next::Login(ask) => {
//!                     let _prompt = self.prompt.lock().await;
//!                     let is_wanted = self.client.lock().unwrap().wants(&ask);
//!                     if is_wanted {
//!                         // It shows the endpoint, the realm and the scheme.
//!                         let (name, password) = prompt(&ask).await;
//!                         match self.client.lock().unwrap().login(&ask, &name, &password) {
//!                             // Superseded: if a login is still needed, a new ask comes.
//!                             Ok(()) | Err(LoginError::Superseded) => {}
//!                             Err(why) => return Err(why.into()),
//!                         }
//!                     }
//!                 }
//!             }
//!             response.drain().await;
//!         }
//!     }
//! }
//! # use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
//! # use countersign::FieldValue;
//! # use countersign::client::{Endpoint, Policy};
//! # static PROMPTS: AtomicU32 = AtomicU32::new(0);
//! # static DRAINED: AtomicU32 = AtomicU32::new(0);
//! # struct Response { status: u16 }
//! # impl Response {
//! #     fn all(&self, name: &str) -> &[&str] {
//! #         match name {
//! #             "www-authenticate" if self.status == 401 => {
//! #                 &[r#"Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256"#]
//! #             }
//! #             _ => &[],
//! #         }
//! #     }
//! #     async fn drain(self) {
//! #         DRAINED.fetch_add(1, Relaxed);
//! #     }
//! # }
//! # async fn send(_: &str, answer: Option<FieldValue>) -> Response {
//! #     tokio::task::yield_now().await;
//! #     Response { status: if answer.is_some() { 200 } else { 401 } }
//! # }
//! # async fn prompt(_: &Ask) -> (String, String) {
//! #     PROMPTS.fetch_add(1, Relaxed);
//! #     tokio::task::yield_now().await;
//! #     ("Mufasa".to_owned(), "Circle of Life".to_owned())
//! # }
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Error> {
//!
//! let endpoint = Endpoint::origin("https", "example.com", None)?;
//! let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//! let auth = Arc::new(Auth { client: Mutex::new(client), prompt: Default::default() });
//! let mut tasks = tokio::task::JoinSet::new();
//! for _ in 0..40 {
//!     let auth = Arc::clone(&auth);
//!     tasks.spawn(async move { auth.get("/").await.map(|response| response.status) });
//! }
//! while let Some(status) = tasks.join_next().await {
//!     assert_eq!(status??, 200);
//! }
//! # assert_eq!((PROMPTS.load(Relaxed), DRAINED.load(Relaxed)), (1, 40));
//! # Ok(())
//! # }
//! ```
