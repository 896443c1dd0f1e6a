//! Events for `tracing`.

use tracing::{Level, debug, enabled, warn};

use crate::server::event::Event;
use crate::server::outcome::Outcome;

/// Returns whether anybody wants to know.
pub(super) fn is_wanted(outcome: &Outcome<'_>) -> bool {
    match outcome.is_server_fault() {
        true => enabled!(target: TARGET, Level::WARN),
        false => enabled!(target: TARGET, Level::DEBUG),
    }
}

pub(super) fn log(event: &Event<'_>) {
    let outcome = &event.outcome;
    match outcome.is_server_fault() {
        true => warn!(target: TARGET, "{event}: {outcome}"),
        false => debug!(target: TARGET, "{event}: {outcome}"),
    }
}

const TARGET: &str = "countersign_tower";
