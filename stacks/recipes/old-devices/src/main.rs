//! Old clients beside new ones: MD5, RFC 2069 on some paths, user names in ISO-8859-1, as `username*`
//! and hashed.
//!
//! ```text
//! old-devices [LISTEN]
//! ```
use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use countersign::digest::{Algorithm, Ha1, HashFunction, User, userhash};
use countersign::server::{Arrival, Authenticator, Grant, Realm, Rejected, UriCheck};
use countersign::{Channel, EntityBody, Target};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

type Answer = Response<String>;

const REALM: &str = "devices";

struct Account {
    name: String,
    ha1: HashMap<HashFunction, Ha1>,
}

struct Server {
    auth: Authenticator,
    /// What the routes of old devices allow.
    old: Realm,
    /// Each account by everything that a client may send for its name.
    accounts: HashMap<User<'static>, Arc<Account>>,
}

impl Server {
    /// The response either way: what is refused comes as an error.
    async fn answer(&self, request: Request<Incoming>) -> Result<Answer, Answer> {
        let realm = self.realm(request.uri().path());
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let refuse = |rejected: Rejected<'_>| {
            println!("{} {uri}: {:?}", request.method(), rejected.rejection());
            self.refuse(&rejected)
        };
        let auth = &self.auth;
        let attempt = auth
            .begin_as(realm, credentials, &target, &arrival)
            .map_err(refuse)?;
        let account = self.accounts.get(&attempt.claimed_user()).cloned();
        let verified = attempt
            .verify_by(account, |account, hash| account.ha1.get(&hash))
            .map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let mut response = Response::builder();
        if let Some(info) = grant.authentication_info(EntityBody::Unknown) {
            response = response.header(grant.info_field(), info.as_bytes());
        }
        Ok(response.body(hello(&grant)).unwrap())
    }

    fn refuse(&self, rejected: &Rejected<'_>) -> Answer {
        let refusal = self.auth.refuse(rejected);
        let mut response = Response::builder().status(refusal.status);
        for challenge in &refusal.challenges {
            response = response.header(refusal.field, challenge.as_bytes());
        }
        response.body(String::new()).unwrap()
    }

    fn realm(&self, path: &str) -> &Realm {
        match path.starts_with("/old/") {
            true => &self.old,
            false => self.auth.realm(),
        }
    }
}

fn add(accounts: &mut HashMap<User<'static>, Arc<Account>>, name: &str, password: &str) {
    let account = |octets: &[u8]| {
        let ha1 = |hash| (hash, Ha1::new(hash, octets, REALM, password));
        Arc::new(Account {
            name: name.into(),
            ha1: [HashFunction::Sha256, HashFunction::Md5].map(ha1).into(),
        })
    };
    let utf8 = account(name.as_bytes());
    for hash in [HashFunction::Sha256, HashFunction::Md5] {
        let user = User::Hash(userhash(hash, name, REALM));
        accounts.insert(user, Arc::clone(&utf8));
    }
    accounts.insert(User::Name(name.to_owned().into()), utf8);
    // A client that sends a name in ISO-8859-1 hashes it so, too: its HA1 is another one.
    let latin1: Result<Vec<u8>, _> = name.chars().map(u8::try_from).collect();
    if let Ok(latin1) = latin1
        && !latin1.is_ascii()
    {
        let account = account(&latin1);
        accounts.insert(User::Octets(latin1.into()), account);
    }
}

fn hello(grant: &Grant<'_, Arc<Account>>) -> String {
    let name = &grant.account().name;
    let user = grant.claimed_user();
    let algorithm = grant
        .algorithm()
        .map_or("Basic", |algorithm| algorithm.as_str());
    let counted = grant.is_counted();
    format!("hello {name} [{user:?} {algorithm} counted={counted}]\n")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listen = std::env::args().nth(1).unwrap_or("127.0.0.1:8107".into());
    let mut accounts = HashMap::new();
    add(&mut accounts, "Mufasa", "Circle of Life");
    add(&mut accounts, "Jäsøn Doe", "Secret, or not?");
    let realm = Realm::new(REALM)?.with_userhash(true);
    let old = Realm::new(REALM)?
        .with_algorithms(&[Algorithm::MD5])
        .with_rfc2069(true)
        .with_uri_check(UriCheck::Path);
    let auth = Authenticator::new(realm, 1000, &mut getrandom::SysRng)?;
    let server = Arc::new(Server {
        auth,
        old,
        accounts,
    });
    let listener = TcpListener::bind(listen).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            let service = service_fn(async |request| {
                let answer = server.answer(request).await;
                Ok::<_, Infallible>(answer.unwrap_or_else(|refused| refused))
            });
            http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await
        });
    }
}
