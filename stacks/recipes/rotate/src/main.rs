//! A key that changes while the server runs (SIGHUP), and a log that fail2ban can read.
//!
//! ```text
//! rotate [LISTEN]
//! fail2ban.sh
//! ```
//!
//! The second has fail2ban read what the first writes, by `countersign.conf`: it counts guesses at
//! passwords, by address. A replay is in the log, too, but is no guess: honest clients cause it when
//! their library repeats a request, or when one overtakes another.
//!
//! The log has the address of the connection. Behind a reverse proxy, that is the proxy's for all
//! clients: fail2ban would ban the proxy for the guesses of one client, and a limit by user and address
//! would lock users out. There, log the address from a field that the proxy itself sets, in place of
//! what the client sent. If it sets none, neither ban nor limit by address.
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
use countersign::server::{Arrival, Authenticator, Realm, Reason, Refusal};
use countersign::{Authorization, Challenger, Channel, Target, Timestamp};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use loopback::{Error, Site, USER, Users, Visitor, granted, refused, send};
use regex::Regex;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::sleep;

type Answer = Response<String>;

/// A user who has no HA1 of the realm's algorithm.
const OLD: (&str, &str) = ("Rafiki", "It is time");

struct Server {
    auth: Authenticator,
    users: Users,
    /// The lines of the log, while it checks itself.
    lines: Option<Mutex<Vec<String>>>,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, peer: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |refusal| {
            let line = log(peer, &request, &refusal);
            println!("{line}");
            if let Some(lines) = &self.lines {
                lines.lock().unwrap().push(line);
            }
            refused(&refusal)
        };
        let attempt = auth
            .begin(credentials.iter(), &target, arrival)
            .map_err(refuse)?;
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt
            .verify_by(account, |account, hash| account.ha1(hash))
            .map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let text = format!("hello {}\n", grant.account().name);
        Ok(granted(&grant, request.method(), Response::new(text)))
    }
}

impl Server {
    /// Changes the key whenever it is told to.
    async fn rotate(&self, mut hangup: Signal) -> Result<(), Error> {
        while hangup.recv().await.is_some() {
            self.auth.rotate(&mut getrandom::SysRng)?;
            println!("info key changed");
        }
        Ok(())
    }
}

/// The line of the log. fail2ban counts those that begin with a level and `guess`.
fn log(peer: SocketAddr, request: &Request<Incoming>, refusal: &Refusal) -> String {
    let reason = refusal.reason;
    let level = match reason {
        _ if reason.is_server_fault() => "error",
        _ if reason.is_guess() => "warn",
        Reason::Replayed | Reason::UriMismatch => "warn",
        Reason::NoCredentials => "debug",
        _ if reason.is_stale() => "debug",
        _ => "notice",
    };
    let event = if reason.is_guess() { "guess" } else { "auth" };
    let (ip, why) = (peer.ip(), reason.name());
    // Written with quotes and escapes, so that a client's text cannot forge a line.
    let sent = request.headers().get(AUTHORIZATION);
    let sent = sent.and_then(|value| Authorization::parse(value).ok());
    let user = sent.as_ref().and_then(Authorization::user);
    let user = user.map_or_else(|| "-".to_owned(), |user| user.to_string());
    // A name can be as long as a header.
    let user: String = user.chars().take(200).collect();
    let secs = Timestamp::now().as_unix_millis() / 1000;
    format!("{secs} {level} {event} {why} ip={ip} user={user}: {reason}")
}

/// Whether fail2ban counts a line: what `fail2ban.sh` tries, for where that is not installed.
fn is_counted(line: &str) -> Result<bool, Error> {
    let mut filter = include_str!("../countersign.conf").lines();
    let expression = filter.find_map(|line| line.strip_prefix("failregex = "));
    let expression = expression.ok_or("no failregex")?;
    let filter = Regex::new(&expression.replace("<ADDR>", r"[\da-f.:]+"))?;
    // fail2ban takes the time out of a line before.
    let (_, rest) = line.split_at(line.find(' ').ok_or("no time")?);
    Ok(filter.is_match(rest))
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
    honest(address).await?;

    let lines = server.lines.as_ref().ok_or("no log")?.lock().unwrap();
    let is_named = |line: &&String, names: &[&str]| {
        let name = line.split(' ').nth(3);
        name.is_some_and(|name| names.contains(&name))
    };
    for line in lines.iter() {
        let is_guess = is_named(&line, &["wrong-credentials", "missing-ha1"]);
        assert_eq!(is_counted(line)?, is_guess, "{line}");
    }
    let count = |name| lines.iter().filter(|line| is_named(line, &[name])).count();
    assert!(count("missing-ha1") > 0 && count("wrong-credentials") > 0);
    assert!(count("replayed") >= 3 && count("uri-mismatch") > 0);
    Ok(())
}

/// A client with the right password is not banned for what goes wrong on the way: a library that
/// repeats a request, one request that is overtaken by many, and a proxy that rewrites the path.
async fn honest(address: SocketAddr) -> Result<(), Error> {
    let mut visitor = Visitor::new(Challenger::Origin, address, USER)?;
    visitor.get("/x").await?;
    let mut answers = Vec::new();
    for _ in 0..65 {
        answers.extend(visitor.answer("GET", "/x")?);
    }
    let (overtaken, last) = (&answers[0], &answers[64]);
    for (what, path, answer, status) in [
        ("a request", "/x", last, 200),
        ("repeated by a library", "/x", last, 401),
        ("overtaken by 64 others", "/x", overtaken, 401),
        ("with another path", "/y", last, 400),
    ] {
        let field = Some((AUTHORIZATION.as_str(), answer));
        let response = send(address, "GET", path, field, "").await?;
        println!("{what}: {}", response.status());
        assert_eq!(response.status(), status, "{what}");
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let realm = Realm::new("files")?.with_algorithms(&[Algorithm::SHA_256]);
    let listen = std::env::args().nth(1);
    let server = Arc::new(Server {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        users: Users::one("files", USER).with_old("files", OLD),
        lines: listen.is_none().then(Mutex::default),
    });
    let (rotated, hangup) = (Arc::clone(&server), signal(SignalKind::hangup())?);
    tokio::spawn(async move { rotated.rotate(hangup).await });
    match listen {
        Some(listen) => loopback::serve(server, &listen).await,
        None => check(&server, loopback::start(Arc::clone(&server)).await?).await,
    }
}
