//! Forty tasks on one login, wrong passwords, redirects; each is checked.
//!
//! ```text
//! reqwest-client [URL [PROXY_URL]]
//! ```
//!
//! Without arguments it runs against servers of its own. Otherwise `Mufasa` with the password
//! `Circle of Life` must be known below the URL, which does not end in a slash, in the realm
//! `files`, and to the proxy, in the realm `proxyrealm`.
mod shared_host;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use countersign::client::{Account, Ask, AuthCache, Endpoint, Policy};
use countersign::server::Realm;
use loopback::{Area, Server, USER};
use reqwest::{Client, Method, Request, Url};
use reqwest_client::{Auth, Error, Prompt};
use tokio::task::JoinSet;

const TASKS: usize = 40;

/// A user who knows one server, and types slowly.
struct User {
    /// Where the password is good: a realm of the origin, and one of the proxy if there is one.
    places: Vec<(Endpoint, &'static str)>,
    password: &'static str,
    /// Gives up after a refusal. In clear, as here, anybody on the way can forge one, so one who
    /// goes on is let in again: the client bounds how often a refused password is sent, usually to
    /// about twenty times in a thousand requests.
    gives_up: bool,
    asked: AtomicUsize,
}

impl Prompt for User {
    async fn ask(&self, ask: &Ask) -> Option<Account> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(300)).await;
        if self.gives_up && ask.is_again() {
            return None;
        }
        // Any server can ask, and a redirect can lead to any server.
        let mut places = self.places.iter();
        let (_, realm) = places.find(|(server, _)| server == ask.endpoint())?;
        Some(Account::new(USER.0, self.password).for_realm(realm))
    }
}

impl User {
    fn take_asked(&self) -> usize {
        self.asked.swap(0, Ordering::Relaxed)
    }
}

fn auth(
    origin: &Url,
    proxy: Option<&Url>,
    password: &'static str,
    gives_up: bool,
) -> Result<Arc<Auth<User>>, Error> {
    let host = origin.host_str().ok_or("a URL needs a host")?;
    let origin = Endpoint::origin(origin.scheme(), host, origin.port())?;
    let mut places = vec![(origin, "files")];
    if let Some(url) = proxy {
        let (host, port) = (url.host_str(), url.port_or_known_default());
        let (host, port) = host.zip(port).ok_or("which proxy?")?;
        places.push((Endpoint::proxy(url.scheme(), host, port), "proxyrealm"));
    }
    let user = User {
        places,
        password,
        gives_up,
        asked: AtomicUsize::new(0),
    };
    let cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
    Auth::new(Client::builder(), proxy.cloned(), cache, user)
}

/// Sends as many requests as there are tasks, at once; returns how many had this status at last.
async fn crowd(auth: &Arc<Auth<User>>, url: &Url, status: u16) -> Result<usize, Error> {
    let mut tasks = JoinSet::new();
    for n in 0..TASKS {
        let (auth, url) = (Arc::clone(auth), format!("{url}/?{n}").parse()?);
        tasks.spawn(async move { auth.send(Request::new(Method::GET, url)).await });
    }
    let mut count = 0;
    for response in tasks.join_all().await {
        count += usize::from(response?.status() == status);
    }
    Ok(count)
}

async fn one_login(url: &Url, proxy: Option<&Url>) -> Result<(), Error> {
    let servers = 1 + usize::from(proxy.is_some());
    let auth = auth(url, proxy, USER.1, false)?;
    let right = crowd(&auth, url, 200).await?;
    let (asked, journal) = (auth.prompt().take_asked(), auth.take_journal());
    println!("{TASKS} tasks, nobody logged in: {asked} prompts, {journal}");
    assert_eq!((right, asked), (TASKS, servers));
    // A task that came late finds a login. A nonce may be called stale, as Squid does with counts
    // that come out of order.
    let stale = journal.count(true, 407);
    assert!(journal.0.len() - stale <= TASKS * (1 + servers));

    let right = crowd(&auth, url, 200).await?;
    let (asked, journal) = (auth.prompt().take_asked(), auth.take_journal());
    println!("{TASKS} tasks, logged in: {asked} prompts, {journal}");
    let stale = journal.count(true, 407);
    assert_eq!((right, asked, journal.0.len() - stale), (TASKS, 0, TASKS));
    Ok(())
}

async fn wrong_password(url: &Url) -> Result<(), Error> {
    let auth = auth(url, None, "Circle of Lies", true)?;
    let refused = crowd(&auth, url, 401).await?;
    let (asked, journal) = (auth.prompt().take_asked(), auth.take_journal());
    println!("{TASKS} tasks, wrong password: {asked} prompts, {journal}");
    // The second time the user gives up, for all tasks.
    assert_eq!((refused, asked), (TASKS, 2));
    assert!(journal.count(true, 401) <= TASKS);
    for expected in [0, 1] {
        let refused = auth.send(Request::new(Method::GET, url.clone())).await?;
        let asked = auth.prompt().take_asked();
        assert_eq!((refused.status().as_u16(), asked), (401, expected));
        auth.forget_declined().await;
    }
    Ok(())
}

/// A wrong password that is fixed is sent less and less often.
async fn fixed_wrong_password(url: &Url) -> Result<(), Error> {
    let auth = auth(url, None, "Circle of Lies", false)?;
    for n in 0..TASKS {
        let url = format!("{url}/?{n}").parse()?;
        let response = auth.send(Request::new(Method::GET, url)).await?;
        assert_eq!(response.status(), 401);
    }
    let journal = auth.take_journal();
    println!("{TASKS} requests, fixed wrong password: {journal}");
    // The 1st, and then one after 1, 2, 4, 8 and 16 others.
    assert!((2..=6).contains(&journal.count(true, 401)));
    Ok(())
}

