//! What a policy allows, and how it answers.

use crate::channel::Channel;
use crate::client::policy::{AuthInt, Policy, Usernames};
use crate::client::strength::hash_rank;
use crate::digest::{HashFunction, Qop, QopSet};

impl Policy {
    /// Returns whether a hash function is at least as strong as the floor.
    pub(super) fn meets_floor(&self, hash: HashFunction) -> bool {
        self.floor
            .is_none_or(|floor| hash_rank(hash) >= hash_rank(floor))
    }

    /// Returns whether a hash function is the required one, if there is one.
    pub(super) fn allows_hash(&self, hash: HashFunction) -> bool {
        self.required_hash.is_none_or(|only| only == hash)
    }

    /// Returns whether Basic, if it is allowed at all, may be used over a channel.
    pub(super) const fn allows_basic_over(&self, channel: Channel) -> bool {
        matches!(channel, Channel::Encrypted) || self.cleartext_basic
    }

    /// Returns whether a response may come without a valid proof of the server.
    pub(super) const fn allows_unproven(&self) -> bool {
        !self.requires_proof
    }

    /// Returns whether a response may come with a wrong proof of the server.
    pub(super) const fn ignores_wrong_proof(&self) -> bool {
        self.ignore_wrong_proof && !self.requires_proof
    }

    /// Returns whether a name that is not ASCII, if it is UTF-8 and not hashed, is sent as
    /// `username*`. `is_supported` tells whether the server appears to support it.
    pub(super) const fn extends_usernames(&self, is_supported: bool) -> bool {
        match self.usernames {
            Usernames::IfSupported => is_supported,
            Usernames::Plain => false,
            Usernames::Extended => true,
        }
    }

    /// Passes a name and a password to `f` as they are sent: as given, or mapped.
    pub(super) fn mapped<T>(
        &self,
        username: &str,
        password: &str,
        f: impl FnOnce(&str, &str) -> T,
    ) -> T {
        #[cfg(feature = "precis")]
        if self.precis {
            return crate::precis::with_mapped(username, password, f);
        }
        f(username, password)
    }

    /// Returns whether the answer to a challenge with these qop values should cover the body, if
    /// the body is known.
    pub(super) fn wants_auth_int(&self, qop: QopSet) -> bool {
        let is_best = self.auth_int != AuthInt::LastResort || !qop.contains(Qop::Auth);
        is_best && qop.contains(Qop::AuthInt) && !self.uncounted_form
    }

    /// Returns false if the policy requires `auth-int` and these qop values lack it.
    pub(super) fn allows_qop(&self, qop: QopSet) -> bool {
        self.auth_int != AuthInt::Required || qop.contains(Qop::AuthInt)
    }
}
