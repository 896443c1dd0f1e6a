//! Authentication to a proxy, and in a proxy.
//!
//! # A proxy
//!
//! A proxy asks for credentials like an origin server, but with status 407 and the fields
//! `Proxy-Authenticate`, `Proxy-Authorization` and `Proxy-Authentication-Info`. The methods of
//! [`Challenger`](crate::Challenger) return all four.
//!
//! - In a proxy, call [`Realm::for_proxy`](crate::server::Realm::for_proxy).
//! - In a client, make a [`Client`](crate::client::Client) for an
//!   [`Endpoint::proxy`](crate::client::Endpoint::proxy). Pass it the request-target that you send
//!   to the proxy: the absolute-form (`http://example.com/a`), or for `CONNECT` the authority-form
//!   (`example.com:443`).
//!
//! # A proxy and an origin
//!
//! Both may ask for credentials, in any order, so each needs its own client and its own
//! [`Exchange`](crate::client::Exchange). The origin's client gets the request-target that the
//! origin will receive (`/a`). Unless the request goes through a tunnel (see the end of this page),
//! give every response to the proxy's client first. If that returns [`Next::Done`], the proxy asked
//! for nothing: give the response to the origin's client. If that returns [`Next::Retry`] or
//! [`Next::Login`], send the request again with both exchanges, although the proxy's client has
//! returned `Done`.
//!
//! One [`AuthCache`](crate::client::AuthCache) can keep both clients, if its capacity is at least
//! two. It lends one at a time (`&mut`), so finish with one client before you borrow the other. A
//! header value that `authorize` returns borrows its exchange and not the client, so you can hold
//! the values for both, or read them later with
//! [`Exchange::answer`](crate::client::Exchange::answer) as below.
//!
//! [`Next::Done`]: crate::client::Next::Done
//! [`Next::Login`]: crate::client::Next::Login
//! [`Next::Retry`]: crate::client::Next::Retry
//!
//! ```
//! use countersign::client::{AuthCache, Endpoint, Exchange, Next, Policy};
//! use countersign::{Challenger, EntityBody, FieldValue, Target};
//!
//! struct Hop {
//!     endpoint: Endpoint,
//!     /// The request-target that this hop receives.
//!     uri: &'static str,
//!     exchange: Exchange,
//! }
//!
//! fn get(cache: &mut AuthCache) -> Result<Response, Box<dyn std::error::Error>> {
//!     let mut proxy = Hop {
//!         endpoint: Endpoint::proxy("http", "proxy.example.com", 3128),
//!         uri: "http://example.com/a",
//!         exchange: Exchange::new(),
//!     };
//!     let mut origin = Hop {
//!         endpoint: Endpoint::origin("http", "example.com", None)?,
//!         uri: "/a",
//!         exchange: Exchange::new(),
//!     };
//!     'send: loop {
//!         for hop in [&mut proxy, &mut origin] {
//!             let target = Target::new("GET", hop.uri);
//!             cache.client(&hop.endpoint).authorize(&mut hop.exchange, &target)?;
//!         }
//!         let response = send(proxy.exchange.answer(), origin.exchange.answer());
//!         for hop in [&mut proxy, &mut origin] {
//!             let client = cache.client(&hop.endpoint);
//!             let field_values = |name| response.field_values(name);
//!             let body = EntityBody::Bytes(&response.body);
//!             match client.received(&mut hop.exchange, response.status, field_values, body)? {
//!                 // This hop does not ask for credentials. If the origin does not either, the
//!                 // `for` ends, and this is the response to return.
//!                 Next::Done(_) => continue,
//!                 Next::Retry => {}
//!                 Next::Login(ask) => {
//!                     // If the hosts were not fixed above, compare `ask.endpoint()` as well.
//!                     let (name, password) = match (ask.endpoint().challenger(), ask.realm()) {
//!                         (Challenger::Proxy, b"outgoing") => ("Zazu", "Morning report"),
//!                         (Challenger::Origin, b"files") => ("Mufasa", "Circle of Life"),
//!                         _ => return Err("no account for this realm".into()),
//!                     };
//!                     client.login(&ask, name, password)?;
//!                 }
//!                 Next::GiveUp(why) => return Err(why.into()),
//!             }
//!             continue 'send;
//!         }
//!         return Ok(response);
//!     }
//! }
//!
//! # struct Response { status: u16, body: Vec<u8> }
//! # impl Response {
//! #     fn field_values(&self, name: &str) -> &[&str] {
//! #         match name {
//! #             "proxy-authenticate" if self.status == 407 => {
//! #                 &[r#"Digest realm="outgoing", nonce="p", qop="auth", algorithm=SHA-256"#]
//! #             }
//! #             "www-authenticate" if self.status == 401 => {
//! #                 &[r#"Digest realm="files", nonce="o", qop="auth", algorithm=SHA-256"#]
//! #             }
//! #             _ => &[],
//! #         }
//! #     }
//! # }
//! # fn send(for_proxy: Option<&FieldValue>, for_origin: Option<&FieldValue>) -> Response {
//! #     let holds = |value: Option<&FieldValue>, text: &str| {
//! #         value.is_some_and(|value| value.to_str().unwrap().contains(text))
//! #     };
//! #     let status = match () {
//! #         () if !holds(for_proxy, r#"uri="http://example.com/a""#) => 407,
//! #         () if !holds(for_origin, r#"uri="/a""#) => 401,
//! #         () => 200,
//! #     };
//! #     Response { status, body: Vec::new() }
//! # }
//! // Both passwords are for Digest only. Over https the default policy also answers Basic, and
//! // whoever controls some paths of the origin could name the same realm in a Basic challenge.
//! let policy = Policy::new().without_basic();
//! let mut cache = AuthCache::new(100, policy, &mut getrandom::SysRng)?;
//! assert_eq!(get(&mut cache)?.status, 200);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With a tunnel, use the proxy's client for the `CONNECT` request, and only the origin's client
//! within the tunnel, with TLS or without. Pass no response from inside the tunnel to the proxy's
//! client: even a 407 comes from the origin, which could otherwise ask for the proxy's credentials.
