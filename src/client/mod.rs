//! The client's side of one origin or proxy.
//!
//! A [`Client`] never sends anything. It is told what arrived and says what to do next:
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
//! # // What the HTTP library would bring.
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
//! # States
//!
//! A client keeps a protection space for each realm that it was challenged for, up to eight.
//!
//! | the space is | a challenge | a login | a request | a response |
//! |---|---|---|---|---|
//! | not there | makes it: `Chosen` | is superseded | goes without an answer | |
//! | `Chosen`: challenged, nobody is logged in | takes its nonce | makes it `Ready` | goes without an answer | |
//! | `Ready`: logged in | takes its nonce; or, if it refuses the credentials, makes it `Chosen` | replaces the one before | carries an answer, if it is in the space | is checked for the server's own proof |
//!
//! What exactly follows from a challenge, and when a client gives up, is the table of [`states`].
//!
//! # Several tasks
//!
//! One client serves all tasks that talk to one server: keep it behind a lock, which is held for the
//! call alone and not while a request is under way or a user types. An [`Exchange`] belongs to its
//! task, and the answer borrows that and not the client. When several tasks are asked for a login at
//! once, one of them asks the user, and the others wait for it and then look whether the login is
//! still [wanted](Client::wants); if not, they send their requests again.

// A module imports from those above it on this page only.

mod ambiguous;
mod policy;
mod readiness;
mod seed;
mod short;
mod skip_reason;
mod strength;

mod counts;
mod endpoint;
mod strengths;

mod ask;
mod paths;
mod proof;

mod next;
mod nonce;

mod login;
mod selector;
mod sent;

mod authorize;
mod exchange;

mod refused;

mod space;

mod spaces;

#[expect(clippy::module_inception, reason = "it is the noun of the folder")]
mod client;

mod cache;
pub mod states;

pub use ask::Ask;
pub use authorize::AuthorizeError;
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
