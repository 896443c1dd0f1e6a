//! The logins under way.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use countersign::client::Endpoint;

use crate::client::prompt::Prompt;
use crate::client::trial::{Trial, UnderWay};

/// The number of endpoints from which on unused ones are forgotten.
const MANY: usize = 64;

/// The logins to all endpoints. A slow one holds up no other.
#[derive(Default)]
pub(super) struct Logins {
    clock: AtomicU64,
    pub(super) under_way: UnderWay,
    endpoints: Mutex<HashMap<Endpoint, Arc<Login>>>,
}

/// As many realms of an endpoint are kept as a client has protection spaces.
const MAX_REALMS: usize = 8;

/// The logins to one endpoint.
#[derive(Default)]
pub(super) struct Login {
    pub(super) prompt: tokio::sync::Mutex<Prompt>,
    trials: Mutex<Vec<(Vec<u8>, Arc<Trial>)>>,
}

impl Login {
    pub(super) fn trial(&self, realm: &[u8]) -> Arc<Trial> {
        let mut trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, trial)) = trials.iter().find(|(name, _)| name == realm) {
            return Arc::clone(trial);
        }
        if trials.len() >= MAX_REALMS {
            drop(trials.remove(0));
        }
        let trial = Arc::<Trial>::default();
        trials.push((realm.to_vec(), Arc::clone(&trial)));
        trial
    }

    fn trials(&self) -> Vec<Arc<Trial>> {
        let trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        trials.iter().map(|(_, trial)| Arc::clone(trial)).collect()
    }

    /// There are other accounts.
    pub(super) fn start_again(&self) {
        self.trials().iter().for_each(|trial| trial.start_again());
    }
}

impl Logins {
    /// A number higher than all before.
    pub(super) fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns whether there may be others to wait for.
    pub(super) fn are_under_way(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) > 0
    }

    /// Waits while an answer to this endpoint goes alone. Returns whether one was refused since then,
    /// so that the client is not to volunteer another.
    pub(super) async fn others(&self, endpoint: &Endpoint, since: u64) -> bool {
        let mut is_refused = false;
        for trial in self.of(endpoint).trials() {
            drop(trial.others().await);
            is_refused |= trial.refused_since(since).is_some();
        }
        is_refused
    }

    pub(super) fn of(&self, endpoint: &Endpoint) -> Arc<Login> {
        let mut endpoints = self
            .endpoints
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(login) = endpoints.get(endpoint) {
            return Arc::clone(login);
        }
        if endpoints.len() >= MANY {
            endpoints.retain(|_, login| Arc::strong_count(login) > 1);
        }
        Arc::clone(endpoints.entry(endpoint.clone()).or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_realms_are_kept() {
        let login = Login::default();
        for n in 0..1000_u32 {
            assert!(Arc::ptr_eq(
                &login.trial(&n.to_be_bytes()),
                &login.trial(&n.to_be_bytes())
            ));
        }
        assert_eq!(login.trials.lock().unwrap().len(), MAX_REALMS);
    }

    #[test]
    fn what_is_not_in_use_is_forgotten() {
        let logins = Logins::default();
        let endpoint = |n: u32| Endpoint::origin("https", &format!("h{n}.example"), None).unwrap();
        let used = logins.of(&endpoint(0));
        for n in 1..1000 {
            drop(logins.of(&endpoint(n)));
        }
        assert!(Arc::ptr_eq(&used, &logins.of(&endpoint(0))));
        assert!(logins.endpoints.lock().unwrap().len() <= MANY + 1);
    }
}
