//! Why the store has no reply.

use std::fmt;
use std::time::Duration;

use redis::{RedisError, RetryMethod};

/// Why the store has no reply. The request is answered with status 503, and nothing was granted.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There was no reply within the [timeout](super::RedisStore::with_timeout).
    TimedOut(Duration),
    /// The server may evict keys: its `maxmemory_policy`, as `INFO memory` tells it, if it does.
    Evicts(Option<String>),
    /// The client of Redis failed, or the server refused.
    Redis(RedisError),
}

impl Error {
    /// Whether the next request needs another connection: this one is broken, or leads to a server
    /// that does not answer, or whose place another server may have taken.
    pub(crate) fn is_of_connection(&self) -> bool {
        match self {
            Self::TimedOut(_) => true,
            Self::Evicts(_) => false,
            Self::Redis(error) => {
                error.is_io_error()
                    || !matches!(error.retry_method(), RetryMethod::NoRetry)
                    // A primary that was cut off from its replicas.
                    || error.code() == Some("NOREPLICAS")
            }
        }
    }

    /// Whether another connection may have the reply at once.
    pub(crate) fn is_of_broken_connection(&self) -> bool {
        matches!(self, Self::Redis(_)) && self.is_of_connection()
    }
}

impl From<RedisError> for Error {
    fn from(error: RedisError) -> Self {
        // As the script says it.
        if error.code() == Some("EVICTS") {
            let policy = error.detail().filter(|policy| !policy.is_empty());
            return Self::Evicts(policy.map(Into::into));
        }
        Self::Redis(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimedOut(after) => write!(f, "no reply of Redis after {} ms", after.as_millis()),
            Self::Evicts(policy) => {
                let found = policy.as_deref().unwrap_or("not told by INFO memory");
                write!(
                    f,
                    "maxmemory-policy of Redis is {found}, and has to be noeviction: \
                     a key that is evicted lets a captured request in again"
                )
            }
            Self::Redis(error) => write!(f, "Redis: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Redis(error) => Some(error),
            Self::TimedOut(_) | Self::Evicts(_) => None,
        }
    }
}
