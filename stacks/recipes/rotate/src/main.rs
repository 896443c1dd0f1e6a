//! A key that changes while the server runs (SIGHUP), and a log that fail2ban can read.
//!
//! ```text
//! rotate [LISTEN]
//! ```
//!
//! Each start makes a new key. That is fine: clients whose nonces are of the key before are refused
//! once, with `stale=true`, and no user is asked again.
use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use countersign::digest::{Algorithm, Ha1, HashFunction, User};
use countersign::server::{Arrival, Authenticator, NonceKey, Realm, Rejected, RejectionClass};
use countersign::{Channel, EntityBody, Target};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

type Answer = Response<String>;

struct Account {
    name: String,
    ha1: Ha1,
}

struct Server {
    auth: Authenticator,
    accounts: HashMap<String, Account>,
}

impl Server {
    /// The response either way: what is refused comes as an error.
    async fn answer(&self, peer: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let refuse = |rejected| {
            log(peer, &rejected);
            self.refuse(&rejected)
        };
        let auth = &self.auth;
        let attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        let account = self.find(&attempt.claimed_user());
        let verified = attempt
            .verify_by(account, |account, _| Some(&account.ha1))
            .map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let mut response = Response::builder();
        if let Some(info) = grant.authentication_info(EntityBody::Unknown) {
            response = response.header(grant.info_field(), info.as_bytes());
        }
        Ok(response.body(hello(grant.account())).unwrap())
    }

    fn refuse(&self, rejected: &Rejected<'_>) -> Answer {
        let refusal = self.auth.refuse(rejected);
        let mut response = Response::builder().status(refusal.status);
        for challenge in &refusal.challenges {
            response = response.header(refusal.field, challenge.as_bytes());
        }
        response.body(String::new()).unwrap()
    }

    fn find(&self, user: &User<'_>) -> Option<&Account> {
        self.accounts.get(user.name()?)
    }
}

fn hello(account: &Account) -> String {
    format!("hello {}\n", account.name)
}

fn log(peer: SocketAddr, rejected: &Rejected<'_>) {
    let class = rejected.class();
    let level = match class {
        RejectionClass::NoCredentials => "debug",
        RejectionClass::Stale => "info",
        RejectionClass::Suspicious => "warn",
        RejectionClass::ServerFault => "error",
        _ => "notice",
    };
    let user = rejected.claimed_user();
    let name = user.as_ref().and_then(User::name).unwrap_or("-");
    // The name is the client's text: quoted, so that it cannot forge a line.
    println!(
        "{level} auth {class:?} ip={} user={name:?}: {rejected}",
        peer.ip()
    );
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listen = std::env::args().nth(1).unwrap_or("127.0.0.1:8108".into());
    let name = "Mufasa".to_owned();
    let ha1 = Ha1::new(HashFunction::Sha256, &name, "files", "Circle of Life");
    let realm = Realm::new("files")?.with_algorithms(&[Algorithm::SHA_256]);
    let server = Arc::new(Server {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        accounts: HashMap::from([(name.clone(), Account { name, ha1 })]),
    });
    let mut hangup = signal(SignalKind::hangup())?;
    let listener = TcpListener::bind(listen).await?;
    println!("info listening on {}", listener.local_addr()?);
    loop {
        tokio::select! {
            _ = hangup.recv() => {
                server.auth.rotate(NonceKey::random(&mut getrandom::SysRng)?);
                println!("info key changed");
            }
            accepted = listener.accept() => {
                let (stream, peer) = accepted?;
                let server = Arc::clone(&server);
                tokio::spawn(async move {
                    let service = service_fn(async |request| {
                let answer = server.answer(peer, request).await;
                Ok::<_, Infallible>(answer.unwrap_or_else(|refused| refused))
            });
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service).await
                });
            }
        }
    }
}
