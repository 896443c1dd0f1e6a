//! A crawler: many hosts at once, one cache for the logins to all, and two realms of one origin.
//!
//! ```text
//! crawler [--proxy URL SCHEME:REALM] [URL SCHEME:REALM]...
//! ```
//!
//! Without arguments it runs against servers of its own. Otherwise `Mufasa` with the password
//! `Circle of Life` must be let in at each URL, which must be of a realm of its own, and by the
//! proxy. The scheme is `digest` or `basic`.
mod journal;
mod shared_host;

use std::collections::BTreeMap;
use std::net::TcpListener;

use countersign::client::{Account, AuthCache, Endpoint, Policy};
use countersign::digest::Algorithm;
use countersign::server::Realm;
use countersign_reqwest::{AuthClientLayer, Client};
use loopback::{Area, Server, USER};
use reqwest::{Proxy, Url};
use reqwest_middleware::ClientWithMiddleware;
use tokio::task::JoinSet;

use crate::journal::Journal;

type Error = Box<dyn std::error::Error + Send + Sync>;

const TASKS: usize = 8;

/// Somewhere to go, and what asks for a password there.
#[derive(Clone)]
struct Place {
    url: Url,
    /// Whether it asks by Basic, which sends the password itself.
    is_basic: bool,
    realm: String,
    password: &'static str,
}

impl Place {
    /// `asks` is the scheme and the realm: `digest:files`.
    fn new(url: &str, asks: &str) -> Result<Self, Error> {
        let (scheme, realm) = asks.split_once(':').ok_or("SCHEME:REALM")?;
        Ok(Self {
            url: url.parse()?,
            is_basic: match scheme {
                "digest" => false,
                "basic" => true,
                _ => return Err("which scheme?".into()),
            },
            realm: realm.to_owned(),
            password: USER.1,
        })
    }

    /// Any server can ask, and a redirect can lead to any server. So the account is for this
    /// endpoint and realm, and answers Basic only where that is known to be asked.
    fn add_account(&self, cache: &mut AuthCache, endpoint: &Endpoint) -> Result<(), Error> {
        let mut account = Account::new(USER.0, self.password).for_realm(&self.realm);
        if self.is_basic {
            cache.set_policy(endpoint, Policy::new().with_cleartext_basic());
            account = account.with_basic();
        }
        Ok(cache.add_account(endpoint, account)?)
    }
}

/// A client that logs in to the realms of these places and of the proxy.
#[derive(Clone)]
struct Crawler {
    client: ClientWithMiddleware,
    journal: Journal,
}

impl Crawler {
    fn new(proxy: Option<&Place>, places: &[Place]) -> Result<Self, Error> {
        let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
        for place in places {
            let url = &place.url;
            let host = url.host_str().ok_or("a URL needs a host")?;
            let origin = Endpoint::origin(url.scheme(), host, url.port())?;
            place.add_account(&mut cache, &origin)?;
        }
        let mut client = reqwest::Client::builder().no_proxy();
        let layer = match proxy {
            None => AuthClientLayer::new(cache),
            Some(place) => {
                let url = &place.url;
                let (host, port) = (url.host_str(), url.port_or_known_default());
                let (host, port) = host.zip(port).ok_or("which proxy?")?;
                let endpoint = Endpoint::proxy(url.scheme(), host, port);
                place.add_account(&mut cache, &endpoint)?;
                client = client.proxy(Proxy::http(url.clone())?);
                AuthClientLayer::new(cache).with_proxy(endpoint)
            }
        };
        let journal = Journal::default();
        // The journal comes after it, and so sees each request with its answer.
        let client = Client::builder(client).layer(layer).build()?;
        let client = client.with_middleware().with(journal.clone()).build();
        Ok(Self { client, journal })
    }

    /// Returns the last status, also of a response whose login failed.
    async fn status(&self, url: Url) -> Result<u16, Error> {
        type Failure = countersign_reqwest::Error<reqwest_middleware::Error>;
        let error = match self.client.get(url).send().await {
            Ok(response) => return Ok(response.status().as_u16()),
            Err(reqwest_middleware::Error::Middleware(error)) => error.downcast::<Failure>()?,
            Err(error) => return Err(error.into()),
        };
        match error {
            Failure::WrongCredentials(refused) | Failure::Login(refused) => {
                Ok(refused.response.status().as_u16())
            }
            error => Err(error.into()),
        }
    }
}

