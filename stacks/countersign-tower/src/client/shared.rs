//! What all services of a layer share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use countersign::client::{Ask, AuthCache, LoginError};

use crate::client::credentials::Credentials;
use crate::client::failure::LoginFailure;
use crate::client::prompts::Prompts;

pub(super) struct Shared<C> {
    /// Locked for one call at a time, never across an await.
    cache: Mutex<AuthCache>,
    credentials: C,
    prompts: Prompts,
}

impl<C> Shared<C> {
    pub(super) fn new(cache: AuthCache, credentials: C) -> Self {
        Self {
            cache: Mutex::new(cache),
            credentials,
            prompts: Prompts::default(),
        }
    }

    pub(super) fn cache(&self) -> MutexGuard<'_, AuthCache> {
        // A cache is consistent after each call, and none of ours panics within one.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time at which a request starts, for [`login`](Self::login).
    pub(super) fn now(&self) -> u64 {
        self.prompts.now()
    }
}

impl<C: Credentials> Shared<C> {
    /// Logs in, unless another request has done so meanwhile. Returns the reason if the request is
    /// not to be sent again.
    pub(super) async fn login(
        &self,
        ask: &Ask,
        since: u64,
    ) -> Result<Option<LoginFailure>, LoginError> {
        let prompt = self.prompts.of(ask.endpoint());
        let mut prompt = prompt.lock().await;
        if !self.cache().client(ask.endpoint()).wants(ask) {
            return Ok(None);
        }
        if let Some(why) = prompt.failure(ask, since) {
            return why.clone().map(Some);
        }
        let why = match self.credentials.credentials(ask).await {
            None => Ok(LoginFailure::Declined(ask.clone())),
            Some((user, password)) => {
                let mut cache = self.cache();
                match cache.client(ask.endpoint()).login(ask, &user, &password) {
                    // Superseded: the server asks for something else by now, and will challenge
                    // again.
                    Ok(()) | Err(LoginError::Superseded) => return Ok(None),
                    Err(LoginError::AlreadyRefused) => Ok(LoginFailure::WrongCredentials {
                        user,
                        ask: ask.clone(),
                    }),
                    Err(why) => Err(why),
                }
            }
        };
        prompt.fail(ask, self.now(), why.clone());
        why.map(Some)
    }
}
