//! A key that changes while the server runs (SIGHUP), and a log that fail2ban can read.
//!
//! ```text
//! rotate [LISTEN]
//! fail2ban.sh
//! ```
//!
//! The second has fail2ban read what the first writes, by `countersign.conf`.
//!
//! Each start makes a new key. That is fine: clients whose nonces are of a key that is gone are refused
//! once, with `stale=true`, and no user is asked again. Of a key that was replaced they are not even
//! refused, until that is replaced, too. Without arguments it checks that.
use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use countersign::client::ServerProof;
use countersign::digest::Algorithm;
use countersign::server::{Arrival, Authenticator, NonceKey, Realm, Rejected, RejectionClass};
use countersign::{Challenger, Channel, Target, Timestamp};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use loopback::{Error, Site, USER, Users, Visitor, granted, refused};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

type Answer = Response<String>;

struct Server {
    auth: Authenticator,
    users: Users,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, peer: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |rejected| {
            log(peer, &rejected);
            refused(&auth.refuse(&rejected))
        };
        let attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt
            .verify_by(account, |account, hash| account.ha1(hash))
            .map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let text = format!("hello {}\n", grant.account().name);
        Ok(granted(&grant, text))
    }
}

impl Server {
    /// Changes the key whenever it is told to.
    async fn rotate(&self, mut hangup: Signal) -> Result<(), Error> {
        while hangup.recv().await.is_some() {
            let key = NonceKey::random(&mut getrandom::SysRng)?;
            self.auth.rotate(key);
            println!("info key changed");
        }
        Ok(())
    }
}

fn log(peer: SocketAddr, rejected: &Rejected<'_>) {
    let level = match rejected.class() {
        RejectionClass::NoCredentials => "debug",
        RejectionClass::Stale => "info",
        RejectionClass::WrongSecret | RejectionClass::Suspicious => "warn",
        RejectionClass::ServerFault => "error",
        _ => "notice",
    };
    let (ip, why) = (peer.ip(), rejected.rejection().name());
    // Written with quotes and escapes, so that a client's text cannot forge a line.
    let user = rejected.claimed_user();
    let user = user.map_or_else(|| "-".to_owned(), |user| user.to_string());
    let secs = Timestamp::now().as_unix_millis() / 1000;
    println!("{secs} {level} auth {why} ip={ip} user={user}: {rejected}");
}

/// A client whose nonce is of a key before is let in without another login.
async fn check(address: SocketAddr) -> Result<(), Error> {
    loopback::check(Challenger::Origin, address, "/x", USER).await?;
    let mut visitor = Visitor::new(Challenger::Origin, address, USER)?;
    visitor.get("/x").await?;
    for (what, statuses) in [("one key on", &[200][..]), ("two keys on", &[401, 200])] {
        // The shell has a `kill` of its own.
        let hangup = ["-c", "kill -HUP $PPID"];
        assert!(Command::new("sh").args(hangup).status()?.success());
        sleep(Duration::from_millis(200)).await;
        let visit = visitor.get("/x").await?;
        visit.expect(what, statuses, Some(ServerProof::Valid));
        assert_eq!(visit.logins, 0);
    }
    let mut forger = Visitor::new(
        Challenger::Origin,
        address,
        ("x\" ip=1.2.3.4 user=\"y", "z"),
    )?;
    let visit = forger.get("/x").await?;
    visit.expect("a name that looks like a log", &[401, 401], None);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let realm = Realm::new("files")?.with_algorithms(&[Algorithm::SHA_256]);
    let server = Arc::new(Server {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        users: Users::one("files", USER),
    });
    let (rotated, hangup) = (Arc::clone(&server), signal(SignalKind::hangup())?);
    tokio::spawn(async move { rotated.rotate(hangup).await });
    match std::env::args().nth(1) {
        Some(listen) => loopback::serve(server, &listen).await,
        None => check(loopback::start(server).await?).await,
    }
}
