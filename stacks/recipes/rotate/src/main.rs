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
use std::sync::{Arc, Mutex};
use std::time::Duration;

use countersign::client::ServerProof;
use countersign::digest::Algorithm;
use countersign::server::{
    Arrival, Authenticator, NonceKey, Realm, Rejected, Rejection, RejectionClass,
};
use countersign::{Challenger, Channel, Target, Timestamp};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use loopback::{Error, Site, USER, Users, Visitor, granted, refused};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

type Answer = Response<String>;

/// A user who has no HA1 of the realm's algorithm.
const OLD: (&str, &str) = ("Rafiki", "It is time");

struct Server {
    auth: Authenticator,
    users: Users,
    /// The last line of the log.
    last: Mutex<String>,
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
            let line = log(peer, &rejected);
            println!("{line}");
            *self.last.lock().unwrap() = line;
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

/// The line of the log.
fn log(peer: SocketAddr, rejected: &Rejected<'_>) -> String {
    let level = match rejected.class() {
        // The account lacks an HA1, which anybody who guesses causes as well as its owner.
        _ if rejected.rejection() == Rejection::MissingHa1 => "warn",
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
    format!("{secs} {level} auth {why} ip={ip} user={user}: {rejected}")
}

/// A client whose nonce is of a key before is let in without another login.
async fn check(server: &Server, address: SocketAddr) -> Result<(), Error> {
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
    // Whoever guesses this user's password must be counted, too.
    let mut guesser = Visitor::new(Challenger::Origin, address, (OLD.0, "Circle of Lies"))?;
    let visit = guesser.get("/x").await?;
    visit.expect("an account with no HA1 of SHA-256", &[401, 401], None);
    let last = server.last.lock().unwrap();
    assert!(last.contains(" warn auth missing-ha1 ip="), "{last}");
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let realm = Realm::new("files")?.with_algorithms(&[Algorithm::SHA_256]);
    let server = Arc::new(Server {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        users: Users::one("files", USER).with_old("files", OLD),
        last: Mutex::default(),
    });
    let (rotated, hangup) = (Arc::clone(&server), signal(SignalKind::hangup())?);
    tokio::spawn(async move { rotated.rotate(hangup).await });
    match std::env::args().nth(1) {
        Some(listen) => loopback::serve(server, &listen).await,
        None => check(&server, loopback::start(Arc::clone(&server)).await?).await,
    }
}
