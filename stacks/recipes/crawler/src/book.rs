//! The passwords a crawler knows.
use std::collections::HashMap;
use std::sync::Mutex;

use countersign::Scheme;
use countersign::client::{Ask, Endpoint, Policy};
use loopback::USER;
use reqwest_client::Prompt;

/// A password, and whom it is for.
pub struct Login {
    /// Any server can ask, and a redirect can lead to any server.
    pub endpoint: Endpoint,
    /// Another realm of the endpoint may belong to somebody else. On plain http, anyone on the path
    /// can invent one.
    pub realm: String,
    /// Basic sends the password itself. A realm that is known to ask for Digest never gets that.
    pub scheme: Scheme<'static>,
    pub password: &'static str,
}

/// The passwords of one user.
pub struct Book {
    logins: Vec<Login>,
    /// How often each realm was looked up.
    asked: Mutex<HashMap<(u16, String), usize>>,
}

impl Book {
    pub fn new(logins: Vec<Login>) -> Self {
        Self {
            logins,
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
        let place = (ask.endpoint().port(), ask.realm_text().into_owned());
        *self.asked.lock().unwrap().entry(place).or_default() += 1;
        let login = self.logins.iter().find(|login| {
            login.endpoint == *ask.endpoint()
                && login.realm.as_bytes() == ask.realm()
                && login.scheme == ask.scheme()
        })?;
        // After a refusal, too, which anybody on the way can forge in clear. The client bounds how
        // often a refused password is sent. Over TLS this would have to stop: each may count towards
        // a lock of the account.
        Some((USER.0.to_owned(), login.password.to_owned()))
    }

    fn policy(&self, endpoint: &Endpoint) -> Policy {
        let has_basic =
            |login: &Login| login.endpoint == *endpoint && login.scheme == Scheme::Basic;
        match self.logins.iter().any(has_basic) {
            true => Policy::new().with_cleartext_basic(),
            false => Policy::new(),
        }
    }
}
