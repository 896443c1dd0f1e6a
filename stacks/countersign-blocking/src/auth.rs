//! Who logs in where.

use std::fmt;

use countersign::client::{Account, AuthCache, Endpoint, Policy};
use countersign_tower::client::transport::{Incoming, Transport};
use countersign_tower::client::{self, AuthClientLayer, Credentials};
use getrandom::SysRng;
use http::{HeaderMap, Request, StatusCode, Uri};
use pollster::block_on;
use url::Url;

use crate::calls::Calls;
use crate::request::Sendable;
use crate::response::Library;

/// The reason why a request has no response that can be used. `E` is the error of the library that
/// sends it, and `R` its response.
pub type Error<E, R> = client::SendError<E, R>;

/// The reason why an [`Auth`] cannot be set up.
pub type SetupError = client::SetupError;

/// As many redirects are followed, as by most libraries.
const REDIRECTS: usize = 10;

/// As many endpoints are kept logged in if the program does not say.
const CAPACITY: usize = 1000;

/// The accounts of a program, and its logins to all servers. Clones share them, so make one for all
/// threads.
///
/// A name and a password go to the origin that they were given for, and nowhere else, also after a
/// redirect. By default they answer Digest alone: see [`Account`]. Concurrent requests share one
/// login.
///
/// For other policies, users who type their passwords, and servers whose certificates are not
/// verified, it is made from an [`AuthClientLayer`]:
///
/// ```
/// use countersign_blocking::countersign::client::{AuthCache, Policy, Quirk};
/// use countersign_blocking::{Account, Auth, AuthClientLayer};
///
/// let policy = Policy::new().with_quirk(Quirk::Rfc2069);
/// let cache = AuthCache::new(1000, policy, &mut getrandom::SysRng)?;
/// let auth = Auth::from(AuthClientLayer::new(cache));
/// auth.add_account("http://camera.local", Account::new("admin", "secret"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Auth<C = ()> {
    layer: AuthClientLayer<C>,
    redirects: usize,
}

impl Auth {
    /// One account, for the origin of a URL. To add others, see [`add_account`](Self::add_account).
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the URL has no host, or a user name, or the account cannot be used.
    pub fn new(url: &str, account: Account) -> Result<Self, SetupError> {
        let cache = AuthCache::new(CAPACITY, Policy::new(), &mut SysRng);
        let cache = cache.map_err(|_| SetupError::Random)?;
        let auth = Self::from(AuthClientLayer::new(cache));
        auth.add_account(url, account)?;
        Ok(auth)
    }
}

impl<C> Auth<C> {
    /// Gives the origin of a URL an account, for each realm one: a second for the same realm, or a
    /// second without a realm, replaces the first.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the URL has no host, or a user name, or the account cannot be used.
    pub fn add_account(&self, url: &str, account: Account) -> Result<(), SetupError> {
        let added = self.layer.add_account(&origin(url)?, account);
        added.map_err(SetupError::Account)
    }

    /// Forgets the logins and accounts of the origin of a URL, for example because its user logs
    /// out. Requests under way may still be answered by them.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the URL has no host, or a user name.
    pub fn logout(&self, url: &str) -> Result<(), SetupError> {
        self.layer.logout(&origin(url)?);
        Ok(())
    }
}

impl<C> Auth<C> {
    /// Sets how many redirects are followed, 10 by default. With 0, their responses are returned. Agents of ureq
    /// have a setting of their own.
    #[must_use]
    pub fn with_redirects(mut self, max: usize) -> Self {
        self.redirects = max;
        self
    }
}

