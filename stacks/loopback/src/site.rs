//! Servers on hyper: what is the same for each.
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};

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
    accept(site, listener).await;
    Ok(())
}

/// Serves on a free port while the program does something else.
pub async fn start(site: Arc<impl Site>) -> Result<SocketAddr, Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(accept(site, listener));
    Ok(address)
}

/// The time that the head of a request may take, and a connection without requests may last.
pub const HEAD_TIME: Duration = Duration::from_secs(30);

/// The next connection. An error ends no server: most likely too many connections are open, so
/// this waits until some have ended.
pub async fn next(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        if let Ok(accepted) = listener.accept().await {
            return accepted;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub(crate) async fn accept(site: Arc<impl Site>, listener: TcpListener) {
    loop {
        let (stream, peer) = next(&listener).await;
        let site = Arc::clone(&site);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let site = Arc::clone(&site);
                async move {
                    let answer = site.answer(peer, request).await;
                    Ok::<_, Infallible>(answer.unwrap_or_else(|refused| refused))
                }
            });
            // A client that goes away harms nobody.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades()
                .await;
        });
    }
}
