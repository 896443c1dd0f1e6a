//! Users of Apache's `htdigest` (Digest) and `htpasswd -B` (Basic, by bcrypt).
//!
//! ```text
//! htfiles [LISTEN HTDIGEST HTPASSWD]
//! ```
//!
//! Without arguments it checks itself with two stored files, and with two that the tools make
//! now, if they are installed.
mod accounts;
mod made;

use std::fs::read_to_string;
use std::net::SocketAddr;
use std::sync::Arc;

use countersign::client::ServerProof;
use countersign::digest::Algorithm;
use countersign::server::{Arrival, Attempt, Authenticator, BasicOffer, Realm, Rejected, Verified};
use countersign::{Challenger, Channel, Target};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use loopback::{Error, Site, USER, Visitor, granted, refused};
use tokio::task::block_in_place;

use accounts::{Account, Accounts};

type Answer = Response<String>;

const REALM: &str = "files";

/// The cost that `htpasswd -B` takes if it is not told otherwise.
const BCRYPT_COST: u32 = 5;

struct Server {
    auth: Authenticator,
    accounts: Accounts,
    /// The hash of a random password, compared with where there is no such user.
    nobody: String,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |rejected| refused(&auth.refuse(&rejected));
        let attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        // bcrypt is slow, and would keep this thread from serving others.
        let verified = block_in_place(|| self.verify(attempt)).map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let text = hello(grant.account(), grant.algorithm());
        Ok(granted(&grant, text))
    }
}

impl Server {
    fn new(htdigest: &str, htpasswd: &str) -> Result<Arc<Self>, Error> {
        let (htdigest, htpasswd) = (read_to_string(htdigest)?, read_to_string(htpasswd)?);
        let accounts = Accounts::read(&htdigest, &htpasswd, REALM)?;
        // A client takes the best algorithm offered, so SHA-256 waits until everybody has it.
        let algorithms: &[_] = match accounts.have_sha256() {
            true => &[Algorithm::SHA_256, Algorithm::MD5],
            false => &[Algorithm::MD5],
        };
        // Over loopback, for the demonstration; behind TLS say `BasicOffer::Encrypted`.
        let realm = Realm::new(REALM)?
            .with_algorithms(algorithms)
            .with_basic(BasicOffer::Anywhere);
        let mut password = [0; 16];
        getrandom::fill(&mut password)?;
        Ok(Arc::new(Self {
            auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
            accounts,
            nobody: bcrypt::hash(password, BCRYPT_COST)?,
        }))
    }

    fn verify<'a>(
        &'a self,
        attempt: Attempt<'a>,
    ) -> Result<Verified<'a, &'a Account>, Rejected<'a>> {
        let account = self.accounts.find(&attempt.claimed_user());
        let Some(pair) = attempt.basic() else {
            return attempt.verify_by(account, |account, hash| account.ha1.get(&hash));
        };
        let stored = account.and_then(|account| account.bcrypt.as_deref());
        let right = bcrypt::verify(pair.password(), stored.unwrap_or(&self.nobody));
        let is_right = stored.is_some() && right.unwrap_or(false);
        attempt.decide(account.filter(|_| is_right))
    }
}

fn hello(account: &Account, algorithm: Option<Algorithm>) -> String {
    let how = algorithm.map_or("Basic", |algorithm| algorithm.as_str());
    format!("hello {} ({how})\n", account.name)
}

/// A user of each file.
async fn check(address: SocketAddr) -> Result<(), Error> {
    loopback::check(Challenger::Origin, address, "/x", USER).await?;
    let basic = |user| Visitor::new(Challenger::Origin, address, user)?.with_basic();
    let proof = Some(ServerProof::Absent);
    let visit = basic(("Zazu", "Morning report"))?.get("/x").await?;
    visit.expect("Basic", &[200], proof);
    // Then they are asked for Digest, and send the same password by that.
    for user in [("Zazu", "Hakuna Matata"), ("Nobody", "Hakuna Matata")] {
        let visit = basic(user)?.get("/x").await?;
        visit.expect("Basic, wrong", &[401, 401], None);
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [] => {
            let folder = env!("CARGO_MANIFEST_DIR");
            let server = Server::new(&format!("{folder}/htdigest"), &format!("{folder}/htpasswd"))?;
            check(loopback::start(server).await?).await?;

            let folder = tempfile::tempdir()?;
            if !made::make(folder.path(), REALM)? {
                println!("skipped: no htdigest and htpasswd");
                return Ok(());
            }
            println!("-- files made by the tools");
            let folder = folder.path().display();
            let server = Server::new(&format!("{folder}/htdigest"), &format!("{folder}/htpasswd"))?;
            check(loopback::start(server).await?).await
        }
        [listen, htdigest, htpasswd] => {
            loopback::serve(Server::new(htdigest, htpasswd)?, listen).await
        }
        _ => Err("[LISTEN HTDIGEST HTPASSWD]".into()),
    }
}
