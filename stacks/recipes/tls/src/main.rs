//! One server with a port for TLS and one without: Basic is offered and taken on the first only.
//!
//! ```text
//! tls
//! ```
//!
//! The channel is what the program knows of a connection, so each listener says its own. The
//! certificate is made anew at each start.
mod encrypted;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use countersign::client::{Account, Client, Endpoint, Exchange, GiveUp, Next, Policy, ServerProof};
use countersign::digest::Algorithm;
use countersign::server::{Arrival, Authenticator, Realm, Refusal};
use countersign::{Challenger, Channel, EntityBody, Target};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use loopback::{Curl, Error, Limits, Site, USER, Users, granted, refused, send};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use encrypted::Tls;

type Answer = Response<String>;

/// What both listeners share: a nonce of the one is good at the other.
struct Shared {
    digest: Authenticator,
    /// Asks for Basic only, and so has nothing to offer without TLS.
    basic: Authenticator,
}

struct Server {
    shared: Arc<Shared>,
    users: Users,
    channel: Channel,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(self.channel);
        let credentials = request.headers().get_all(AUTHORIZATION);
        // By the path that a router would use: the request-target may be the absolute form.
        let auth = match request.uri().path().starts_with("/basic/") {
            true => &self.shared.basic,
            false => &self.shared.digest,
        };
        let refuse = |refusal: Refusal| {
            println!("  {:?}: {}", self.channel, refusal.reason);
            refused(&refusal)
        };
        let attempt = auth
            .begin(credentials.iter(), &target, arrival)
            .map_err(refuse)?;
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt.verify_by(account, |account, hash| account.ha1(hash));
        let grant = auth.admit(verified.map_err(refuse)?).map_err(refuse)?;
        let how = grant.algorithm().map_or("Basic", |it| it.as_str());
        let text = format!("hello {} ({how})\n", grant.account().name);
        Ok(granted(&grant, request.method(), Response::new(text)))
    }
}

fn servers() -> Result<[Arc<Server>; 2], Error> {
    let realm = Realm::new("files")?.with_basic();
    let auth = |realm| Authenticator::new(realm, 1000, &mut getrandom::SysRng);
    let shared = Arc::new(Shared {
        digest: auth(realm.clone().with_algorithms(&[Algorithm::SHA_256]))?,
        basic: auth(realm.with_algorithms(&[]))?,
    });
    let server = |channel| {
        Arc::new(Server {
            shared: Arc::clone(&shared),
            users: Users::one("files", USER),
            channel,
        })
    };
    Ok([server(Channel::Encrypted), server(Channel::Cleartext)])
}

/// A client of this crate that asks for a path, and what it sends. What keeps it from sending the
/// password in clear is its own policy.
async fn fetch(
    tls: Option<&Tls>,
    address: SocketAddr,
    path: &str,
    account: Account,
) -> Result<(Vec<u16>, Option<String>, Option<GiveUp>), Error> {
    let scheme = if tls.is_some() { "https" } else { "http" };
    let endpoint = Endpoint::origin(scheme, "localhost", Some(address.port()))?;
    let client = Client::new(endpoint, Policy::new(), &mut getrandom::SysRng)?;
    let mut client = client.with_account(account)?;
    let (mut exchange, mut statuses) = (Exchange::new(), Vec::new());
    let target = Target::new("GET", path).with_body(EntityBody::Empty);
    let gave_up = loop {
        let answer = client.authorize(&mut exchange, &target)?;
        let answer = answer.for_new_request();
        let field = answer.map(|value| ("authorization", value));
        let response = match tls {
            Some(tls) => tls.send(address, path, field).await?,
            None => send(address, "GET", path, field, "").await?,
        };
        statuses.push(response.status().as_u16());
        let body = EntityBody::Bytes(response.body());
        let all = |name| response.headers().get_all(name).iter();
        match client.received(&mut exchange, response.status().as_u16(), all, body)? {
            Next::Done(proof) => {
                assert_ne!(proof, ServerProof::Wrong);
                break None;
            }
            Next::GiveUp(why) => break Some(why),
            // Send it again.
            _ => {}
        }
    };
    let sent = exchange
        .answer()
        .map(|value| value.to_str().map(str::to_owned));
    Ok((statuses, sent.transpose()?, gave_up))
}

fn account() -> Account {
    Account::new(USER.0, USER.1).for_realm("files")
}

