//! A forward proxy that asks for credentials: status 407 and the `Proxy-` fields, for requests in
//! absolute form and for `CONNECT` tunnels.
//!
//! ```text
//! fwd-proxy [LISTEN]
//! curl --proxy http://LISTEN --proxy-digest --proxy-user 'Mufasa:Circle of Life' URL
//! ```
//!
//! Without arguments it checks both, with an origin that asks for credentials of its own.
use std::net::SocketAddr;
use std::sync::Arc;

use countersign::client::ServerProof;
use countersign::server::{Arrival, Authenticator, BasicOffer, Realm, Rejected};
use countersign::{Challenger, Channel, EntityBody, Target};
use http_body_util::{Either, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::handshake;
use hyper::header::{HOST, HeaderValue, PROXY_AUTHORIZATION};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use loopback::{Area, Curl, Error, Server, Site, USER, Users, Visitor, refused};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

type Answer = Response<Either<Incoming, Empty<Bytes>>>;

struct Proxy {
    auth: Authenticator,
    users: Users,
}

impl Site for Proxy {
    type Body = Either<Incoming, Empty<Bytes>>;

    async fn answer(
        &self,
        _: SocketAddr,
        mut request: Request<Incoming>,
    ) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let method = request.method().clone();
        let target = Target::new(method.as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(PROXY_AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |rejected: Rejected<'_>| refused(&auth.refuse(&rejected)).map(Either::Right);
        let attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt
            .verify_by(account, |account, hash| account.ha1(hash))
            .map_err(refuse)?;
        let receipt = auth.admit(verified).map_err(refuse)?.receipt();
        // The credentials are for this proxy alone.
        request.headers_mut().remove(PROXY_AUTHORIZATION);
        let mut response = match forward(request).await {
            // Passed on, it would refuse the credentials for this proxy, and ask for others.
            Ok(response) if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
                empty(502)
            }
            Ok(response) => response,
            Err(_) => empty(502),
        };
        if let Some(info) = receipt.authentication_info(EntityBody::Unknown) {
            let value = HeaderValue::from_bytes(info.as_bytes()).unwrap();
            response.headers_mut().insert(receipt.info_field(), value);
        }
        Ok(response)
    }
}

fn empty(status: u16) -> Answer {
    let body = Either::Right(Empty::new());
    Response::builder().status(status).body(body).unwrap()
}

async fn forward(mut request: Request<Incoming>) -> Result<Answer, Error> {
    let authority = request.uri().authority().ok_or("no authority")?;
    let port = authority.port_u16().unwrap_or(80);
    let mut stream = TcpStream::connect((authority.host(), port)).await?;
    if request.method() == Method::CONNECT {
        tokio::spawn(async move {
            if let Ok(upgraded) = hyper::upgrade::on(request).await {
                let _ =
                    tokio::io::copy_bidirectional(&mut TokioIo::new(upgraded), &mut stream).await;
            }
        });
        return Ok(empty(200));
    }
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    // RFC 9112, section 3.2.2: the Host that came with an absolute URI is replaced.
    let host = authority.as_str().rsplit('@').next();
    let host = host.unwrap_or_default().parse()?;
    request.headers_mut().insert(HOST, host);
    let path = request.uri().path_and_query().ok_or("no path")?.as_str();
    *request.uri_mut() = path.parse()?;
    Ok(sender.send_request(request).await?.map(Either::Left))
}

/// Two origins are behind it: one that asks for nothing, and one that does.
async fn check(address: SocketAddr) -> Result<(), Error> {
    let open = Server::start(vec![], "");
    loopback::check(Challenger::Proxy, address, &open.url("/x"), USER).await?;
    let log = open.take_log();
    println!("  the origin had {} requests", log.len());
    assert!(log.iter().all(|entry| !entry.has_credentials));

    // Its challenge is not the proxy's: this user has no credentials for it.
    let closed = Server::start(vec![Area::new("/", Realm::new("files")?)], "");
    let mut visitor = Visitor::new(Challenger::Proxy, address, USER)?;
    let visit = visitor.get(&closed.url("/x")).await?;
    visit.expect("an origin's own 401", &[407, 401], Some(ServerProof::Valid));

    // Nor does an origin log the user of the proxy out.
    let realm = Realm::new("proxy")?.for_proxy();
    let forging = Server::start(vec![Area::new("/", realm)], "");
    let visit = visitor.get(&forging.url("/x")).await?;
    visit.expect("an origin's 407", &[502], Some(ServerProof::Valid));

    // The credentials cover the URI, and anyone on the way can write another Host.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let named = listener.local_addr()?.to_string();
    let host = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await?;
        let mut buffer = [0; 4096];
        let length = stream.read(&mut buffer).await?;
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await?;
        let text = String::from_utf8_lossy(&buffer[..length]).to_lowercase();
        let host = text.lines().find_map(|line| line.strip_prefix("host: "));
        std::io::Result::Ok(host.map(str::to_owned))
    });
    visitor.get(&format!("http://{named}/x")).await?;
    let host = host.await??;
    println!("the origin is called {host:?}");
    assert_eq!(host, Some(named));

    let origin = open.address().to_string();
    let visit = visitor.send("CONNECT", &origin, "").await?;
    visit.expect("a tunnel", &[200], Some(ServerProof::Valid));
    let mut tunnel = TokioIo::new(hyper::upgrade::on(visit.response).await?);
    let request = format!("GET /x HTTP/1.1\r\nHost: {origin}\r\nConnection: close\r\n\r\n");
    tunnel.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    tunnel.read_to_string(&mut response).await?;
    let line = response.lines().next();
    println!("  through it: {line:?}");
    assert_eq!(line, Some("HTTP/1.1 200 OK"));
    curl(address, &open.url("/x"), &closed.url("/x"))
}

/// The same two origins, and both with credentials of their own.
fn curl(proxy: SocketAddr, open: &str, closed: &str) -> Result<(), Error> {
    let proxy = format!("http://{proxy}");
    let right = format!("{}:{}", USER.0, USER.1);
    let digest = ["--proxy-digest", "--proxy-user", &right];
    let both = [&digest[..], &["--digest", "--user", &right]].concat();
    let tunnel = [&digest[..], &["--proxytunnel"]].concat();
    let wrong = ["--proxy-digest", "--proxy-user", "Mufasa:Circle of Lies"];
    for (what, how, url, statuses) in [
        ("absolute form", &digest[..], open, &[407, 200][..]),
        ("a tunnel", &tunnel, open, &[407, 200, 200]),
        (
            "a proxy and an origin that ask",
            &both,
            closed,
            &[407, 401, 200],
        ),
        ("wrong password", &wrong, open, &[407, 407]),
        ("no password", &[], open, &[407]),
    ] {
        let args = [&["--proxy", &proxy, url], how].concat();
        Curl::expect(what, &args, statuses)?;
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let realm = Realm::new("proxy")?
        .for_proxy()
        .with_basic(BasicOffer::Anywhere);
    let proxy = Arc::new(Proxy {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        users: Users::one("proxy", USER),
    });
    match std::env::args().nth(1) {
        Some(listen) => loopback::serve(proxy, &listen).await,
        None => check(loopback::start(proxy).await?).await,
    }
}
