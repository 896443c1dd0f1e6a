//! Many endpoints, one client each.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use rand_core::TryCryptoRng;

use crate::client::client::Client;
use crate::client::endpoint::Endpoint;
use crate::client::policy::Policy;
use crate::client::seed::Seed;
use crate::secret;

/// The clients of many origins and proxies. Bounded: the one unused longest is forgotten first, and
/// with it the logins and the [`strength`](Client::strength).
///
/// Pure data: keep it behind a lock of your own.
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
#[derive(Debug)]
pub struct AuthCache {
    policy: Policy,
    seed: Seed,
    capacity: usize,
    clients: BTreeMap<Endpoint, Entry>,
    /// Which was used when: the first is the one unused longest.
    uses: BTreeMap<u64, Endpoint>,
    /// Counts uses.
    now: u64,
}

#[derive(Debug)]
struct Entry {
    /// Boxed, because the map moves its entries and would leave copies of secrets in memory.
    client: Box<Client>,
    last_use: u64,
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
    pub const fn from_seed(capacity: usize, policy: Policy, seed: [u8; 32]) -> Self {
        Self {
            policy,
            seed: Seed::new(seed),
            capacity: if capacity == 0 { 1 } else { capacity },
            clients: BTreeMap::new(),
            uses: BTreeMap::new(),
            now: 0,
        }
    }

    /// The client of an endpoint, made if there is none. A full cache forgets another for it, in time
    /// that grows with the logarithm of its size.
    pub fn client(&mut self, endpoint: &Endpoint) -> &mut Client {
        if self.clients.len() >= self.capacity && !self.clients.contains_key(endpoint) {
            self.forget_unused_longest();
        }
        self.now += 1;
        let entry = self.clients.entry(endpoint.clone()).or_insert_with(|| {
            let mut seed = self.seed.seed();
            let client = Client::from_seed(endpoint.clone(), self.policy, seed);
            secret::wipe(&mut seed);
            Entry {
                client: Box::new(client),
                last_use: 0,
            }
        });
        let used = self.uses.remove(&entry.last_use);
        self.uses
            .insert(self.now, used.unwrap_or_else(|| endpoint.clone()));
        entry.last_use = self.now;
        &mut entry.client
    }

    /// Keeps a client under its endpoint, in place of the one that is there. Use it for a client
    /// with another policy, or [with the strength](Client::with_strength) that was stored.
    pub fn insert(&mut self, client: Client) -> &mut Client {
        let endpoint = client.endpoint().clone();
        let place = self.client(&endpoint);
        *place = client;
        place
    }

    fn forget_unused_longest(&mut self) {
        if let Some((_, unused)) = self.uses.pop_first() {
            self.clients.remove(&unused);
        }
    }

    /// The client of an endpoint, if there is one.
    pub fn get_mut(&mut self, endpoint: &Endpoint) -> Option<&mut Client> {
        let entry = self.clients.get_mut(endpoint)?;
        self.now += 1;
        let used = self.uses.remove(&entry.last_use);
        self.uses.extend(used.map(|used| (self.now, used)));
        entry.last_use = self.now;
        Some(&mut entry.client)
    }

    /// Forgets an endpoint, and with it the credentials.
    pub fn forget(&mut self, endpoint: &Endpoint) {
        if let Some(entry) = self.clients.remove(endpoint) {
            self.uses.remove(&entry.last_use);
        }
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
        self.clients.values().map(|entry| &*entry.client)
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
