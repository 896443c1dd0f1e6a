//! Who logs in where.

use std::fmt;

use countersign::client::{Account, AuthCache, Endpoint, Policy};
use countersign_tower::client::transport::Transport;
use countersign_tower::client::{AuthClientLayer, Credentials, LoginFailure};
use getrandom::SysRng;
use reqwest::{Client, Request, Response, Url};

use crate::error::{Error, SetupError};
use crate::request::Sendable;
use crate::response::Received;

/// As many endpoints are kept logged in if the program does not say.
const CAPACITY: usize = 1000;

/// The accounts of a program, and its logins to all servers. Clones share them, so make one for all
/// tasks.
///
/// A name and a password go to the origin that they were given for, and nowhere else. By default
/// they answer Digest alone: see [`Account`]. Concurrent requests share one login.
///
/// [`new`](Self::new) is for a few accounts. For other policies, for users who type their passwords,
/// and for servers whose certificates are not verified, it is made from an [`AuthClientLayer`]:
///
/// ```
/// use countersign_reqwest::countersign::client::{Ask, AuthCache, Policy};
/// use countersign_reqwest::{Account, Auth, AuthClientLayer, Credentials};
///
/// struct Terminal;
///
/// impl Credentials for Terminal {
///     async fn credentials(&self, ask: &Ask) -> Option<Account> {
///         println!("password for {}, realm {:?}?", ask.endpoint(), ask.realm_text());
/// #       None
///         // …
///     }
/// }
///
/// let policy = Policy::new().prefer_auth_int();
/// let cache = AuthCache::new(1000, policy, &mut getrandom::SysRng)?;
/// let auth = Auth::from(AuthClientLayer::with_credentials(cache, Terminal));
/// # let _ = auth;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Auth<C = ()> {
    layer: AuthClientLayer<C>,
    may_redirect: bool,
}

impl Auth {
    /// Logs in to the origin of a URL with this account. To add others, see
    /// [`add_account`](Self::add_account).
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the URL has no host, or the account cannot be used.
    pub fn new(url: &str, account: Account) -> Result<Self, SetupError> {
        let cache = AuthCache::new(CAPACITY, Policy::new(), &mut SysRng);
        let cache = cache.map_err(|_| SetupError::Random)?;
        let auth = Self::from(AuthClientLayer::new(cache));
        auth.add_account(url, account)?;
        Ok(auth)
    }
}

impl<C> Auth<C> {
    /// For clients that follow no redirects: see [`Policy::none`](reqwest::redirect::Policy::none).
    /// Then a refused POST was not done, and is sent again, as by curl. The error
    /// [`MaybeDone`](LoginFailure::MaybeDone) does not come. With a client that does follow
    /// redirects, a form may be done twice, and its right password be called wrong.
    ///
    /// ```
    /// use countersign_reqwest::{Account, Auth};
    ///
    /// let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    /// let account = Account::new("Mufasa", "Circle of Life");
    /// let auth = Auth::new("https://example.com", account)?.without_redirects();
    /// # let _ = (client, auth);
    /// # Ok::<(), countersign_reqwest::SetupError>(())
    /// ```
    #[must_use]
    pub fn without_redirects(mut self) -> Self {
        self.may_redirect = false;
        self
    }

    pub(crate) fn may_redirect(&self) -> bool {
        self.may_redirect
    }

    /// Gives the origin of a URL an account, for each realm one: a second for the same realm, or a
    /// second without a realm, replaces the first.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new).
    ///
    /// ```
    /// use countersign_reqwest::{Account, Auth};
    ///
    /// let files = Account::new("Mufasa", "Circle of Life").for_realm("files");
    /// let auth = Auth::new("https://example.com", files)?;
    /// // Another realm of the same origin.
    /// let admin = Account::new("Rafiki", "Asante sana").for_realm("admin");
    /// auth.add_account("https://example.com", admin)?;
    /// // A server that knows Basic alone: it gets the password itself, over TLS.
    /// auth.add_account("https://old.example", Account::new("Zazu", "Hornbill").with_basic())?;
    /// # Ok::<(), countersign_reqwest::SetupError>(())
    /// ```
    pub fn add_account(&self, url: &str, account: Account) -> Result<(), SetupError> {
        let added = self.layer.add_account(&origin(url)?, account);
        added.map_err(SetupError::Account)
    }

    /// Forgets the logins and accounts of the origin of a URL, for example because its user logs
    /// out. Requests under way may still be answered by them.
    ///
    /// # Errors
    ///
    /// [`SetupError::Url`] if the URL has no host.
    pub fn logout(&self, url: &str) -> Result<(), SetupError> {
        self.layer.logout(&origin(url)?);
        Ok(())
    }
}

impl<C: Credentials> Auth<C> {
    /// Sends a request, as [`SendWith::send_with`](crate::SendWith::send_with) does, for programs
    /// that have a [`Request`].
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub async fn execute(&self, client: &Client, request: Request) -> Result<Response, Error> {
        let may_redirect = self.may_redirect();
        let mut direct = Direct {
            client,
            may_redirect,
        };
        self.send(&mut direct, request).await
    }

    pub(crate) async fn send<T, E>(
        &self,
        transport: &mut T,
        request: Request,
    ) -> Result<Response, Error<E>>
    where
        T: Transport<Request = Sendable, Response = Received, Error = E>,
    {
        let request = Sendable::new(request).ok_or(Error::Url)?;
        let received = self.layer.send(transport, request).await;
        let mut response = received.map_err(Error::of_sending)?.response;
        match response.extensions_mut().remove::<LoginFailure>() {
            Some(why) => Err(Error::of_refused(why, response)),
            None => Ok(response),
        }
    }
}

/// A client of reqwest.
struct Direct<'c> {
    client: &'c Client,
    may_redirect: bool,
}

impl Transport for Direct<'_> {
    type Request = Sendable;
    type Response = Received;
    type Error = reqwest::Error;

    async fn send(&mut self, Sendable { request, .. }: Sendable) -> reqwest::Result<Received> {
        let url = request.url().clone();
        Ok(Received::new(self.client.execute(request).await?, url))
    }

    fn may_send_again(&self, error: &reqwest::Error) -> bool {
        is_lost(error)
    }

    fn may_redirect(&self) -> bool {
        self.may_redirect
    }

    fn follow(&self, copy: Sendable, received: &Received) -> Option<Sendable> {
        copy.to(received.response.url().clone())
    }
}

/// Whether a connection was lost that had been there.
pub(crate) fn is_lost(error: &reqwest::Error) -> bool {
    error.is_request() && !error.is_timeout() && !error.is_connect()
}

fn parsed(url: &str) -> Result<Url, SetupError> {
    Url::parse(url).map_err(|_| SetupError::Url)
}

fn origin(url: &str) -> Result<Endpoint, SetupError> {
    let url = parsed(url)?;
    let host = url.host_str().ok_or(SetupError::Url)?;
    Endpoint::origin(url.scheme(), host, url.port()).map_err(|_| SetupError::Url)
}

impl<C> From<AuthClientLayer<C>> for Auth<C> {
    fn from(layer: AuthClientLayer<C>) -> Self {
        Self {
            layer,
            may_redirect: true,
        }
    }
}

impl<C> Clone for Auth<C> {
    fn clone(&self) -> Self {
        Self {
            layer: self.layer.clone(),
            may_redirect: self.may_redirect,
        }
    }
}

impl<C> fmt::Debug for Auth<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Auth").field(&self.layer).finish()
    }
}
