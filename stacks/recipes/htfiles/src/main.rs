//! Users of Apache's `htdigest` (Digest) and `htpasswd -B` (Basic, by bcrypt).
//!
//! ```text
//! htfiles LISTEN HTDIGEST HTPASSWD
//! ```
use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::fs::read_to_string;
use std::sync::Arc;

use countersign::digest::{Algorithm, Ha1, HashFunction, Htdigest, User};
use countersign::server::{Arrival, Attempt, Authenticator, BasicOffer, Realm, Rejected, Verified};
use countersign::{Channel, EntityBody, Target};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::block_in_place;

type Answer = Response<String>;

/// The cost that `htpasswd -B` takes if it is not told otherwise.
const BCRYPT_COST: u32 = 5;

/// What the two files say of one user of one realm.
#[derive(Default)]
struct Account {
    name: String,
    ha1: HashMap<HashFunction, Ha1>,
    bcrypt: Option<String>,
}

struct Server {
    auth: Authenticator,
    accounts: HashMap<String, Account>,
    /// The hash of a random password, compared with where there is no such user.
    nobody: String,
}

impl Server {
    /// The response either way: what is refused comes as an error.
    async fn answer(&self, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let refuse = |rejected| self.refuse(&rejected);
        let auth = &self.auth;
        let attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        // bcrypt is slow, and would keep this thread from serving others.
        let verified = block_in_place(|| self.verify(attempt)).map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let text = hello(grant.account(), grant.algorithm());
        let mut response = Response::builder();
        if let Some(info) = grant.authentication_info(EntityBody::Unknown) {
            response = response.header(grant.info_field(), info.as_bytes());
        }
        Ok(response.body(text).unwrap())
    }

    fn verify<'a>(
        &'a self,
        attempt: Attempt<'a>,
    ) -> Result<Verified<'a, &'a Account>, Rejected<'a>> {
        let account = self.find(&attempt.claimed_user());
        let Some(pair) = attempt.basic() else {
            return attempt.verify_by(account, |account, hash| account.ha1.get(&hash));
        };
        let stored = account.and_then(|account| account.bcrypt.as_deref());
        let right = bcrypt::verify(pair.password(), stored.unwrap_or(&self.nobody));
        let is_right = stored.is_some() && right.unwrap_or(false);
        attempt.decide(account.filter(|_| is_right))
    }

    fn refuse(&self, rejected: &Rejected<'_>) -> Answer {
        println!("{:?}", rejected.rejection());
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

fn read(
    htdigest: &str,
    htpasswd: &str,
    realm: &str,
) -> Result<HashMap<String, Account>, Box<dyn Error>> {
    let mut accounts = HashMap::<String, Account>::new();
    // Apache's tool writes MD5; whoever adds SHA-256 adds lines with 64 digits.
    for (number, line) in Htdigest::lines(htdigest) {
        let line = line.map_err(|error| format!("line {number}: {error}"))?;
        if line.realm() == realm {
            let account = accounts.entry(line.username().to_owned()).or_default();
            account
                .ha1
                .insert(line.ha1().hash_function(), line.ha1().clone());
        }
    }
    for (name, hash) in htpasswd.lines().filter_map(|line| line.split_once(':')) {
        accounts.entry(name.to_owned()).or_default().bcrypt = Some(hash.to_owned());
    }
    for (name, account) in &mut accounts {
        account.name.clone_from(name);
    }
    Ok(accounts)
}

fn hello(account: &Account, algorithm: Option<Algorithm>) -> String {
    let how = algorithm.map_or("Basic", |algorithm| algorithm.as_str());
    format!("hello {} ({how})\n", account.name)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, listen, htdigest, htpasswd] = &args[..] else {
        return Err("LISTEN HTDIGEST HTPASSWD".into());
    };
    let accounts = read(
        &read_to_string(htdigest)?,
        &read_to_string(htpasswd)?,
        "files",
    )?;
    // A client takes the best algorithm offered, so SHA-256 waits until everybody has it.
    let everybody_has_sha256 = accounts
        .values()
        .all(|account| account.ha1.is_empty() || account.ha1.contains_key(&HashFunction::Sha256));
    let algorithms: &[_] = match everybody_has_sha256 {
        true => &[Algorithm::SHA_256, Algorithm::MD5],
        false => &[Algorithm::MD5],
    };
    // Over loopback, for the demonstration; behind TLS say `BasicOffer::Encrypted`.
    let realm = Realm::new("files")?
        .with_algorithms(algorithms)
        .with_basic(BasicOffer::Anywhere);
    let mut password = [0; 16];
    getrandom::fill(&mut password)?;
    let server = Arc::new(Server {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        accounts,
        nobody: bcrypt::hash(password, BCRYPT_COST)?,
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
