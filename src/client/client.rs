//! The client side of authentication to one origin or proxy.

use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use crate::client::account::{Account, Held};
use crate::client::ask::{Ask, SpaceId};
use crate::client::endpoint::Endpoint;
use crate::client::error::LoginError;
use crate::client::exchange::Hold;
use crate::client::generator::Generator;
use crate::client::nonce::Counts;
use crate::client::policy::Policy;
use crate::client::space::Spaces;
use crate::client::strength::{Strength, Strengths};
use crate::secret;

/// The client side of authentication to one origin or proxy: its accounts, logins, nonces and
/// counts, for up to eight realms.
///
/// A client is not [`Clone`], because two copies would send the same nonce count twice. `Debug`
/// shows no header text and no secret, and secrets are wiped when dropped.
pub struct Client {
    pub(super) endpoint: Endpoint,
    pub(super) policy: Policy,
    pub(super) accounts: Vec<Held>,
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
        self.add_account(Held::new(account))?;
        Ok(self)
    }

    pub(super) fn add_account(&mut self, mut held: Held) -> Result<(), LoginError> {
        held.account.check_name().map_err(LoginError::Text)?;
        let mut preemptive = None;
        if held.is_preemptive {
            let is_too_weak = self.strengths.strongest() > Strength::Basic;
            let channel = self.endpoint.channel();
            if is_too_weak || !self.policy.allows_preemptive_basic(channel) {
                return Err(LoginError::BasicNotAllowed);
            }
            preemptive = Some(held.account.basic_login(&self.policy, false)?);
        }
        let mut others = self.accounts.iter();
        if let Some(at) = others.position(|other| held.replaces(other)) {
            self.accounts.remove(at);
            self.spaces.end_logins();
        }
        if let Some(login) = preemptive {
            self.spaces.set_preemptive(login, self.last_id.advance());
        }
        // One for any realm comes last.
        let at = match held.is_for_any_realm() {
            true => self.accounts.len(),
            false => 0,
        };
        self.accounts.insert(at, held);
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
}

/// Shows the endpoint alone.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}
