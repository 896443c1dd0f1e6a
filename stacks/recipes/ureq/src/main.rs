//! ureq with countersign-blocking: the first request is asked, those after it are not, and a wrong
//! password is sent once, and the right one to nobody else.
//!
//! ```text
//! ureq-client [SCHEME:REALM URL]...
//! ```
//!
//! Without arguments it runs against a server of its own. Otherwise `Mufasa` with the password
//! `Circle of Life` must be let in at each URL, by the scheme (`digest` or `basic`) and in the realm
//! before it.

use countersign::Scheme;
use countersign::client::{Account, AuthCache, Policy};
use countersign::server::Realm;
use countersign_blocking::{Auth, AuthClientLayer, UreqError};
use loopback::{Area, Server, USER};
use ureq::Agent;

type Error = Box<dyn std::error::Error + Send + Sync>;

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

fn agent(
    url: &str,
    (scheme, realm): Login<'_>,
    policy: Policy,
    password: &str,
) -> Result<Agent, Error> {
    let account = Account::new(USER.0, password).for_realm(realm);
    let account = match scheme {
        Scheme::Basic => account.with_basic(),
        _ => account,
    };
    let cache = AuthCache::new(100, policy, &mut getrandom::SysRng)?;
    let auth = Auth::from(AuthClientLayer::new(cache));
    auth.add_account(url, account)?;
    // No proxy of the environment.
    Ok(auth.agent(|config| config.proxy(None).http_status_as_error(false)))
}

/// Returns the status, also of a response whose login failed.
fn status(sent: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<u16, Error> {
    let error = match sent {
        Ok(response) => return Ok(response.status().as_u16()),
        Err(ureq::Error::Other(error)) => *error.downcast::<UreqError>()?,
        Err(error) => return Err(error.into()),
    };
    match error {
        UreqError::WrongCredentials(refused) | UreqError::Login(refused) => {
            Ok(refused.response.status().as_u16())
        }
        error => Err(error.into()),
    }
}

fn right_password(login: Login<'_>, url: &str) -> Result<(), Error> {
    let agent = agent(url, login, policy(login.0), USER.1)?;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(status(agent.get(url).call())?);
    }
    // What is not allowed is refused by another status than 401.
    let posted = status(agent.post(url).send("some text"))?;
    println!("{url}: GET {statuses:?}, POST {posted}");
    assert_eq!(statuses, [200; 3]);
    assert_ne!(posted, 401);
    Ok(())
}

fn wrong_password(login: Login<'_>, url: &str) -> Result<(), Error> {
    let agent = agent(url, login, policy(login.0), "Circle of Lies")?;
    let error = agent.get(url).call().unwrap_err();
    println!("{url}: {error}");
    assert!(error.to_string().contains("wrong user name or password"));
    Ok(())
}

/// The password is not for whoever asks.
fn stranger(origin: &str, stranger: &Server) -> Result<(), Error> {
    let agent = agent(origin, FILES, policy(FILES.0), USER.1)?;
    let status = status(agent.get(stranger.url("/d/x")).call())?;
    let sent = stranger.take_log().len();
    println!("a stranger: {status}, {sent} requests");
    assert_eq!((status, sent), (401, 1));
    Ok(())
}

/// Nor is it for another user of the server, who asks in another realm.
fn another_realm() -> Result<(), Error> {
    let server = Server::shared();
    let agent = agent(&server.url("/"), FILES, policy(FILES.0), USER.1)?;
    let mut statuses = Vec::new();
    for path in ["/d/x", "/~mallory/x"] {
        statuses.push(status(agent.get(server.url(path)).call())?);
    }
    let log = server.take_log();
    println!("another realm: {statuses:?}, {} requests", log.len());
    assert_eq!(statuses, [200, 401]);
    assert!(log.iter().skip(2).all(|entry| !entry.has_credentials));
    Ok(())
}

/// Nor if they ask by Basic in the same realm, before it has proved Digest: not even if the policy
/// allows that.
fn another_scheme() -> Result<(), Error> {
    let server = Server::shared();
    for scheme in [Scheme::Digest, Scheme::Basic] {
        let agent = agent(&server.url("/"), FILES, policy(scheme), USER.1)?;
        for path in ["/~mallory/same/x", "/~mallory/x"] {
            assert_eq!(status(agent.get(server.url(path)).call())?, 401);
        }
    }
    let log = server.take_log();
    println!("another scheme: {} requests", log.len());
    assert_eq!(log.len(), 4);
    assert!(log.iter().all(|entry| !entry.has_credentials));
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
        stranger(&server.url("/"), &other)?;
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
