//! One name and password.

use std::fmt;
use std::future::{Future, ready};

use countersign::client::{Ask, Endpoint};

use crate::client::credentials::Credentials;

/// One name and password, for one origin or proxy. No other gets them.
///
/// ```
/// use countersign::client::Endpoint;
/// use countersign_tower::client::Login;
///
/// let origin = Endpoint::origin("https", "example.com", None)?;
/// let login = Login::new(origin, "Mufasa", "Circle of Life");
/// # let _ = login;
/// # Ok::<(), countersign::client::UnknownPort>(())
/// ```
pub struct Login {
    endpoint: Endpoint,
    name: String,
    password: String,
}

impl Login {
    /// The name and password for this endpoint, in all of its realms.
    pub fn new(endpoint: Endpoint, name: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            endpoint,
            name: name.into(),
            password: password.into(),
        }
    }
}

impl Credentials for Login {
    fn credentials(&self, ask: &Ask) -> impl Future<Output = Option<(String, String)>> + Send {
        // It has no other password to try.
        let knows = *ask.endpoint() == self.endpoint && !ask.is_again();
        ready(knows.then(|| (self.name.clone(), self.password.clone())))
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}
