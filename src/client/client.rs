//! The client side of authentication to one origin or proxy.

use core::fmt;

use rand_core::TryCryptoRng;

use crate::client::account::{Account, Accounts};
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
    pub(super) accounts: Accounts,
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
        Self {
            last_id: SpaceId::take_from(&mut seed),
            endpoint,
            policy,
            accounts: Accounts::default(),
            strengths: Strengths::default(),
            spaces: Spaces::default(),
            counts: Counts::default(),
            generator: Generator::new(seed),
            is_cached: false,
            hold: None,
        }
    }

    /// Draws a new seed for the cnonces: in the child of a `fork`, which else draws what its parent draws.
    ///
    /// # Errors
    ///
    /// The error of `rng`. The client is then unchanged.
    pub fn reseed<R>(&mut self, rng: &mut R) -> Result<(), R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        secret::with_seed(rng, |seed| self.generator = Generator::new(seed))
    }

    /// Gives the client an account, with which it answers without [`Next::Login`](super::Next).
    /// Where none of its accounts fits, it [gives up](super::SkipReason::Account). An account
    /// replaces an earlier account for the same realm, and an account without a realm replaces an
    /// earlier one without. Adding an account ends all logins.
    ///
    /// # Errors
    ///
    /// [`LoginError::Text`] if the name or the password cannot be sent, and
    /// [`LoginError::BasicNotAllowed`] if the policy, or a [`Strength`] that a realm has proved, does
    /// not allow preemptive Basic on this channel.
    pub fn with_account(mut self, account: Account) -> Result<Self, LoginError> {
        self.add_account(account)?;
        Ok(self)
    }

    pub(super) fn add_account(&mut self, account: Account) -> Result<(), LoginError> {
        account.check_name().map_err(LoginError::Text)?;
        if account.is_preemptive() {
            self.check_preemptive(&account)?;
        }
        self.accounts.put(account);
        // A login may be by an account that answers no more.
        self.spaces.end_logins();
        if self.accounts.preemptive().is_some() {
            self.spaces.begin_preemptive(self.last_id.advance());
        }
        Ok(())
    }

    fn check_preemptive(&self, account: &Account) -> Result<(), LoginError> {
        let required = self.policy.strength.max(self.strengths.proven(None));
        let channel = self.endpoint.channel();
        if required > Strength::Basic || !self.policy.allows_preemptive_basic(channel) {
            return Err(LoginError::BasicNotAllowed);
        }
        account.login(None, b"", &self.policy, false).map(drop)
    }

    /// Takes over the accounts of an earlier client of this endpoint.
    #[cfg(feature = "cache")]
    pub(super) fn set_accounts(&mut self, accounts: Accounts) {
        self.accounts = accounts;
        match self.accounts.preemptive() {
            Some(account) if self.check_preemptive(account).is_ok() => {
                self.spaces.begin_preemptive(self.last_id.advance());
            }
            _ => self.accounts.end_preemption(),
        }
    }

    /// Logs in the preemptive account, if nobody has asked yet. Each request counts as an ask, so
    /// that a refused secret waits, and comes back.
    pub(super) fn log_in_unasked(&mut self) {
        let space = self.spaces.preemptive().filter(|space| !space.is_ready());
        if let (Some(space), Some(account)) = (space, self.accounts.preemptive()) {
            let ask = space.fresh_ask(&self.endpoint);
            // If it is too early, the request goes without.
            let _ = space.log_in(&ask, account, &self.policy);
        }
    }

    /// The endpoint that the credentials are for.
    pub const fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Logs in to the protection space of `ask`. Afterwards, send the request again. For Digest the
    /// password is hashed and not kept, but a client that has accounts keeps this one for the realm,
    /// in place of an earlier one.
    ///
    /// # Errors
    ///
    /// [`LoginError`] if the login is no longer asked for, or was refused, or the account is for
    /// something else.
    pub fn login(&mut self, ask: &Ask, account: &Account) -> Result<(), LoginError> {
        let space = self.spaces.by_id_mut(Some(ask.id));
        // Two clients that were wrongly given one seed have the same ids.
        let space = space.filter(|_| ask.endpoint == self.endpoint);
        let space = space.ok_or(LoginError::Superseded)?;
        space.log_in(ask, account, &self.policy)?;
        if !self.accounts.is_empty() {
            let account = account.clone();
            self.accounts.put(match space.is_preemptive() {
                true => account.with_preemptive_basic(),
                false => account.for_realm(space.realm()),
            });
        }
        Ok(())
    }

    /// Returns whether a login for `ask` is still needed. If it is not, another task has logged in
    /// or was refused: do not prompt the user, and send the request again.
    pub fn wants(&self, ask: &Ask) -> bool {
        let space = self.spaces.by_id(Some(ask.id));
        space.is_some_and(|space| space.wants(ask))
    }

    /// Forgets all accounts, logins, nonces and refused secrets, but not which [`Strength`] each
    /// realm has proved. From then on, the client asks for logins.
    pub fn logout(&mut self) {
        self.accounts = Accounts::default();
        self.spaces = Spaces::default();
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
