//! The client.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use countersign::client::{Account, AuthCache, Endpoint, Policy};
use countersign_tower::client::transport::Transport;
use countersign_tower::client::{AuthClientLayer, Credentials};
use getrandom::SysRng;
use http::{HeaderMap, Method};
use reqwest::{IntoUrl, Request, Response, Url, redirect};

use crate::error::{Error, SetupError};
use crate::request::Sendable;
use crate::request_builder::RequestBuilder;
use crate::response::Received;

/// As many endpoints are kept logged in if the program does not say.
const CAPACITY: usize = 1000;

/// As many redirects are followed, as by reqwest.
const REDIRECTS: usize = 10;

/// A client of reqwest that logs in. Clones share its connections, accounts and logins, so make one
/// for all tasks.
///
/// A name and a password go to the origin that they were given for, and nowhere else, also after a
/// redirect. By default they answer Digest alone: see [`Account`]. Concurrent requests share one
/// login.
///
/// For settings of reqwest, other policies, users who type their passwords, and servers whose
/// certificates are not verified, see [`builder`](Self::builder).
pub struct Client<C = ()> {
    inner: Arc<Inner<C>>,
}

struct Inner<C> {
    http: reqwest::Client,
    layer: AuthClientLayer<C>,
    default_headers: HeaderMap,
    redirects: usize,
}

impl Client {
    /// A client with reqwest's defaults, and an account for the origin of a URL. To add others, see
    /// [`add_account`](Self::add_account).
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the URL has no host, or a user name, or the account cannot be used.
    pub fn new(url: &str, account: Account) -> Result<Self, SetupError> {
        let client = Self::builder(reqwest::Client::builder()).build()?;
        client.add_account(url, account)?;
        Ok(client)
    }

    /// A client with the settings of reqwest: timeouts, proxies, cookies, TLS. But redirects are set by
    /// the [`ClientBuilder`], and reqwest's `redirect` and `referer` have no effect.
    ///
    /// ```
    /// use countersign_reqwest::countersign::client::{Ask, AuthCache, Policy};
    /// use countersign_reqwest::{Account, AuthClientLayer, Client, Credentials};
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
    /// let http = reqwest::Client::builder().user_agent("reports/1.0");
    /// let client = Client::builder(http)
    ///     .layer(AuthClientLayer::with_credentials(cache, Terminal))
    ///     .build()?;
    /// # let _ = client;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn builder(http: reqwest::ClientBuilder) -> ClientBuilder {
        let cache = AuthCache::new(CAPACITY, Policy::new(), &mut SysRng);
        ClientBuilder {
            http,
            layer: cache
                .map(AuthClientLayer::new)
                .map_err(|_| SetupError::Random),
            default_headers: HeaderMap::new(),
            redirects: REDIRECTS,
        }
    }
}

impl<C> Client<C> {
    /// Gives the origin of a URL an account, for each realm one: a second for the same realm, or a
    /// second without a realm, replaces the first.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Client::new).
    ///
    /// ```
    /// use countersign_reqwest::{Account, Client};
    ///
    /// let files = Account::new("Mufasa", "Circle of Life").for_realm("files");
    /// let client = Client::new("https://example.com", files)?;
    /// // Another realm of the same origin.
    /// let admin = Account::new("Rafiki", "Asante sana").for_realm("admin");
    /// client.add_account("https://example.com", admin)?;
    /// // A server that knows Basic alone: it gets the password itself, over TLS.
    /// client.add_account("https://old.example", Account::new("Zazu", "Hornbill").with_basic())?;
    /// # Ok::<(), countersign_reqwest::SetupError>(())
    /// ```
    pub fn add_account(&self, url: &str, account: Account) -> Result<(), SetupError> {
        let added = self.inner.layer.add_account(&origin(url)?, account);
        added.map_err(SetupError::Account)
    }

