//! Servers, and a record of what arrives at them.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::any;
use countersign::digest::{Algorithm, Ha1, HashFunction, QopSet, User};
use countersign::server::{Arrival, Authenticator, Realm};
use countersign::{Challenger, Channel, EntityBody, Target};
use countersign_reqwest::{Account, AuthClientLayer, Client};
use tokio::net::TcpListener;

pub(crate) const USER: (&str, &str) = ("Mufasa", "Circle of Life");

/// A request that arrived.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Seen {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) referer: Option<String>,
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
                    referer: field(&request, "referer"),
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
        Self::start(guarded(app, realm)).await
    }

    /// A server that tells the request-target to those who log in.
    pub(crate) async fn echo() -> Self {
        Self::of(files(), echo()).await
    }

    pub(crate) fn url(&self, target: &str) -> String {
        format!("http://{}{target}", self.address)
    }

    /// A client with an account for it.
    pub(crate) fn client(&self) -> Client {
        client_for(&self.url("/"), mufasa())
    }

    pub(crate) fn take_seen(&self) -> Vec<Seen> {
        std::mem::take(&mut self.seen.lock().unwrap())
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

/// Asks for Mufasa's password, for any realm.
pub(crate) fn guarded(app: Router, realm: Realm) -> Router {
    let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng).unwrap();
    guarded_by(app, &Arc::new(auth))
}

pub(crate) fn guarded_by(app: Router, auth: &Arc<Authenticator>) -> Router {
    let auth = Arc::clone(auth);
    app.layer(from_fn(move |request, next| {
        let auth = Arc::clone(&auth);
        async move { check(&auth, request, next).await }
    }))
}

async fn check(auth: &Authenticator, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 22).await.unwrap();
    let is_proxy = auth.realm().challenger() == Challenger::Proxy;
    let uri = match is_proxy {
        true => head.uri.to_string(),
        // With HTTP/2, the URI has the authority, too.
        false => head.uri.path_and_query().unwrap().to_string(),
    };
    let method = head.method.to_string();
    let target = Target::new(&method, &uri).with_body(EntityBody::Bytes(&body));
    let field = auth.realm().challenger().credentials_field();
    let fields = head.headers.get_all(field);
    let ha1 = Ha1::new(HashFunction::Sha256, USER.0, auth.realm().name(), USER.1);
    let find = |user: &User<'_>, _| (user.name() == Some(USER.0)).then_some(ha1);
    let arrival = Arrival::now(Channel::Cleartext);
    let info = match auth.check(fields.iter(), &target, arrival, find) {
        Ok(grant) => {
            let info = grant.authentication_info(EntityBody::Unknown);
            info.map(|info| {
                (
                    grant.info_field(),
                    HeaderValue::from_bytes(info.as_bytes()).unwrap(),
                )
            })
        }
        Err(refusal) => {
            let mut response = Response::builder().status(refusal.status);
            for challenge in &refusal.challenges {
                response = response.header(refusal.field, challenge.as_bytes());
            }
            return response.body(Body::empty()).unwrap();
        }
    };
    let mut response = next.run(Request::from_parts(head, Body::from(body))).await;
    if let Some((name, value)) = info {
        response.headers_mut().insert(name, value);
    }
    response
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
    realm.with_cleartext_basic()
}

/// A server with a realm that covers bodies.
pub(crate) async fn int() -> Server {
    let read = Router::new().fallback(any(async |body: String| body));
    Server::of(realm("int").with_qop(QopSet::AUTH_INT), read).await
}

pub(crate) fn mufasa() -> Account {
    Account::new(USER.0, USER.1)
}

/// No proxy of the environment.
pub(crate) fn http() -> reqwest::ClientBuilder {
    reqwest::Client::builder().no_proxy()
}

pub(crate) fn client_for(url: &str, account: Account) -> Client {
    let client = Client::builder(http()).build().unwrap();
    client.add_account(url, account).unwrap();
    client
}

/// A client that logs in by a layer.
pub(crate) fn client_by<C>(layer: AuthClientLayer<C>) -> Client<C> {
    Client::builder(http()).layer(layer).build().unwrap()
}
