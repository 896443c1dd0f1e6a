//! The server of a history, in both of the types there are.

use std::cell::RefCell;

use countersign::digest::Ha1;
use countersign::server::{Arrival, Attempt, Nonces, Realm, Refusal, Rejected, Verified};
use countersign::{Target, Timestamp};

use super::actions::Settings;
use crate::support::server::nonce_key;

/// The key and the memory of a server, in both of the types there are.
pub(super) enum Server {
    Nonces(RefCell<Nonces>),
    #[cfg(feature = "std")]
    Authenticator(countersign::server::Authenticator),
}

impl Server {
    /// With a key that may have been used until then.
    pub(super) fn new(
        realm: &Realm,
        key: u8,
        used_until: Option<Timestamp>,
        settings: Settings,
    ) -> Self {
        let (key, capacity) = (nonce_key(key), settings.capacity);
        match settings.threads {
            #[cfg(feature = "std")]
            true => {
                let (realm, rng) = (realm.clone(), &mut crate::support::server::Seeded(0));
                let auth = countersign::server::Authenticator::with_key(
                    realm, key, used_until, capacity, rng,
                );
                Self::Authenticator(auth.expect("numbers that do not fail"))
            }
            _ => {
                let nonces = Nonces::new(realm, key, used_until, capacity, 0);
                Self::Nonces(RefCell::new(nonces))
            }
        }
    }

    pub(super) fn begin<'a>(
        &self,
        realm: &'a Realm,
        value: Option<&'a [u8]>,
        target: &Target<'a>,
        arrival: &Arrival<'a>,
    ) -> Result<Attempt<'a>, Rejected<'a>> {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().begin(realm, value, target, arrival),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.begin_as(realm, value, target, arrival),
        }
    }

    pub(super) fn admit<'a>(&self, verified: Verified<'a, Ha1>) -> Result<(), Rejected<'a>> {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().admit(verified).map(drop),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.admit(verified).map(drop),
        }
    }

    pub(super) fn refuse(&self, rejected: &Rejected<'_>) -> Refusal {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().refuse(rejected),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.refuse(rejected),
        }
    }

    pub(super) fn rotate(&self, realm: &Realm, key: u8) {
        match self {
            Self::Nonces(nonces) => nonces.borrow_mut().rotate(realm, nonce_key(key)),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.rotate(nonce_key(key)),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Nonces(nonces) => nonces.borrow().len(),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.len(),
        }
    }

    pub(super) fn horizon(&self) -> Timestamp {
        match self {
            Self::Nonces(nonces) => nonces.borrow().horizon(),
            #[cfg(feature = "std")]
            Self::Authenticator(auth) => auth.horizon(),
        }
    }
}
