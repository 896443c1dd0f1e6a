//! A server whose bodies do not end: they fill the client's memory, or keep it waiting.
use std::time::Duration;

use hyper::Request;
use hyper::body::Bytes;
use loopback::USER;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::account;
use crate::auth::{Auth, Error};

/// Where the server stops.
const ENOUGH: usize = 64 << 20;

/// More than the buffers of a connection hold.
const READ: usize = 32 << 20;

/// A challenge with such a body is answered, and another response with one is an error. Neither is
/// read to its end.
pub async fn check() -> Result<(), Error> {
    println!("bodies without end");
    let challenge = "401 Unauthorized\r\n\
        WWW-Authenticate: Digest realm=\"files\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256";
    for (first, then, expected) in [
        (challenge, "200 OK\r\nContent-Length: 0", Ok(200)),
        ("200 OK", "", Err("body too long".to_owned())),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/x", listener.local_addr()?);
        let server = tokio::spawn(serve(listener, first, then));
        let auth = Auth::new(&url.parse()?, account(USER.1))?;
        let sent = auth.send(Request::get(&url).body(Bytes::new())?).await;
        let outcome = sent.map(|(response, _)| response.status().as_u16());
        let outcome = outcome.map_err(|error| error.to_string());
        assert_eq!(outcome, expected);
        let written = server.await??;
        println!("  {outcome:?} after {} KiB", written >> 10);
        assert!(written < READ, "the client read on");
    }
    stalled(challenge).await
}

/// A challenge whose body does not come is answered all the same.
async fn stalled(challenge: &str) -> Result<(), Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/x", listener.local_addr()?);
    let head = format!("HTTP/1.1 {challenge}\r\nContent-Length: 5\r\n\r\n");
    let server = tokio::spawn(async move {
        let (mut stalled, _) = accept(&listener).await?;
        stalled.write_all(head.as_bytes()).await?;
        let (mut stream, _) = accept(&listener).await?;
        let response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(response).await?;
        // Open until then.
        drop(stalled);
        Ok::<_, std::io::Error>(())
    });
    let auth = Auth::new(&url.parse()?, account(USER.1))?;
    let sent = auth.send(Request::get(&url).body(Bytes::new())?);
    let (response, _) = timeout(Duration::from_secs(10), sent).await??;
    println!("  {} after one that stalled", response.status());
    assert_eq!(response.status(), 200);
    server.await??;
    Ok(())
}

/// The first connection gets a body without end, and the next one a response with none, if there is
/// one. Returns how much of the body went out.
async fn serve(listener: TcpListener, first: &str, then: &str) -> std::io::Result<usize> {
    let (mut stream, _) = accept(&listener).await?;
    let head = format!("HTTP/1.1 {first}\r\nTransfer-Encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x1_0000));
    let mut written = 0;
    // Until the client has closed the connection.
    while written < ENOUGH && stream.write_all(chunk.as_bytes()).await.is_ok() {
        written += chunk.len();
    }
    drop(stream);
    if !then.is_empty() {
        let (mut stream, _) = accept(&listener).await?;
        let response = format!("HTTP/1.1 {then}\r\n\r\n");
        stream.write_all(response.as_bytes()).await?;
    }
    Ok(written)
}

/// A connection, whose first request was read.
async fn accept(listener: &TcpListener) -> std::io::Result<(TcpStream, usize)> {
    let (mut stream, _) = listener.accept().await?;
    let mut request = [0; 4096];
    let length = stream.read(&mut request).await?;
    Ok((stream, length))
}
