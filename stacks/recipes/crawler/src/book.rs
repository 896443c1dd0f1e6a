//! The passwords a crawler knows.
use std::collections::HashMap;
use std::sync::Mutex;

use countersign::client::{Ask, Endpoint};
use loopback::USER;
use reqwest_client::Prompt;

/// The password of one user for some servers, who has forgotten the one for some port.
pub struct Book {
    /// Whose password it is: any server can ask for it, and a redirect can lead to any server.
    servers: Vec<Endpoint>,
    forgotten: Option<u16>,
    /// How often each realm was looked up.
    asked: Mutex<HashMap<(u16, String), usize>>,
}

impl Book {
    pub fn new(servers: Vec<Endpoint>, forgotten: Option<u16>) -> Self {
        Self {
            servers,
            forgotten,
            asked: Mutex::default(),
        }
    }

    /// What was looked up since this was last asked, and how often.
    pub fn take_asked(&self) -> HashMap<(u16, String), usize> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

impl Prompt for Book {
    async fn ask(&self, ask: &Ask) -> Option<(String, String)> {
        if !self.servers.contains(ask.endpoint()) {
            return None;
        }
        let place = (ask.endpoint().port(), ask.realm_text().into_owned());
        *self.asked.lock().unwrap().entry(place).or_default() += 1;
        let is_forgotten = self.forgotten == Some(ask.endpoint().port());
        let password = if is_forgotten {
            "Circle of Lies"
        } else {
            USER.1
        };
        // There is but one to try.
        (!ask.is_again()).then(|| (USER.0.to_owned(), password.to_owned()))
    }
}
