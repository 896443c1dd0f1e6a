//! ureq with a middleware that logs in: the first request is asked, those after it are not, and a
//! wrong password is sent once, and the right one to nobody else.
//!
//! ```text
//! ureq-client [SCHEME:REALM URL]...
//! ```
//!
//! Without arguments it runs against a server of its own. Otherwise `Mufasa` with the password
//! `Circle of Life` must be let in at each URL, by the scheme (`digest` or `basic`) and in the realm
//! before it.
mod auth;

use std::sync::Arc;

use countersign::Scheme;
use countersign::client::{Account, Policy};
use countersign::server::Realm;
use loopback::{Area, Server, USER};
use ureq::http::Request;
use ureq::middleware::{Middleware, MiddlewareNext};
use ureq::{Agent, SendBody};

use auth::{Auth, Error};

/// Whose account it is, and how it logs in.
type Login<'a> = (Scheme, &'a str);

const FILES: Login<'_> = (Scheme::Digest, "files");

/// Only an account of Basic allows it.
fn policy(scheme: Scheme) -> Policy {
    match scheme {
        Scheme::Basic => Policy::new().with_cleartext_basic(),
        _ => Policy::new(),
    }
}

fn auth(
    origin: &str,
    (scheme, realm): Login<'_>,
    policy: Policy,
    password: &str,
) -> Result<Arc<Auth>, Error> {
    let account = Account::new(USER.0, password).for_realm(realm);
    let account = match scheme {
        Scheme::Basic => account.with_basic(),
        _ => account,
    };
    let auth = Auth::new(&origin.parse()?, policy, account)?;
    Ok(Arc::new(auth))
}

fn agent(auth: &Arc<Auth>) -> Agent {
    let auth = Arc::clone(auth);
    let middleware =
        move |request: Request<SendBody<'_>>, next: MiddlewareNext<'_>| auth.handle(request, next);
    let config = Agent::config_builder().http_status_as_error(false);
    config.middleware(middleware).build().into()
}

fn right_password(login: Login<'_>, url: &str) -> Result<(), Error> {
    let auth = auth(url, login, policy(login.0), USER.1)?;
    let agent = agent(&auth);
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(agent.get(url).call()?.status().as_u16());
    }
    // What is not allowed is refused by another status than 401.
    let posted = agent.post(url).send("some text")?.status().as_u16();
    let sent = auth.sent();
    println!("{url}: GET {statuses:?}, POST {posted}, {sent} requests");
    assert_eq!(statuses, [200; 3]);
    assert_ne!(posted, 401);
    assert_eq!(sent, 5);
    Ok(())
}

fn wrong_password(login: Login<'_>, url: &str) -> Result<(), Error> {
    let auth = auth(url, login, policy(login.0), "Circle of Lies")?;
    let status = agent(&auth).get(url).call()?.status();
    let sent = auth.sent();
    println!("{url}: wrong password {status}, {sent} requests");
    assert_eq!((status.as_u16(), sent), (401, 2));
    Ok(())
}

/// The password is not for whoever asks.
fn stranger(origin: &str, stranger: &str) -> Result<(), Error> {
    let auth = auth(origin, FILES, policy(FILES.0), USER.1)?;
    let status = agent(&auth).get(stranger).call()?.status();
    let sent = auth.sent();
    println!("{stranger}: a stranger {status}, {sent} requests");
    assert_eq!((status.as_u16(), sent), (401, 1));
    Ok(())
}

/// Nor is it for another user of the server, who asks in another realm.
fn another_realm() -> Result<(), Error> {
    let server = Server::shared();
    let auth = auth(&server.url("/"), FILES, policy(FILES.0), USER.1)?;
    let mut statuses = Vec::new();
    for path in ["/d/x", "/~mallory/x"] {
        let response = agent(&auth).get(server.url(path)).call()?;
        statuses.push(response.status().as_u16());
    }
    let sent = auth.sent();
    println!("another realm: {statuses:?}, {sent} requests");
    assert_eq!((&statuses[..], sent), (&[200, 401][..], 3));
    assert!(!server.take_log()[2].has_credentials);
    Ok(())
}

/// Nor if they ask by Basic in the same realm, before it has proved Digest: not even if the policy
/// allows that.
fn another_scheme() -> Result<(), Error> {
    let server = Server::shared();
    for scheme in [Scheme::Digest, Scheme::Basic] {
        let auth = auth(&server.url("/"), FILES, policy(scheme), USER.1)?;
        for path in ["/~mallory/same/x", "/~mallory/x"] {
            let status = agent(&auth).get(server.url(path)).call()?.status();
            assert_eq!(status.as_u16(), 401);
        }
        let sent = auth.sent();
        println!("another scheme: {sent} requests");
        assert_eq!(sent, 2);
    }
    assert!(server.take_log().iter().all(|entry| !entry.has_credentials));
    Ok(())
}

fn main() -> Result<(), Error> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if args.is_empty() {
        let digest = Realm::new("files")?;
        let basic = Realm::new("basic files")?.with_algorithms(&[]);
        let basic = basic.with_cleartext_basic();
        let server = Server::start(vec![Area::new("/d", digest), Area::new("/b", basic)], "");
        for (realm, path) in [("digest:files", "/d/x"), ("basic:basic files", "/b/x")] {
            args.extend([realm.to_owned(), server.url(path)]);
        }
        let other = Server::start(vec![Area::new("/", Realm::new("files")?)], "");
        stranger(&server.url("/"), &other.url("/d/x"))?;
        another_realm()?;
        another_scheme()?;
    }
    for pair in args.chunks(2) {
        let [login, url] = pair else {
            return Err("which URL?".into());
        };
        let login = match login.split_once(':') {
            Some(("digest", realm)) => (Scheme::Digest, realm),
            Some(("basic", realm)) => (Scheme::Basic, realm),
            _ => return Err("which scheme?".into()),
        };
        right_password(login, url)?;
        wrong_password(login, url)?;
    }
    Ok(())
}
