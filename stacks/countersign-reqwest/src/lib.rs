//! HTTP Basic and Digest authentication for [reqwest], on [`countersign`].
//!
//! ```no_run
//! use countersign_reqwest::{Account, Auth, SendWith};
//!
//! # async fn get() -> Result<(), Box<dyn std::error::Error>> {
//! let client = reqwest::Client::new();
//! let auth = Auth::new("https://example.com", Account::new("Mufasa", "Circle of Life"))?;
//! let response = client.get("https://example.com/dir/").send_with(&auth).await?;
//! # let _ = response;
//! # Ok(())
//! # }
//! ```
//!
//! Everything else of the request stays as it is: queries, JSON, forms, timeouts, cookies. An
//! [`Auth`] is made once, for all tasks and all hosts; each account answers its own origin, and a
//! request to any other is sent without an answer.
//!
//! # What an error tells
//!
//! A 401 that could not be answered is an error, also that of an origin without an account: see
//! [`Error`]. Each other response is `Ok`, such as the 429 of a server's limiter, and the 407 of a
//! proxy unless [proxies](#proxies) are answered. A response has a
//! [`ServerProof`](countersign::client::ServerProof) in its extensions, but not always if reqwest has
//! followed a redirect.
//!
//! A request that already has an `Authorization` is sent as it is, and its response is `Ok` whatever
//! the status. That is also the case if the URL of a request builder has a user name: reqwest makes
//! Basic credentials of it, and sends them unasked. In [`Auth::execute`] that name has no meaning.
//!
//! # Bodies
//!
//! A body in memory is refused first and then sent again, unless an answer is at hand. A stream, or a
//! `multipart` form, is sent once: if it is challenged, the error is
//! [`NotRepeatable`](LoginFailure::NotRepeatable). Make it anew and send it again, because its
//! challenge is known by then. `qop=auth-int` covers bodies in memory only.
//!
//! **Before each body above some 100 KB, and each stream, send a GET to the same URL.** Many servers,
//! and axum is one, refuse a request before they have read its body, and close the connection: now and
//! then, the error is reqwest's, such as a broken pipe, and tells of no login. The GET may end with 404
//! or 405, if the server asks for the login there. It also asks a person, and tells a wrong password.
//!
//! Some servers close the connection after a 401 without saying so. If the request that follows
//! fails, it is sent once more, but only with an idempotent method: a POST may have been done.
//!
//! A limit of time of the client or of the request is one for each request that is sent. Put
//! `tokio::time::timeout` around all of them.
//!
//! # Redirects
//!
//! With [`redirect::Policy::none`](reqwest::redirect::Policy::none) and
//! [`without_redirects`](Auth::without_redirects), which suits most APIs, what is refused was not done:
//! it is sent again, and a wrong password is told. The policy is also what an account
//! [`with_basic`](Account::with_basic) needs: a redirect takes its password along to any path of the
//! origin.
//!
//! Otherwise reqwest follows redirects by itself. It sends no `Authorization` to another host or port,
//! but repeats it within the origin, where an answer of Digest is for the first URL and is refused. Then
//! a GET, HEAD or PROPFIND is sent again to the last URL, with its body if it has one, and an answer
//! for that. Where the redirect led to another origin, even one with an account, and for other
//! methods, the error is [`Redirected`](LoginFailure::Redirected): no server may choose where else a
//! program logs in. It can still choose the path of a GET within an origin, by a redirect that comes
//! back, and a single sign-on that leads through another origin ends so.
//!
//! A form may lead back to its own URL (303), of which reqwest does not tell: the GET that it sends
//! then is refused, and looks like a refusal of the form. So a request that may change something is not
//! sent again after its answer was refused, unless the server calls a nonce stale that it has not just
//! given: the error is [`MaybeDone`](LoginFailure::MaybeDone). The same comes
//!
//! - of a wrong password, **which is sent again with each such request**: stop at that, and send a GET,
//!   which tells it, and asks a person again;
//! - of a nonce that is old, used, or for another URL or method, if the server does not call it stale:
//!   the request gets in if it is sent again, or is a guest's where guests are let in.
//!   [`Quirk::OnlyWhenAsked`](countersign::client::Quirk::OnlyWhenAsked) is for such servers.
//!
//! What can still be done twice:
//!
//! - a form whose nonce expires while it is done, or one with an answer at hand, at a server that calls
//!   a used count stale, as libmicrohttpd does from 0.9.76 on;
//! - a PUT or DELETE with status 301 or 302 back to its own URL, which reqwest repeats.
//!
//! A GET that leads back to its own URL looks like a wrong password, where a used count is refused and
//! not called stale.
//!
//! # Users
//!
//! A client with a cookie store keeps what a server remembers of a login. Give each user a client of
//! their own.
//!
//! # Proxies
//!
//! By Basic, [`reqwest::Proxy::basic_auth`] logs in to a proxy. By Digest it is possible for `http`
//! URLs, with [`AuthClientLayer::with_proxy`] and an [`Auth`] made from the layer. Then the answers
//! also go to each `http` server that reqwest reaches without the proxy: give such an `Auth` to no
//! other client, and no `NO_PROXY` to that one. The tunnel of an `https` URL is made within reqwest,
//! where its 407 is an error.
//!
//! # Features
//!
//! - `md5` (default): the MD5 algorithms of Digest, which many devices need.
//! - `middleware`: an [`Auth`] is a middleware of [reqwest-middleware].
//!
//! [reqwest]: https://docs.rs/reqwest
//! [reqwest-middleware]: https://docs.rs/reqwest-middleware
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

// A module imports from those above it on this page only.

mod error;
mod request; // Requests, for the loop of countersign-tower.
mod response; // Responses, for the same.

mod auth;
mod send_with;

#[cfg(feature = "middleware")]
mod middleware;

pub use auth::Auth;
pub use error::{Error, Refused, SetupError};
pub use send_with::SendWith;

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
