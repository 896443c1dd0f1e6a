//! HTTP Basic and Digest authentication for [reqwest], on [`countersign`].
//!
//! ```no_run
//! use countersign_reqwest::{Account, Client};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let account = Account::new("Mufasa", "Circle of Life");
//!     let client = Client::new("https://example.com", account)?;
//!     let response = client.get("https://example.com/dir/").send().await?;
//!     println!("{}", response.text().await?);
//!     Ok(())
//! }
//! ```
//!
//! Everything else of a request is as in reqwest: queries, JSON, forms, timeouts, cookies. A
//! [`Client`] is made once, for all tasks and all hosts; each account answers its own origin, and a
//! request to any other is sent without an answer.
//!
//! # What an error tells
//!
//! A 401 that could not be answered is an error, also that of an origin without an account: see
//! [`Error`]. Each other response is `Ok`, such as the 429 of a server's limiter, and the 407 of a
//! proxy unless [proxies](#proxies) are answered. A response has a
//! [`ServerProof`](countersign::client::ServerProof) in its extensions.
//!
//! A request that already has an `Authorization` is sent as it is, and its response is `Ok` whatever
//! the status. A URL with a user name or a password is an error: reqwest would send them unasked, by
//! Basic.
//!
//! # Bodies
//!
//! A body in memory is refused first and then sent again, unless an answer is at hand. A stream, or a
//! `multipart` form, is sent once: if it is challenged, the error is
//! [`NotRepeatable`](LoginFailure::NotRepeatable). Make it anew and send it again, because its
//! challenge is known by then. `qop=auth-int` covers bodies in memory only.
//!
//! **Before each body above some 100 KB, and each stream, [`log_in`](Client::log_in).** Many servers,
//! and axum is one, refuse a request before they have read its body, and close the connection: now and
//! then, the error is reqwest's, such as a broken pipe, and tells of no login.
//!
//! # Why a request was not sent again
//!
//! Its body can be sent only once ([`NotRepeatable`](LoginFailure::NotRepeatable)). Or a redirect from
//! another origin has led it there, and it may change something ([`Redirected`](LoginFailure::Redirected)).
//! Or there is no login, or no right one (the other [`LoginFailure`]s). Or the connection broke: some
//! servers close it after a 401 without saying so. Then the request that follows is sent once more,
//! but only with an idempotent method, because a POST may have been done; the error is reqwest's.
//!
//! # Limits of time
//!
//! A limit of the [request](RequestBuilder::timeout) counts all that it takes: challenges, redirects, and
//! waits for a user or another task. It ends no such wait, but the request that would follow. A limit
//! of reqwest's client is for each request that is sent.
//!
//! # Many tasks
//!
//! They share one login. Of those that are challenged at once, one sends its answer alone, and the
//! others wait for the response, for three seconds at most. So a wrong password is sent once, and locks
//! no account. After a [`log_in`](Client::log_in), nobody waits.
//!
//! # Redirects
//!
//! They are followed as by reqwest, without `Referer`, and each request is answered for its own URL: by
//! an account of the origin that the redirect leads to, if there is one, and else not at all. Across
//! origins, only methods that read, such as GET, HEAD and PROPFIND, log in. Otherwise a server could
//! change something at another in the program's name: see [`Redirected`](LoginFailure::Redirected).
//!
//! Across origins, the request's own `Authorization` and `Cookie` are left out. Those in
//! [`default_headers`](reqwest::ClientBuilder::default_headers) of reqwest are not, because reqwest adds
//! them to each request: use those of the [`ClientBuilder`]. A redirect with a user name in its URL is
//! followed without it.
//!
//! # Users
//!
//! A client with a cookie store keeps what a server remembers of a login. Give each user a client of
//! their own.
//!
//! # Proxies
//!
//! By Basic, [`reqwest::Proxy::basic_auth`] logs in to a proxy. By Digest it is possible for `http`
//! URLs, with [`AuthClientLayer::with_proxy`] and a [`Client`] made with the layer. Then the answers
//! also go to each `http` server that reqwest reaches without the proxy: give such a client no
//! `NO_PROXY`. The tunnel of an `https` URL is made within reqwest, where its 407 is an error.
//!
//! # The password is right, and it is refused
//!
//! - *The field name.* Some devices compare `Authorization` by case:
//!   [`http1_title_case_headers`](reqwest::ClientBuilder::http1_title_case_headers).
//! - *The challenge is in another field*, such as `X-WWW-Authenticate`: the error is
//!   [`NoUsableChallenge`](countersign::client::GiveUp::NoUsableChallenge) without a reason. A middleware
//!   that is added to `Client::with_middleware` can copy it.
//! - *One nonce for all*, or one for each request, and no `stale`: another program's request voids it.
//!   Send one request at a time, or set [`Quirk::OnlyWhenAsked`](countersign::client::Quirk::OnlyWhenAsked),
//!   and try again before you ask a person.
//! - *A cookie* of the 401 has to come back with the answer:
//!   `cookie_store` of [`reqwest::ClientBuilder`].
//!
//! # Features
//!
//! - `md5` (default): the MD5 algorithms of Digest, which many devices need.
//! - `form`, `json`, `multipart`, `query`: these methods of [`RequestBuilder`].
//! - `middleware`: clients of [reqwest-middleware].
//!
//! [reqwest]: https://docs.rs/reqwest
//! [reqwest-middleware]: https://docs.rs/reqwest-middleware
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// A module imports from those above it on this page only.

mod error;
mod request; // Requests, for the loop of countersign-tower.
mod response; // Responses, for the same.

mod client;
mod request_builder;

#[cfg(feature = "middleware")]
mod middleware;

pub use client::{Client, ClientBuilder};
pub use error::{Error, Refused, SetupError};
pub use request_builder::RequestBuilder;

/// Re-exported because their types are part of this crate's API.
pub use {countersign, countersign_tower};

#[doc(no_inline)]
pub use countersign::client::Account;
#[doc(no_inline)]
pub use countersign_tower::client::{AuthClientLayer, Credentials, LoginFailure};

/// Tests the code in the README together with the documentation.
#[cfg(all(doctest, feature = "md5", feature = "middleware"))]
#[doc = include_str!("../README.md")]
struct Readme;
