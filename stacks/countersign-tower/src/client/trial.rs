//! The first answer to a realm goes alone, and the others wait for it: if the password is wrong,
//! it is sent once, and not once for each request that is under way.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign::client::Ask;
use tokio::sync::{self, OwnedMutexGuard};

use crate::client::time::within;

/// As long as a request waits for another's response, which may take its time. Many servers wait two
/// seconds before they refuse a password, as `pam_faildelay` does.
const LIMIT: Duration = Duration::from_secs(3);

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

/// How many answers go alone, for all endpoints: usually none.
pub(super) type UnderWay = Arc<AtomicUsize>;

/// Held while an answer goes alone.
pub(super) struct Alone {
    under_way: UnderWay,
    _turn: OwnedMutexGuard<()>,
}

impl Drop for Alone {
    fn drop(&mut self) {
        self.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether a request may be sent with its answer.
pub(super) enum Turn {
    /// It may, and the others wait until this is dropped.
    Alone(Alone),
    /// Like all others.
    Free,
    /// The server has refused the same answer to another request.
    Refused(Ask),
}

impl Trial {
    /// Waits until a request that started then may be sent with an answer that was asked for.
    pub(super) async fn turn(&self, since: u64, under_way: &UnderWay) -> Turn {
        let Some(turn) = self.others().await else {
            return Turn::Free;
        };
        if let Some(ask) = self.refused_since(since) {
            return Turn::Refused(ask);
        }
        if matches!(*self.last(), Outcome::Accepted) {
            return Turn::Free;
        }
        under_way.fetch_add(1, Ordering::Relaxed);
        Turn::Alone(Alone {
            under_way: Arc::clone(under_way),
            _turn: turn,
        })
    }

    /// Returns what the server asked for when it refused the last answer, if that was after then.
    pub(super) fn refused_since(&self, since: u64) -> Option<Ask> {
        match &*self.last() {
            Outcome::Refused(at, ask) if *at > since => Some(ask.clone()),
            _ => None,
        }
    }

    /// Waits while the answer of another request goes alone. `None` if that takes too long, or the
    /// login is known to be right.
    pub(super) async fn others(&self) -> Option<OwnedMutexGuard<()>> {
        if matches!(*self.last(), Outcome::Accepted) {
            return None;
        }
        within(LIMIT, Arc::clone(&self.turn).lock_owned()).await
    }

    pub(super) fn accepted(&self) {
        *self.last() = Outcome::Accepted;
    }

    pub(super) fn refused(&self, now: u64, ask: &Ask) {
        *self.last() = Outcome::Refused(now, ask.clone());
    }

    /// There is another login, or nothing is known of this one any more.
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
