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
//!             // Another realm may belong to another user of this server.
//!             Next::Login(ask) if ask.realm() != b"files" => return Err("another realm".into()),
//!             Next::Login(ask) => client.login(&ask, "Mufasa", "Circle of Life")?,
//!             Next::GiveUp(why) => return Err(why.into()),
//!         }
//!     }
//! }
//!
//! # // Stands for the HTTP library.
//! # struct Response { status: u16, body: Vec<u8>, challenge: &'static str }
//! # impl Response {
//! #     fn all(&self, name: &str) -> Option<&str> {
//! #         (name == "www-authenticate").then_some(self.challenge)
//! #     }
//! # }
//! # fn send(_: &str, uri: &str, authorization: Option<&countersign::FieldValue>) -> Response {
//! #     assert!(!authorization.is_some_and(|it| it.as_bytes().starts_with(b"Basic ")));
//! #     let (is_other, challenge) = match uri {
//! #         "/~mallory/" => (true, r#"Basic realm="x""#),
//! #         "/~mallory/same/" => (true, r#"Basic realm="files""#),
//! #         _ => (false, r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#),
//! #     };
//! #     let status = if is_other || authorization.is_none() { 401 } else { 200 };
//! #     Response { status, body: Vec::new(), challenge }
//! # }
//! let endpoint = Endpoint::origin("https", "example.com", None)?;
//! // The account is for Digest. Another user of the server can ask for it by Basic, in this realm
//! // too.
//! let policy = Policy::new().without_basic();
//! let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
//! # for uri in ["/~mallory/", "/~mallory/same/"] {
//! #     assert!(fetch(&mut client, uri).is_err(), "nothing is proved yet");
//! # }
//! let response = fetch(&mut client, "/dir/index.html")?;
//! assert_eq!(response.status, 200);
//! # for uri in ["/~mallory/", "/~mallory/same/"] {
//! #     assert!(fetch(&mut client, uri).is_err());
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Pass the client every value of a repeated field. An HTTP library that keeps only one value of
//! `WWW-Authenticate` may hide the stronger of two challenges.
//!
//! A password belongs to an origin, a realm and a scheme: check [`Ask::endpoint`], [`Ask::realm`]
//! and [`Ask::scheme`] before you log in. Anyone who controls some paths of the origin can name a
//! new realm or the same one, and ask for the password by Basic: until a realm has proved Digest,
//! no [`Strength`] is required of it. [`Policy::without_basic`] does the third check for all
//! logins.
//!
//! # States
//!
//! A client keeps one protection space per realm whose challenge it chose, up to eight. In short:
//!
//! | the space | on a challenge | on a login | on a request | on any other response |
//! |---|---|---|---|---|
//! | does not exist | becomes `Chosen` | [`Superseded`](LoginError::Superseded) | no answer | checks the server's proof |
//! | is `Chosen`: challenged, not logged in | takes the new nonce | becomes `Ready` | no answer | checks the server's proof |
//! | is `Ready`: logged in | takes the new nonce, or becomes `Chosen` if the credentials were refused | replaces the login | an answer, if the request is within the space | checks the server's proof, takes the next nonce |
//!
//! Nonces and proofs are Digest's: there is a proof to check only if the request carried a Digest
//! answer. A login with a secret that was just refused is
//! [`AlreadyRefused`](LoginError::AlreadyRefused). The full tables, the rules for giving up, and
//! what happens to answers that were sent before the server asked, are in [`states`].
//!
//! # Several tasks
//!
//! All tasks that talk to one server for one account share its client. Keep it behind a lock, and
//! hold the lock for one call only, never while a request is in flight or a user types. An
//! [`Exchange`] belongs to one task. An answer borrows the exchange and not the client, so it
//! outlives the lock guard.
//!
//! When several tasks are asked for a login at once, let one of them prompt the user. Let the
//! others wait, and then check whether the login is still [wanted](Client::wants). See
//! [many requests at once](crate::manual::client#many-requests-at-once).

// A module imports from those above it on this page only.

// Types that depend on no other module of this folder.
mod ambiguous; // Paths that servers may resolve in different ways, such as those with `..`.
mod generator; // Cnonces, derived from one seed.
mod inline_bytes; // Short byte strings stored without an allocation.
mod meaning; // What the status of a response says about credentials.
mod skip_reason; // Why a challenge is not answered.
mod space_id; // The number of a protection space.
mod strength; // How strong credentials are: from Basic to Digest with SHA-2.

mod counts; // The nonce counts that were sent.
mod endpoint; // The origin or proxy: scheme, host, port and channel.
mod policy; // The settings. `allowed` interprets them.
mod strengths; // The minimum strength for each realm, against downgrades.

mod request; // The method and the request-target of a request.

mod evidence; // What responses have shown about the secret of a Digest login.

mod sent; // What the last Digest answer of an exchange was made from.

mod allowed; // What a policy allows, and how it answers.
mod ask; // The request for a login: who asks, and in what form the password will be sent.
mod paths; // Where credentials may be sent before the server asks (`domain`, folders).
mod proof; // The check of `rspauth`, and its results.

mod next; // What to do after a response, and the reasons for giving up.
mod nonce; // The current Digest challenge, unescaped, and whether its nonce may be used.

mod login; // A user's name and secret, encoded for Digest or Basic, and `LoginError`.
mod selector; // Which of several challenges is answered.

mod answer; // The computation of a Digest answer, and `AuthorizeError`.
mod exchange; // One request with its retries.

mod refused; // The secrets that the server refused, and when they may be used again.

// A realm's challenge, login, paths and refused secrets; then all realms of a client.
mod space;

mod spaces;

// The client: its constructors and logins. The methods for a request follow below.
#[expect(clippy::module_inception, reason = "it defines the type `Client`")]
mod client;

mod cache; // The clients of many endpoints.
mod readiness; // `Client::covers` and `Client::readiness`.
pub mod states; // The rules of the transitions, for retrying and for giving up.
mod verdict; // What a refusal says about the secret.

mod transitions; // What the client does at a challenge and at another response.

mod authorize; // `Client::authorize`.
mod response; // `Client::received`, `challenged` and `completed`.

#[cfg(test)]
mod model; // All states that a small alphabet of messages leads to.

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