fn numbered(url: &Url, n: usize) -> Url {
    let mut url = url.clone();
    url.set_query(Some(&n.to_string()));
    url
}

/// Visits each place by some tasks at once; returns how many ended with which status, 0 if with
/// none.
async fn crawl(
    crawler: &Crawler,
    places: &[Place],
) -> Result<BTreeMap<Url, BTreeMap<u16, usize>>, Error> {
    let mut tasks = JoinSet::new();
    for place in places {
        for n in 0..TASKS {
            let (crawler, url) = (crawler.clone(), place.url.clone());
            tasks.spawn(async move {
                let status = crawler.status(numbered(&url, n)).await;
                (url, status.unwrap_or(0))
            });
        }
    }
    let mut counts: BTreeMap<Url, BTreeMap<u16, usize>> = BTreeMap::new();
    for (url, status) in tasks.join_all().await {
        *counts.entry(url).or_default().entry(status).or_default() += 1;
    }
    for (url, counts) in &counts {
        println!("{url}: {counts:?}");
    }
    Ok(counts)
}

/// Visits places in turn, one request after another, and logs in to each once.
async fn in_turn(proxy: Option<&Place>, places: &[Place]) -> Result<(), Error> {
    const VISITS: usize = 10;
    let crawler = Crawler::new(proxy, places)?;
    for n in 0..VISITS {
        let status = crawler
            .status(numbered(&places[n % places.len()].url, n))
            .await?;
        assert_eq!(status, 200);
    }
    println!("{VISITS} visits to {} realms in turn:", places.len());
    let realms = places.len() + usize::from(proxy.is_some());
    assert_eq!(crawler.journal.take(), VISITS + realms);
    Ok(())
}

async fn own_servers() -> Result<(), Error> {
    let realm = |name| Realm::new(name);
    let start = |areas| Server::start(areas, "");
    let strong = start(vec![Area::new("/", realm("files")?)]);
    let md5 = realm("files")?.with_algorithms(&[Algorithm::MD5]);
    let md5 = start(vec![Area::new("/", md5)]);
    let basic = realm("files")?.with_algorithms(&[]);
    let basic = start(vec![Area::new("/", basic.with_cleartext_basic())]);
    let two_realms = start(vec![
        Area::new("/d/", realm("files")?.with_domain("/d/")?),
        Area::new("/e/", realm("more files")?.with_domain("/e/")?),
    ]);
    // Where no challenge says how far its realm goes.
    let vague = start(vec![
        Area::new("/d/", realm("files")?),
        Area::new("/e/", realm("more files")?),
    ]);
    // A strong realm and a weak one of one origin.
    let weak = realm("basic files")?.with_algorithms(&[]);
    let mixed = start(vec![
        Area::new("/d/", realm("files")?),
        Area::new("/e/", weak.with_cleartext_basic()),
    ]);
    let forgotten = start(vec![Area::new("/", realm("files")?)]);
    let nobody = TcpListener::bind("127.0.0.1:0")?.local_addr()?;

    let place = |server: &Server, path, asks| Place::new(&server.url(path), asks);
    let two = |server: &Server| -> Result<[Place; 2], Error> {
        Ok([
            place(server, "/d/x", "digest:files")?,
            place(server, "/e/x", "digest:more files")?,
        ])
    };
    let (two, vague) = (two(&two_realms)?, two(&vague)?);
    let mixed = [
        place(&mixed, "/d/x", "digest:files")?,
        place(&mixed, "/e/x", "basic:basic files")?,
    ];
    let mut places = vec![
        place(&strong, "/x", "digest:files")?,
        place(&md5, "/x", "digest:files")?,
        place(&basic, "/x", "basic:files")?,
    ];
    places.extend_from_slice(&two);
    places.extend_from_slice(&vague);
    places.extend_from_slice(&mixed);
    let right = places.len();
    places.push(Place {
        password: "Circle of Lies",
        ..place(&forgotten, "/x", "digest:files")?
    });
    places.push(Place::new(&format!("http://{nobody}/x"), "digest:files")?);

    let crawler = Crawler::new(None, &places)?;
    let counts = crawl(&crawler, &places).await?;
    for Place { url, .. } in &places[..right] {
        assert_eq!(counts[url], BTreeMap::from([(200, TASKS)]), "{url}");
    }
    assert_eq!(counts[&places[right].url], BTreeMap::from([(401, TASKS)]));
    assert_eq!(counts[&places[right + 1].url], BTreeMap::from([(0, TASKS)]));
    let log = forgotten.take_log();
    let sent = log.iter().filter(|entry| entry.has_credentials).count();
    println!("sent a wrong password {sent} times");
    assert!((1..=2 * TASKS).contains(&sent));

    in_turn(None, &two).await?;
    in_turn(None, &vague).await?;
    in_turn(None, &mixed).await?;
    redirected().await?;
    refused_elsewhere().await?;
    invented().await
}

