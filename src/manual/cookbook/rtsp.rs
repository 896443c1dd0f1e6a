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
//! # Old clients and cameras
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
//!
//! # Another address
//!
//! In its `Content-Base`, or in `a=control` of the description, a camera may name itself by another
//! address, such as the one behind its NAT, or by another port. A client does not answer for
//! another origin, so that nobody gets an answer who is not the endpoint: `authorize` returns
//! `None`, and after a challenge the request ends with
//! [`NeverAnswered`](crate::client::GiveUp::NeverAnswered). Send these requests on the same
//! connection, with the scheme, host and port of the endpoint in place of theirs, on the request
//! line and in the target. Never connect to the address that the camera names.
//!
//! # Clients made with live555
//!
//! RTSP clients put the URI of the request line into `uri` (RFC 7826, section 19.1), and the server
//! refuses others with 400. Those made with live555, such as VLC, put the base URL of the stream
//! into it, whatever the request is for: a `SETUP` names a track, and a `PLAY` may have one
//! trailing slash more or less. (This was read in live555's code, and not tried.) For these, make
//! the target from the `uri` if the request is for that stream or one of its tracks:
//!
//! ```
//! # #[cfg(feature = "std")] {
//! use countersign::{Authorization, Target};
//!
//! /// Whether a URL names this stream, or a track of it. More than a track's name, such as `..`,
//! /// could name another stream.
//! fn is_of_stream(url: &str, stream: &str) -> bool {
//!     let stream = stream.strip_suffix('/').unwrap_or(stream);
//!     let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"=-_".contains(&byte);
//!     match url.strip_prefix(stream) {
//!         Some("") => true,
//!         Some(rest) => rest.strip_prefix('/').is_some_and(|track| track.bytes().all(is_plain)),
//!         None => false,
//!     }
//! }
//!
//! /// The URL to make the target from, for the credentials that are passed to `begin`.
//! fn url_of(credentials: &str, url: &str) -> String {
//!     let Ok(Authorization::Digest(digest)) = Authorization::parse(credentials) else {
//!         return url.into();
//!     };
//!     match String::from_utf8(digest.uri.to_bytes().into_owned()) {
//!         Ok(uri) if is_of_stream(url, &uri) => uri,
//!         // `begin` refuses the credentials, unless both are the same text.
//!         _ => url.into(),
//!     }
//! }
//! # use countersign::client::{Client, Endpoint, Exchange, Next, Policy};
//! # use countersign::digest::Ha1;
//! # use countersign::server::{Arrival, Authenticator, Realm, Rejected, Rejection};
//! # use countersign::Channel;
//! # fn check<'a>(auth: &'a Authenticator, it: &'a str, url: &'a str) -> Result<(), Rejected<'a>> {
//! #     let arrival = Arrival::now(Channel::Cleartext);
//! #     let attempt = auth.begin([it], &Target::new("SETUP", url), &arrival)?;
//! #     let ha1 = Ha1::new(attempt.hash_function(), "Mufasa", "camera", "Circle of Life");
//! #     auth.admit(attempt.verify(Some(ha1))?).map(drop)
//! # }
//! # let auth = Authenticator::new(Realm::new("camera")?, 100, &mut getrandom::SysRng)?;
//! # let is_granted = |uri: &str, url: &str| -> Result<bool, Box<dyn std::error::Error>> {
//! #     let endpoint = Endpoint::origin("rtsp", "camera", None)?;
//! #     let mut client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
//! #     let mut exchange = Exchange::new();
//! #     let arrival = Arrival::now(Channel::Cleartext);
//! #     let target = Target::new("SETUP", uri);
//! #     let rejected = auth.begin([""; 0], &target, &arrival).err().ok_or("no challenge")?;
//! #     let Next::Login(ask) = client.challenged(&mut exchange, &auth.refuse(&rejected).challenges)
//! #         else { unreachable!() };
//! #     client.login(&ask, "Mufasa", "Circle of Life")?;
//! #     let answer = client.authorize(&mut exchange, &target)?.ok_or("no answer")?;
//! #     let answer = answer.to_str()?;
//! #     match check(&auth, answer, &url_of(answer, url)) {
//! #         Ok(()) => Ok(true),
//! #         Err(rejected) => {
//! #             assert_eq!(rejected.rejection(), Rejection::UriMismatch);
//! #             Ok(false)
//! #         }
//! #     }
//! # };
//!
//! for (uri, url) in [
//!     ("rtsp://camera/stream/", "rtsp://camera/stream/track1"),
//!     ("rtsp://camera/stream", "rtsp://camera/stream/trackID=1"),
//!     ("rtsp://camera/stream", "rtsp://camera/stream/"),
//!     ("rtsp://camera/stream/", "rtsp://camera/stream"),
//! ] {
//!     assert!(is_granted(uri, url)?);
//! }
//! for url in [
//!     "rtsp://camera/stream2",
//!     "rtsp://camera/stream/../secret",
//!     "rtsp://camera/stream/%2e%2e",
//!     "rtsp://camera/stream/track1/more",
//! ] {
//!     assert!(!is_granted("rtsp://camera/stream/", url)?);
//! }
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The `uri` must be the URL of one stream: if streams are below a common URL, look it up before,
//! and refuse that of a folder. Then authorise the user for the stream of the target, and set up no
//! track of another one: the response covers the stream only, and whoever captures a request can
//! send it for each of its tracks.
