//! Slow hashes on threads of their own.

use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::server::users::StoreError;

/// How long a password waits to be hashed.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// Runs slow hashes, such as Argon2 or bcrypt, on the blocking threads of tokio, a bounded number at
/// once. Anyone can cause one without an account, and each takes a core and its memory.
///
/// ```
/// use countersign::wire::BasicCredentials;
/// use countersign_tower::server::{HashPool, StoreError};
///
/// /// About as many as there are cores.
/// static HASHES: HashPool = HashPool::new(4);
///
/// async fn is_right(pair: &BasicCredentials) -> Result<bool, StoreError> {
///     // Its clone is wiped when dropped.
///     let pair = pair.clone();
///     HASHES.run(move || Ok(slow_compare(&pair))).await
/// }
/// # fn slow_compare(_: &BasicCredentials) -> bool { true }
/// # let _ = is_right;
/// ```
#[derive(Debug)]
pub struct HashPool(Semaphore);

impl HashPool {
    /// A pool of `at_once` hashes, which must not be zero.
    ///
    /// # Panics
    ///
    /// Panics if `at_once` is zero or above [`Semaphore::MAX_PERMITS`].
    pub const fn new(at_once: usize) -> Self {
        assert!(at_once > 0, "a pool of no hashes");
        Self(Semaphore::const_new(at_once))
    }

    /// Runs `hash` on a blocking thread, once fewer than the pool's number run. It runs to its end, and
    /// counts as long, even if the request is gone by then.
    ///
    /// # Errors
    ///
    /// Returns the error of `hash`, if it has panicked an error that says so, and one if it has waited
    /// for two seconds for others. From [`check_password`](super::Users::check_password) each of
    /// these is answered with status 503.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime with time enabled.
    pub async fn run<T, F>(&'static self, hash: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T, StoreError> + Send + 'static,
    {
        let permit = timeout(MAX_WAIT, self.0.acquire()).await;
        let permit = permit.map_err(|_| "too many passwords wait to be hashed")??;
        let hashed = spawn_blocking(move || {
            let _permit = permit;
            hash()
        });
        hashed.await?
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_more_hashes_run_at_once_than_the_pool_has() {
        static POOL: HashPool = HashPool::new(2);
        let (started, start) = mpsc::channel();
        let ends = [(); 2].map(|()| {
            let started = started.clone();
            let (end, ended) = mpsc::channel::<()>();
            let hash = tokio::spawn(POOL.run(move || {
                started.send(()).unwrap();
                ended.recv().map_err(Into::into)
            }));
            (end, hash)
        });
        tokio::task::yield_now().await;
        // A hash that the runtime does not wait for still counts.
        start.iter().take(2).for_each(drop);
        let [(first, one), (second, two)] = ends;
        one.abort();
        let refused = tokio::spawn(POOL.run(|| Ok(())));
        tokio::task::yield_now().await;
        // The clock stands still while threads are busy.
        tokio::time::advance(MAX_WAIT).await;
        let refused = refused.await.unwrap().unwrap_err();
        assert!(refused.to_string().contains("too many"), "{refused}");
        first.send(()).unwrap();
        while POOL.0.available_permits() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(POOL.run(|| Ok(7)).await.unwrap(), 7);
        second.send(()).unwrap();
        two.await.unwrap().unwrap();
        let failed = POOL.run(|| Err::<(), _>("no such hash".into())).await;
        assert_eq!(failed.unwrap_err().to_string(), "no such hash");
    }
}
