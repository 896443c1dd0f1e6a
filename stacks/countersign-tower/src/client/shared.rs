//! What all services of a layer share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign::client::{Ask, AuthCache, GiveUp, LoginError, SkipReason};

use crate::client::credentials::Credentials;
use crate::client::failure::LoginFailure;
use crate::client::logins::Logins;
use crate::client::trial::Trial;

pub(super) struct Shared<C> {
    /// Locked for one call at a time, never across an await.
    cache: Mutex<AuthCache>,
    credentials: C,
    pub(super) logins: Logins,
}

impl<C> Shared<C> {
    pub(super) fn new(cache: AuthCache, credentials: C) -> Self {
        Self {
            cache: Mutex::new(cache),
            credentials,
            logins: Logins::default(),
        }
    }

    pub(super) fn cache(&self) -> MutexGuard<'_, AuthCache> {
        // A cache is consistent after each call, and none of ours panics within one.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Credentials> Shared<C> {
    /// Logs in by a person, unless another request has done so meanwhile. Returns the reason if the request is
    /// not to be sent again.
    pub(super) async fn login(&self, ask: &Ask, since: u64, trial: &Trial) -> Option<LoginFailure> {
        let login = self.logins.of(ask.endpoint());
        let mut prompt = login.prompt.lock().await;
        let is_refused = trial.is_refused(ask);
        if !is_refused && !self.cache().client(ask.endpoint()).wants(ask) {
            return None;
        }
        if let Some(why) = prompt.failure(ask, since) {
            return Some(why.clone());
        }
        let why = match self.credentials.credentials(ask).await {
            None => LoginFailure::Declined(ask.clone()),
            Some(account) => {
                let login = self.cache().client(ask.endpoint()).login(ask, &account);
                LoginFailure::GiveUp(match login {
                    // Superseded: the server asks for something else by now, and will challenge
                    // again.
                    Ok(()) | Err(LoginError::Superseded) => {
                        trial.start_again();
                        return None;
                    }
                    Err(LoginError::AlreadyRefused) => GiveUp::WrongCredentials(ask.clone()),
                    Err(why) => GiveUp::NoUsableChallenge([SkipReason::Account(why)].into()),
                })
            }
        };
        prompt.fail(ask, self.logins.now(), why.clone());
        Some(why)
    }
}
