//! A cache of clients, one for each endpoint.

use alloc::boxed::Box;
use core::fmt;
use core::mem;
use core::num::NonZero;

use lru::LruCache;
use rand_core::TryCryptoRng;

use crate::client::account::{Account, Accounts};
use crate::client::client::Client;
use crate::client::endpoint::Endpoint;
use crate::client::error::LoginError;
use crate::client::exchange::Hold;
use crate::client::generator::Generator;
use crate::client::policy::Policy;
use crate::client::strength::Strengths;
use crate::secret;

/// A cache of [`Client`]s, one for each [`Endpoint`] (origin or proxy) that a program talks to.
///
/// When full, it evicts the least recently used client with its logins, nonces and counts. It keeps
/// more than `capacity` only where they have an [`Exchange`](super::Exchange) that was challenged
/// and is not done: drop such an exchange when its request is given up. What the program has set for
/// an endpoint is kept until [`forget`](Self::forget), and of up to `capacity` others which
/// [`Strength`](super::Strength) they have proved. The cache has no lock.
pub struct AuthCache {
    policy: Policy,
    generator: Generator,
    capacity: NonZero<usize>,
    /// Boxed, because the map moves its values and would leave copies of secrets in memory.
    clients: LruCache<Endpoint, Box<Client>>,
    /// What the program has set. Never full.
    settings: LruCache<Endpoint, Kept>,
    /// What other evicted clients have proved. Without them, an attacker who makes a program visit
    /// many endpoints could evict a client and then have a weaker challenge answered.
    evicted: LruCache<Endpoint, Kept>,
}

/// What outlives a client.
#[derive(Default)]
struct Kept {
    policy: Policy,
    // Empty while there is a client.
    accounts: Accounts,
    strengths: Strengths,
}

impl AuthCache {
    /// Makes an empty cache for up to `capacity` endpoints (0 counts as 1). New clients get this
    /// policy.
    ///
    /// # Errors
    ///
    /// The error of `rng`, which is called once, for a seed of 32 bytes.
    pub fn new<R>(capacity: usize, policy: Policy, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        secret::with_seed(rng, |seed| Self::from_seed(capacity, policy, seed))
    }

    /// Makes an empty cache from 32 random bytes, which must not be used for anything else.
    pub fn from_seed(capacity: usize, policy: Policy, seed: [u8; 32]) -> Self {
        let capacity = NonZero::new(capacity).unwrap_or(NonZero::<usize>::MIN);
        Self {
            policy,
            generator: Generator::new(seed),
            capacity,
            // Bounded by `client`: a bounded map would drop the client that it evicts, and its
            // accounts with it.
            clients: LruCache::unbounded(),
            settings: LruCache::unbounded(),
            evicted: LruCache::sparse(capacity),
        }
    }

    /// Draws a new seed for the cnonces of all clients, as [`Client::reseed`] does.
    ///
    /// # Errors
    ///
    /// The error of `rng`. The cache is then unchanged.
    pub fn reseed<R>(&mut self, rng: &mut R) -> Result<(), R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        secret::with_seed(rng, |seed| self.generator = Generator::new(seed))?;
        for (_, client) in &mut self.clients {
            let mut seed = self.generator.seed();
            client.generator = Generator::new(seed);
            secret::wipe(&mut seed);
        }
        Ok(())
    }

    /// Returns the client of an endpoint. If there is none, makes one, which may evict another.
    pub fn client(&mut self, endpoint: &Endpoint) -> &mut Client {
        let mut made = None;
        if !self.clients.contains(endpoint) {
            // Taken out before the eviction, which could drop it to make room for another.
            made = Some(match self.settings.get_mut(endpoint) {
                Some(kept) => Kept {
                    policy: kept.policy,
                    accounts: mem::take(&mut kept.accounts),
                    strengths: mem::take(&mut kept.strengths),
                },
                None => self.evicted(endpoint),
            });
            while self.clients.len() >= self.capacity.get()
                && let Some((endpoint, client)) = self.pop_evicted()
            {
                self.keep(endpoint, client);
            }
        }
        let generator = &mut self.generator;
        self.clients.get_or_insert_mut_ref(endpoint, || {
            let kept = made.unwrap_or_default();
            let mut seed = generator.seed();
            let mut client = Box::new(Client::from_seed(endpoint.clone(), kept.policy, seed));
            secret::wipe(&mut seed);
            client.is_cached = true;
            client.strengths = kept.strengths;
            client.set_accounts(kept.accounts);
            client
        })
    }

    /// Takes out the least recently used client that no exchange holds.
    fn pop_evicted(&mut self) -> Option<(Endpoint, Box<Client>)> {
        let is_held = |client: &Client| {
            let hold = client.hold.as_ref();
            hold.is_some_and(|hold| Hold::strong_count(hold) > 1)
        };
        let mut clients = self.clients.iter().rev();
        let (endpoint, _) = clients.find(|(_, client)| !is_held(client))?;
        let endpoint = endpoint.clone();
        self.clients.pop_entry(&endpoint)
    }

    /// Keeps what an evicted client leaves.
    fn keep(&mut self, endpoint: Endpoint, mut client: Box<Client>) {
        let kept = Kept {
            policy: client.policy,
            accounts: mem::take(&mut client.accounts),
            strengths: mem::take(&mut client.strengths),
        };
        match self.settings.get_mut(&endpoint) {
            Some(settings) => *settings = kept,
            None if kept.strengths.proven_realms().next().is_some() => {
                self.evicted.put(endpoint, kept);
            }
            None => {}
        }
    }

    /// Takes out what an evicted client has left.
    fn evicted(&mut self, endpoint: &Endpoint) -> Kept {
        Kept {
            policy: self.policy,
            ..self.evicted.pop(endpoint).unwrap_or_default()
        }
    }

    /// Has the cache keep the settings of an endpoint.
    fn keep_settings(&mut self, endpoint: &Endpoint) {
        if !self.settings.contains(endpoint) {
            let kept = self.evicted(endpoint);
            self.settings.put(endpoint.clone(), kept);
        }
    }

    /// Gives an endpoint an account.
    ///
    /// # Errors
    ///
    /// Those of [`Client::with_account`].
    pub fn add_account(&mut self, endpoint: &Endpoint, account: Account) -> Result<(), LoginError> {
        self.keep_settings(endpoint);
        self.client(endpoint).add_account(account)
    }

    /// Gives an endpoint a policy in place of the policy of the cache. A client that exists is logged
    /// out, and keeps its accounts.
    pub fn set_policy(&mut self, endpoint: &Endpoint, policy: Policy) {
        self.keep_settings(endpoint);
        if let Some(client) = self.clients.pop(endpoint) {
            self.keep(endpoint.clone(), client);
        }
        if let Some(settings) = self.settings.get_mut(endpoint) {
            settings.policy = policy;
        }
    }

    /// Forgets an endpoint with its logins, settings and the [`Strength`](super::Strength) that it has
    /// proved, for example because the server has become weaker for good.
    pub fn forget(&mut self, endpoint: &Endpoint) {
        self.clients.pop(endpoint);
        self.settings.pop(endpoint);
        self.evicted.pop(endpoint);
    }
}

impl fmt::Debug for AuthCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clients = self.clients.iter().map(|(_, client)| client);
        f.debug_list().entries(clients).finish()
    }
}
