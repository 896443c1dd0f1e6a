//! The questions that the client asks its policy.

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

    /// Returns false if the policy requires another hash function.
    pub(super) fn meets_required_hash(&self, hash: HashFunction) -> bool {
        self.required_hash.is_none_or(|only| only == hash)
    }

    /// Returns whether Basic, if it is allowed at all, may be used over a channel.
    pub(super) const fn allows_basic_over(&self, channel: Channel) -> bool {
        matches!(channel, Channel::Encrypted) || self.cleartext_basic
    }

    /// Returns whether a response may come with a wrong proof of the server.
    pub(super) const fn ignores_wrong_proof(&self) -> bool {
        self.ignore_wrong_proof && !self.requires_proof
    }

    /// Returns whether a non-ASCII name that is sent in UTF-8 and not hashed goes into `username*`.
    /// `is_supported` tells whether the server appears to support it.
    pub(super) const fn sends_extended_usernames(&self, is_supported: bool) -> bool {
        match self.usernames {
            Usernames::IfSupported => is_supported,
            Usernames::Plain => false,
            Usernames::Extended => true,
        }
    }

    /// Calls `f` with the name and the password to use: mapped by `precis` if the policy asks for
    /// it, otherwise as given.
    pub(super) fn with_mapped<T>(
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
        let is_preferred = self.auth_int != AuthInt::LastResort || !qop.contains(Qop::Auth);
        is_preferred && qop.contains(Qop::AuthInt) && !self.uncounted_form
    }

    /// Returns whether the policy does not require `auth-int`, or these qop values have it.
    pub(super) fn meets_required_qop(&self, qop: QopSet) -> bool {
        self.auth_int != AuthInt::Required || qop.contains(Qop::AuthInt)
    }
}
