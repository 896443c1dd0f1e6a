//! The client side: [`AuthClientLayer`] answers challenges, with one login for all requests.
//!
//! ```
//! use countersign::client::{Account, AuthCache, Endpoint, Policy};
//! use countersign_tower::client::AuthClientLayer;
//! use http::Request;
//! use http_body_util::Empty;
//! use tower::{Layer, Service, ServiceExt};
//!
//! # async fn fetch<S>(http: S) -> Result<(), Box<dyn std::error::Error>>
//! # where
//! #     S: Service<Request<Empty<bytes::Bytes>>, Response = http::Response<String>>,
//! #     S: Clone + Send + 'static,
//! #     S::Error: std::error::Error + Send + 'static,
//! #     S::Future: Send,
//! # {
//! let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
//! let origin = Endpoint::origin("https", "example.com", None)?;
//! cache.add_account(&origin, Account::new("Mufasa", "Circle of Life").for_realm("files"))?;
//! // `http` is the client, such as that of hyper-util.
//! let client = AuthClientLayer::new(cache).layer(http);
//! let request = Request::get("https://example.com/dir/index.html").body(Empty::new())?;
//! let response = client.oneshot(request).await?;
//! # let _ = response;
//! # Ok(())
//! # }
//! # let _ = fetch::<tower::util::BoxCloneService<_, _, std::io::Error>>;
//! ```
//!
//! # What a response tells
//!
//! A response has a [`ServerProof`](countersign::client::ServerProof) in its extensions if it asks
//! for no credentials, and a [`LoginFailure`] if it does, which says why none were sent or that
//! they were wrong. It has neither if [the request had
//! credentials](#requests-with-credentials-of-their-own) before. A 407 that the layer [does not
//! answer](AuthClientLayer::with_proxy) counts as asking for none.
//!
//! # Redirects
//!
//! The layer follows none, and credentials never go to another origin than the one they were asked
//! for by. Put a layer that follows redirects around this one, not inside: it then repeats the
//! request without the `Authorization` that this layer added, and this one answers for the new
//! request as its origin asks.
//!
//! # Limits of time
//!
//! Put a limit around this layer: `tokio::time::timeout`, for example. It also counts the time that
//! a [user](Credentials) takes to type. The layer itself waits for three seconds at most for [another
//! answer](AuthClientLayer), and reads the body of a challenge that it answers, so that its connection
//! can be used again: up to 64 KiB, and for two seconds at most.
//!
//! # Requests with credentials of their own
//!
//! A request that already has an `Authorization` field, such as one for another scheme, is sent as
//! it is, and a 401 to it is returned. The same holds for `Proxy-Authorization`.

// A module imports from those above it on this page only.

mod credentials; // Who knows the passwords.
mod error;
mod failure; // Why nobody is logged in.
mod replay; // Bodies that can be sent again.

mod prompt; // One at a time.
mod time; // Limits of time, on any runtime.
#[doc(hidden)]
pub mod transport;
mod trial; // The first answer goes alone. // What the loop needs of an HTTP library.

mod drain; // Responses that are not used.
mod logins; // Those under way.
mod messages; // The `http` crate and tower services, for the loop.
mod shared; // The cache, behind a lock.

mod settings;

mod hop; // A server that a request passes.

mod send; // The loop.

mod redirect; // The loop around it, which follows redirects.
mod send_error;

mod service;

mod layer;

pub use credentials::Credentials;
pub use error::AuthClientError;
pub use failure::LoginFailure;
pub use layer::AuthClientLayer;
pub use replay::{Once, Replay};
pub use service::AuthClient;

#[doc(hidden)]
pub use drain::drain_body;
#[doc(hidden)]
pub use send_error::{Refused, SendError, SetupError};
