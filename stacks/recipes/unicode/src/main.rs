//! Names and passwords that are typed in two ways: `ä` as one character or as two.
//!
//! ```text
//! unicode [LISTEN [encrypted]]
//! ```
//!
//! Say `encrypted` where a proxy in front ends TLS, and passes on nothing that came in clear:
//! only then is Basic offered and taken.
//!
//! At registration the profiles of RFC 8265 say which names and passwords there may be, by
//! `precis-profiles`; from then on `countersign::precis` gives them one spelling. Without arguments
//! it shows who gets in with which spelling.
mod check;
mod profiles;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;
use std::sync::Arc;

use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::server::{Arrival, Authenticator, Realm, Verdict};
use countersign::{Channel, Target, precis};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use loopback::{Error, Site, granted, refused};

type Answer = Response<String>;

/// What stands in the table, composed.
const USER: (&str, &str) = ("J\u{e4}s\u{f8}n", "caf\u{e9} \u{3c0}");
/// The same as another keyboard writes it.
const DECOMPOSED: (&str, &str) = ("Ja\u{308}s\u{f8}n", "cafe\u{301}\u{a0}\u{3c0}");

const HASH: HashFunction = HashFunction::Sha256;

struct Server {
    auth: Authenticator,
    users: HashMap<String, Ha1>,
    channel: Channel,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(self.channel);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |refusal| refused(&refusal);
        let attempt = auth
            .begin(credentials.iter(), &target, arrival)
            .map_err(refuse)?;
        let claimed = attempt.claimed_user();
        let name = claimed.name().map(precis::username);
        let account = name.and_then(|name| self.users.get_key_value(&*name));
        let verified = match attempt.basic() {
            // The password is here, so it gets the spelling that was stored.
            Some(pair) => {
                let password = str::from_utf8(pair.password()).map(precis::password);
                let realm = auth.realm().name();
                // Made for nobody, too, so that the time does not tell who is known.
                let known = account.map_or("nobody", |(name, _)| name);
                let ha1 = password.map(|password| Ha1::new(HASH, known, realm, &*password));
                let is_right = |(_, stored): &(_, &Ha1)| ha1.as_ref() == Ok(*stored);
                let account = account.filter(is_right);
                attempt.decide(account.map_or(Verdict::Wrong, Verdict::Right))
            }
            None => attempt.verify_by(account, |(_, ha1), _| Some(*ha1)),
        };
        let grant = auth.admit(verified.map_err(refuse)?).map_err(refuse)?;
        let text = format!("hello {}\n", grant.account().0);
        Ok(granted(&grant, request.method(), Response::new(text)))
    }
}

impl Server {
    fn new(channel: Channel) -> Result<Self, Error> {
        let realm = Realm::new("files")?
            .with_algorithms(&[Algorithm::SHA_256])
            .with_basic();
        Ok(Self {
            auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
            users: HashMap::new(),
            channel,
        })
    }

    /// Adds a user, if the profiles allow the name and the password, and nobody has the name.
    fn register(&mut self, name: &str, password: &str) -> Result<(), Error> {
        profiles::check(name, password)?;
        let (name, password) = (precis::username(name), precis::password(password));
        let realm = self.auth.realm().name();
        let ha1 = Ha1::new(HASH, &*name, realm, &*password);
        // The mapped name is compared: another spelling must not replace an account.
        match self.users.entry(name.into_owned()) {
            Entry::Occupied(_) => Err("the name is taken".into()),
            Entry::Vacant(entry) => {
                entry.insert(ha1);
                Ok(())
            }
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (listen, channel) = match &args[..] {
        // Its own requests do not leave the machine.
        [] => (None, Channel::Encrypted),
        [listen, words @ ..] => (Some(listen), loopback::channel(words)?),
    };
    let mut server = Server::new(channel)?;
    for (name, password) in [("", "x"), ("a b", "x"), ("\u{2163}", "x"), ("Nala", "a\tb")] {
        let refused = server.register(name, password);
        println!("{name:?} with {password:?}: {}", refused.unwrap_err());
    }
    server.register(DECOMPOSED.0, DECOMPOSED.1)?;
    assert!(server.users.contains_key(USER.0));
    for name in [USER.0, DECOMPOSED.0, "\u{ff2a}\u{e4}s\u{f8}n"] {
        let refused = server.register(name, "another password");
        println!("{name:?} once more: {}", refused.unwrap_err());
    }
    let server = Arc::new(server);
    match listen {
        Some(listen) => loopback::serve(server, listen).await,
        None => check::check(loopback::start(server).await?).await,
    }
}
