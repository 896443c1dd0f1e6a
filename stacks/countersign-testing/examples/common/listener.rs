//! A server on loopback, for any function from request to response.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;

/// Serves on a free port until the program ends.
pub(crate) fn listen<F>(serve: F) -> std::io::Result<SocketAddr>
where
    F: Fn(Request<Vec<u8>>) -> Response<Vec<u8>> + Send + Sync + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let serve = Arc::new(serve);
    std::thread::spawn(move || runtime.block_on(accept(listener, serve)));
    Ok(address)
}

async fn accept<F>(listener: TcpListener, serve: Arc<F>) -> std::io::Result<()>
where
    F: Fn(Request<Vec<u8>>) -> Response<Vec<u8>> + Send + Sync + 'static,
{
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (socket, _) = listener.accept().await?;
        let serve = Arc::clone(&serve);
        let service = service_fn(move |request: Request<Incoming>| {
            let serve = Arc::clone(&serve);
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await.map(|body| body.to_bytes().to_vec());
                let request = Request::from_parts(head, body.unwrap_or_default());
                Ok::<_, Infallible>(serve(request).map(|body| Full::new(Bytes::from(body))))
            }
        });
        let connection = hyper::server::conn::http1::Builder::new();
        tokio::spawn(connection.serve_connection(TokioIo::new(socket), service));
    }
}
