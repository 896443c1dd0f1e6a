//! Many endpoints, one client each.

use alloc::boxed::Box;
use core::fmt;

use lru::LruCache;
use rand_core::TryCryptoRng;

use crate::client::client::Client;
use crate::client::endpoint::Endpoint;
use crate::client::policy::Policy;
use crate::client::seed::Seed;
use crate::client::strength::Strength;
use crate::secret;

/// The clients of many origins and proxies.
///
/// It is bounded: a full cache forgets the client unused longest, with its logins. The
/// [`strength`](Client::strength) of as many forgotten clients is kept and given to their successors.
/// Make room for at least as many endpoints as have requests under way at the same time, because
/// a request whose client was forgotten has to begin anew.
///
/// A password belongs to one origin: look at the endpoint, not only at the realm of an
/// [`Ask`](super::Ask), before you answer it. Any server can name its realm as it likes.
///
/// It does no locking: keep it behind a lock of your own.
///
/// ```
/// use countersign::client::{AuthCache, Endpoint, Policy};
///
/// let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
/// let origin = Endpoint::origin("https", "example.com", None)?;
/// let client = cache.client(&origin);
/// # let _ = client;
/// let elsewhere = Endpoint::origin("https", "example.com", Some(8443))?;
/// assert!(cache.get_mut(&elsewhere).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AuthCache {
    policy: Policy,
    seed: Seed,
    capacity: usize,
    /// Boxed, because the map moves what it hands back and would leave copies of secrets in memory.
    clients: LruCache<Endpoint, Box<Client>>,
    /// Of endpoints whose clients were forgotten: otherwise whoever makes a program visit many others
    /// could have a weaker challenge answered.
    strengths: LruCache<Endpoint, Strength>,
}

impl AuthCache {
    /// An empty cache with room for `capacity` endpoints, at least one. Its clients have this policy.
    /// Their cnonces come from 32 bytes that are drawn from `rng` now; nothing is drawn later.
    ///
    /// # Errors
    ///
    /// The error of `rng`, if it fails.
    pub fn new<R>(capacity: usize, policy: Policy, rng: &mut R) -> Result<Self, R::Error>
    where
        R: TryCryptoRng + ?Sized,
    {
        let mut seed = [0; 32];
        rng.try_fill_bytes(&mut seed)?;
        let cache = Self::from_seed(capacity, policy, seed);
        secret::wipe(&mut seed);
        Ok(cache)
    }

    /// An empty cache whose cnonces come from this seed, for programs without a generator at hand:
    /// [`new`](Self::new) otherwise. The seed must be random and used for nothing else.
    pub fn from_seed(capacity: usize, policy: Policy, seed: [u8; 32]) -> Self {
        Self {
            policy,
            seed: Seed::new(seed),
            capacity: capacity.max(1),
            // Bounded here: the map would reserve all of its room now.
            clients: LruCache::unbounded(),
            strengths: LruCache::unbounded(),
        }
    }

    /// Returns the client of an endpoint; makes one with the policy of the cache if there is none.
    /// A full cache forgets another client for it, in constant time.
    pub fn client(&mut self, endpoint: &Endpoint) -> &mut Client {
        self.client_with(endpoint, |client| client)
    }

    /// [`client`](Self::client), for endpoints that differ in more than their name: `set_up` is
    /// called with a client that was made now, and gives it a policy of its own or the strength
    /// that was stored. It is called again after the cache has forgotten the endpoint, so no client
    /// goes without what it sets.
    ///
    /// ```
    /// use countersign::client::{AuthCache, Endpoint, Policy, Strength};
    ///
    /// let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
    /// let origin = Endpoint::origin("https", "example.com", None)?;
    /// let stored: Strength = "digest-sha2".parse()?;
    /// let client = cache.client_with(&origin, |client| {
    ///     client.with_policy(Policy::new().require_server_proof()).with_strength(stored)
    /// });
    /// assert_eq!(client.strength(), stored);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn client_with<F>(&mut self, endpoint: &Endpoint, set_up: F) -> &mut Client
    where
        F: FnOnce(Client) -> Client,
    {
        if self.clients.len() >= self.capacity && !self.clients.contains(endpoint) {
            self.forget_unused_longest();
        }
        let (policy, seeds, strengths) = (self.policy, &mut self.seed, &mut self.strengths);
        self.clients.get_or_insert_mut_ref(endpoint, || {
            let mut seed = seeds.seed();
            let client = Client::from_seed(endpoint.clone(), policy, seed);
            secret::wipe(&mut seed);
            let strength = strengths.pop(endpoint).unwrap_or_default();
            Box::new(set_up(client.with_strength(strength)))
        })
    }

    fn forget_unused_longest(&mut self) {
        if let Some((endpoint, client)) = self.clients.pop_lru()
            && client.strength() > Strength::Nothing
        {
            self.strengths.put(endpoint, client.strength());
            if self.strengths.len() > self.capacity {
                self.strengths.pop_lru();
            }
        }
    }

    /// Returns the client of an endpoint, if there is one.
    pub fn get_mut(&mut self, endpoint: &Endpoint) -> Option<&mut Client> {
        self.clients.get_mut(endpoint).map(|client| &mut **client)
    }

    /// Forgets an endpoint: its credentials and its [`strength`](Client::strength).
    pub fn forget(&mut self, endpoint: &Endpoint) {
        self.clients.pop(endpoint);
        self.strengths.pop(endpoint);
    }

    /// Every client, in no order that means anything. Such as to store the
    /// [`strength`](Client::strength) of each:
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use countersign::client::{AuthCache, Endpoint, Policy};
    /// # let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
    /// # cache.client(&Endpoint::origin("https", "Example.com", None)?);
    /// let mut store = BTreeMap::new();
    /// for client in cache.clients() {
    ///     store.insert(client.endpoint().to_string(), client.strength().to_string());
    /// }
    /// assert_eq!(store["https://example.com:443"], "nothing");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clients(&self) -> impl Iterator<Item = &Client> {
        self.clients.iter().map(|(_, client)| &**client)
    }

    /// How many endpoints it knows.
    pub fn len(&self) -> usize {
        self.clients.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }
}

impl fmt::Debug for AuthCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clients()).finish()
    }
}
