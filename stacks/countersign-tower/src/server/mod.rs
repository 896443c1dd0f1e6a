//! The server side: [`AuthLayer`] lets requests with right credentials through, and refuses others.
//!
//! ```
//! use axum::routing::get;
//! use axum::{Extension, Router};
//! use countersign::Channel;
//! use countersign::server::{Authenticator, Realm};
//! use countersign_tower::server::{AuthLayer, Identity, UserMap};
//!
//! async fn hello(Extension(identity): Extension<Identity<UserMap>>) -> String {
//!     format!("hello {}", identity.account())
//! }
//!
//! let realm = Realm::new("files")?;
//! let users = UserMap::new(&realm, [("Mufasa", "Circle of Life")]);
//! let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
//! let layer = AuthLayer::new(auth, Channel::Encrypted, users);
//! let app: Router = Router::new().route("/", get(hello)).route_layer(layer);
//! # let _ = app;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What the layer is told about a connection it takes from the extensions of a request: the
//! [`Channel`](countersign::Channel), the [`ClientAddress`] for a limiter, and the [`ClientUri`] where
//! another layer has changed the URI. Behind a reverse proxy [`ForwardedLayer`] puts the first two
//! there. [`around`](crate::around) shows what else belongs around this layer or within it.
//!
//! # Areas
//!
//! Give each area a router with its own layer, made by [`AuthLayer::area`], and add it by axum's
//! `route_layer`, which protects the routes that the router has. A `fallback` stays open to
//! everybody. Where one serves or forwards requests, as in a proxy or gateway, add the layer by
//! `layer`, to the router that has this fallback. Of a router without a fallback `layer` protects the
//! unknown paths, too, but not below `nest`: these go to the fallback of the outer router. Once it is
//! merged, it does so for the whole program, in the realm of the router merged last. Below `nest`
//! enable the feature `axum`.
//!
//! Let a request pass one layer of an `Authenticator`, and not a second one within the first: each
//! check uses the nonce count up, so the second refuses it as a replay, and the client tries for ever
//! or gives up.
//!
//! Where the program chooses a service by the request in another way, such as by its host, wrap
//! each of these services in the layer of its realm, so that no request is checked against one
//! realm and served from another.
//!
//! # Order of steps
//!
//! 1. The channel and the request-target are determined. If the login is
//!    [optional](AuthLayer::with_optional_login), a request without credentials passes.
//! 2. The credentials are parsed and checked as far as possible without the user's secret.
//! 3. The [limiter](AuthLayerBuilder::with_limiter) is asked.
//! 4. If the response covers the body (`qop=auth-int`), the nonce is checked, the body is
//!    [read](AuthLayerBuilder::with_body_buffer), and step 2 is repeated, in case the nonce has expired.
//! 5. The [user store](Users) is asked.
//! 6. The response or the password is checked. The limiter is asked again, before anybody is told.
//! 7. The nonce count is recorded.
//! 8. An [`Identity`] is added to the extensions of the request, the credentials are
//!    [removed](self#proxies-and-gateways) by a proxy or gateway, and the wrapped service is
//!    called.
//! 9. Fields of [other challengers](self#proxies-and-gateways) are removed from its response and
//!    from the trailers by a proxy or gateway.
//! 10. After a Digest login its `Authentication-Info` is removed, and that of the layer added, if
//!     there is one: over a body of the response with `auth-int` there is none.
//!
//! # Proxies and gateways
//!
//! With a realm [for a proxy](countersign::server::Realm::for_proxy), the wrapped service forwards
//! requests to origins that must not learn or influence the login at the proxy. So the layer
//! removes `Proxy-Authorization` from each request that it lets through, and `Proxy-Authenticate`
//! and `Proxy-Authentication-Info` from each response of the service and from its trailers. It
//! answers 502 in place of a 407 of the service, which is one of an origin or of a next proxy. It
//! leaves `Authorization`, a 401 and `WWW-Authenticate`, which are between client and origin.
//!
//! With a realm for an origin, the service is part of the origin, so its fields are left, and so is
//! `Authorization`. If it is a gateway (a reverse proxy) to servers that must not learn the
//! passwords, call [`AuthLayerBuilder::for_gateway`], which needs the feature `gateway` as all
//! that follows does. The layer then removes `Authorization` from the
//! requests, and `WWW-Authenticate`, `Optional-WWW-Authenticate`, `Authentication-Info` and
//! `Authentication-Control` from the responses and their trailers, and answers 502 in place of a 401 of the service: by a challenge in
//! your realm's name those servers could ask your users for the password. It treats the fields of proxies and a 407
//! in the same way: to the client they would be those of its own proxy. It adds `private` to
//! `Cache-Control` of the responses to requests with a login, of which the servers cannot know, and
//! removes what would let shared caches store them: `public`, `s-maxage`, `X-Accel-Expires`,
//! `Surrogate-Control`, `Edge-Control`, and each field whose name ends in `-Cache-Control`. Fields
//! that only your cache knows are yours to remove.
//!
//! Protect all paths but those that you name: the server behind the gateway decodes the path once
//! more, so `/%66iles`, `//files` and `/x/../files` may be `/files` there, and other routes to your
//! router. An open route must be exact, without wildcards. Likewise two realms in front of one
//! server do not keep their users apart, unless paths that are not in normal form are refused
//! before.
//!
//! Wrap all other routes of the origin that you forward in a [`GatewayLayer`]: clients send their
//! credentials to these, too, and a challenge from there asks for the same password. If you tell
//! the servers the user in a field of your own, call [`remove_spellings`] first.
//!
//! [`on_event`](AuthLayerBuilder::on_event) is not told of these 502s: it has been told of the grant.
//!
//! A proxy or gateway also removes an `Upgrade` that offers anything but WebSocket, and
//! answers 502 in place of a 101 that was not offered. After an upgrade to HTTP/2 (`h2c`), the
//! requests on that connection would go past the layer, with their credentials. A gateway must not
//! forward `CONNECT`, also not the extended one of RFC 8441, nor trailers of requests, which may
//! contain `Authorization`.
//!
//! # Responses
//!
//! | status | for |
//! |---|---|
//! | 401, 407 | missing or wrong credentials, with a challenge for each algorithm |
//! | 400 | two credentials fields, credentials for another request-target, or a body that cannot be read |
//! | 403 | as 401, where nothing is offered on this channel |
//! | 413 | a body above the limit |
//! | 429 | the limiter's refusal, with `Retry-After` |
//! | 500 | credentials, where the limiter is told [no address](ClientAddress) |
//! | 502 | a 407 of the service that a proxy wraps; a 401 or 407 behind a gateway; a 101 of either that was not offered |
//! | 503 | a body that had to [give way](AuthLayerBuilder::with_body_buffer) to others |
//! | 503 | a user store, or a [shared store](AuthLayer::builder_for_shared_store) of counts, that fails, with `Retry-After` |
//!
//! All have an empty body. To give them another, wrap the layer in one that maps responses. Why a
//! request got a 403, 500 or 503 is told to [`on_event`](AuthLayerBuilder::on_event), and with the
//! feature `tracing` to its subscriber as a warning.

