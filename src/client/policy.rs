//! The policy of a client.

use crate::channel::Channel;
use crate::client::strength::Strength;
use crate::digest::{HashFunction, Qop, QopSet};

/// What a client accepts and sends. The default prefers the strongest challenge, answers every
/// algorithm with a qop, and Basic over an encrypted channel, also before it is asked; and takes a
/// wrong proof of the server for an error, but not a missing one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Policy {
    pub(super) strength: Strength,
    cleartext_basic: bool,
    pub(super) required_hash: Option<HashFunction>,
    pub(super) auth_int: AuthInt,
    #[cfg(feature = "precis")]
    precis: bool,
    pub(super) max_answers: u8,
    pub(super) requires_proof: bool,
    quirks: u16,
}

/// Whether a response covers the body.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum AuthInt {
    /// Only if no other qop is offered.
    LastResort,
    /// Whenever it is offered and the body is known.
    Preferred,
    /// Always.
    Required,
}

/// A departure from RFC 7616 that a server needs: see [`Policy::with_quirk`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Quirk {
    /// Answers a challenge without qop in the form of RFC 2069, which old cameras and printers
    /// need. A captured request may be replayed, and an attacker could remove the qop.
    Rfc2069,
    /// Answers every challenge in the form of RFC 2069, for printers that offer `qop="auth"` and
    /// check the old form. As weak as [`Rfc2069`](Self::Rfc2069).
    WithoutQop,
    /// Writes `qop="auth"`, which old versions of IIS require, instead of `qop=auth` (RFC 7616,
    /// section 3.4). Some cameras refuse the quoted form.
    QuotedQop,
    /// Sends the plain user name even if the server offers `userhash`.
    NoUserhash,
    /// Sends a name that is not ASCII as `username`, never as `username*` (RFC 7616, section 3.4).
    /// By default `username*` is sent if the challenge has another feature of RFC 7616:
    /// `charset=UTF-8`, `userhash`, or a hash function other than MD5.
    PlainUsernames,
    /// Sends a name that is not ASCII and not hashed as `username*`, whatever the challenge has.
    /// Werkzeug 3.1.8 supports it without a sign of that.
    ExtendedUsernames,
    /// Encodes name and password in ISO-8859-1 if the challenge lacks `charset=UTF-8`, as some old
    /// servers expect, and preemptive Basic. A character outside ISO-8859-1 makes the login fail.
    Latin1,
    /// Takes a wrong proof of the server as [`ServerProof::Wrong`](super::ServerProof::Wrong)
    /// instead of an error, for servers that compute it wrongly, such as WEBrick 1.8 with
    /// `auth-int`. No effect with [`require_server_proof`](Policy::require_server_proof).
    IgnoreWrongProof,
    /// Answers only when asked, which costs a second request each time, for devices whose nonces are
    /// good for one request, URL, method or connection, or that lock the account after a few refusals.
    OnlyWhenAsked,
}

impl Quirk {
    #[expect(clippy::as_conversions, reason = "the number of the variant")]
    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl Policy {
    /// The default policy.
    pub const fn new() -> Self {
        Self {
            strength: Strength::Nothing,
            cleartext_basic: false,
            required_hash: None,
            auth_int: AuthInt::LastResort,
            #[cfg(feature = "precis")]
            precis: false,
            max_answers: 3,
            requires_proof: false,
            quirks: 0,
        }
    }

    /// Skips challenges that are weaker: with [`DigestRfc2069`](Strength::DigestRfc2069) Basic, with
    /// [`DigestSha2`](Strength::DigestSha2) MD5, too. A lower value than before has no effect.
    #[must_use]
    pub fn require_strength(mut self, strength: Strength) -> Self {
        self.strength = self.strength.max(strength);
        self
    }

    /// Allows Basic on a cleartext channel, where anybody can read the password, or ask for it.
    #[must_use]
    pub const fn with_cleartext_basic(mut self) -> Self {
        self.cleartext_basic = true;
        self
    }

    /// Skips Digest challenges with any other hash function.
    #[must_use]
    pub const fn require_hash(mut self, hash: HashFunction) -> Self {
        self.required_hash = Some(hash);
        self
    }

    /// Uses `auth-int`, which covers the body, if the challenge offers it and the body is known.
    /// That is no protection from an attacker who alters challenges.
    #[must_use]
    pub const fn prefer_auth_int(mut self) -> Self {
        if !matches!(self.auth_int, AuthInt::Required) {
            self.auth_int = AuthInt::Preferred;
        }
        self
    }

    /// Always uses `auth-int`, which covers the body. Challenges that do not offer it are skipped,
    /// and those with MD5, because two bodies of one MD5 share a response. For a challenged request
    /// with an unknown body, [`authorize`](super::Client::authorize) returns
    /// [`BodyNeeded`](super::Error::BodyNeeded).
    #[must_use]
    pub const fn require_auth_int(mut self) -> Self {
        self.auth_int = AuthInt::Required;
        self
    }

    /// Maps the names and passwords of accounts by [`precis`](crate::precis), so that composed and
    /// decomposed letters make one login (RFC 7616, section 4; RFC 7617, section 2.1), whether the
    /// challenge has a charset or not. An account with an HA1 is sent as given.
    #[cfg(feature = "precis")]
    #[must_use]
    pub const fn with_precis(mut self) -> Self {
        self.precis = true;
        self
    }

    /// Sets the most answers of one [`Exchange`](super::Exchange) that a server may refuse before
    /// the client gives up; 0 counts as 1. What was volunteered for another realm does not count. A
    /// wrong password usually ends the exchange earlier.
    #[must_use]
    pub const fn with_max_answers(mut self, answers: u8) -> Self {
        self.max_answers = if answers == 0 { 1 } else { answers };
        self
    }

    /// Makes every response without a challenge an error, unless it has a
    /// [valid](super::ServerProof::Valid) proof that the server knows the secret. Challenges with
    /// which it cannot prove that it does now are skipped: Basic and RFC 2069.
    ///
    /// Requests for public resources of the origin fail, too.
    #[must_use]
    pub const fn require_server_proof(mut self) -> Self {
        self.requires_proof = true;
        self
    }

    /// Departs from RFC 7616 in one point, for a server that needs it.
    #[must_use]
    pub const fn with_quirk(mut self, quirk: Quirk) -> Self {
        self.quirks |= quirk.bit();
        self
    }

    pub(super) const fn has(&self, quirk: Quirk) -> bool {
        self.quirks & quirk.bit() != 0
    }

    /// Returns whether Basic, if it is allowed at all, may be used over a channel.
    pub(super) const fn allows_basic_over(&self, channel: Channel) -> bool {
        matches!(channel, Channel::Encrypted) || self.cleartext_basic
    }

    /// Returns whether Basic credentials may be sent over a channel before a challenge.
    pub(super) fn allows_preemptive_basic(&self, channel: Channel) -> bool {
        let needs_digest = self.requires_proof || !self.meets_required_qop(QopSet::NONE);
        !self.has(Quirk::OnlyWhenAsked) && self.allows_basic_over(channel) && !needs_digest
    }

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
        is_preferred && qop.contains(Qop::AuthInt)
    }

    /// Returns whether the policy does not require `auth-int`, or these qop values have it.
    pub(super) fn meets_required_qop(&self, qop: QopSet) -> bool {
        self.auth_int != AuthInt::Required || qop.contains(Qop::AuthInt)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new()
    }
}
