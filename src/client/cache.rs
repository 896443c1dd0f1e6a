//! A cache of clients, one for each endpoint.

use alloc::boxed::Box;
use core::fmt;
use core::num::NonZero;

use lru::LruCache;
use rand_core::TryCryptoRng;

use crate::client::client::Client;
use crate::client::endpoint::Endpoint;
use crate::client::generator::Generator;
use crate::client::policy::Policy;
use crate::client::strength::Strength;
use crate::client::strengths::Strengths;
use crate::secret;

/// A cache of [`Client`]s, one for each [`Endpoint`] (origin or proxy) that a program talks to.
///
/// Its size is bounded: when full, it evicts the least recently used client with its logins, nonces
/// and counts, in constant time. Of up to `capacity` evicted clients it keeps which [`Strength`]
/// each realm has proven, and nothing else. A new client for the same endpoint requires that of
/// these realms. The capacity should be at least the number of endpoints that have requests in
/// flight at the same time, because a request whose client was evicted needs a new login if it is
/// challenged.
///
/// Any server can choose any realm name, and any scheme. So before you log in, compare the
/// [endpoint](super::Ask::endpoint) of an [`Ask`](super::Ask), its [realm](super::Ask::realm) and
/// its [scheme](super::Ask::scheme) with those that the password is for.
///
/// A client has one login for each realm, so make a cache for each account of your program's users.
///
/// The cache has no lock. See [many requests at
/// once](crate::manual::client#many-requests-at-once).
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
    generator: Generator,
    capacity: NonZero<usize>,
    /// Boxed, because the map moves its values and would leave copies of secrets in memory.
    clients: LruCache<Endpoint, Box<Client>>,
    /// The strengths of evicted clients of which any is required. Without them, an attacker who
    /// makes a program visit many endpoints could evict a client and then have a weaker challenge
    /// answered.
    strengths: LruCache<Endpoint, Strengths>,
}

impl AuthCache {
    /// Makes an empty cache for up to `capacity` endpoints (0 counts as 1). New clients get this
    /// policy.
    ///
    /// # Errors
    ///
    /// The error of `rng`, which is called once, for a seed of 32 bytes. The cnonces of all clients
    /// are derived from the seed.
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

    /// Makes an empty cache whose clients derive their cnonces from `seed`, for programs that have
    /// random bytes but no `rand_core` generator. The seed must be random and must not be used for
    /// anything else.
    pub fn from_seed(capacity: usize, policy: Policy, seed: [u8; 32]) -> Self {
        let capacity = NonZero::new(capacity).unwrap_or(NonZero::<usize>::MIN);
        Self {
            policy,
            generator: Generator::new(seed),
            capacity,
            // Bounded by `client_with`: a bounded map would drop the client that it evicts, and its
            // strength with it.
            clients: LruCache::unbounded(),
            strengths: LruCache::sparse(capacity),
        }
    }

    /// Returns the client of an endpoint. If there is none, makes one with the cache's policy. That
    /// may evict another client.
    pub fn client(&mut self, endpoint: &Endpoint) -> &mut Client {
        self.client_with(endpoint, |client| client)
    }

    /// Like [`client`](Self::client), but passes a newly made client through `set_up`, which can
    /// give it another policy or a stored strength. `set_up` is not called for a client that
    /// exists. If an endpoint needs a `set_up`, pass the same one each time, and never call
    /// `client` for it: after an eviction, that would make the client anew without the `set_up`.
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
        let mut strengths = Strengths::new();
        if !self.clients.contains(endpoint) {
            // Taken out before the eviction, which could drop it to make room for another.
            strengths = self.strengths.pop(endpoint).unwrap_or(strengths);
            if self.clients.len() >= self.capacity.get() {
                self.evict_least_recently_used();
            }
        }
        let (policy, generator) = (self.policy, &mut self.generator);
        self.clients.get_or_insert_mut_ref(endpoint, || {
            let mut seed = generator.seed();
            let mut client = Client::from_seed(endpoint.clone(), policy, seed);
            secret::wipe(&mut seed);
            client.strengths = strengths;
            Box::new(set_up(client))
        })
    }

    fn evict_least_recently_used(&mut self) {
        let Some((endpoint, client)) = self.clients.pop_lru() else {
            return;
        };
        if client.strength() > Strength::Nothing {
            self.strengths.put(endpoint, client.strengths);
        }
    }

    /// Returns the client of an endpoint, or `None` if there is none.
    pub fn get_mut(&mut self, endpoint: &Endpoint) -> Option<&mut Client> {
        self.clients.get_mut(endpoint).map(|client| &mut **client)
    }

    /// Forgets an endpoint with its logins and its [`strength`](Client::strength). Use this when a
    /// server has become weaker for good: its challenges would be skipped for ever. If you store
    /// strengths, delete the stored one, too.
    ///
    /// ```
    /// use countersign::client::{AuthCache, Endpoint, Policy, Strength};
    ///
    /// let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
    /// let origin = Endpoint::origin("https", "example.com", None)?;
    /// cache.client_with(&origin, |client| client.with_strength(Strength::DigestSha2));
    /// cache.forget(&origin);
    /// assert_eq!(cache.client(&origin).strength(), Strength::Nothing);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn forget(&mut self, endpoint: &Endpoint) {
        self.clients.pop(endpoint);
        self.strengths.pop(endpoint);
    }

    /// All clients, in an unspecified order, for example to list the endpoints. Evicted clients are
    /// not among them.
    ///
    /// ```
    /// # use countersign::client::{AuthCache, Endpoint, Policy};
    /// # let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
    /// # cache.client(&Endpoint::origin("https", "Example.com", None)?);
    /// let mut endpoints = cache.clients().map(|client| client.endpoint().to_string());
    /// assert_eq!(endpoints.next().as_deref(), Some("https://example.com:443"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clients(&self) -> impl Iterator<Item = &Client> {
        self.clients.iter().map(|(_, client)| &**client)
    }

    /// The number of clients.
    pub fn len(&self) -> usize {
        self.clients.len()
    }

    /// Returns whether there are no clients.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }
}

impl fmt::Debug for AuthCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clients()).finish()
    }
}
