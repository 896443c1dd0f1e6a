//! The client side of authentication: it answers challenges and checks the server's proof.
//!
//! A [`Client`] holds the credentials for one origin or proxy, and an [`AuthCache`] holds the
//! clients of many. Neither sends anything. Tell the client what arrived, and it says what to do
//! next:
//!
//! ```
//! use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//! use countersign::{EntityBody, Target};
//!
//! fn fetch(client: &mut Client, uri: &str) -> Result<Response, Box<dyn std::error::Error>> {
//!     let target = Target::new("GET", uri).with_body(EntityBody::Bytes(b""));
//!     let mut exchange = Exchange::new();
//!     loop {
//!         let response = send("GET", uri, client.authorize(&mut exchange, &target)?);
//!         let body = EntityBody::Bytes(&response.body);
//!         let field = |name| response.all(name);
//!         match client.received(&mut exchange, response.status, field, body)? {
//!             Next::Done(_) => return Ok(response),
//!             Next::Retry => {}
//!             Next::Login(ask) => client.login(&ask, "Mufasa", "Circle of Life")?,
//!             Next::GiveUp(why) => return Err(why.into()),
//!         }
//!     }
//! }
//!
//! # // Stands for the HTTP library.
//! # struct Response { status: u16, body: Vec<u8> }
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
//! # fn send(_: &str, _: &str, authorization: Option<&countersign::FieldValue>) -> Response {
//! #     let status = if authorization.is_some() { 200 } else { 401 };
//! #     Response { status, body: Vec::new() }
//! # }
//! let endpoint = Endpoint::origin("https", "example.com", None)?;
//! let mut client = Client::new(endpoint, Policy::new().without_basic(), &mut getrandom::SysRng)?;
//! let response = fetch(&mut client, "/dir/index.html")?;
//! assert_eq!(response.status, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Pass the client every value of a repeated field. An HTTP library that keeps only one value of
//! `WWW-Authenticate` may hide the stronger of two challenges.
//!
//! A password belongs to an origin. Any server can choose any realm name, so check
//! [`Ask::endpoint`] as well as the realm before you log in.
//!
//! # States
//!
//! A client keeps one protection space per realm that challenged it, up to eight.
//!
//! | the space | on a challenge | on a login | on a request | on any other response |
//! |---|---|---|---|---|
//! | does not exist | becomes `Chosen` | [`Superseded`](LoginError::Superseded) | no answer | checks the proof, if the request carried an answer |
//! | is `Chosen`: challenged, not logged in | takes the new nonce | becomes `Ready` | no answer | checks the proof, if the request carried an answer |
//! | is `Ready`: logged in | takes the new nonce, or becomes `Chosen` if the credentials were refused | replaces the login | an answer, if the request is within the space | checks the server's proof, takes the next nonce |
//!
//! The full tables, the rules for giving up, and what happens to answers that were sent before the
//! server asked, are in [`states`].
//!
//! # Several tasks
//!
//! All tasks that talk to one server share its client. Keep it behind a lock, and hold the lock for
//! one call only, never while a request is in flight or a user types. An [`Exchange`] belongs to
//! one task. An answer borrows the exchange and not the client, so it outlives the lock guard.
//!
//! When several tasks are asked for a login at once, one of them prompts the user. The others wait,
//! and then check whether the login is still [wanted](Client::wants). The cookbook has [an
//! example](crate::manual::cookbook::tasks#one-cache-for-all-threads).

// A module imports from those above it on this page only.

mod ambiguous;
mod generator;
mod inline_bytes;
mod skip_reason;
mod strength;

mod counts;
mod endpoint;
mod policy;
mod sent;
mod strengths;

mod allowed;
mod ask;
mod paths;
mod proof;

mod next;
mod nonce;

mod login;
mod selector;

mod answer;
mod exchange;

mod refused;

mod space;

mod spaces;

#[expect(clippy::module_inception, reason = "it defines the type `Client`")]
mod client;

mod cache;
mod readiness;
pub mod states;

mod authorize;
mod response;

pub use answer::AuthorizeError;
pub use ask::Ask;
pub use cache::AuthCache;
pub use client::Client;
pub use endpoint::{Endpoint, UnknownPort};
pub use exchange::Exchange;
pub use login::LoginError;
pub use next::{GiveUp, Next};
pub use policy::Policy;
pub use proof::{ServerProof, ServerProofError};
pub use readiness::Readiness;
pub use skip_reason::SkipReason;
pub use strength::{Strength, UnknownStrength};
