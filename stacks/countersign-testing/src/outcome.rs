//! How a scenario ends.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::report::{Finding, Verdict};

/// Why a scenario ended before its last step.
#[derive(Debug)]
pub(crate) enum Stop {
    Skipped(String),
    Failed(String),
}

impl Stop {
    /// The same, with what a failure is about.
    pub(crate) fn about(self, what: impl std::fmt::Display) -> Self {
        match self {
            Self::Failed(actual) => Self::Failed(format!("{what}: {actual}")),
            skipped @ Self::Skipped(_) => skipped,
        }
    }
}

pub(crate) type Outcome<T = ()> = Result<T, Stop>;

pub(crate) fn skip<T>(why: impl Into<String>) -> Outcome<T> {
    Err(Stop::Skipped(why.into()))
}

pub(crate) fn fail<T>(actual: impl Into<String>) -> Outcome<T> {
    Err(Stop::Failed(actual.into()))
}

/// Why the scenarios are skipped that a check is [without](crate::server::ServerCheck::without).
pub(crate) const LEFT_OUT: &str = "left out";

/// What a scenario that passed has for a result.
pub(crate) const PASSED: &str = "as expected";

/// The finding of a scenario that ended so.
pub(crate) fn finding<S>(
    scenario: S,
    expected: &'static str,
    outcome: Outcome,
    messages: Vec<String>,
) -> Finding<S> {
    let (verdict, actual) = match outcome {
        Ok(()) => (Verdict::Passed, PASSED.to_owned()),
        Err(Stop::Skipped(why)) => (Verdict::Skipped, why),
        Err(Stop::Failed(actual)) => (Verdict::Failed, actual),
    };
    Finding {
        scenario,
        verdict,
        expected,
        actual,
        messages,
    }
}

/// Calls what is under test. A panic of it fails the scenario and not the run.
pub(crate) fn unless_it_panics<T>(call: impl FnOnce() -> T) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(call))
        .or_else(|panic| fail(format!("it panicked: {}", panic_message(&*panic))))
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let owned = || panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(owned).unwrap_or("without a message")
}
