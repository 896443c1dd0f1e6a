//! One prompt at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use countersign::client::{Ask, Endpoint};

/// As many asks as a client has protection spaces.
const MAX_DECLINED: usize = 8;
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

/// The prompt of one endpoint: the asks that were declined, and when.
#[derive(Default)]
pub(super) struct Prompt(Vec<(Ask, u64)>);

impl Prompt {
    pub(super) fn decline(&mut self, ask: &Ask, now: u64) {
        self.0.retain(|(other, _)| other != ask);
        if self.0.len() >= MAX_DECLINED {
            self.0.remove(0);
        }
        self.0.push((ask.clone(), now));
    }

    /// Returns whether the ask was declined since then. A request that comes later asks again.
    pub(super) fn was_declined(&self, ask: &Ask, since: u64) -> bool {
        self.0.iter().any(|(other, at)| other == ask && *at > since)
    }
}
