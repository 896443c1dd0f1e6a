//! What the tests share: users, a service, and a network that keeps a record.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use countersign::client::{Account, Ask, AuthCache, Endpoint, Policy};
use countersign::digest::{Ha1, HashFunction, User};
use countersign::server::{Authenticator, Realm};
use countersign::wire::BasicCredentials;
use countersign_tower::client::{AuthClient, AuthClientLayer, Credentials};
use countersign_tower::server::{
    AuthLayer, Found, Identity, RequestBody, StoreError, Users, Verdict,
};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use tower::util::BoxCloneSyncService;
use tower::{Layer, Service, ServiceExt, service_fn};

pub(crate) type Body = Full<Bytes>;
pub(crate) type Server = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

pub(crate) const USER: (&str, &str) = ("Mufasa", "Circle of Life");
pub(crate) const OLD_PASSWORD: &str = "Circle of Old";

/// Knows `USER` in all realms. Cannot look up `Zazu`. Compares Basic passwords itself in the realm
/// `slow`, where the HA1s are those of an old password.
pub(crate) struct Store;

impl Users for Store {
    type Account = Arc<str>;

    async fn find(
        &self,
        user: &User<'_>,
        realm: &str,
        hash: HashFunction,
    ) -> Result<Option<Found<Arc<str>>>, StoreError> {
        tokio::task::yield_now().await;
        match user.name() {
            Some("Zazu") => Err("the database is down".into()),
            Some(name) if name == USER.0 => Ok(Some(Found {
                account: name.into(),
                ha1: match realm {
                    "slow" => Ha1::new(hash, name, realm, OLD_PASSWORD),
                    _ => Ha1::new(hash, name, realm, USER.1),
                },
            })),
            _ => Ok(None),
        }
    }

    async fn check_password(
        &self,
        pair: &BasicCredentials,
        realm: &str,
    ) -> Result<Option<Verdict<Arc<str>>>, StoreError> {
        if realm != "slow" {
            return Ok(None);
        }
        let pair = pair.clone();
        let is_right = move || pair.matches(USER.0, USER.1);
        Ok(Some(match tokio::task::spawn_blocking(is_right).await? {
            true => Verdict::Right(USER.0.into()),
            false => Verdict::Wrong,
        }))
    }
}

pub(crate) fn authenticator(realm: Realm) -> Arc<Authenticator> {
    Arc::new(Authenticator::new(realm, 10_000, &mut getrandom::SysRng).unwrap())
}

/// Answers with the user's name and the body of the request.
pub(crate) async fn hello<U>(
    request: Request<RequestBody<Body>>,
) -> Result<Response<Body>, Infallible>
where
    U: Users<Account: AsRef<str>>,
{
    let identity = request.extensions().get::<Identity<U>>();
    let name = identity.map_or("nobody", |identity| identity.account().as_ref());
    let greeting = format!("hello {name}: ");
    let body = request.into_body().collect().await?.to_bytes();
    let text = greeting + &String::from_utf8_lossy(&body);
    Ok(Response::new(text.into()))
}

/// `hello` behind a layer.
pub(crate) fn behind<U: Users<Account: AsRef<str>>>(layer: AuthLayer<U>) -> Server {
    collected(layer.layer(service_fn(hello::<U>)))
}

/// A server behind another layer.
pub(crate) fn behind_another(layer: AuthLayer<Store>, server: Server) -> Server {
    let forward = move |request: Request<RequestBody<Body>>| {
        let server = server.clone();
        async move {
            let (head, body) = request.into_parts();
            let body = Body::new(body.collect().await?.to_bytes());
            server.oneshot(Request::from_parts(head, body)).await
        }
    };
    collected(layer.layer(service_fn(forward)))
}

/// Two servers: one for `/admin/`, one for all else.
pub(crate) fn by_path(admin: Server, other: Server) -> Server {
    BoxCloneSyncService::new(service_fn(move |request: Request<Body>| {
        let is_admin = request.uri().path().starts_with("/admin/");
        if is_admin { &admin } else { &other }
            .clone()
            .oneshot(request)
    }))
}

