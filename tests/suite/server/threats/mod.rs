//! What went wrong in other servers and is held by no other file, a test each, named after the
//! advisory, the commit or the issue.
//!
//! Others are held elsewhere: replays, counts and nonces that were not looked at, taken too early or
//! forgotten by `server/model`, `server/inputs.rs` and `server/outcomes`; threads by
//! `tests/interleavings`; comparisons and look-ups that take longer for some by
//! `measured::constant_work`; quadratic time by `measured::linear`; tables that grow by
//! `measured::allocations`; headers that were misread by `vectors` and `syntax`.

mod responses;

use countersign::server::Rejection;

use crate::support::errors::param;
use crate::support::server::{Service, realm};

const REFUSED: Result<(), Rejection> = Err(Rejection::WrongCredentials);
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
