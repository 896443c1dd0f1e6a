//! What a layer is set to, and its services with it.

use std::sync::Arc;

use countersign::Channel;
use countersign::client::{Account, Endpoint, LoginError};

use crate::client::shared::Shared;

pub(super) struct Settings<C> {
    pub(super) shared: Arc<Shared<C>>,
    pub(super) proxy: Option<Endpoint>,
    pub(super) origin: Option<Endpoint>,
    pub(super) has_verified_tls: bool,
}

impl<C> Settings<C> {
    /// The endpoint under which the cache has a client.
    pub(super) fn as_seen(&self, endpoint: Endpoint) -> Endpoint {
        match self.has_verified_tls {
            true => endpoint,
            false => endpoint.with_channel(Channel::Cleartext),
        }
    }

    pub(super) fn add_account(
        &self,
        endpoint: &Endpoint,
        account: Account,
    ) -> Result<(), LoginError> {
        let endpoint = self.as_seen(endpoint.clone());
        self.shared.logins.of(&endpoint).start_again();
        self.shared.cache().add_account(&endpoint, account)
    }

    pub(super) fn logout(&self, endpoint: &Endpoint) {
        let endpoint = self.as_seen(endpoint.clone());
        self.shared.logins.of(&endpoint).start_again();
        self.shared.cache().client(&endpoint).logout();
    }
}

impl<C> Clone for Settings<C> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            proxy: self.proxy.clone(),
            origin: self.origin.clone(),
            has_verified_tls: self.has_verified_tls,
        }
    }
}
