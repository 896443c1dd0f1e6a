//! HTTP Basic and Digest authentication for programs that block, on [`countersign`]: with [ureq] 3,
//! reqwest's blocking client, and any other library that sends one request at a time.
//!
//! ```no_run
//! # #[cfg(feature = "ureq")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use countersign_blocking::{Account, Auth};
//!
//! let auth = Auth::new("http://camera.local", Account::new("admin", "secret"))?;
//! let agent = auth.agent(|config| config); // in place of `ureq::Agent::new_with_defaults()`
//! let mut picture = agent.get("http://camera.local/snapshot.jpg").call()?;
//! std::fs::write("snapshot.jpg", picture.body_mut().read_to_vec()?)?;
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "ureq"))]
//! # fn main() {}
//! ```
//!
//! Everything else of an agent is as in ureq. For another library, see [`Auth::send_by`].
//!
//! # What an error tells
//!
//! A 401 that could not be answered is an error, also that of an origin without an account:
//! [`Error::WrongCredentials`] if the password is wrong, else [`Error::Login`]. A request that already
//! has an `Authorization` is sent as it is, and its response is `Ok` whatever the status. A URL with a
//! user name is an error: give that to the [`Account`].
//!
//! # Bodies
//!
//! They are read into memory, because they may have to be sent again. **Before each body above some
//! 100 KB, [`log_in`](Auth::log_in_by).** Many servers refuse a request before they have read its body,
//! and close the connection: now and then, the error is the library's, such as a broken pipe, and
//! tells of no login.
//!
//! # Threads
//!
//! They share one login. Of those that are challenged at once, one sends its answer alone, and the
//! others wait for the response, for three seconds at most. So a wrong password is sent once, and locks
//! no account. After a [`log_in`](Auth::log_in_by), nobody waits.
//!
//! # Redirects
//!
//! They are followed by this crate, and each request is answered for its own URL: by an account of the
//! origin that the redirect leads to, if there is one, and else not at all. Across origins,
//! `Authorization` and `Cookie` are left out, and only GET, HEAD and PROPFIND log in.
//!
//! # Limits of time
//!
//! They are those of the library, for each request that is sent. The body of a 401 is read by them, too,
//! and ureq has none by default.
//!
//! # The password is right, and it is refused
//!
//! - *The field name.* Some devices compare `Authorization` by case. ureq writes `authorization`, and
//!   has no setting for that. reqwest has `http1_title_case_headers`.
//! - *The challenge is in another field*, such as `X-WWW-Authenticate`: the error is
//!   [`NoUsableChallenge`](countersign::client::GiveUp::NoUsableChallenge) without a reason. Copy it to
//!   `WWW-Authenticate` in the `send` of [`Auth::send_by`].
//! - *Nonces are good once*, and the server does not say `stale`:
//!   [`Quirk::OnlyWhenAsked`](countersign::client::Quirk::OnlyWhenAsked).
//! - *A cookie* of the 401 has to come back with the answer: turn on ureq's feature `cookies`.
//!
//! # Features
//!
//! - `md5` (default): the MD5 algorithms of Digest, which many devices need.
//! - `ureq`: `Auth::agent` and `Auth::log_in`.
//!
//! [ureq]: https://docs.rs/ureq
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// A module imports from those above it on this page only.

mod request; // Requests, for the loop of countersign-tower.
mod response; // Responses, for the same.

mod calls; // What sends a request.

mod auth;

#[cfg(feature = "ureq")]
mod agent; // Agents of ureq.

pub use auth::{Auth, Error, SetupError};

#[cfg(feature = "ureq")]
pub use agent::UreqError;

/// Re-exported because their types are part of this crate's API.
pub use {countersign, countersign_tower};

#[doc(no_inline)]
pub use countersign::client::Account;
#[doc(no_inline)]
pub use countersign_tower::client::{AuthClientLayer, Credentials, LoginFailure};

/// Tests the code in the README together with the documentation.
#[cfg(all(doctest, feature = "md5", feature = "ureq"))]
#[doc = include_str!("../README.md")]
struct Readme;