mod buffer;
#[cfg(feature = "gateway")]
mod caches;
mod client_address;
mod client_uri;
mod counts;
mod found;
mod request_body;
#[cfg(feature = "gateway")]
mod spellings;

mod forwarded;
mod limiter;
mod role;
mod users;

#[cfg(feature = "tokio")]
mod hash_pool;
mod identity;
mod outcome;
mod response_body;
mod user_map;

#[cfg(feature = "axum")]
mod axum08;
mod event;
#[cfg(feature = "gateway")]
mod gateway;

#[cfg(feature = "tracing")]
mod log;
mod settings;

mod check;

mod builder;

mod service;

mod layer;

pub use builder::AuthLayerBuilder;
pub use check::{Checked, LoginInfo};
pub use client_address::ClientAddress;
pub use client_uri::ClientUri;
/// A user store's verdict on a password.
pub use countersign::server::Verdict;
pub use event::Event;
pub use forwarded::{Forwarded, ForwardedLayer};
pub use found::Found;
#[cfg(feature = "gateway")]
pub use gateway::{Gateway, GatewayFuture, GatewayLayer};
#[cfg(feature = "tokio")]
pub use hash_pool::HashPool;
pub use identity::Identity;
pub use layer::AuthLayer;
pub use limiter::{Guesser, Limiter};
pub use outcome::Outcome;
pub use request_body::RequestBody;
pub use response_body::ResponseBody;
pub use service::Auth;
#[cfg(feature = "gateway")]
pub use spellings::remove_spellings;
pub use user_map::UserMap;
pub use users::{StoreError, Users};