/// A service whose response bodies are read. Trailers count as header fields, as they do for some
/// clients.
pub(crate) fn collected<S, B, C>(
    service: S,
) -> BoxCloneSyncService<Request<B>, Response<Body>, Infallible>
where
    S: Service<Request<B>, Response = Response<C>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    B: Send + 'static,
    C: http_body::Body<Data = Bytes, Error: std::fmt::Debug> + Send + 'static,
{
    BoxCloneSyncService::new(service.and_then(async |response: Response<C>| {
        let (mut head, body) = response.into_parts();
        let body = body.collect().await.unwrap();
        for (name, value) in body.trailers().into_iter().flatten() {
            head.headers.append(name, value.clone());
        }
        Ok(Response::from_parts(head, body.to_bytes().into()))
    }))
}

/// A request that reached a server.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) host: String,
    pub(crate) authorization: Option<String>,
    pub(crate) proxy_authorization: Option<String>,
    pub(crate) status: u16,
}

/// Servers by host name, and a record of all requests.
#[derive(Clone, Default)]
pub(crate) struct Network {
    servers: Arc<Mutex<HashMap<String, Server>>>,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Network {
    pub(crate) fn with(self, host: &str, server: Server) -> Self {
        self.servers.lock().unwrap().insert(host.to_owned(), server);
        self
    }

    pub(crate) fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }

    pub(crate) fn take_statuses(&self) -> Vec<u16> {
        self.take_seen().iter().map(|seen| seen.status).collect()
    }

    pub(crate) fn service(&self) -> Server {
        let network = self.clone();
        BoxCloneSyncService::new(service_fn(move |request: Request<Body>| {
            let network = network.clone();
            async move {
                let host = request.uri().host().unwrap_or("a.example").to_owned();
                let field = |name| {
                    let value = request.headers().get(name)?;
                    assert!(value.is_sensitive());
                    Some(value.to_str().unwrap().to_owned())
                };
                let authorization = field("authorization");
                let proxy_authorization = field("proxy-authorization");
                let server = network.servers.lock().unwrap()[&host].clone();
                let response = server.oneshot(request).await?;
                network.seen.lock().unwrap().push(Seen {
                    host,
                    authorization,
                    proxy_authorization,
                    status: response.status().as_u16(),
                });
                Ok(response)
            }
        }))
    }

    pub(crate) fn client(&self, policy: Policy, account: Account) -> AuthClient<Server, ()> {
        let cache = knowing(&origin("a.example"), policy, account);
        AuthClientLayer::new(cache).layer(self.service())
    }

    /// A client that asks for each login.
    pub(crate) fn asking<C: Credentials>(&self, policy: Policy, who: C) -> AuthClient<Server, C> {
        AuthClientLayer::with_credentials(cache(policy), who).layer(self.service())
    }
}

pub(crate) fn cache(policy: Policy) -> AuthCache {
    AuthCache::new(100, policy, &mut getrandom::SysRng).unwrap()
}

pub(crate) fn knowing(endpoint: &Endpoint, policy: Policy, account: Account) -> AuthCache {
    let mut cache = cache(policy);
    cache.add_account(endpoint, account).unwrap();
    cache
}

pub(crate) fn origin(host: &str) -> Endpoint {
    Endpoint::origin("https", host, None).unwrap()
}

pub(crate) fn mufasa() -> Account {
    Account::new(USER.0, USER.1)
}

/// A cache that knows `mufasa` at `a.example`.
pub(crate) fn mufasas_cache() -> AuthCache {
    knowing(&origin("a.example"), Policy::new(), mufasa())
}

pub(crate) fn get(uri: &str) -> Request<Body> {
    Request::get(uri).body(Body::default()).unwrap()
}

pub(crate) async fn text(response: Response<Body>) -> String {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A user who types slowly: these passwords, one after the other, and then no more.
#[derive(Default)]
pub(crate) struct Typist {
    pub(crate) passwords: Mutex<Vec<&'static str>>,
    pub(crate) asked: AtomicUsize,
}

impl Typist {
    pub(crate) fn new(passwords: &[&'static str]) -> Arc<Self> {
        let passwords = Mutex::new(passwords.iter().rev().copied().collect());
        Arc::new(Self {
            passwords,
            asked: AtomicUsize::new(0),
        })
    }

    pub(crate) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Credentials for Typist {
    async fn credentials(&self, _: &Ask) -> Option<Account> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(20)).await;
        let password = self.passwords.lock().unwrap().pop()?;
        Some(Account::new(USER.0, password))
    }
}
