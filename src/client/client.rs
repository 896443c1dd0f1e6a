//! The client side of authentication to one origin or proxy.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use crate::client::ask::{Ask, SpaceId};
use crate::client::endpoint::Endpoint;
use crate::client::error::LoginError;
use crate::client::exchange::Hold;
use crate::client::generator::Generator;
use crate::client::login::Account;
use crate::client::nonce::Counts;
use crate::client::paths::OwnTarget;
use crate::client::policy::{Policy, Quirk};
use crate::client::space::{ProtectionSpace, Spaces};
use crate::client::strength::{Strength, Strengths};
use crate::digest::HashFunction;
use crate::secret;

/// The client side of authentication to one origin or proxy: its accounts, logins, nonces and
/// counts, for up to eight realms.
///
/// A client is not [`Clone`], because two copies would send the same nonce count twice. `Debug`
/// shows no header text and no secret, and secrets are wiped when dropped.
pub struct Client {
    pub(super) endpoint: Endpoint,
    pub(super) policy: Policy,
    pub(super) accounts: Vec<Account>,
    pub(super) strengths: Strengths,
    pub(super) spaces: Spaces,
    pub(super) counts: Counts,
    pub(super) generator: Generator,
    /// The id of the space that was made last.
    pub(super) last_id: SpaceId,
    /// The cache has it, and asks whether it is held.
    pub(super) is_cached: bool,
    /// Made when it is first needed.
    pub(super) hold: Option<Hold>,
}

/// Whether the first request of an exchange will carry an answer: see [`Client::readiness`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Readiness {
    /// No answer, because nobody is logged in where the request-target is.
    NotLoggedIn,
    /// No answer, because the request-target is outside every known protection space.
    OutsideSpace,
    /// No answer, because there is no nonce to volunteer with, or the policy is to answer only when
    /// asked. The login, or an account that nobody has asked for yet, may answer the challenge that
    /// comes back.
    NoNonce,
    /// No answer, because the credentials are weaker than the required [`Strength`].
    BelowStrength,
    /// An answer, which the server may still refuse.
    Answer,
    /// An answer that covers the body, if the [`Target`](crate::Target) has it or its hash by this
    /// function; otherwise one that does not, if server and policy allow that.
    AnswerOverBody(HashFunction),
}

impl Client {
    /// Makes a client for one origin or proxy. Each endpoint needs its own.
    ///
    /// # Errors
    ///
    /// The error of `rng`, which is called once, for a seed of 32 bytes.
    pub fn new<R>(endpoint: Endpoint, policy: Policy, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        secret::with_seed(rng, |seed| Self::from_seed(endpoint, policy, seed))
    }

    /// Makes a client from 32 random bytes, which must not be used for anything else.
    pub fn from_seed(endpoint: Endpoint, policy: Policy, mut seed: [u8; 32]) -> Self {
        let mut strengths = Strengths::default();
        strengths.set_floor(policy.strength);
        Self {
            last_id: SpaceId::take_from(&mut seed),
            endpoint,
            policy,
            accounts: Vec::new(),
            strengths,
            spaces: Spaces::default(),
            counts: Counts::new(),
            generator: Generator::new(seed),
            is_cached: false,
            hold: None,
        }
    }

    /// Gives the client an account, with which it answers without [`Next::Login`](super::Next).
    /// Where none of its accounts fits, it [gives up](super::SkipReason::Account). An account
    /// replaces an earlier one for the same realm, one without a realm another without, and that ends
    /// all logins, as one [with preemptive Basic](Account::with_preemptive_basic) does.
    ///
    /// # Errors
    ///
    /// [`LoginError::Text`] if the name or the password cannot be sent, and
    /// [`LoginError::BasicNotAllowed`] if the policy, or the [`strength`](Self::strength) of the
    /// client, does not allow preemptive Basic on this channel.
    pub fn with_account(mut self, account: Account) -> Result<Self, LoginError> {
        self.add_account(account)?;
        Ok(self)
    }

