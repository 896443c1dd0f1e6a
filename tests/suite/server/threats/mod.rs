//! What went wrong in other servers and is held by no other file, a test each, named after the
//! advisory, the commit or the issue.
//!
//! | CVE | held by |
//! |---|---|
//! | 2026-48005 (httpd), 2020-11945 (Squid) | `server::inputs`: what is refused uses up no count; `server::model` |
//! | 2026-73636 (httpd), 2016-2161 (httpd) | `server::model`, capacities 0 to 64; the unit tests of `replay` |
//! | 2026-73637 (httpd) | `tests/interleavings`; no `unsafe` code |
//! | 2026-33006, 2019-0217 (httpd), 2007-3946 (lighttpd) | here, by name |
//! | 2018-1312 (httpd), 2026-3099 (libsoup) | `server::model`: another key, an old nonce; `server::claims` |
//! | 2020-35452 (httpd) | `measured::linear`; a nonce has one length: `server::challenges` |
//! | 2017-9788 (httpd), 2019-12525 (Squid), 2020-8492 (CPython) | `syntax::error_positions`, `syntax::against_naive_parser`, `measured::linear` |
//! | 2011-1184, 2011-5062 to 5064, 2012-5885 to 5887 (Tomcat) | `server::inputs`: realm, qop, nonce, count, another cnonce |
//! | 2026-43512 (Tomcat) | the type: no account is `None`; `server::users::stores` |
//! | 2010-1157 (Tomcat) | the type: a realm has no default name |
//! | 2023-46847 (Squid) | `server::inputs`, row `Nc`; `vectors::authorization` |
//! | 2019-18679 (Squid) | `server::challenges`: a nonce has a time, a counter and a MAC |
//! | 2011-4362 (lighttpd) | `headers::control_bytes`, each byte in Basic |
//! | 2008-3746 (neon), 2025-32910, 2025-32912, 2025-4476 (libsoup) | `client::protection_space::domain`, `client::threats::challenges` |
//! | 2018-1000007, 2022-27774, 2022-27776, 2026-7168, 2026-8927, 2026-3784 (curl) | `client::threats::origins` |
//!
//! Others are held elsewhere: replays, counts and nonces that were not looked at, taken too early or
//! forgotten by `server/model`, `server/inputs.rs` and `server/outcomes`; threads by
//! `tests/interleavings`; comparisons and look-ups that take longer for some by
//! `measured::constant_work`; quadratic time by `measured::linear`; tables that grow by
//! `measured::allocations`; headers that were misread by `vectors` and `syntax`.

mod responses;

use countersign::server::Reason;

use crate::support::errors::param;
use crate::support::server::{Service, realm};

const REFUSED: Result<(), Reason> = Err(Reason::WrongCredentials);
const FOREIGN: Result<(), Reason> = Err(Reason::NonceForeign);

fn service() -> Service {
    Service::new(realm())
}

fn param_error(outcome: Result<(), Reason>) -> Option<(&'static str, &'static str)> {
    match outcome {
        Err(Reason::Header(error)) => param(error),
        _ => None,
    }
}