impl<C: Credentials> Auth<C> {
    /// Sends a request by any library, answers when the server asks for a login, and follows
    /// redirects. `send` sends it once **and follows none**; `head` gives status and fields of the
    /// response. The URI has to be as the library sends it: reqwest's is that of its `Url`.
    ///
    /// ```no_run
    /// use countersign_blocking::{Account, Auth};
    /// use reqwest::{Url, blocking, redirect};
    ///
    /// # fn get() -> Result<(), Box<dyn std::error::Error>> {
    /// let url = Url::parse("https://example.com/films?title=The Lion King")?;
    /// let auth = Auth::new(url.as_str(), Account::new("Mufasa", "Circle of Life"))?;
    /// let client = blocking::Client::builder().redirect(redirect::Policy::none()).build()?;
    /// let response = auth.send_by(
    ///     http::Request::get(url.as_str()).body(vec![])?,
    ///     |request| client.execute(request.map(<[u8]>::to_vec).try_into()?),
    ///     |response: &blocking::Response| (response.status(), response.headers()),
    /// )?;
    /// # let _ = response;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error`]. In difference to most libraries, a 401 is one.
    pub fn send_by<R, E>(
        &self,
        request: Request<Vec<u8>>,
        send: impl FnMut(Request<&[u8]>) -> Result<R, E> + Send,
        head: impl Fn(&R) -> (StatusCode, &HeaderMap) + Send,
    ) -> Result<R, Error<E, R>>
    where
        R: Send + 'static,
        E: Send + 'static,
    {
        let calls = Calls::new(send, head, &Library::ANY);
        self.send(calls, request, self.redirects)
    }

    /// Logs in by any library before a large body is sent or threads start: sends a GET to a URI. The
    /// others are the arguments of [`send_by`](Self::send_by).
    ///
    /// Choose a URI whose GET does nothing, in the same realm. Returns whether the server let the
    /// account in. `false`: it asked for no login here, or it did not come to check it, with a status
    /// of 429 or above 499. A status such as 404 or 405 is fine.
    ///
    /// # Errors
    ///
    /// [`Error::WrongCredentials`] if the password is wrong, else another [`Error`].
    pub fn log_in_by<R, E>(
        &self,
        uri: &Uri,
        send: impl FnMut(Request<&[u8]>) -> Result<R, E> + Send,
        head: impl Fn(&R) -> (StatusCode, &HeaderMap) + Send,
    ) -> Result<bool, Error<E, R>>
    where
        R: Send + 'static,
        E: Send + 'static,
    {
        let mut request = Request::new(vec![]);
        request.uri_mut().clone_from(uri);
        let calls = Calls::new(send, head, &Library::ANY);
        self.log_in_with(calls, request, self.redirects)
    }

    pub(crate) fn send<T: Transport<Request = Sendable>>(
        &self,
        mut calls: T,
        request: Request<Vec<u8>>,
        redirects: usize,
    ) -> Result<Inner<T>, Error<T::Error, Inner<T>>> {
        let request = Sendable::new(request)?;
        block_on(self.layer.send(&mut calls, request, redirects))
    }

    pub(crate) fn log_in_with<T: Transport<Request = Sendable>>(
        &self,
        mut calls: T,
        request: Request<Vec<u8>>,
        redirects: usize,
    ) -> Result<bool, Error<T::Error, Inner<T>>> {
        let request = Sendable::new(request)?;
        block_on(self.layer.log_in(&mut calls, request, redirects))
    }
}

type Inner<T> = <<T as Transport>::Response as Incoming>::Inner;

fn origin(url: &str) -> Result<Endpoint, SetupError> {
    let url = Url::parse(url).map_err(|_| SetupError::Url)?;
    let host = url.host_str().ok_or(SetupError::Url)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(SetupError::Userinfo);
    }
    Endpoint::origin(url.scheme(), host, url.port()).map_err(|_| SetupError::Url)
}

impl<C> From<AuthClientLayer<C>> for Auth<C> {
    fn from(layer: AuthClientLayer<C>) -> Self {
        Self {
            layer,
            redirects: REDIRECTS,
        }
    }
}

impl<C> Clone for Auth<C> {
    fn clone(&self) -> Self {
        Self {
            layer: self.layer.clone(),
            redirects: self.redirects,
        }
    }
}

impl<C> fmt::Debug for Auth<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Auth").field(&self.layer).finish()
    }
}
