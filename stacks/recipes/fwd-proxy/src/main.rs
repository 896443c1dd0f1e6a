//! A forward proxy that asks for credentials: status 407 and the `Proxy-` fields, for requests in
//! absolute form and for `CONNECT` tunnels.
//!
//! ```text
//! fwd-proxy [LISTEN]
//! curl --proxy http://127.0.0.1:8106 --proxy-digest --proxy-user 'Zazu:Morning report' URL
//! ```
use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use countersign::digest::{Ha1, HashFunction, User};
use countersign::server::{Arrival, Authenticator, BasicOffer, Realm, Rejected};
use countersign::{Channel, EntityBody, Target};
use http_body_util::{Either, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::handshake;
use hyper::header::{HeaderValue, PROXY_AUTHORIZATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

type Answer = Response<Either<Incoming, Empty<Bytes>>>;

struct Account {
    name: String,
    ha1: HashMap<HashFunction, Ha1>,
}

struct Proxy {
    auth: Authenticator,
    accounts: HashMap<String, Account>,
}

impl Proxy {
    /// The response either way: what is refused comes as an error.
    async fn answer(&self, mut request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let method = request.method().clone();
        let target = Target::new(method.as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(PROXY_AUTHORIZATION);
        let refuse = |rejected: Rejected<'_>| {
            println!("{method} {uri}: {:?}", rejected.rejection());
            self.refuse(&rejected)
        };
        let auth = &self.auth;
        let attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        let account = self.find(&attempt.claimed_user());
        let verified = attempt
            .verify_by(account, |account, hash| account.ha1.get(&hash))
            .map_err(refuse)?;
        let (account, receipt) = auth.admit(verified).map_err(refuse)?.into_parts();
        println!("{method} {uri}: granted {}", account.name);
        // The credentials are for this proxy alone.
        request.headers_mut().remove(PROXY_AUTHORIZATION);
        let mut response = forward(request).await.unwrap_or_else(|_| empty(502));
        if let Some(info) = receipt.authentication_info(EntityBody::Unknown) {
            let value = HeaderValue::from_bytes(info.as_bytes()).unwrap();
            response.headers_mut().insert(receipt.info_field(), value);
        }
        Ok(response)
    }

    fn refuse(&self, rejected: &Rejected<'_>) -> Answer {
        let refusal = self.auth.refuse(rejected);
        let mut response = Response::builder().status(refusal.status);
        for challenge in &refusal.challenges {
            response = response.header(refusal.field, challenge.as_bytes());
        }
        response.body(Either::Right(Empty::new())).unwrap()
    }

    fn find(&self, user: &User<'_>) -> Option<&Account> {
        self.accounts.get(user.name()?)
    }
}

fn empty(status: u16) -> Answer {
    let body = Either::Right(Empty::new());
    Response::builder().status(status).body(body).unwrap()
}

async fn forward(mut request: Request<Incoming>) -> Result<Answer, Box<dyn Error + Send + Sync>> {
    let authority = request.uri().authority().ok_or("no authority")?;
    let port = authority.port_u16().unwrap_or(80);
    let mut stream = TcpStream::connect((authority.host(), port)).await?;
    if request.method() == Method::CONNECT {
        tokio::spawn(async move {
            if let Ok(upgraded) = hyper::upgrade::on(request).await {
                let _ =
                    tokio::io::copy_bidirectional(&mut TokioIo::new(upgraded), &mut stream).await;
            }
        });
        return Ok(empty(200));
    }
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let path = request.uri().path_and_query().ok_or("no path")?.as_str();
    *request.uri_mut() = path.parse()?;
    Ok(sender.send_request(request).await?.map(Either::Left))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listen = std::env::args().nth(1).unwrap_or("127.0.0.1:8106".into());
    let ha1 = |hash| (hash, Ha1::new(hash, "Zazu", "proxy", "Morning report"));
    let zazu = Account {
        name: "Zazu".into(),
        ha1: [HashFunction::Sha256, HashFunction::Md5].map(ha1).into(),
    };
    let realm = Realm::new("proxy")?
        .for_proxy()
        .with_basic(BasicOffer::Anywhere);
    let proxy = Arc::new(Proxy {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        accounts: HashMap::from([(zazu.name.clone(), zazu)]),
    });
    let listener = TcpListener::bind(listen).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let proxy = Arc::clone(&proxy);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let proxy = Arc::clone(&proxy);
                async move {
                    let answer = proxy.answer(request).await;
                    Ok::<_, Infallible>(answer.unwrap_or_else(|refused| refused))
                }
            });
            http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades()
                .await
        });
    }
}
