//! The store.

use std::fmt;
use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use countersign::Timestamp;
use countersign::server::{PendingClaim, StoreReply, Use};
use redis::aio::MultiplexedConnection;
use redis::{Client, RedisResult, Script};
use tokio::sync::OnceCell;
use tokio::time::{Instant, timeout_at};

use crate::cluster::{connect, owner};
use crate::error::Error;

/// The connection, which the first request makes that needs it.
type Connection = Arc<OnceCell<MultiplexedConnection>>;

/// Finds the server that has a key.
type Find =
    dyn Fn(String) -> Pin<Box<dyn Future<Output = RedisResult<Client>> + Send>> + Send + Sync;

/// The used counts of several machines in one Redis or Valkey: see the [crate](crate) for an example.
/// Clones share a connection.
///
/// It connects when it is first asked, so a machine also starts without the store. After a connection
/// that broke, and after a request that timed out, the next request makes a new connection. With no
/// reply there is an error, and never a grant.
#[derive(Clone)]
pub struct RedisStore {
    find: Arc<Find>,
    prefix: Arc<str>,
    timeout: Duration,
    script: Arc<Script>,
    connection: Arc<Mutex<Connection>>,
}

impl RedisStore {
    /// A store at the server of `client`, with a timeout of 500 ms, and keys that begin with
    /// `{countersign}:`.
    pub fn new(client: Client) -> Self {
        Self::found_by(move || ready(Ok(client.clone())))
    }

    /// A store at a server that may move: each new connection asks `find`, within the time of the
    /// request. With Sentinel, and the feature `sentinel` of the crate `redis`:
    ///
    /// ```
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// use countersign_redis::{RedisStore, redis::sentinel::Sentinel};
    ///
    /// const NODES: [&str; 3] = ["10.0.0.1", "10.0.0.2", "10.0.0.3"];
    ///
    /// let turn = AtomicUsize::new(0);
    /// let store = RedisStore::found_by(move || {
    ///     // Another first each time, because one may be lost together with the primary.
    ///     let mut nodes = NODES.map(|host| format!("redis://{host}:26379")).to_vec();
    ///     nodes.rotate_left(turn.fetch_add(1, Ordering::Relaxed) % NODES.len());
    ///     async move { Sentinel::build(nodes)?.async_master_for("mymaster", None).await }
    /// });
    /// # let _ = store;
    /// ```
    pub fn found_by<F, Found>(find: F) -> Self
    where
        F: Fn() -> Found + Send + Sync + 'static,
        Found: Future<Output = RedisResult<Client>> + Send + 'static,
    {
        Self::by(move |_| Box::pin(find()))
    }

    /// A store in a Redis Cluster, of which `nodes` are some. All keys have one hash tag, so they are
    /// at one primary, which any of the nodes names.
    pub fn in_cluster(nodes: Vec<Client>) -> Self {
        let (nodes, next) = (Arc::new(nodes), AtomicUsize::new(0));
        Self::by(move |key| {
            // Another each time, because one may hang.
            let (nodes, first) = (Arc::clone(&nodes), next.fetch_add(1, Ordering::Relaxed));
            Box::pin(async move { owner(&nodes, first, &key).await })
        })
    }

    fn by<F>(find: F) -> Self
    where
        F: Fn(String) -> Pin<Box<dyn Future<Output = RedisResult<Client>> + Send>>
            + Send
            + Sync
            + 'static,
    {
        Self {
            find: Arc::new(find),
            prefix: "{countersign}:".into(),
            timeout: Duration::from_millis(500),
            script: Arc::new(Script::new(include_str!("claim.lua"))),
            connection: Arc::default(),
        }
    }

    /// Begins all keys with `prefix`, which is the same on all machines. In a Redis Cluster it has a
    /// hash tag, `{NAME}`.
    #[must_use]
    pub fn with_prefix(self, prefix: &str) -> Self {
        let prefix = prefix.into();
        Self { prefix, ..self }
    }

    /// Sets how long a request waits for the store, including a new connection.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Claims the [key](PendingClaim::key) for its [time to live](PendingClaim::time_to_live). The
    /// reply is for [`settle`](PendingClaim::settle).
    ///
    /// # Errors
    ///
    /// [`Error`]: answer with status 503.
    pub async fn claim(&self, key: &str, keep: Duration) -> Result<StoreReply, Error> {
        let (nonce, count) = nonce_and_count(key);
        let mut claim = self.script.key(format!("{}{nonce}", self.prefix));
        claim
            // No key of a claim is that: they have hexadecimal digits and `-`.
            .key(self.lost())
            .arg(u64::try_from(keep.as_millis()).unwrap_or(u64::MAX))
            .arg(1000 * PendingClaim::<()>::STORE_MARGIN_SECS)
            .arg(count);
        let claim = &claim;
        let ask = |mut to: MultiplexedConnection| async move { claim.invoke_async(&mut to).await };
        let (is_new, now, lost): (bool, u64, u64) = self.ask(ask).await?;
        Ok(StoreReply {
            used: if is_new { Use::First } else { Use::Seen },
            now: Timestamp::from_unix_millis(now),
            lost_until: Some(Timestamp::from_unix_millis(lost)),
        })
    }

    /// Makes a claim that is kept for a millisecond: for a health check, or to fail at the start of a
    /// program.
    ///
    /// # Errors
    ///
    /// [`Error`], as a request would meet it.
    pub async fn check(&self) -> Result<(), Error> {
        let claim = self.claim("check", Duration::from_millis(1));
        claim.await.map(drop)
    }

    /// Asks by the present connection, and by a new one if that is broken. If the store had the claim
    /// already, it is no longer new, and the client is refused once, as stale.
    async fn ask<T, F>(&self, ask: impl Fn(MultiplexedConnection) -> F) -> Result<T, Error>
    where
        F: Future<Output = RedisResult<T>>,
    {
        let deadline = Instant::now() + self.timeout;
        let mut is_again = false;
        loop {
            let connection = self.connection();
            let asked = timeout_at(deadline, async {
                let to = connection.get_or_try_init(|| self.connect()).await?;
                Ok(ask(to.clone()).await?)
            });
            let error = match asked.await {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(error)) => error,
                Err(_) => Error::TimedOut(self.timeout),
            };
            if error.is_of_connection() {
                self.replace(&connection);
            }
            if is_again || !error.is_of_broken_connection() {
                return Err(error);
            }
            is_again = true;
        }
    }

    /// The key of the memory of losses.
    fn lost(&self) -> String {
        format!("{}lost", self.prefix)
    }

    async fn connect(&self) -> RedisResult<MultiplexedConnection> {
        connect(&(self.find)(self.lost()).await?).await
    }

    fn connection(&self) -> Connection {
        let connection = self.connection.lock();
        Arc::clone(&connection.unwrap_or_else(PoisonError::into_inner))
    }

    /// Has the next request connect anew, unless another has replaced this connection already.
    fn replace(&self, failed: &Connection) {
        let connection = self.connection.lock();
        let mut connection = connection.unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&connection, failed) {
            *connection = Connection::default();
        }
    }
}

impl fmt::Debug for RedisStore {
    /// Without the client, whose URL may have a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisStore")
            .field("prefix", &self.prefix)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// All counts of a nonce are at one key.
fn nonce_and_count(key: &str) -> (&str, Option<u32>) {
    let count = key.match_indices('-').nth(1);
    let parts = count.and_then(|(at, _)| {
        let count = u32::from_str_radix(key.get(at + 1..)?, 16).ok()?;
        Some((key.get(..at)?, Some(count)))
    });
    parts.unwrap_or((key, None))
}
