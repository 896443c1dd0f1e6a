//! Servers, and a record of what arrives at them.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::routing::any;
use countersign::Channel;
use countersign::digest::{Algorithm, Ha1, HashFunction, QopSet};
use countersign::server::{Authenticator, BasicOffer, Realm};
use countersign_reqwest::{Account, Auth};
use countersign_tower::server::AuthLayer;
use tokio::net::TcpListener;

pub(crate) const USER: (&str, &str) = ("Mufasa", "Circle of Life");

/// A request that arrived.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) authorization: Option<String>,
    pub(crate) cookie: Option<String>,
    pub(crate) status: u16,
}

#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Server {
    pub(crate) async fn start(app: Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let record = Arc::clone(&seen);
        let app = app.layer(from_fn(move |request: Request, next: Next| {
            let record = Arc::clone(&record);
            async move {
                let mut seen = Seen {
                    method: request.method().to_string(),
                    target: request.uri().to_string(),
                    authorization: field(&request, "authorization"),
                    cookie: field(&request, "cookie"),
                    status: 0,
                };
                let response = next.run(request).await;
                seen.status = response.status().as_u16();
                record.lock().unwrap().push(seen);
                response
            }
        }));
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { address, seen }
    }

    /// `app` behind a realm, wherever a request goes.
    pub(crate) async fn of(realm: Realm, app: Router) -> Self {
        Self::start(app.layer(layer(realm))).await
    }

    /// A server that tells the request-target to those who log in.
    pub(crate) async fn echo() -> Self {
        Self::of(files(), echo()).await
    }

    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    pub(crate) fn auth(&self) -> Auth {
        Auth::new(&self.url("/"), mufasa()).unwrap()
    }

    pub(crate) fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }

    /// The methods and the statuses.
    pub(crate) fn take_steps(&self) -> Vec<(String, u16)> {
        let seen = self.take_seen();
        seen.into_iter().map(|it| (it.method, it.status)).collect()
    }

    pub(crate) fn take_statuses(&self) -> Vec<u16> {
        self.take_seen().iter().map(|seen| seen.status).collect()
    }
}

fn field(request: &Request, name: &str) -> Option<String> {
    let value = request.headers().get(name)?;
    Some(value.to_str().unwrap().to_owned())
}

pub(crate) fn echo() -> Router {
    Router::new().fallback(any(async |request: Request| request.uri().to_string()))
}

pub(crate) type Users = HashMap<(String, String), Ha1>;

/// Mufasa, in these realms.
pub(crate) fn layer(realm: Realm) -> AuthLayer<Users> {
    let users = ["files", "int", "other", "proxy"].map(|realm| {
        let ha1 = Ha1::new(HashFunction::Sha256, USER.0, realm, USER.1);
        ((realm.to_owned(), USER.0.to_owned()), ha1)
    });
    let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng).unwrap();
    AuthLayer::new(auth, Channel::Cleartext, HashMap::from(users))
}

pub(crate) fn realm(name: &str) -> Realm {
    Realm::new(name)
        .unwrap()
        .with_algorithms(&[Algorithm::SHA_256])
}

pub(crate) fn files() -> Realm {
    realm("files")
}

pub(crate) fn basic(name: &str) -> Realm {
    let realm = Realm::new(name).unwrap().with_algorithms(&[]);
    realm.with_basic(BasicOffer::Anywhere)
}

/// A server with a realm that covers bodies.
pub(crate) async fn int() -> Server {
    let layer = layer(realm("int").with_qop(QopSet::AUTH_INT));
    let layer = layer.with_buffered_body(1000, 10, axum::body::Body::new);
    let read = Router::new().fallback(any(async |body: String| body));
    Server::start(read.layer(layer)).await
}

pub(crate) fn mufasa() -> Account {
    Account::new(USER.0, USER.1)
}

/// No proxy of the environment.
pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}
