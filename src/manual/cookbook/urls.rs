//! URLs, redirects and WebSockets.
//!
//! # From a URL
//!
//! From an `http::Uri`, these functions make the [`Endpoint`](crate::client::Endpoint) of its
//! origin and the request-target of an HTTP request to it. (For the request-targets of requests to
//! a proxy and in RTSP, see [proxies](super::proxies) and [RTSP](super::rtsp).)
//!
//! ```
//! use countersign::client::Endpoint;
//! use http::Uri;
//!
//! fn endpoint(uri: &Uri) -> Result<Endpoint, Box<dyn std::error::Error>> {
//!     let scheme = uri.scheme_str().ok_or("an absolute URI is needed")?;
//!     let host = uri.host().ok_or("an absolute URI is needed")?;
//!     Ok(Endpoint::origin(scheme, host, uri.port_u16())?)
//! }
//!
//! fn request_target(uri: &Uri) -> String {
//!     // `to_string` adds the `/` that `http://host?query` lacks.
//!     uri.path_and_query().map_or("/".to_owned(), ToString::to_string)
//! }
//!
//! let uri = "http://[::1]:8080/a%20b?c=d#e".parse()?;
//! assert_eq!(endpoint(&uri)?.to_string(), "http://[::1]:8080");
//! assert_eq!(request_target(&uri), "/a%20b?c=d");
//! assert_eq!(request_target(&"http://host?c=d".parse()?), "/?c=d");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! From a `url::Url`, the endpoint is `Endpoint::origin(url.scheme(), host, url.port())` with
//! `host` from `url.host_str()`, and the request-target is
//! `&url[Position::BeforePath..Position::AfterQuery]`. Neither way keeps the userinfo, which
//! must not be in a request-target.
//!
//! # Redirects
//!
//! 1. Pass the redirect response to [`received`](crate::client::Client::received).
//! 2. Make the [`Endpoint`](crate::client::Endpoint) of the new URL and a new
//!    [`Exchange`](crate::client::Exchange), and take the client of that endpoint from the same
//!    [`AuthCache`](crate::client::AuthCache).
//! 3. Call its [`authorize`](crate::client::Client::authorize) for the new request. If the result
//!    is `Ok(None)`, remove the `Authorization` field from a request object that you reuse.
//!
//! Limit the number of redirects: each new exchange has all its retries. Never copy the
//! `Authorization` field to the new request. With Digest its `uri` names the old
//! request-target, so a server that compares it with the new one refuses the request; with Basic
//! another area of the origin would get the password; and another origin would learn the
//! credentials. Turn off redirects that the HTTP library follows by itself: some libraries keep the
//! field for redirects on the same origin, for example httpx 0.28 and requests 2.34 for Python.
//!
//! The `domain` of a challenge cannot direct the client to send credentials to another origin: URIs
//! of other origins in it are ignored.
//!
//! # A WebSocket
//!
//! In HTTP/1.1 the handshake is a GET with an `Upgrade` field. The request-target is the path and
//! the query. Make a new exchange for each WebSocket, and use it for every retry of the handshake,
//! even if the retry goes over another connection. To use the login of the HTTP requests, make the
//! endpoint with the scheme `http` for `ws`, and `https` for `wss`. Give the 101 to
//! [`received`](crate::client::Client::received) like any other response: a 101 may carry the
//! server's proof, and shows that an answer was accepted.
//!
//! A server handles the handshake like any other GET, but checks its `Origin` field first: a
//! browser adds the credentials to a handshake that another site starts, too.
//!
//! Over HTTP/2 the method of the handshake is `CONNECT` (RFC 8441). Whether browsers compute a
//! Digest response for that or for `GET` was not tested, so leave it off where Digest protects a
//! WebSocket: they then use HTTP/1.1.
