//! Old clients beside new ones: MD5, RFC 2069 on some paths, user names in ISO-8859-1, as `username*`
//! and hashed.
//!
//! ```text
//! old-devices [LISTEN]
//! ```
//!
//! Without arguments it checks each of them.
mod accounts;

use std::net::SocketAddr;
use std::sync::Arc;

use countersign::client::{self, Policy, ServerProof};
use countersign::digest::{Algorithm, HashFunction};
use countersign::server::{Arrival, Authenticator, Grant, Quirk, Realm, UriCheck};
use countersign::{Challenger, Channel, Target};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use hyper::{Request, Response};
use loopback::{Error, Site, USER, Visitor, granted, refused, send};

use accounts::{Account, Accounts};

type Answer = Response<String>;

const REALM: &str = "devices";
const JASON: (&str, &str) = ("Jäsøn Doe", "Secret, or not?");

/// Parameters of a challenge that old clients do not know.
const CHARSET: &str = "charset=UTF-8";
const QOP: &str = r#"qop="auth""#;
const USERHASH: &str = "userhash=true";

struct Server {
    auth: Authenticator,
    /// What the routes of old devices allow.
    old: Realm,
    accounts: Accounts,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let realm = self.realm(request.uri().path());
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |refusal| refused(&refusal);
        let attempt = auth
            .begin_as(realm, credentials.iter(), &target, arrival)
            .map_err(refuse)?;
        let account = self.accounts.find(&attempt.claimed_user());
        let verified = attempt
            .verify_by(account, |account, hash| account.ha1.get(&hash))
            .map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let response = Response::new(hello(&grant));
        Ok(granted(&grant, request.method(), response))
    }
}

impl Server {
    fn realm(&self, path: &str) -> &Realm {
        match path.starts_with("/old/") {
            true => &self.old,
            false => self.auth.realm(),
        }
    }
}

fn hello(grant: &Grant<'_, Arc<Account>>) -> String {
    let name = &grant.account().name;
    let user = grant.claimed_user();
    let algorithm = grant
        .algorithm()
        .map_or("Basic", |algorithm| algorithm.as_str());
    let counted = grant.qop().is_some();
    format!("hello {name} [{user:?} {algorithm} counted={counted}]\n")
}

/// Every way to write a name, and the forms of old devices where they are allowed alone.
async fn check(address: SocketAddr) -> Result<(), Error> {
    loopback::check(Challenger::Origin, address, "/x", USER).await?;
    let (new, old) = (
        Policy::new(),
        Policy::new()
            .with_quirk(client::Quirk::Rfc2069)
            .with_quirk(client::Quirk::Latin1),
    );
    let old = old.require_hash(HashFunction::Md5);
    let by_name = new.with_quirk(client::Quirk::NoUserhash);
    let ways: [(_, _, _, &[_], _); 5] = [
        ("a hashed name", "/x", new, &[], 200),
        ("username*", "/x", by_name, &[], 200),
        ("ISO-8859-1", "/old/x", old, &[CHARSET, USERHASH], 200),
        (
            "ISO-8859-1, RFC 2069",
            "/old/x",
            old,
            &[CHARSET, USERHASH, QOP],
            200,
        ),
        ("RFC 2069 elsewhere", "/x", old, &[QOP], 401),
    ];
    for (what, path, policy, ignored, status) in ways {
        let visitor = Visitor::new(Challenger::Origin, address, JASON)?;
        let mut visitor = visitor.with_policy(policy)?.ignoring(ignored);
        let visit = visitor.get(path).await?;
        let proof = match status {
            200 if ignored.contains(&QOP) => Some(ServerProof::Absent),
            200 => Some(ServerProof::Valid),
            _ => None,
        };
        visit.expect(what, &[401, status], proof);
    }
    let bare = send(address, "GET", "/old/x", None, "").await?;
    let first = bare.headers().get(WWW_AUTHENTICATE).ok_or("no challenge")?;
    let first = first.to_str()?;
    println!("/old/x asks first: {first}");
    assert!(first.contains("algorithm=MD5,"));
    // A new client goes to and fro on one login.
    let proven = Some(ServerProof::Valid);
    for paths in [["/x", "/old/x", "/x"], ["/old/x", "/x", "/old/x"]] {
        let mut visitor = Visitor::new(Challenger::Origin, address, JASON)?.with_policy(new)?;
        for (path, statuses) in paths.into_iter().zip([&[401, 200][..], &[200], &[200]]) {
            let visit = visitor.get(path).await?;
            visit.expect(&format!("one login, {path}"), statuses, proven);
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut accounts = Accounts::default();
    for (name, password) in [USER, JASON] {
        accounts.add(REALM, name, password);
    }
    let realm = Realm::new(REALM)?.with_userhash(true);
    // Clients cannot tell two realms of one name apart, so this one takes all that the other offers:
    // otherwise a client that has logged in by SHA-256 elsewhere could not get in. MD5 comes first,
    // because many devices look at the first challenge alone. For those that take the last one, or
    // none if there are two, make a realm of another name that offers MD5 alone.
    //
    // Some old clients leave the query out of `uri`. `UriCheck::UncheckedQuery` lets them in, at a price: an
    // attacker who captures such a request, and sends it before it has come here, can give it any
    // query. So it is for the old paths alone, where no query should do harm.
    let old = realm
        .clone()
        .with_algorithms(&[Algorithm::MD5, Algorithm::SHA_256])
        .with_quirks(&[Quirk::Rfc2069])
        .with_uri_check(UriCheck::UncheckedQuery);
    let server = Arc::new(Server {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        old,
        accounts,
    });
    match std::env::args().nth(1) {
        Some(listen) => loopback::serve(server, &listen).await,
        None => check(loopback::start(server).await?).await,
    }
}