/// A redirect to a server that asks for a password in clear, and nobody has one for.
async fn redirected() -> Result<(), Error> {
    let realm = || Realm::new("files");
    let weak = realm()?.with_algorithms(&[]).with_cleartext_basic();
    let stranger = Server::start(vec![Area::new("/", weak)], "");
    let server = Server::start(vec![Area::new("/", realm()?)], &stranger.url("/x"));
    let place = Place::new(&server.url("/away"), "digest:files")?;
    let crawler = Crawler::new(None, std::slice::from_ref(&place))?;
    let status = crawler.status(place.url).await?;
    let log = stranger.take_log();
    println!("redirected to a stranger: {status} {log:?}");
    assert_eq!(status, 401);
    assert!(!log.is_empty() && log.iter().all(|entry| !entry.has_credentials));
    Ok(())
}

/// Somebody else on the host asks for the same login, and refuses it. It is used again where it is
/// right.
async fn refused_elsewhere() -> Result<(), Error> {
    let url = shared_host::start()?;
    let crawler = Crawler::new(None, &[Place::new(url.as_str(), "digest:files")?])?;
    for (path, expected) in [("/d/x", 200), ("/~mallory/x", 401), ("/d/x", 200)] {
        let status = crawler.status(url.join(path)?).await?;
        println!("refused elsewhere, {path}: {status}");
        assert_eq!(status, expected);
    }
    Ok(())
}

/// Honest answers first, and then a realm that nobody has heard of asks for the password in clear,
/// as does the known realm: so it looks if somebody on the path replaces the challenges.
async fn invented() -> Result<(), Error> {
    let weak = |prefix, name| -> Result<Area, Error> {
        let realm = Realm::new(name)?.with_algorithms(&[]);
        Ok(Area::new(prefix, realm.with_cleartext_basic()))
    };
    let server = Server::start(
        vec![
            Area::new("/d/", Realm::new("files")?.with_domain("/d/")?),
            weak("/e/", "basic files")?,
            weak("/f/", "invented")?,
            weak("/g/", "files")?,
        ],
        "",
    );
    let places = [
        Place::new(&server.url("/d/x"), "digest:files")?,
        Place::new(&server.url("/e/x"), "basic:basic files")?,
    ];
    let all = vec!["/d/x", "/e/x", "/f/x", "/g/x"];
    let visits = [
        (2, all.clone(), vec![200, 200, 401, 401]),
        // Before the known realm has proved that it can do better.
        (2, vec!["/g/x"], vec![401]),
        (2, vec!["/g/x", "/d/x"], vec![401, 200]),
        // Where no realm is known to use Basic.
        (1, all, vec![200, 401, 401, 401]),
    ];
    for (known, paths, expected) in visits {
        let crawler = Crawler::new(None, &places[..known])?;
        let mut statuses = Vec::new();
        for path in paths {
            statuses.push(crawler.status(server.url(path).parse()?).await?);
        }
        println!("invented realms, {known} known: {statuses:?}");
        assert_eq!(statuses, expected);
        let log = server.take_log();
        let invented = |path: &str| path.starts_with("/f/") || path.starts_with("/g/");
        let mut leaks = log.iter().filter(|entry| invented(&entry.path));
        assert!(leaks.all(|entry| !entry.has_credentials), "{log:?}");
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1).peekable();
    let is_proxied = args.next_if(|arg| arg == "--proxy").is_some();
    let mut places = Vec::new();
    while let Some(url) = args.next() {
        places.push(Place::new(&url, &args.next().ok_or("SCHEME:REALM")?)?);
    }
    if places.is_empty() {
        return own_servers().await;
    }
    let proxy = is_proxied.then(|| places.remove(0));
    let crawler = Crawler::new(proxy.as_ref(), &places)?;
    let counts = crawl(&crawler, &places).await?;
    crawler.journal.take();
    for (url, counts) in counts {
        assert_eq!(counts, BTreeMap::from([(200, TASKS)]), "{url}");
    }
    in_turn(proxy.as_ref(), &places[..2.min(places.len())]).await
}