    /// Forgets the logins and accounts of the origin of a URL, for example because its user logs
    /// out. Requests under way may still be answered by them.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the URL has no host, or a user name.
    pub fn logout(&self, url: &str) -> Result<(), SetupError> {
        self.inner.layer.logout(&origin(url)?);
        Ok(())
    }

    /// Starts a request, like [`reqwest::Client::request`].
    pub fn request(&self, method: Method, url: impl IntoUrl) -> RequestBuilder<C> {
        let request = url.into_url().map(|url| Request::new(method, url));
        let http = self.inner.http.clone();
        let inner = request.map(|it| reqwest::RequestBuilder::from_parts(http, it));
        RequestBuilder::new(self.clone(), inner)
    }

    /// Starts a GET.
    pub fn get(&self, url: impl IntoUrl) -> RequestBuilder<C> {
        self.request(Method::GET, url)
    }

    /// Starts a POST.
    pub fn post(&self, url: impl IntoUrl) -> RequestBuilder<C> {
        self.request(Method::POST, url)
    }

    /// Starts a PUT.
    pub fn put(&self, url: impl IntoUrl) -> RequestBuilder<C> {
        self.request(Method::PUT, url)
    }

    /// Starts a PATCH.
    pub fn patch(&self, url: impl IntoUrl) -> RequestBuilder<C> {
        self.request(Method::PATCH, url)
    }

    /// Starts a DELETE.
    pub fn delete(&self, url: impl IntoUrl) -> RequestBuilder<C> {
        self.request(Method::DELETE, url)
    }

    /// Starts a HEAD.
    pub fn head(&self, url: impl IntoUrl) -> RequestBuilder<C> {
        self.request(Method::HEAD, url)
    }

    #[cfg(feature = "middleware")]
    pub(crate) fn http(&self) -> &reqwest::Client {
        &self.inner.http
    }
}

impl<C: Credentials> Client<C> {
    /// Sends a request, as [`RequestBuilder::send`] does, for programs that have a [`Request`].
    ///
    /// # Errors
    ///
    /// [`Error`].
    pub async fn execute(&self, request: Request) -> Result<Response, Error> {
        let mut transport = Direct(&self.inner.http);
        self.sending(&mut transport, request).await
    }

    /// Not async, and its future behind a pointer, so that it is compiled once for a program: what is
    /// async is compiled again for each future around it.
    fn sending<'s>(&'s self, transport: &'s mut Direct<'_>, request: Request) -> Sending<'s> {
        Box::pin(self.send(transport, request))
    }

    /// Logs in before a large body, a stream or a batch of tasks: sends a GET, and reads no body of
    /// its response. Requests to the same paths are then answered at once.
    ///
    /// Choose a URL whose GET does nothing, in the same realm. Returns whether the server let the account
    /// in. `false`: it asked for no login here, or it did
    /// not come to check it, with a status of 429 or above 499. A status such as 404 or 405 is fine.
    ///
    /// # Errors
    ///
    /// [`Error::WrongCredentials`] if the password is wrong, else another [`Error`].
    ///
    /// ```no_run
    /// # use countersign_reqwest::{Client, Error};
    /// # async fn upload(client: Client, film: reqwest::Body) -> Result<(), Error> {
    /// client.log_in("https://example.com/films/").await?;
    /// client.put("https://example.com/films/7").body(film).send().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn log_in(&self, url: impl IntoUrl) -> Result<bool, Error> {
        let url = url.into_url().map_err(Error::Send)?;
        let request = Request::new(Method::GET, url);
        let request = self.inner.sendable(request)?;
        let Inner {
            http,
            layer,
            redirects,
            ..
        } = &*self.inner;
        layer.log_in(&mut Direct(http), request, *redirects).await
    }

    /// Sends a request by what sends one, and follows redirects.
    pub(crate) async fn send<T, E>(
        &self,
        transport: &mut T,
        request: Request,
    ) -> Result<Response, Error<E>>
    where
        T: Transport<Request = Sendable, Response = Received, Error = E>,
    {
        let request = self.inner.sendable(request)?;
        let Inner {
            layer, redirects, ..
        } = &*self.inner;
        layer.send(transport, request, *redirects).await
    }
}

