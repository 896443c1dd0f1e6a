//! One name and password.

use std::fmt;
use std::future::{Future, ready};

use countersign::client::{Ask, Endpoint};

use crate::client::credentials::Credentials;

/// One name and password, for one origin or proxy. No other gets them.
///
/// A `Vec<Login>` has several, of which the first that fits is used:
///
/// ```
/// use countersign::client::Endpoint;
/// use countersign_tower::client::Login;
///
/// let origin = Endpoint::origin("https", "example.com", None)?;
/// let logins = vec![
///     Login::new(origin.clone(), "Mufasa", "Circle of Life").for_realm("files"),
///     Login::new(origin, "Rafiki", "Asante sana").for_realm("admin"),
/// ];
/// # let _ = logins;
/// # Ok::<(), countersign::client::UnknownPort>(())
/// ```
pub struct Login {
    endpoint: Endpoint,
    realm: Option<String>,
    name: String,
    password: String,
}

impl Login {
    /// The name and password for this endpoint, in all of its realms.
    ///
    /// That includes realms that an attacker on the way invents, and the
    /// [strength](countersign::client::Strength) that a realm has proved is required of that realm
    /// alone. So name the realm with [`for_realm`](Self::for_realm) if it is known, or exclude by
    /// the [policy](countersign::client::Policy) what the server does not need.
    pub fn new(endpoint: Endpoint, name: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            endpoint,
            realm: None,
            name: name.into(),
            password: password.into(),
        }
    }

    /// The same, for this realm only.
    #[must_use]
    pub fn for_realm(self, realm: impl Into<String>) -> Self {
        Self {
            realm: Some(realm.into()),
            ..self
        }
    }

    fn pair(&self, ask: &Ask) -> Option<(String, String)> {
        let is_realm = |realm: &String| realm.as_bytes() == ask.realm();
        let fits = *ask.endpoint() == self.endpoint && self.realm.as_ref().is_none_or(is_realm);
        fits.then(|| (self.name.clone(), self.password.clone()))
    }
}

/// Returns its pair also after a refusal, which may be forged or temporary: the client decides when
/// a refused password is sent again.
impl Credentials for Login {
    fn credentials(&self, ask: &Ask) -> impl Future<Output = Option<(String, String)>> + Send {
        ready(self.pair(ask))
    }
}

/// Uses the first login that fits.
impl Credentials for Vec<Login> {
    fn credentials(&self, ask: &Ask) -> impl Future<Output = Option<(String, String)>> + Send {
        ready(self.iter().find_map(|login| login.pair(ask)))
    }
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("endpoint", &self.endpoint)
            .field("realm", &self.realm)
            .finish_non_exhaustive()
    }
}
