//! ureq with a middleware that logs in: the first request is asked, those after it are not, and a wrong
//! password is sent once, and the right one to nobody else.
//!
//! ```text
//! ureq-client [URL...]
//! ```
//!
//! Without arguments it runs against a server of its own. Otherwise `Mufasa` with the password `Circle
//! of Life` must be let in at each URL.
mod auth;

use std::sync::Arc;

use countersign::client::Policy;
use countersign::server::{BasicOffer, Realm};
use loopback::{Area, Server, USER};
use ureq::http::Request;
use ureq::middleware::{Middleware, MiddlewareNext};
use ureq::{Agent, SendBody};

use auth::{Auth, Error};

fn auth(origin: &str, user: (&'static str, &'static str)) -> Result<Arc<Auth>, Error> {
    let policy = Policy::new().with_cleartext_basic();
    Ok(Arc::new(Auth::new(&origin.parse()?, policy, user)?))
}

fn agent(auth: &Arc<Auth>) -> Agent {
    let auth = Arc::clone(auth);
    let middleware =
        move |request: Request<SendBody<'_>>, next: MiddlewareNext<'_>| auth.handle(request, next);
    let config = Agent::config_builder().http_status_as_error(false);
    config.middleware(middleware).build().into()
}

fn right_password(url: &str) -> Result<(), Error> {
    let auth = auth(url, USER)?;
    let agent = agent(&auth);
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(agent.get(url).call()?.status().as_u16());
    }
    // What is not allowed is refused by another status than 401.
    let posted = agent.post(url).send("some text")?.status().as_u16();
    let (logins, sent) = auth.counts();
    println!("{url}: GET {statuses:?}, POST {posted}, {logins} logins, {sent} requests");
    assert_eq!(statuses, [200; 3]);
    assert_ne!(posted, 401);
    assert_eq!((logins, sent), (1, 5));
    Ok(())
}

fn wrong_password(url: &str) -> Result<(), Error> {
    let user = (USER.0, "Circle of Lies");
    let auth = auth(url, user)?;
    let status = agent(&auth).get(url).call()?.status();
    let (logins, sent) = auth.counts();
    println!("{url}: wrong password {status}, {logins} logins, {sent} requests");
    assert_eq!((status.as_u16(), logins, sent), (401, 1, 2));
    Ok(())
}

/// The password is not for whoever asks.
fn stranger(origin: &str, stranger: &str) -> Result<(), Error> {
    let auth = auth(origin, USER)?;
    let status = agent(&auth).get(stranger).call()?.status();
    let (logins, sent) = auth.counts();
    println!("{stranger}: a stranger {status}, {logins} logins, {sent} requests");
    assert_eq!((status.as_u16(), logins, sent), (401, 0, 1));
    Ok(())
}

fn main() -> Result<(), Error> {
    let mut urls: Vec<String> = std::env::args().skip(1).collect();
    if urls.is_empty() {
        let digest = Realm::new("files")?;
        let basic = Realm::new("basic files")?.with_algorithms(&[]);
        let basic = basic.with_basic(BasicOffer::Anywhere);
        let server = Server::start(vec![Area::new("/d", digest), Area::new("/b", basic)], "");
        urls.extend(["/d/x", "/b/x"].map(|path| server.url(path)));
        let other = Server::start(vec![Area::new("/", Realm::new("files")?)], "");
        stranger(&server.url("/"), &other.url("/d/x"))?;
    }
    for url in urls {
        right_password(&url)?;
        wrong_password(&url)?;
    }
    Ok(())
}