impl<C> Inner<C> {
    fn sendable<E>(&self, mut request: Request) -> Result<Sendable, Error<E>> {
        for name in self.default_headers.keys() {
            if !request.headers().contains_key(name) {
                for value in self.default_headers.get_all(name) {
                    request.headers_mut().append(name, value.clone());
                }
            }
        }
        Sendable::new(request)
    }
}

impl<C> Clone for Client<C> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<C> fmt::Debug for Client<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("http", &self.inner.http)
            .field("layer", &self.inner.layer)
            .finish_non_exhaustive()
    }
}

/// Makes a [`Client`]: see [`Client::builder`].
#[must_use]
pub struct ClientBuilder<C = ()> {
    http: reqwest::ClientBuilder,
    layer: Result<AuthClientLayer<C>, SetupError>,
    default_headers: HeaderMap,
    redirects: usize,
}

impl<C> ClientBuilder<C> {
    /// Logs in by this layer, with its policy and its credentials. It may be shared with others.
    pub fn layer<D>(self, layer: AuthClientLayer<D>) -> ClientBuilder<D> {
        ClientBuilder {
            http: self.http,
            layer: Ok(layer),
            default_headers: self.default_headers,
            redirects: self.redirects,
        }
    }

    /// Fields of each request that does not have them itself. After a redirect to another origin,
    /// `Authorization` and `Cookie` are left out; those of
    /// [reqwest's method](reqwest::ClientBuilder::default_headers) are sent there, too.
    pub fn default_headers(mut self, headers: HeaderMap) -> Self {
        self.default_headers = headers;
        self
    }

    /// Sets how many redirects are followed, 10 by default. With 0, their responses are returned.
    pub fn redirects(mut self, max: usize) -> Self {
        self.redirects = max;
        self
    }

    /// Makes the client.
    ///
    /// # Errors
    ///
    /// [`SetupError::Settings`] if reqwest cannot, or [`SetupError::Random`].
    pub fn build(self) -> Result<Client<C>, SetupError> {
        let http = self.http.redirect(redirect::Policy::none()).build();
        let inner = Inner {
            http: http.map_err(SetupError::Settings)?,
            layer: self.layer?,
            default_headers: self.default_headers,
            redirects: self.redirects,
        };
        Ok(Client {
            inner: Arc::new(inner),
        })
    }
}

impl<C> fmt::Debug for ClientBuilder<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("http", &self.http)
            .finish_non_exhaustive()
    }
}

type Sending<'s> = Pin<Box<dyn Future<Output = Result<Response, Error>> + Send + 's>>;

/// A client of reqwest that follows no redirects.
struct Direct<'c>(&'c reqwest::Client);

impl Transport for Direct<'_> {
    type Request = Sendable;
    type Response = Received;
    type Error = reqwest::Error;

    async fn send(&mut self, request: Sendable) -> reqwest::Result<Received> {
        self.0.execute(request.into_request()).await.map(Received)
    }

    fn may_send_again(&self, error: &reqwest::Error) -> bool {
        is_lost(error)
    }
}

/// Whether a connection was lost that had been there.
pub(crate) fn is_lost(error: &reqwest::Error) -> bool {
    error.is_request() && !error.is_timeout() && !error.is_connect()
}

fn origin(url: &str) -> Result<Endpoint, SetupError> {
    let url = Url::parse(url).map_err(|_| SetupError::Url)?;
    let host = url.host_str().ok_or(SetupError::Url)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(SetupError::Userinfo);
    }
    Endpoint::origin(url.scheme(), host, url.port()).map_err(|_| SetupError::Url)
}
