//! Many origins, one client each.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;

use crate::client::Client;
use crate::client::origin::{Origin, OwnedOrigin};

/// The clients of many origins and proxies. Bounded: the one unused longest is forgotten first,
/// and with it its pin.
///
/// Pure data: clone it, keep it behind a lock of your own.
///
/// ```
/// use countersign::client::{Client, Keyring, Origin, Policy};
/// use countersign::Channel;
///
/// let mut keyring = Keyring::with_capacity(100);
/// let origin = Origin::new("https", "example.com", None).unwrap();
/// let client = keyring.client(&origin, || Client::new(Channel::Encrypted, Policy::new()));
/// # let _ = client;
/// let elsewhere = Origin { port: 8443, ..origin };
/// assert!(keyring.get_mut(&elsewhere).is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Keyring {
    clients: BTreeMap<OwnedOrigin, Entry>,
    capacity: usize,
    /// Counts uses, to tell which came last.
    uses: u64,
}

#[derive(Clone, Debug)]
struct Entry {
    /// In a box of its own: the map moves its entries, and would leave copies of secrets behind.
    client: Box<Client>,
    last_use: u64,
}

impl Keyring {
    /// Room for so many origins: at least one.
    pub const fn with_capacity(origins: usize) -> Self {
        Self {
            clients: BTreeMap::new(),
            capacity: if origins == 0 { 1 } else { origins },
            uses: 0,
        }
    }

    /// The client of an origin, made by `make` if there is none. It is told its origin.
    pub fn client(&mut self, origin: &Origin<'_>, make: impl FnOnce() -> Client) -> &mut Client {
        let key = OwnedOrigin::from(origin);
        if !self.clients.contains_key(&key) && self.clients.len() >= self.capacity {
            self.forget_unused_longest();
        }
        self.uses += 1;
        let entry = self.clients.entry(key).or_insert_with(|| Entry {
            client: Box::new(make().for_origin(origin)),
            last_use: 0,
        });
        entry.last_use = self.uses;
        &mut entry.client
    }

    fn forget_unused_longest(&mut self) {
        let unused = self.clients.iter().min_by_key(|(_, entry)| entry.last_use);
        if let Some(key) = unused.map(|(key, _)| key.clone()) {
            self.clients.remove(&key);
        }
    }

    /// The client of an origin, if there is one.
    pub fn get_mut(&mut self, origin: &Origin<'_>) -> Option<&mut Client> {
        self.uses += 1;
        let entry = self.clients.get_mut(&OwnedOrigin::from(origin))?;
        entry.last_use = self.uses;
        Some(&mut entry.client)
    }

    /// Forgets an origin, and with it the credentials.
    pub fn forget(&mut self, origin: &Origin<'_>) {
        self.clients.remove(&OwnedOrigin::from(origin));
    }

    /// Every client and its origin, in no order that means anything; scheme and host in lower
    /// case. Such as to store the [`pin`](Client::pin) of each under its origin:
    ///
    /// ```
    /// # use std::collections::BTreeMap;
    /// # use countersign::client::{Client, Keyring, Origin, Policy};
    /// # use countersign::Channel;
    /// # let mut keyring = Keyring::with_capacity(100);
    /// # let origin = Origin::new("https", "Example.com", None).unwrap();
    /// # keyring.client(&origin, || Client::new(Channel::Encrypted, Policy::new()));
    /// let mut store = BTreeMap::new();
    /// for (origin, client) in keyring.clients() {
    ///     let key = format!("{}://{}:{}", origin.scheme, origin.host, origin.port);
    ///     store.insert(key, client.pin().to_string());
    /// }
    /// assert_eq!(store["https://example.com:443"], "nothing");
    /// ```
    pub fn clients(&self) -> impl Iterator<Item = (Origin<'_>, &Client)> {
        let clients = self.clients.iter();
        clients.map(|(origin, entry)| (origin.as_origin(), &*entry.client))
    }

    /// How many origins it knows.
    pub fn len(&self) -> usize {
        self.clients.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }
}
