//! One name and password.

use std::fmt;
use std::future::{Future, ready};

use countersign::Scheme;
use countersign::client::{Ask, Endpoint};

use crate::client::credentials::Credentials;

/// One name and password, for one origin or proxy. No other gets them, and with
/// [`for_realm`](Self::for_realm) no other realm does. They are used for Digest only, unless
/// [`with_basic`](Self::with_basic) allows Basic.
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
    allows_basic: bool,
    name: String,
    password: String,
}

impl Login {
    /// The name and password for this endpoint, in all of its realms, by Digest.
    ///
    /// That includes realms that an attacker on the way invents, and those of other users of the
    /// origin: whoever controls some paths of it, such as `/~mallory/`, can name a realm there.
    /// Name the realm with [`for_realm`](Self::for_realm) if it is known.
    ///
    /// An ask for Basic gets nothing: until a realm has proved Digest, no
    /// [strength](countersign::client::Strength) is required of it, so anyone who controls some
    /// paths of the origin could name a new realm or the same one, and get the password itself. If
    /// the server offers nothing but Basic, allow it [`with_basic`](Self::with_basic).
    pub fn new(endpoint: Endpoint, name: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            endpoint,
            realm: None,
            allows_basic: false,
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

    /// The same, also for asks by Basic, which sends the password itself. For servers that offer
    /// nothing but Basic: whoever controls some paths of the origin can then ask for the password
    /// by Basic, in the realm of [`for_realm`](Self::for_realm), too. The
    /// [policy](countersign::client::Policy) must also allow Basic, which by default it does on
    /// encrypted channels.
    #[must_use]
    pub fn with_basic(self) -> Self {
        Self {
            allows_basic: true,
            ..self
        }
    }

    fn pair(&self, ask: &Ask) -> Option<(String, String)> {
        let is_realm = |realm: &String| realm.as_bytes() == ask.realm();
        let is_scheme = ask.scheme() == Scheme::Digest || self.allows_basic;
        let fits = *ask.endpoint() == self.endpoint && self.realm.as_ref().is_none_or(is_realm);
        (fits && is_scheme).then(|| (self.name.clone(), self.password.clone()))
    }
}

/// Returns its pair also after a refusal, which anybody on the way can forge on a cleartext
/// channel: the client bounds how often a refused password is sent again, usually to about twenty
/// times in a thousand requests. Over an encrypted channel the refusal comes from the origin, and
/// each repetition may count towards a lock of the account: [stop](Credentials::credentials) at
/// [`LoginFailure::WrongCredentials`](super::LoginFailure::WrongCredentials).
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
            .field("allows_basic", &self.allows_basic)
            .finish_non_exhaustive()
    }
}
