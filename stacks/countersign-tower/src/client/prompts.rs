//! One prompt at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use countersign::client::{Ask, Endpoint};

use crate::client::failure::LoginFailure;

/// As many asks as a client has protection spaces.
const MAX_FAILED: usize = 8;
/// The number of endpoints from which on unused ones are forgotten.
const MANY: usize = 64;

/// The prompts of all endpoints. Each has a lock, so that a slow prompt holds up no other.
#[derive(Default)]
pub(super) struct Prompts {
    clock: AtomicU64,
    prompts: Mutex<HashMap<Endpoint, Arc<tokio::sync::Mutex<Prompt>>>>,
}

impl Prompts {
    /// A number higher than all before.
    pub(super) fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn of(&self, endpoint: &Endpoint) -> Arc<tokio::sync::Mutex<Prompt>> {
        let mut prompts = self.prompts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prompt) = prompts.get(endpoint) {
            return Arc::clone(prompt);
        }
        if prompts.len() >= MANY {
            prompts.retain(|_, prompt| Arc::strong_count(prompt) > 1);
        }
        Arc::clone(prompts.entry(endpoint.clone()).or_default())
    }
}

/// The prompt of one endpoint: the asks that failed, when, and why.
#[derive(Default)]
pub(super) struct Prompt(Vec<(Ask, u64, LoginFailure)>);

impl Prompt {
    pub(super) fn fail(&mut self, ask: &Ask, now: u64, why: LoginFailure) {
        self.0.retain(|(other, ..)| other != ask);
        if self.0.len() >= MAX_FAILED {
            drop(self.0.remove(0));
        }
        self.0.push((ask.clone(), now, why));
    }

    /// Returns why the ask failed since then, if it did. A request that comes later asks again.
    pub(super) fn failure(&self, ask: &Ask, since: u64) -> Option<&LoginFailure> {
        let mut failed = self.0.iter();
        let found = failed.find(|(other, at, _)| other == ask && *at > since);
        found.map(|(.., why)| why)
    }
}
