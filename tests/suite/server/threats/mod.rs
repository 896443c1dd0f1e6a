//! What went wrong in other servers and is held by no other file, a test each, named after the
//! advisory, the commit or the issue.
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
