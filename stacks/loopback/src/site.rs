//! Servers on hyper: what is the same for each.
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::body::{Body, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

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
    accept(site, listener).await
}

/// Serves on a free port while the program does something else.
pub async fn start(site: Arc<impl Site>) -> Result<SocketAddr, Error> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(accept(site, listener));
    Ok(address)
}

pub(crate) async fn accept(site: Arc<impl Site>, listener: TcpListener) -> Result<(), Error> {
    loop {
        let (stream, peer) = listener.accept().await?;
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
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades()
                .await;
        });
    }
}