async fn check() -> Result<(), Error> {
    let tls = Tls::new()?;
    let [encrypted, cleartext] = servers()?;
    let secure = tls.start(Arc::clone(&encrypted), Limits::DEFAULT).await?;
    let clear = loopback::start(Arc::clone(&cleartext)).await?;
    loopback::check(Challenger::Origin, clear, "/x", USER).await?;

    let basic = Some(countersign::wire::basic_credentials(USER.0, USER.1)?);
    for (tls, address, path, expected, is_basic) in [
        (Some(&tls), secure, "/x", &[401, 200][..], false),
        (Some(&tls), secure, "/basic/x", &[401, 200], true),
        (None, clear, "/x", &[401, 200], false),
        // No challenge, so no 401: the client could do nothing about it.
        (None, clear, "/basic/x", &[403], false),
        // The same in the absolute form.
        (None, clear, "http://localhost/basic/x", &[403], false),
    ] {
        let account = match path.ends_with("/basic/x") {
            true => account().with_basic(),
            false => account(),
        };
        let (statuses, sent, gave_up) = fetch(tls, address, path, account).await?;
        let scheme = sent.as_deref().and_then(|sent| sent.split(' ').next());
        println!(
            "{path}, TLS {}: {statuses:?}, sent {scheme:?}",
            tls.is_some()
        );
        assert_eq!(statuses, expected);
        assert!(gave_up.is_none(), "{gave_up:?}");
        assert_eq!(scheme == Some("Basic"), is_basic);
    }
    // Nor does a realm get it that somebody else made up, or one of the same name by Basic. TLS is
    // no help against that, and until a realm has proved Digest, no strength is required of it.
    let shared = loopback::Server::shared();
    for (tls, address, path, expected) in [
        (None, shared.address(), "/~mallory/x", "another realm"),
        (
            None,
            shared.address(),
            "/~mallory/same/x",
            "Basic over a cleartext channel",
        ),
        (Some(&tls), secure, "/basic/x", "Basic, where the account"),
    ] {
        let (_, sent, gave_up) = fetch(tls, address, path, account()).await?;
        let why = gave_up.ok_or("let in")?.to_string();
        println!("{path}: {why}");
        assert!(why.contains(expected));
        assert_eq!(sent, None);
    }
    let log = shared.take_log();
    assert!(log.len() == 2 && log.iter().all(|entry| !entry.has_credentials));
    // A password that came in clear is not even compared.
    for path in ["/x", "/basic/x"] {
        let field = basic.as_ref().map(|value| ("authorization", value));
        let response = send(clear, "GET", path, field, "").await?;
        println!("{path}, Basic in clear: {}", response.status());
        assert!(matches!(response.status().as_u16(), 401 | 403));
        let challenges = response.headers().get_all("www-authenticate");
        for challenge in challenges {
            assert!(!challenge.to_str()?.contains("Basic"), "{challenge:?}");
        }
    }
    silent(&tls, encrypted).await?;
    curl(&tls, secure, clear)
}

/// A client that connects and does not begin to speak TLS loses its connection.
async fn silent(tls: &Tls, site: Arc<Server>) -> Result<(), Error> {
    let limits = Limits {
        head: Duration::from_millis(200),
        ..Limits::DEFAULT
    };
    let mut stream = TcpStream::connect(tls.start(site, limits).await?).await?;
    let read = timeout(Duration::from_secs(5), stream.read(&mut [0])).await??;
    println!("no handshake: closed");
    assert_eq!(read, 0);
    Ok(())
}

fn curl(tls: &Tls, secure: SocketAddr, clear: SocketAddr) -> Result<(), Error> {
    let user = format!("{}:{}", USER.0, USER.1);
    let file = tls.certificate_file();
    let url = |path| format!("https://localhost:{}{path}", secure.port());
    let secured = |what: &str, how: &[&str], path, statuses: &[u16]| {
        let url = url(path);
        Curl::expect(what, &[&["--cacert", &file, &url], how].concat(), statuses)
    };
    if let Some(run) = secured("TLS, no credentials", &[], "/x", &[401])? {
        assert!(
            run.has("www-authenticate: Basic realm=\"files\""),
            "{}",
            run.text
        );
        assert!(run.has("www-authenticate: Digest "), "{}", run.text);
    }
    secured("TLS, Basic", &["--basic", "-u", &user], "/basic/x", &[200])?;
    secured(
        "TLS, Basic beside Digest",
        &["--basic", "-u", &user],
        "/x",
        &[200],
    )?;
    secured("TLS, Digest", &["--digest", "-u", &user], "/x", &[401, 200])?;
    secured(
        "TLS, wrong",
        &["--basic", "-u", "Mufasa:x"],
        "/basic/x",
        &[401],
    )?;

    let url = |path| format!("http://{clear}{path}");
    let (x, basic) = (url("/x"), url("/basic/x"));
    if let Some(run) = Curl::expect("clear, Basic", &["--basic", "-u", &user, &x], &[401])? {
        assert!(!run.has("www-authenticate: Basic"), "{}", run.text);
    }
    let bare = ["--basic", "-u", &user, &basic];
    if let Some(run) = Curl::expect("clear, Basic alone", &bare, &[403])? {
        assert!(!run.has("www-authenticate:"), "{}", run.text);
    }
    Curl::expect("clear, Digest", &["--digest", "-u", &user, &x], &[401, 200])?;
    // Of two it takes the stronger, so nobody who strips the other gets the password.
    Curl::expect("clear, any", &["--anyauth", "-u", &user, &x], &[401, 200])?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    check().await
}
