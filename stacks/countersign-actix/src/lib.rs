//! HTTP Basic and Digest authentication for actix-web 4, on [`countersign_tower`].
//!
#![cfg_attr(feature = "getrandom", doc = "```no_run")]
#![cfg_attr(not(feature = "getrandom"), doc = "```ignore")]
//! use actix_web::{App, HttpServer, web};
//! use countersign_actix::{AuthLayer, Authenticator, Channel, Identity, Login, Realm, UserMap};
//!
//! async fn hello(user: Identity<UserMap>) -> String {
//!     format!("hello {}\n", user.account())
//! }
//!
//! #[actix_web::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let realm = Realm::new("files")?;
//!     let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
//!     let auth = Authenticator::from_os_rng(realm, 10_000)?;
//!     // Made once, outside of the closure, which is called for each worker. `Encrypted` where
//!     // clients reach the server by TLS: then Basic may be offered, too.
//!     let login = Login::new(AuthLayer::new(auth, Channel::Cleartext, users));
//!     HttpServer::new(move || {
//!         let files = web::scope("/files").wrap(login.clone());
//!         App::new().service(files.route("/{name}", web::get().to(hello)))
//!     })
//!     .bind("127.0.0.1:3000")?
//!     .run()
//!     .await?;
//!     Ok(())
//! }
//! ```
//!
//! ```sh
//! curl --digest --user 'Mufasa:Circle of Life' http://127.0.0.1:3000/files/x
//! ```
//!
//! Users in a database, other areas, a limit for guesses, events for the log, logins that are optional, and
//! bodies that the response covers (`qop=auth-int`) are settings of the [`AuthLayer`]: see
//! [`AuthLayer::builder`] and [`AuthLayer::area`]. Give each area a [`Login`] and a scope of its own.
//! The limiter counts by the address of the connection; behind a reverse proxy see
//! [`Login::behind_proxy`].
//!
//! | handler or client | gets |
//! |---|---|
//! | a handler with [`Identity`], and no [`Login`] with its user store around it | 500 |
//! | a request that another middleware around [`Login`] has given another path, such as `NormalizePath` | 400 by Digest, because the client signed the path as it was: put a [`ClientUri`] into the extensions of the request before, or add `NormalizePath` within |
//! | all others that are refused | [the statuses of the layer](countersign_tower::server#responses), with an empty body |
//!
//! A server that is a proxy or gateway to servers which are not trusted with logins needs
//! countersign-tower itself: what it removes from requests and responses, this crate leaves.
//!
//! # Features
//!
//! - `getrandom` (default): [`Authenticator::from_os_rng`].
//! - `md5` (default): the MD5 algorithms of Digest, which most clients need.
//! - `tracing`: events for `tracing`, as in [`countersign_tower`].
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod head;
mod identity;
mod payload;

mod login;

pub use countersign::Channel;
pub use countersign::server::{Authenticator, Realm};
pub use countersign_tower::server::{
    AuthLayer, ClientAddress, ClientUri, ForwardedLayer, Limiter, UserMap, Users,
};
pub use identity::Identity;
pub use login::{Login, LoginService};

/// Re-exported because their types are part of this crate's API.
pub use {countersign, countersign_tower};

/// Tests the code in the README together with the documentation.
#[cfg(all(doctest, feature = "getrandom"))]
#[doc = include_str!("../README.md")]
struct Readme;
