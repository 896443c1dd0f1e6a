//! Recipes for common tasks, one subject a page.
//!
//! | page | clients | servers |
//! |---|---|---|
//! | [`proxies`] | [a proxy](proxies#a-proxy), [a proxy and an origin](proxies#a-proxy-and-an-origin) | [a proxy](proxies#a-proxy) |
//! | [`urls`] | [from a URL](urls#from-a-url), [redirects](urls#redirects), [a WebSocket](urls#a-websocket) | |
//! | [`tasks`] | [one cache for all threads](tasks#one-cache-for-all-threads), [under async](tasks#under-async) | |
//! | [`logins`] | [three attempts](logins#three-attempts) | |
//! | [`proof`] | [keeping the strength](proof#keeping-the-strength), [a proof for some requests](proof#a-proof-for-some-requests) | |
//! | [`bodies`] | [a large upload](bodies#a-large-upload) | [a streaming body](bodies#a-streaming-body) |
//! | [`users`] | | [slow password hashes](users#slow-password-hashes), [hashed user names](users#hashed-user-names) |
//! | [`frameworks`] | | [an asynchronous server](frameworks#an-asynchronous-server), [the request-target of a framework](frameworks#the-request-target-of-a-framework), [a response built elsewhere](frameworks#a-response-built-elsewhere) |
//! | [`realms`] | | [several protection spaces](realms#several-protection-spaces) |
//! | [`limits`] | | [a rate limiter](limits#a-rate-limiter), [a log](limits#a-log) |
//! | [`nonces`] | | [nonces bound to a client](nonces#nonces-bound-to-a-client), [key rotation](nonces#key-rotation), [several machines](nonces#several-machines), [a restart](nonces#a-restart) |
//! | [`schemes`] | [other schemes](schemes#other-schemes) | [other schemes](schemes#other-schemes) |
//! | [`rtsp`] | RTSP | RTSP |
//! | [`sip`] | [a SIP client](sip::client) | [a SIP server](sip::server), [a SIP proxy](sip::proxy) |
//! | [`stacks`] | [reqwest, hyper, ureq, …](stacks#clients) | [axum, actix-web, hyper, …](stacks#servers) |
//! | [`testing`] | [tests of your own program](testing) | [tests of your own program](testing) |

pub mod bodies;
pub mod frameworks;
pub mod limits;
pub mod logins;
pub mod nonces;
pub mod proof;
pub mod proxies;
pub mod realms;
pub mod rtsp;
pub mod schemes;
pub mod sip;
pub mod stacks;
pub mod tasks;
pub mod testing;
pub mod urls;
pub mod users;