/// Somebody else on the same host asks for the same login, and refuses it. It is used again where
/// it is right.
async fn forged_refusals() -> Result<(), Error> {
    let url = shared_host::start()?;
    let auth = auth(&url, None, USER.1, false)?;
    let get = |path| -> Result<_, Error> { Ok(Request::new(Method::GET, url.join(path)?)) };
    for forged in [1, 2, 4, 7] {
        for _ in 0..forged {
            assert_eq!(auth.send(get("/~mallory/x")?).await?.status(), 401);
        }
        let mut requests = 1;
        while auth.send(get("/d/x")?).await?.status() != 200 {
            requests += 1;
            // A password refused so often may have to wait for 63 asks.
            assert!(requests <= 64, "locked out by {forged} refusals");
        }
        println!("after {forged} forged refusals: let in by request {requests}");
        assert!(forged != 1 || requests == 1);
    }
    println!("{}", auth.take_journal());
    Ok(())
}

async fn redirects(url: &Url) -> Result<(), Error> {
    let auth = auth(url, None, USER.1, false)?;
    for (path, name) in [("near", "within the origin"), ("away", "to another origin")] {
        let target = format!("{url}/{path}").parse()?;
        let status = auth.send(Request::new(Method::GET, target)).await?.status();
        let (asked, journal) = (auth.prompt().take_asked(), auth.take_journal());
        let elsewhere = |url: &Url| url.origin() != journal.0[0].url.origin();
        let elsewhere = journal.0.iter().filter(|sent| elsewhere(&sent.url));
        let (elsewhere, leaked): (Vec<_>, Vec<_>) = elsewhere.partition(|sent| !sent.has_answer);
        println!("redirect {name}: {status}, {asked} prompts, {journal}");
        assert_eq!(leaked.len(), 0);
        // The user knows nobody there.
        let expected = if elsewhere.is_empty() { 200 } else { 401 };
        assert_eq!(status, expected);
        assert_eq!(asked, usize::from(path == "near") + elsewhere.len());
    }
    Ok(())
}

/// Another user of the server asks for the password.
async fn another_realm() -> Result<(), Error> {
    let server = Server::shared();
    let auth = auth(&server.url("/").parse()?, None, USER.1, false)?;
    for (path, expected) in [("/d/x", 200), ("/~mallory/x", 401)] {
        let request = Request::new(Method::GET, server.url(path).parse()?);
        let status = auth.send(request).await?.status();
        println!("{path}: {status}, {}", auth.take_journal());
        assert_eq!(status, expected);
    }
    let log = server.take_log();
    assert!(log.len() == 3 && !log[2].has_credentials, "{log:?}");
    Ok(())
}

/// A server whose challenge comes with a body that has no end, or does not come.
async fn endless() -> Result<(), Error> {
    for stalls in [false, true] {
        let what = if stalls { "that stalls" } else { "without end" };
        challenged_with(stalls, what).await?;
    }
    Ok(())
}

async fn challenged_with(stalls: bool, what: &str) -> Result<(), Error> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url: Url = format!("http://{}/", listener.local_addr()?).parse()?;
    thread::spawn(move || -> std::io::Result<()> {
        const HEAD: &[u8] = b"HTTP/1.1 401 Unauthorized\r\n\
            WWW-Authenticate: Digest realm=\"files\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256\r\n\r\n";
        let mut request = [0; 4096];
        let (mut stream, _) = listener.accept()?;
        let _ = stream.read(&mut request)?;
        stream.write_all(HEAD)?;
        let mut first = stream.try_clone()?;
        if !stalls {
            thread::spawn(move || while stream.write_all(&[b'x'; 4096]).is_ok() {});
        }
        let (mut second, _) = listener.accept()?;
        let _ = second.read(&mut request)?;
        second.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?;
        // Open until the client has closed it.
        first.read(&mut request).map(drop)
    });
    let auth = auth(&url, None, USER.1, false)?;
    let sent = auth.send(Request::new(Method::GET, url));
    let status = tokio::time::timeout(Duration::from_secs(10), sent)
        .await??
        .status();
    println!("after a challenge {what}: {status}");
    assert_eq!(status, 204);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let realm = || Realm::new("files");
    let (url, proxy) = match args.next() {
        Some(url) => (
            url.parse()?,
            args.next().map(|url| url.parse()).transpose()?,
        ),
        None => {
            let other = Server::start(vec![Area::new("/", realm()?)], "");
            let server = Server::start(vec![Area::new("/d", realm()?)], &other.url("/d/"));
            one_login(&server.url("/d").parse()?, None).await?;
            wrong_password(&server.url("/d").parse()?).await?;
            fixed_wrong_password(&server.url("/d").parse()?).await?;
            redirects(&server.url("/d").parse()?).await?;
            another_realm().await?;
            forged_refusals().await?;
            endless().await?;
            // One server that asks for both, whichever origin it is told of.
            let proxy = Area::new("/", Realm::new("proxyrealm")?.for_proxy());
            let proxy = Server::start(vec![proxy, Area::new("/", realm()?)], "");
            let url = "http://origin.invalid:8080/d".parse()?;
            return one_login(&url, Some(&proxy.url("").parse()?)).await;
        }
    };
    one_login(&url, proxy.as_ref()).await?;
    if proxy.is_none() {
        wrong_password(&url).await?;
        redirects(&url).await?;
    }
    Ok(())
}