    pub(super) fn add_account(&mut self, mut account: Account) -> Result<(), LoginError> {
        account.check_name().map_err(LoginError::Text)?;
        let mut preemptive = None;
        if account.is_preemptive() {
            let is_too_weak = self.strengths.strongest() > Strength::Basic;
            let channel = self.endpoint.channel();
            if is_too_weak || !self.policy.allows_preemptive_basic(channel) {
                return Err(LoginError::BasicNotAllowed);
            }
            preemptive = Some(account.basic_login(&self.policy, false)?);
        }
        let mut others = self.accounts.iter();
        if let Some(at) = others.position(|other| other.realm == account.realm) {
            let other = self.accounts.remove(at);
            self.spaces.end_logins();
            account.pinned = other.pinned;
            account.is_for_digest = other.is_for_digest;
        }
        if let Some(login) = preemptive {
            self.spaces.set_preemptive(login, self.last_id.advance());
        }
        // One for any realm comes last.
        let at = account.realm.as_ref().map_or(self.accounts.len(), |_| 0);
        self.accounts.insert(at, account);
        Ok(())
    }

    /// Returns the strength to store, and to [require](Policy::require_strength) of the next client.
    ///
    /// It is the minimum over up to eight realms: of the strongest credentials that a realm has
    /// accepted with a [proof](super::ServerProof::Valid), or of the weakest that it has accepted if
    /// it never gave one. Without any proof it is what the policy requires.
    pub fn strength(&self) -> Strength {
        self.strengths.overall()
    }

    /// The endpoint that the credentials are for.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Logs in to the protection space of `ask`. Afterwards, send the request again. For Digest the
    /// password is hashed and not kept.
    ///
    /// # Errors
    ///
    /// [`LoginError`] if the login is no longer asked for, or was refused, or the account is for
    /// something else.
    pub fn login(&mut self, ask: &Ask, account: &Account) -> Result<(), LoginError> {
        let space = self.spaces.by_id_mut(ask.id);
        // Two clients that were wrongly given one seed have the same ids.
        let space = space.filter(|_| ask.endpoint == self.endpoint);
        let space = space.ok_or(LoginError::Superseded)?;
        space.log_in(ask, account, &self.policy)
    }

    /// Returns whether a login for `ask` is still needed. If it is not, another task has logged in
    /// or was refused: do not prompt the user, and send the request again.
    pub fn wants(&self, ask: &Ask) -> bool {
        let space = self.spaces.by_id(ask.id);
        space.is_some_and(|space| space.wants(ask))
    }

    /// Forgets all accounts, logins, nonces and refused secrets, but not the
    /// [`strength`](Self::strength). From then on, the client asks for logins.
    pub fn logout(&mut self) {
        self.accounts.clear();
        self.spaces.clear();
    }

    /// Predicts whether the first request of an exchange for this request-target will carry an
    /// answer. If not, a caller with a large body can use `Expect: 100-continue`, or probe with a
    /// HEAD or OPTIONS, never with an empty PUT or POST.
    ///
    /// A space covers, for Digest, the paths of `domain` and all below them; without `domain`, all
    /// (RFC 7616, section 3.3). For Basic it covers the folder of the challenged path (RFC 7617,
    /// section 2.2); for preemptive Basic, and at a proxy, all. A path with a malformed or double
    /// escape, a backslash, or a segment `.` or `..` is covered only where all are.
    pub fn readiness<U: AsRef<[u8]> + ?Sized>(&self, uri: &U) -> Readiness {
        let without_login = match self.accounts.is_empty() {
            true => Readiness::NotLoggedIn,
            false => Readiness::NoNonce,
        };
        let target = OwnTarget::of(uri.as_ref(), &self.endpoint);
        let Some(space) = target.and_then(|target| self.spaces.covering(&target)) else {
            return match self.spaces.iter().any(ProtectionSpace::is_ready) {
                true => Readiness::OutsideSpace,
                false => without_login,
            };
        };
        if !space.is_ready() {
            return without_login;
        }
        if !space.is_strong_enough(&self.strengths) {
            return Readiness::BelowStrength;
        }
        match (space.hash, &space.nonce) {
            _ if self.policy.has(Quirk::OnlyWhenAsked) => Readiness::NoNonce,
            (None, _) => Readiness::Answer,
            (Some(_), None) => Readiness::NoNonce,
            (Some(hash), Some(nonce)) if self.policy.wants_auth_int(nonce.qop) => {
                Readiness::AnswerOverBody(hash)
            }
            _ => Readiness::Answer,
        }
    }
}

/// Shows the endpoint alone.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}
