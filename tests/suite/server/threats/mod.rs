//! What went wrong in other servers, a test each, named after the advisory, the commit or the
//! issue.
//!
//! These are held by other files:
//!
//! - CVE-2026-73637 (httpd: an entry was used after another thread had freed it):
//!   `server/concurrency.rs`;
//! - CVE-2026-33006, 3c2c49fd and 0e749c1c (httpd, Tomcat, lighttpd: the time of a comparison told
//!   how much of it was right), and cakephp#12472, elytron#1770 (no work for unknown users):
//!   `tests/measured/constant_work.rs`, and here that what differs is refused;
//! - dd9c744d (Tomcat: a window off by one): `server/model`, and the edges here;
//! - bounded tables that plain requests flood, and tables that grow (httpd, libmicrohttpd,
//!   Tomcat, Jetty, Squid): `server/flood.rs`;
//! - CVE-2020-8492 (CPython), aiohttp and requests_kerberos#145 (regular expressions that take
//!   quadratic time): `tests/measured/linear.rs`;
//! - CVE-2025-32910, CVE-2025-32912 and CVE-2025-4476 (libsoup) as far as challenges go, curl test
//!   3221, 2a2a2e5d: `client/threats`, and here their counterparts in credentials.
//!
//! These concern clients alone: CVE-2008-3746 (neon: junk in `domain`); CVE-2018-1000007,
//! CVE-2022-27774, CVE-2022-27776, CVE-2026-7168, CVE-2026-8927, CVE-2026-3784, 5c6b4880, 7ec25148
//! and 6daf4bc7 (curl: credentials and state that went to another origin), httpx and icholy (the
//! same); be9c873a (curl), hoppscotch#6148 (endless retry); a2b943b1 (curl: line breaks in a user
//! name that is sent); tropel#328 (a cached HA1 of another realm: a server is given the HA1 with
//! each request and keeps none).

mod counts;
mod nonces;
mod responses;
mod syntax;

use countersign::server::Rejection;

use crate::support::errors::{param, syntax};
use crate::support::server::{Service, realm};

const REFUSED: Result<(), Rejection> = Err(Rejection::WrongCredentials);
const REPLAYED: Result<(), Rejection> = Err(Rejection::Replayed);
const FOREIGN: Result<(), Rejection> = Err(Rejection::NonceForeign);

fn service() -> Service {
    Service::new(realm())
}

fn param_error(outcome: Result<(), Rejection>) -> Option<(&'static str, &'static str)> {
    match outcome {
        Err(Rejection::Header(error)) => param(error),
        _ => None,
    }
}

fn syntax_error(outcome: Result<(), Rejection>) -> Option<&'static str> {
    match outcome {
        Err(Rejection::Header(error)) => syntax(error).map(|(problem, _)| problem),
        _ => None,
    }
}

fn is_forgotten(outcome: Result<(), Rejection>) -> bool {
    matches!(outcome, Err(Rejection::NonceForgotten { .. }))
}
