//! A crawler: many hosts at once, one cache for the logins to all, and two realms of one origin.
//!
//! ```text
//! crawler [--proxy URL] [URL...]
//! ```
//!
//! Without arguments it runs against servers of its own. Otherwise `Mufasa` with the password `Circle
//! of Life` must be let in at each URL, which must be of a realm of its own, and by the proxy.
mod book;

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::Arc;

use countersign::client::{Endpoint, Policy};
use countersign::digest::Algorithm;
use countersign::server::{BasicOffer, Realm};
use loopback::{Area, Server};
use reqwest::{Client, Method, Request, Url};
use reqwest_client::{Auth, Error};
use tokio::task::JoinSet;

use book::Book;

const TASKS: usize = 8;

/// Logs in to the servers of these URLs and to the proxy.
fn auth(
    proxy: Option<&Url>,
    urls: &[Url],
    forgotten: Option<u16>,
) -> Result<Arc<Auth<Book>>, Error> {
    let mut servers = Vec::new();
    for url in urls {
        let host = url.host_str().ok_or("a URL needs a host")?;
        servers.push(Endpoint::origin(url.scheme(), host, url.port())?);
    }
    if let Some(url) = proxy {
        let (host, port) = (url.host_str(), url.port_or_known_default());
        let (host, port) = host.zip(port).ok_or("which proxy?")?;
        servers.push(Endpoint::proxy(url.scheme(), host, port));
    }
    let policy = Policy::new().with_cleartext_basic();
    let book = Book::new(servers, forgotten);
    Auth::new(Client::builder(), proxy.cloned(), policy, book)
}

fn get(url: &Url, n: usize) -> Request {
    let mut url = url.clone();
    url.set_query(Some(&n.to_string()));
    Request::new(Method::GET, url)
}

/// Visits each place by some tasks at once; returns how many ended with which status, 0 if with none.
async fn crawl(
    auth: &Arc<Auth<Book>>,
    urls: &[Url],
) -> Result<BTreeMap<Url, BTreeMap<u16, usize>>, Error> {
    let mut tasks = JoinSet::new();
    for url in urls {
        for n in 0..TASKS {
            let (auth, url) = (Arc::clone(auth), url.clone());
            tasks.spawn(async move {
                let response = auth.send(get(&url, n)).await;
                (
                    url,
                    response.map_or(0, |response| response.status().as_u16()),
                )
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

/// Visits places in turn, one request after another, and asks for each once.
async fn in_turn(proxy: Option<&Url>, urls: &[Url]) -> Result<(), Error> {
    const VISITS: usize = 10;
    let auth = auth(proxy, urls, None)?;
    for n in 0..VISITS {
        let response = auth.send(get(&urls[n % urls.len()], n)).await?;
        assert_eq!(response.status(), 200);
    }
    let asked: usize = auth.prompt().take_asked().values().sum();
    let journal = auth.take_journal();
    println!(
        "{VISITS} visits to {} realms in turn: asked {asked}, {journal}",
        urls.len()
    );
    let realms = urls.len() + usize::from(proxy.is_some());
    assert_eq!((asked, journal.0.len()), (realms, VISITS + realms));
    Ok(())
}

async fn own_servers() -> Result<(), Error> {
    let realm = |name| Realm::new(name);
    let start = |areas| Server::start(areas, "");
    let strong = start(vec![Area::new("/", realm("files")?)]);
    let md5 = realm("files")?.with_algorithms(&[Algorithm::MD5]);
    let md5 = start(vec![Area::new("/", md5)]);
    let basic = realm("files")?.with_algorithms(&[]);
    let basic = start(vec![Area::new("/", basic.with_basic(BasicOffer::Anywhere))]);
    let two = start(vec![
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
        Area::new("/e/", weak.with_basic(BasicOffer::Anywhere)),
    ]);
    let forgotten = start(vec![Area::new("/", realm("files")?)]);
    let nobody = TcpListener::bind("127.0.0.1:0")?.local_addr()?;

    let pair = |server: &Server| -> Result<[Url; 2], Error> {
        Ok([server.url("/d/x").parse()?, server.url("/e/x").parse()?])
    };
    let (two, vague, mixed) = (pair(&two)?, pair(&vague)?, pair(&mixed)?);
    let mut urls: Vec<Url> = Vec::new();
    for server in [&strong, &md5, &basic] {
        urls.push(server.url("/x").parse()?);
    }
    urls.extend(two.clone());
    urls.extend(vague.clone());
    urls.extend(mixed.clone());
    let right = urls.len();
    urls.push(forgotten.url("/x").parse()?);
    urls.push(format!("http://{nobody}/x").parse()?);

    let port = forgotten.address().port();
    let auth = auth(None, &urls, Some(port))?;
    let counts = crawl(&auth, &urls).await?;
    for url in &urls[..right] {
        assert_eq!(counts[url], BTreeMap::from([(200, TASKS)]), "{url}");
    }
    assert_eq!(counts[&urls[right]], BTreeMap::from([(401, TASKS)]));
    assert_eq!(counts[&urls[right + 1]], BTreeMap::from([(0, TASKS)]));
    let mut asked = auth.prompt().take_asked();
    println!("asked {asked:?}");
    // Once for the password, and then whether there is another.
    assert_eq!(asked.remove(&(port, "files".to_owned())), Some(2));
    assert_eq!(asked.len(), right);
    assert!(asked.values().all(|count| *count == 1));

    in_turn(None, &two).await?;
    in_turn(None, &vague).await?;
    in_turn(None, &mixed).await?;
    redirected().await
}

/// A redirect to a server that asks for a password in clear, and nobody has one for.
async fn redirected() -> Result<(), Error> {
    let realm = || Realm::new("files");
    let weak = realm()?
        .with_algorithms(&[])
        .with_basic(BasicOffer::Anywhere);
    let stranger = Server::start(vec![Area::new("/", weak)], "");
    let server = Server::start(vec![Area::new("/", realm()?)], &stranger.url("/x"));
    let url: Url = server.url("/away").parse()?;
    let auth = auth(None, std::slice::from_ref(&url), None)?;
    let response = auth.send(Request::new(Method::GET, url)).await?;
    let log = stranger.take_log();
    println!("redirected to a stranger: {} {log:?}", response.status());
    assert_eq!((response.status().as_u16(), log.len()), (401, 1));
    assert!(!log[0].has_credentials);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1).peekable();
    let proxy = match args.next_if(|arg| arg == "--proxy") {
        Some(_) => Some(args.next().ok_or("which proxy?")?.parse()?),
        None => None,
    };
    let urls = args
        .map(|url| url.parse())
        .collect::<Result<Vec<Url>, _>>()?;
    if urls.is_empty() {
        return own_servers().await;
    }
    let auth = auth(proxy.as_ref(), &urls, None)?;
    let counts = crawl(&auth, &urls).await?;
    let asked = auth.prompt().take_asked();
    println!("asked {asked:?}, {}", auth.take_journal());
    for (url, counts) in counts {
        assert_eq!(counts, BTreeMap::from([(200, TASKS)]), "{url}");
    }
    let realms = urls.len() + usize::from(proxy.is_some());
    assert_eq!((asked.len(), asked.values().sum()), (realms, realms));
    in_turn(proxy.as_ref(), &urls[..2.min(urls.len())]).await
}
