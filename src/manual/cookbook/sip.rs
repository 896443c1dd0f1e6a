//! Authentication in SIP.
//!
//! # SIP
//!
//! Make the [`Target`](crate::Target) from the method and the Request-URI: `Target::new("REGISTER",
//! "sip:example.org")`. A registrar challenges with 401 and `WWW-Authenticate`, a proxy with 407
//! and `Proxy-Authenticate`: see [`Realm::for_proxy`](crate::server::Realm::for_proxy). Write each
//! challenge and each answer in a line of its own, because in SIP these fields must not be joined
//! (RFC 3261, section 7.3.1). SIP has no Basic (RFC 3261, section 22): a server does not offer it,
//! and a client sets [`without_basic`](crate::client::Policy::without_basic).
//!
//! # A SIP server
//!
//! The page [`server`] says which of several values to check, how to compare the `uri`, what to do
//! with retransmissions, guesses and floods over UDP, several nodes, and old handsets. Most of it
//! is for proxies, too.
//!
//! # A SIP proxy
//!
//! The page [`proxy`] says which requests to challenge, and what to remove from requests and
//! responses.
//!
//! # A SIP client
//!
//! The page [`client`] says how a user agent answers a registrar and several proxies.

pub mod client;
pub mod proxy;
pub mod server;
