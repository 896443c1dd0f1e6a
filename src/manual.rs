//! The manual, from the folder `docs` of the repository: each page is for one reader. What only a
//! reviewer reads is in `docs/review`.
//!
//! - [`first_program`]: a login step by step, with the words explained
//! - [`server`]: what to store, async stores, several realms, guesses, nonces, bodies
//! - [`machines`]: several machines, with a balancer that routes by the nonce, or with one store
//! - [`client`]: prompts, many requests at once, uploads, redirects, proxies, the server's proof
//! - [`stack_author`]: for libraries, frameworks and middleware
//! - [`sip`] and [`rtsp`]
//! - [`security`]: what is guaranteed, what your program must do, what a loss or a leak means
//! - [`odd_peers`]: settings for devices that deviate, what to offer to whom, what is accepted
//! - [`errors`]: what to do about each
//! - [`coming_from`]: from http-auth, digest_auth or your own code

/// Includes a page. Its links to other pages and to the source work in the repository; the links of
/// the same names here come first, so they hold in this documentation. `tests/suite/manual/links.rs`
/// compares the two.
macro_rules! pages {
    ($($name:ident: $file:literal)*) => {$(
        #[doc = "[client]: crate::manual::client"]
        #[doc = "[errors]: crate::manual::errors"]
        #[doc = "[machines]: crate::manual::machines"]
        #[doc = "[`StoreReply`]: crate::server::StoreReply"]
        #[doc = "[`countersign-redis`]: https://docs.rs/countersign-redis"]
        #[doc = "[odd peers]: crate::manual::odd_peers"]
        #[doc = "[security]: crate::manual::security"]
        #[doc = "[server]: crate::manual::server"]
        #[doc = "[SIP]: crate::manual::sip"]
        #[doc = "[stack authors]: crate::manual::stack_author"]
        #[doc = "[`server`]: crate::server"]
        #[doc = "[rules]: crate::client::rules"]
        #[doc = "[body]: crate::manual::server#bodies"]
        #[doc = "[camera]: crate::manual::rtsp#another-address"]
        #[doc = "[capacity]: crate::manual::server#nonces-keys-and-machines"]
        #[doc = "[channel]: crate::manual::server#behind-a-reverse-proxy"]
        #[doc = "[duties]: crate::manual::security#what-your-program-must-do"]
        #[doc = "[guesses]: crate::manual::server#guesses"]
        #[doc = "[layers]: crate::manual::server#behind-a-reverse-proxy"]
        #[doc = "[loss]: crate::manual::security#if-something-is-lost"]
        #[doc = "[limits]: crate::manual::security#limits"]
        #[doc = "[offer]: crate::manual::odd_peers#what-to-offer-to-whom"]
        #[doc = "[one value]: crate::manual::sip#one-value-of-several"]
        #[doc = "[checks]: crate::server::checks"]
        #[doc = "[proxy]: crate::manual::server#behind-a-reverse-proxy"]
        #[doc = "[refuse]: crate::manual::odd_peers#devices-that-refuse-what-is-right"]
        #[doc = "[realms]: crate::manual::server#several-realms"]
        #[doc = "[redirects]: crate::manual::client#redirects"]
        #[doc = "[several machines]: crate::manual::machines"]
        #[doc = "[stores]: crate::manual::server#from-another-store"]
        #[doc = "[strength]: crate::manual::client#the-servers-proof"]
        #[doc = ""]
        #[cfg_attr(feature = "std", doc = include_str!($file))]
        #[cfg_attr(not(feature = "std"), doc = concat!("This page is in `", $file, "`."))]
        pub mod $name {}
    )*};
}

pages! {
    first_program: "../docs/first-program.md"
    server: "../docs/server.md"
    machines: "../docs/machines.md"
    client: "../docs/client.md"
    stack_author: "../docs/stack-author.md"
    sip: "../docs/sip.md"
    rtsp: "../docs/rtsp.md"
    security: "../docs/security.md"
    odd_peers: "../docs/odd-peers.md"
    errors: "../docs/errors.md"
    coming_from: "../docs/coming-from.md"
}
