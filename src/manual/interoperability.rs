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
//! pip install requests httpx aiohttp pycurl niquests twisted cherrypy werkzeug
//! npm install digest-fetch urllib @mhoc/axios-digest-auth http-auth
//! ```
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
