//! RTSP.
//!
//! # RTSP
//!
//! The method may be any token, and the target need not be an HTTP one: `DESCRIBE` and
//! `rtsp://camera/stream1` make a [`Target`](crate::Target) like any other. Make a new target for
//! each request, with the method and the URI of that request's line: `SETUP` names a track, where
//! `DESCRIBE` named the stream. The URLs of cameras often have a login
//! (`rtsp://user:password@host/`): take it out first, because on the request line everybody on the
//! way could read it, and the client does not answer for such a target. Use one client per camera
//! for all requests. The examples are `rtsp_client` and `rtsp_responder`.
//!
//! RTSP 1.0 uses Digest as in RFC 2069 (RFC 2326, section 1.4), which has no qop, and so do RTSP
//! programs today: GStreamer's `rtspsrc` 1.22 sends no qop even if one is offered, and
//! gst-rtsp-server 1.22 and many cameras offer none. So a client needs
//! [`Policy::with_rfc2069`](crate::client::Policy::with_rfc2069), and a server
//! [`Realm::with_rfc2069`](crate::server::Realm::with_rfc2069). The server still offers
//! `qop="auth"` and accepts responses that use it, such as ffmpeg's. Both examples do so. For a
//! camera that offers only Basic, and for no other, set
//! [`with_cleartext_basic`](crate::client::Policy::with_cleartext_basic).
//!
//! A response without a qop has no count, so its nonce is valid for one request. If the client does
//! not read `nextnonce`, the server refuses every further request once, with a new nonce and
//! `stale=true`. If it takes twelve requests to set up and play a stream, the client then sends 24.
//! If that is too many, set
//! [`with_reusable_nonces`](crate::server::Realm::with_reusable_nonces), which makes a nonce valid
//! for its whole lifetime: the client sends 13. In return, an attacker who captures a request can
//! repeat it until the nonce expires: the same method for the same URI, but with any other headers,
//! because Digest does not cover these. Set a short
//! [`with_nonce_lifetime`](crate::server::Realm::with_nonce_lifetime), such as 30 seconds, which
//! costs one refused request per lifetime.
