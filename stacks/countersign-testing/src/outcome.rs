//! How a scenario ends.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a scenario ended before its last step.
#[derive(Debug)]
pub(crate) enum Stop {
    Skipped(String),
    /// The server has not what the scenario is about: a scheme.
    NotOffered(&'static str),
    Failed(String),
}

impl Stop {
    /// The same, with what a failure is about.
    pub(crate) fn about(self, what: impl std::fmt::Display) -> Self {
        match self {
            Self::Failed(actual) => Self::Failed(format!("{what}: {actual}")),
            other => other,
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
