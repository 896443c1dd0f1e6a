//! Users of Apache's `htdigest` (Digest) and `htpasswd -B` (Basic, by bcrypt).
//!
//! ```text
//! htfiles [LISTEN HTDIGEST HTPASSWD [encrypted]]
//! ```
//!
//! Say `encrypted` where a proxy in front ends TLS, and passes on nothing that came in clear:
//! only then is Basic offered and taken, so without it no user of `htpasswd` gets in.
//!
//! Most clients take Digest where it is offered, and a user of `htpasswd` can only do Basic. So
//! where both files have users, those of `htpasswd` must tell their client to use Basic, as with
//! `curl --basic`. Without users of `htdigest`, Digest is not offered.
//!
//! Each request looks at the times and lengths of both files, and reads them again if these have
//! changed. A nonce belongs to nobody: it stays valid when a user is deleted, but the user is looked up
//! for each request, so the next one with that name is refused, also on a connection that is open. With
//! a new password the old one is refused likewise. Files that are not right change nothing, and the
//! log tells why: to lock everybody out, empty them.
//!
//! A name that is in both files would be one account with two passwords, of which a change by one
//! tool leaves the other as it was, so such files are refused.
//!
//! Without arguments it checks itself with two stored files, and with two that the tools make
//! now, if they are installed.
mod accounts;
mod check;
mod files;
mod made;

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Duration;

use countersign::digest::Algorithm;
use countersign::server::{Arrival, Attempt, Authenticator, Refusal, Verdict, Verified};
use countersign::{Channel, Target};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, RETRY_AFTER};
use hyper::{Request, Response, StatusCode};
use loopback::{Error, Site, granted, refused};
use tokio::sync::Semaphore;
use tokio::task::block_in_place;
use tokio::time::timeout;

use accounts::Account;
use files::{Files, Users};

type Answer = Response<String>;

const REALM: &str = "files";

/// How long a password waits to be hashed.
const MAX_WAIT: Duration = Duration::from_secs(2);

struct Server {
    auth: Authenticator,
    files: Files,
    channel: Channel,
    /// One for each bcrypt hash that may run at once. Anyone can cause one, without an account, and
    /// each takes a core.
    hashes: Semaphore,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let (head, _) = request.into_parts();
        let uri = head.uri.to_string();
        let target = Target::new(head.method.as_str(), &uri);
        let arrival = Arrival::now(self.channel);
        let credentials = head.headers.get_all(AUTHORIZATION);
        let auth = &self.auth;
        let users = block_in_place(|| self.files.users());
        let refuse = |refusal| refused(&refusal);
        let attempt = auth
            .begin_as(&users.realm, credentials.iter(), &target, arrival)
            .map_err(refuse)?;
        let verified = if attempt.basic().is_some() {
            let permit = timeout(MAX_WAIT, self.hashes.acquire()).await;
            let _permit = permit.map_err(|_| busy())?;
            // bcrypt is slow, and would keep this thread from serving others.
            block_in_place(|| users.verify(attempt))
        } else {
            users.verify(attempt)
        };
        let verified = verified.map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let text = hello(grant.account(), grant.algorithm());
        Ok(granted(&grant, &head.method, Response::new(text)))
    }
}

impl Server {
    fn new(htdigest: &str, htpasswd: &str, channel: Channel) -> Result<Arc<Self>, Error> {
        let files = Files::new(htdigest, htpasswd)?;
        let realm = files.users().realm.clone();
        Ok(Arc::new(Self {
            auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
            files,
            channel,
            hashes: Semaphore::new(available_parallelism()?.get()),
        }))
    }
}

impl Users {
    fn verify<'a>(&'a self, attempt: Attempt<'a>) -> Result<Verified<'a, &'a Account>, Refusal> {
        let account = self.accounts.find(&attempt.claimed_user());
        let Some(pair) = attempt.basic() else {
            return attempt.verify_by(account, |account, hash| account.ha1.get(&hash));
        };
        let stored = account.and_then(|account| account.bcrypt.as_deref());
        let right = bcrypt::verify(pair.password(), stored.unwrap_or(&self.nobody));
        let is_right = stored.is_some() && right.unwrap_or(false);
        attempt.decide(match account {
            Some(account) if is_right => Verdict::Right(account),
            _ => Verdict::Wrong,
        })
    }
}

fn busy() -> Answer {
    let response = Response::builder()
        .status(StatusCode::SERVICE_UNAVAILABLE)
        .header(RETRY_AFTER, "1");
    response.body(String::new()).unwrap()
}

fn hello(account: &Account, algorithm: Option<Algorithm>) -> String {
    let how = algorithm.map_or("Basic", |algorithm| algorithm.as_str());
    format!("hello {} ({how})\n", account.name)
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [] => check::check_all().await,
        [listen, htdigest, htpasswd, words @ ..] => {
            let channel = loopback::channel(words)?;
            loopback::serve(Server::new(htdigest, htpasswd, channel)?, listen).await
        }
        _ => Err("[LISTEN HTDIGEST HTPASSWD [encrypted]]".into()),
    }
}
