//! A reqwest client that logs in.
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use countersign::client::{Ask, AuthCache, Endpoint, Exchange, Field, GiveUp, LoginError, Next};
use countersign::{EntityBody, Target};
use reqwest::header::HeaderValue;
use reqwest::{Body, ClientBuilder, Proxy, Request, Response, Url, redirect};
use tokio::time::timeout;
use tower::{ServiceExt, service_fn};
use tower_http::follow_redirect::FollowRedirect;

use crate::hop::Hop;
use crate::journal::{Journal, Sent};
use crate::prompt::Prompt;

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// How many declined asks are kept.
const DECLINED: usize = 100;

/// How long the body of a challenge is awaited.
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// A reqwest client that logs in.
pub struct Auth<P> {
    http: reqwest::Client,
    /// reqwest does not tell which proxy a request takes.
    proxy: Option<Endpoint>,
    cache: Mutex<AuthCache>,
    prompt: P,
    /// The asks that the user declined last. Locked while the user is asked. They are not kept by
    /// realm: an ask that follows another refusal is a new one, so that a forged refusal does not
    /// end a realm's logins for good.
    declined: tokio::sync::Mutex<VecDeque<Ask>>,
    journal: Mutex<Journal>,
}

impl<P: Prompt> Auth<P> {
    /// The cache has the policies, and the accounts for which nobody is asked. The proxy is for
    /// `http` URLs: the tunnel for `https` ones is made within reqwest, where no challenge comes
    /// out.
    pub fn new(
        http: ClientBuilder,
        proxy: Option<Url>,
        cache: AuthCache,
        prompt: P,
    ) -> Result<Arc<Self>, Error> {
        // A redirect is another request, with another answer, maybe for someone else.
        let mut http = http.redirect(redirect::Policy::none()).no_proxy();
        let mut endpoint = None;
        if let Some(url) = proxy {
            let (host, port) = (url.host_str(), url.port_or_known_default());
            let (host, port) = host.zip(port).ok_or("which proxy?")?;
            endpoint = Some(Endpoint::proxy(url.scheme(), host, port));
            http = http.proxy(Proxy::http(url)?);
        }
        Ok(Arc::new(Self {
            http: http.build()?,
            proxy: endpoint,
            cache: Mutex::new(cache),
            prompt,
            declined: tokio::sync::Mutex::default(),
            journal: Mutex::default(),
        }))
    }

    pub fn prompt(&self) -> &P {
        &self.prompt
    }

    /// Call this when the user starts something new, so that they are asked again for what they
    /// declined.
    pub async fn forget_declined(&self) {
        self.declined.lock().await.clear();
    }

    /// What was sent since this was last asked.
    pub fn take_journal(&self) -> Journal {
        let mut journal = self.journal.lock().unwrap();
        std::mem::take(&mut journal)
    }

    /// Sends a request, and follows redirects.
    pub async fn send(self: &Arc<Self>, request: Request) -> Result<Response, Error> {
        let auth = Arc::clone(self);
        let service = service_fn(move |request: http::Request<Body>| {
            let auth = Arc::clone(&auth);
            async move { Ok::<_, Error>(auth.send_one(request.try_into()?).await?.into()) }
        });
        let response: http::Response<Body> = FollowRedirect::new(service)
            .oneshot(request.try_into()?)
            .await?;
        Ok(response.into())
    }

    async fn send_one(&self, request: Request) -> Result<Response, Error> {
        let url = request.url();
        let proxy = self.proxy.iter().filter(|_| url.scheme() == "http");
        let mut hops: Vec<Hop> = proxy.map(|proxy| Hop::proxy(proxy, url)).collect();
        hops.push(Hop::origin(url)?);
        let body = match request.body() {
            None => EntityBody::Empty,
            Some(body) => body
                .as_bytes()
                .map_or(EntityBody::Unknown, EntityBody::Bytes),
        };
        'again: loop {
            let attempt = request
                .try_clone()
                .ok_or("a body that can be sent once only")?;
            let mut response = self.attempt(attempt, &mut hops, body).await?;
            for hop in &mut hops {
                let status = response.status().as_u16();
                let field = |name| response.headers().get_all(name).iter();
                let next = self.cache().client(&hop.endpoint).received(
                    &mut hop.exchange,
                    status,
                    field,
                    EntityBody::Unknown,
                )?;
                let ask = match next {
                    Next::Done(_) => continue,
                    Next::Retry => None,
                    Next::Login(ask) => Some(ask),
                    Next::GiveUp(GiveUp::WrongCredentials(ask)) => {
                        hop.exchange = Exchange::new();
                        Some(ask)
                    }
                    Next::GiveUp(_) => return Ok(response),
                };
                if let Some(ask) = ask
                    && !self.login(&ask).await?
                {
                    return Ok(response);
                }
                // A body that stalls is dropped, which closes its connection.
                if let Ok(drained) = timeout(DRAIN_TIME, drain(&mut response)).await {
                    drained?;
                }
                continue 'again;
            }
            return Ok(response);
        }
    }

    async fn attempt(
        &self,
        mut request: Request,
        hops: &mut [Hop],
        body: EntityBody<'_>,
    ) -> Result<Response, Error> {
        let method = request.method().clone();
        let mut has_answer = false;
        for hop in hops {
            let target = Target::new(method.as_str(), &hop.uri).with_body(body);
            let mut cache = self.cache();
            let client = cache.client(&hop.endpoint);
            if let Field::Set(answer) = client.authorize(&mut hop.exchange, &target)? {
                let mut value = HeaderValue::from_bytes(answer.as_bytes())?;
                value.set_sensitive(true);
                let name = hop.endpoint.challenger().credentials_field();
                request.headers_mut().insert(name, value);
                has_answer = true;
            }
        }
        let url = request.url().clone();
        let response = self.http.execute(request).await?;
        let mut journal = self.journal.lock().unwrap();
        journal.0.push(Sent {
            url,
            has_answer,
            status: response.status().as_u16(),
        });
        Ok(response)
    }

    /// Asks the user, unless somebody else has done so meanwhile. Returns whether to send the
    /// request again.
    async fn login(&self, ask: &Ask) -> Result<bool, Error> {
        let mut declined = self.declined.lock().await;
        if !self.cache().client(ask.endpoint()).wants(ask) {
            return Ok(true);
        }
        if declined.contains(ask) {
            return Ok(false);
        }
        let Some(account) = self.prompt.ask(ask).await else {
            // Servers choose how many realms there are.
            if declined.len() == DECLINED {
                declined.pop_front();
            }
            declined.push_back(ask.clone());
            return Ok(false);
        };
        let login = self.cache().client(ask.endpoint()).login(ask, &account);
        match login {
            // The server asks for something else by now, and will say so again.
            Ok(()) | Err(LoginError::Superseded) => Ok(true),
            // A later ask may take it: the refusal may have been forged.
            Err(LoginError::AlreadyRefused) => Ok(false),
            // The account is for something else.
            Err(LoginError::OtherRealm | LoginError::BasicNotAllowed) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn cache(&self) -> MutexGuard<'_, AuthCache> {
        self.cache.lock().unwrap()
    }
}

/// Reads a body to its end, so that the connection is used again. Not a long one: another connection
/// costs less, and a server could send one without end.
async fn drain(response: &mut Response) -> reqwest::Result<()> {
    let mut rest: usize = 64 << 10;
    while rest > 0
        && let Some(piece) = response.chunk().await?
    {
        rest = rest.saturating_sub(piece.len());
    }
    Ok(())
}
