//! One prompt at a time.

use countersign::client::Ask;

use crate::client::failure::LoginFailure;

/// As many asks as a client has protection spaces.
const MAX_FAILED: usize = 8;

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
