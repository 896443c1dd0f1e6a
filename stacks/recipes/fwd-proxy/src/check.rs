//! What the proxy must let through, and what not.
use std::net::SocketAddr;

use countersign::Challenger;
use countersign::client::ServerProof;
use countersign::server::Realm;
use countersign::wire::basic_credentials;
use hyper::header::PROXY_AUTHENTICATE;
use hyper_util::rt::TokioIo;
use loopback::{Area, Curl, Error, Server, USER, Visitor, send};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Two origins are behind it: one that asks for nothing, and one that does.
pub async fn check(address: SocketAddr) -> Result<(), Error> {
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
    let (named, request) = origin("HTTP/1.1 204 No Content\r\n\r\n").await?;
    visitor.get(&format!("http://{named}/x")).await?;
    let request = request.await??;
    let field = |name| request.lines().find_map(|line| line.strip_prefix(name));
    let host = field("host: ");
    println!("the origin is called {host:?}");
    assert_eq!(host, Some(&*named));
    // The visitor sends these, for its own connection.
    assert_eq!((field("connection: "), field("te: ")), (None, None));

    in_clear(address, &open).await?;
    speaks_for_the_proxy(&mut visitor).await?;
    for_one_connection(&mut visitor).await?;

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

/// An origin that gives one answer, and the request that it had, in lower case.
async fn origin(
    answer: &'static str,
) -> Result<(String, JoinHandle<std::io::Result<String>>), Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let named = listener.local_addr()?.to_string();
    let request = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await?;
        let mut buffer = [0; 4096];
        let length = stream.read(&mut buffer).await?;
        stream.write_all(answer.as_bytes()).await?;
        Ok(String::from_utf8_lossy(&buffer[..length]).to_lowercase())
    });
    Ok((named, request))
}

/// Neither a password nor what is meant for TLS goes over a cleartext channel.
async fn in_clear(address: SocketAddr, open: &Server) -> Result<(), Error> {
    let field = basic_credentials(USER.0, USER.1)?;
    let field = Some(("proxy-authorization", &field));
    let response = send(address, "GET", &open.url("/x"), field, "").await?;
    println!("Basic: {}", response.status());
    assert_eq!(response.status(), 407);
    for challenge in response.headers().get_all(PROXY_AUTHENTICATE) {
        assert!(
            !challenge.to_str()?.starts_with("Basic"),
            "it asks for Basic"
        );
    }
    open.take_log();
    let mut visitor = Visitor::new(Challenger::Proxy, address, USER)?;
    for scheme in ["https", "ftp"] {
        let url = open.url("/x").replacen("http", scheme, 1);
        let visit = visitor.get(&url).await?;
        println!("{scheme}: {:?}", visit.statuses);
        assert_eq!(visit.statuses.last(), Some(&400), "{scheme}");
    }
    assert_eq!(open.take_log().len(), 0, "the origin had a request");
    Ok(())
}

/// An origin that sends the fields of a proxy. A client that believed them would ask its user for
/// the password again, and by Basic.
async fn speaks_for_the_proxy(visitor: &mut Visitor) -> Result<(), Error> {
    for (what, answer) in [
        (
            "an origin with fields of a proxy",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Other: a\r\n\
             Proxy-Authenticate: Basic realm=\"proxy\"\r\n\
             Proxy-Authentication-Info: rspauth=\"00\", nextnonce=\"x\"\r\n\r\n",
        ),
        (
            "one with such trailers",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Other, \
             Proxy-Authenticate, Proxy-Authentication-Info, Proxy-Authorization\r\n\r\n\
             3\r\nabc\r\n0\r\nX-Other: a\r\n\
             Proxy-Authenticate: Basic realm=\"proxy\"\r\n\
             Proxy-Authentication-Info: rspauth=\"00\", nextnonce=\"x\"\r\n\
             Proxy-Authorization: Basic eDp5\r\n\r\n",
        ),
    ] {
        let (forging, _) = origin(answer).await?;
        let visit = visitor.get(&format!("http://{forging}/x")).await?;
        visit.expect(what, &[200], Some(ServerProof::Valid));
        let fields = visit.response.headers();
        let count = |name: &str| fields.get_all(name).iter().count();
        assert_eq!(count("x-other"), 1, "not of a proxy");
        assert_eq!(count("proxy-authenticate"), 0);
        assert_eq!(count("proxy-authorization"), 0);
        assert_eq!(count("proxy-authentication-info"), 1, "the proxy's own");
    }
    Ok(())
}

/// What `Connection` names is for one connection, as are fields that are known to be.
async fn for_one_connection(visitor: &mut Visitor) -> Result<(), Error> {
    let (origin, _) = origin(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Other, X-Hop\r\n\
         Connection: close, X-Hop\r\nConnection: ,x-second\r\nKeep-Alive: timeout=9\r\n\
         X-Hop: a\r\nX-Second: a\r\nX-Other: a\r\n\r\n\
         3\r\nabc\r\n0\r\nX-Other: b\r\nX-Hop: b\r\n\r\n",
    )
    .await?;
    let visit = visitor.get(&format!("http://{origin}/x")).await?;
    visit.expect(
        "an origin with fields for the connection",
        &[200],
        Some(ServerProof::Valid),
    );
    let fields = visit.response.headers();
    assert_eq!(fields.get_all("x-other").iter().count(), 2);
    for name in ["connection", "keep-alive", "x-hop", "x-second"] {
        assert!(!fields.contains_key(name), "{name}");
    }
    Ok(())
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
