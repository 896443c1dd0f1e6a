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
use countersign::{HeaderError, ParamError, ParamName, ParamProblem};

use crate::support::server::{Service, realm};

const REFUSED: Result<(), Rejection> = Err(Rejection::WrongCredentials);
const FOREIGN: Result<(), Rejection> = Err(Rejection::NonceForeign);

fn service() -> Service {
    Service::new(realm())
}

fn param_error(outcome: Result<(), Rejection>) -> Option<(ParamName, ParamProblem)> {
    match outcome {
        Err(Rejection::Header(HeaderError::Param(ParamError { name, problem, .. }))) => {
            Some((name, problem))
        }
        _ => None,
    }
}
