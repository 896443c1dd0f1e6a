//! The first answer to a realm goes alone, and the others wait for it: if the password is wrong,
//! it is sent once, and not once for each request that is under way.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign::client::Ask;
use tokio::sync::{self, OwnedMutexGuard};

use crate::client::time::within;

/// As long as a request waits for another's response. That may be one that takes its time.
const LIMIT: Duration = Duration::from_secs(1);

/// What is known of the login to one realm.
#[derive(Default)]
pub(super) struct Trial {
    /// Held by the request whose answer goes alone.
    turn: Arc<sync::Mutex<()>>,
    last: Mutex<Outcome>,
}

#[derive(Default)]
enum Outcome {
    #[default]
    None,
    Accepted,
    /// At this time, and what the server asks for then.
    Refused(u64, Ask),
}

/// Whether a request may be sent with its answer.
pub(super) enum Turn {
    /// It may, and the others wait until this is dropped.
    Alone(OwnedMutexGuard<()>),
    /// Like all others.
    Free,
    /// The server has refused the same answer to another request.
    Refused(Ask),
}

impl Trial {
    /// Waits until a request that started then may be sent with an answer.
    pub(super) async fn turn(&self, since: u64) -> Turn {
        if matches!(*self.last(), Outcome::Accepted) {
            return Turn::Free;
        }
        let Some(guard) = within(LIMIT, Arc::clone(&self.turn).lock_owned()).await else {
            return Turn::Free;
        };
        match &*self.last() {
            Outcome::Accepted => Turn::Free,
            Outcome::Refused(at, ask) if *at > since => Turn::Refused(ask.clone()),
            _ => Turn::Alone(guard),
        }
    }

    pub(super) fn accepted(&self) {
        *self.last() = Outcome::Accepted;
    }

    pub(super) fn refused(&self, now: u64, ask: &Ask) {
        *self.last() = Outcome::Refused(now, ask.clone());
    }

    /// There is another login.
    pub(super) fn start_again(&self) {
        *self.last() = Outcome::None;
    }

    /// Returns whether the last answer was refused, and nobody has logged in since.
    pub(super) fn is_refused(&self, ask: &Ask) -> bool {
        matches!(&*self.last(), Outcome::Refused(_, other) if other == ask)
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Outcome> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
