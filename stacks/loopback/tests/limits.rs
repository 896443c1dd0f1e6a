//! The limits of the servers on hyper.
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::{Request, Response};
use loopback::{Error, Limits, Site, start_with};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

/// More than the buffers of a connection hold.
const LENGTH: usize = 8 << 20;

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: h\r\n\r\n";
const LAST: &[u8] = b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

/// How long a test waits.
const PATIENCE: Duration = Duration::from_secs(10);

struct Long;

impl Site for Long {
    type Body = String;

    async fn answer(
        &self,
        _: SocketAddr,
        _: Request<Incoming>,
    ) -> Result<Response<String>, Response<String>> {
        Ok(Response::new("x".repeat(LENGTH)))
    }
}

async fn connect(limits: Limits) -> Result<TcpStream, Error> {
    let address = start_with(Arc::new(Long), limits).await?;
    Ok(TcpStream::connect(address).await?)
}

#[tokio::test]
async fn a_client_that_reads_nothing_loses_its_connection() -> Result<(), Error> {
    let limits = Limits {
        write: Duration::from_millis(300),
        ..Limits::DEFAULT
    };
    let mut stream = connect(limits).await?;
    // Until the server has closed the connection.
    let closed = async { while stream.write_all(REQUEST).await.is_ok() {} };
    timeout(PATIENCE, closed).await?;
    Ok(())
}

#[tokio::test]
async fn a_client_that_reads_slowly_gets_everything() -> Result<(), Error> {
    let limits = Limits {
        write: Duration::from_secs(1),
        ..Limits::DEFAULT
    };
    let mut stream = connect(limits).await?;
    stream.write_all(LAST).await?;
    let (mut total, mut buffer) = (0, vec![0; LENGTH / 16]);
    loop {
        match timeout(PATIENCE, stream.read(&mut buffer)).await?? {
            0 => break,
            length => total += length,
        }
        sleep(Duration::from_millis(100)).await;
    }
    assert!(total > LENGTH, "{total}");
    Ok(())
}

#[tokio::test]
async fn a_client_that_says_nothing_loses_its_connection() -> Result<(), Error> {
    let limits = Limits {
        head: Duration::from_millis(300),
        ..Limits::DEFAULT
    };
    let mut stream = connect(limits).await?;
    let read = timeout(PATIENCE, stream.read(&mut [0])).await??;
    assert_eq!(read, 0);
    Ok(())
}
