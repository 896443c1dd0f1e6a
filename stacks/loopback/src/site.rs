//! Servers on hyper: what is the same for each.
use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

use crate::Error;

/// What a server on hyper makes of its requests.
pub trait Site: Send + Sync + 'static {
    type Body: Body<Data = Bytes, Error: Into<Error>> + Send + 'static;

    /// The response either way: what is refused comes as an error.
    fn answer(
        &self,
        peer: SocketAddr,
        request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<Self::Body>, Response<Self::Body>>> + Send;
}

/// Serves until the program ends, and says where.
pub async fn serve(site: Arc<impl Site>, listen: &str) -> Result<(), Error> {
    let listener = TcpListener::bind(listen).await?;
    println!("listening on {}", listener.local_addr()?);
    accept(site, listener, Limits::DEFAULT).await;
    Ok(())
}

/// Serves on a free port while the program does something else.
pub async fn start(site: Arc<impl Site>) -> Result<SocketAddr, Error> {
    start_with(site, Limits::DEFAULT).await
}

/// The same, with other limits.
pub async fn start_with(site: Arc<impl Site>, limits: Limits) -> Result<SocketAddr, Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(accept(site, listener, limits));
    Ok(address)
}

/// How long a client may take. Not limited are the time of a request's body, that of the site's
/// answer, and the number of connections: clients that do something within each of these times keep
/// theirs.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The time that the head of a request may take, and a connection without requests may last.
    pub head: Duration,
    /// The time in which a client must read something of what is sent to it. One that reads nothing,
    /// and sends ever more requests, would otherwise keep its connection for ever.
    pub write: Duration,
}

impl Limits {
    pub const DEFAULT: Self = Self {
        head: Duration::from_secs(30),
        write: Duration::from_secs(30),
    };
}

/// A connection whose writes fail if the client reads nothing.
pub type Stream = Pin<Box<TimeoutStream<TcpStream>>>;

/// The next connection. An error ends no server: most likely too many connections are open, so
/// this waits until some have ended.
pub async fn next(listener: &TcpListener, limits: Limits) -> (Stream, SocketAddr) {
    loop {
        if let Ok((stream, peer)) = listener.accept().await {
            let mut stream = TimeoutStream::new(stream);
            stream.set_write_timeout(Some(limits.write));
            return (Box::pin(stream), peer);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Serves the requests of one connection.
pub async fn connection(
    site: &impl Site,
    peer: SocketAddr,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    limits: Limits,
) {
    let service = service_fn(|request| async {
        let answer = site.answer(peer, request).await;
        Ok::<_, Infallible>(answer.unwrap_or_else(|refused| refused))
    });
    // A client that goes away harms nobody.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
}

pub(crate) async fn accept(site: Arc<impl Site>, listener: TcpListener, limits: Limits) {
    loop {
        let (stream, peer) = next(&listener, limits).await;
        let site = Arc::clone(&site);
        tokio::spawn(async move { connection(&*site, peer, stream, limits).await });
    }
}
