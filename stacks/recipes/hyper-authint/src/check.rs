//! A body comes in as it was sent and when it was sent, or not at all.
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy, ServerProof};
use countersign::digest::QopSet;
use countersign::server::Realm;
use countersign::{Challenger, EntityBody, Target};
use hyper::StatusCode;
use loopback::{Error, USER, Visitor, send};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::upload::{LIMIT, MAX_TIME};
use crate::{MAX_UPLOADS, server};

pub async fn check() -> Result<(), Error> {
    for (what, qop) in [("auth-int", QopSet::AUTH_INT), ("both", QopSet::BOTH)] {
        println!("-- {what}");
        let realm = Realm::new("upload")?.with_qop(qop);
        let address = loopback::start(server(realm, MAX_TIME)?).await?;
        loopback::check(Challenger::Origin, address, "/x", USER).await?;
        let mut visitor = Visitor::new(Challenger::Origin, address, USER)?;
        let proven = Some(ServerProof::Valid);
        let body = "Hakuna Matata\n".repeat(10_000);
        let visit = visitor.send("PUT", "/x", &body).await?;
        visit.expect("an upload", &[401, 200], proven);
        // The text of the response is not sent, and so not covered.
        let visit = visitor.send("HEAD", "/x", "").await?;
        visit.expect("HEAD", &[200], proven);
        too_long(address).await?;
        if qop == QopSet::AUTH_INT {
            let other = body.replacen("Hakuna", "Matata", 1);
            let exchanged = visitor.send_exchanged("PUT", "/x", &body, &other).await?;
            println!("another body in its place: {}", exchanged.status());
            assert_eq!(exchanged.status(), StatusCode::UNAUTHORIZED);
        } else {
            wrong_password(address).await?;
        }
    }
    held_back().await?;
    too_many().await
}

const BODY: &str = "Hakuna Matata\n";

/// The header section of an upload of a body, with a declared length. `policy` is for the choice of
/// what the response covers.
async fn head(
    address: SocketAddr,
    password: &str,
    policy: Policy,
    length: usize,
) -> Result<String, Error> {
    let endpoint = Endpoint::origin("http", &address.ip().to_string(), Some(address.port()))?;
    let mut client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
    let target = Target::new("PUT", "/x").with_body(EntityBody::Bytes(BODY.as_bytes()));
    let mut exchange = Exchange::new();
    let _ = client.authorize(&mut exchange, &target)?;
    let asked = send(address, "PUT", "/x", None, "").await?;
    let field = |name| asked.headers().get_all(name).iter();
    let next = client.received(&mut exchange, 401, field, EntityBody::Unknown)?;
    let Next::Login(ask) = next else {
        return Err("it does not ask".into());
    };
    client.login(&ask, &Account::new(USER.0, password))?;
    let answer = client.authorize(&mut exchange, &target)?;
    let answer = answer.for_new_request().ok_or("no answer")?.to_str()?;
    Ok(format!(
        "PUT /x HTTP/1.1\r\nHost: {address}\r\nAuthorization: {answer}\r\n\
         Content-Length: {length}\r\n\r\n"
    ))
}

/// The status of the response, if it comes within a second.
async fn status(stream: &mut TcpStream) -> Result<Option<u16>, Error> {
    let mut response = [0; 4096];
    let Ok(length) = timeout(Duration::from_secs(1), stream.read(&mut response)).await else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(&response[..length?]).into_owned();
    let status = text.split(' ').nth(1).map(str::parse);
    Ok(Some(status.ok_or("no response")??))
}

/// A declared length above the limit is refused before the body comes.
async fn too_long(address: SocketAddr) -> Result<(), Error> {
    let mut stream = TcpStream::connect(address).await?;
    let head = head(address, USER.1, Policy::new(), LIMIT + 1).await?;
    stream.write_all(head.as_bytes()).await?;
    let status = status(&mut stream).await?;
    println!("too long, before the body: {status:?}");
    assert_eq!(status, Some(413));
    Ok(())
}

/// Where the response does not cover the body, a wrong password is refused before the body comes.
async fn wrong_password(address: SocketAddr) -> Result<(), Error> {
    let mut stream = TcpStream::connect(address).await?;
    let head = head(address, "Circle of Lies", Policy::new(), BODY.len()).await?;
    assert!(head.contains("qop=auth,"), "{head}");
    stream.write_all(head.as_bytes()).await?;
    let status = status(&mut stream).await?;
    println!("wrong password, before the body: {status:?}");
    assert_eq!(status, Some(401));
    Ok(())
}

/// A body is taken while the nonce of its request is good, but not for longer than `max_time`.
async fn held_back() -> Result<(), Error> {
    println!("-- held back");
    let second = Duration::from_secs(1);
    for (what, lifetime, max_time, pause, expected) in [
        ("in time", 60, MAX_TIME, 0, 200),
        ("after the nonce", 1, MAX_TIME, 2500, 401),
        ("too slow", 60, second, 1500, 408),
    ] {
        let realm = Realm::new("upload")?.with_qop(QopSet::AUTH_INT);
        let realm = realm.with_nonce_lifetime(lifetime);
        let address = loopback::start(server(realm, max_time)?).await?;
        let mut stream = TcpStream::connect(address).await?;
        let head = head(address, USER.1, Policy::new(), BODY.len()).await?;
        stream.write_all(head.as_bytes()).await?;
        sleep(Duration::from_millis(pause)).await;
        // The server may have closed the connection.
        let _ = stream.write_all(BODY.as_bytes()).await;
        let status = status(&mut stream).await?;
        println!("{what}: {status:?}");
        assert_eq!(status, Some(expected), "{what}");
    }
    Ok(())
}

/// While as many bodies are read as may be, no other is.
async fn too_many() -> Result<(), Error> {
    println!("-- {MAX_UPLOADS} others");
    let realm = Realm::new("upload")?.with_qop(QopSet::AUTH_INT);
    let server = server(realm, MAX_TIME)?;
    let address = loopback::start(Arc::clone(&server)).await?;
    // One that nobody finishes.
    let mut unfinished = TcpStream::connect(address).await?;
    let head = head(address, USER.1, Policy::new(), BODY.len()).await?;
    let others = server.uploads.acquire_many(MAX_UPLOADS as u32 - 1).await?;
    unfinished.write_all(head.as_bytes()).await?;
    while server.uploads.available_permits() > 0 {
        sleep(Duration::from_millis(1)).await;
    }
    let mut visitor = Visitor::new(Challenger::Origin, address, USER)?;
    let visit = visitor.send("PUT", "/x", BODY).await?;
    println!("all at it: {:?}", visit.statuses);
    assert_eq!(visit.statuses, [401, 503]);
    drop((unfinished, others));
    let visit = visitor.send("PUT", "/x", BODY).await?;
    println!("afterwards: {:?}", visit.statuses);
    assert_eq!(visit.statuses, [200]);
    Ok(())
}
