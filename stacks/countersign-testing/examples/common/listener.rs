//! A server on loopback, for any function from request to response.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use http::header::CONNECTION;
use http::{HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;

/// Serves on a free port until the program ends.
pub(crate) fn listen<F>(serve: F) -> std::io::Result<SocketAddr>
where
    F: Fn(Request<Vec<u8>>) -> Response<Vec<u8>> + Send + Sync + 'static,
{
    listen_by(None, serve)
}

/// Serves on a free port, by TLS if there is an acceptor.
pub(crate) fn listen_by<F>(tls: Option<TlsAcceptor>, serve: F) -> std::io::Result<SocketAddr>
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
    std::thread::spawn(move || runtime.block_on(accept(listener, tls, serve)));
    Ok(address)
}

async fn accept<F>(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    serve: Arc<F>,
) -> std::io::Result<()>
where
    F: Fn(Request<Vec<u8>>) -> Response<Vec<u8>> + Send + Sync + 'static,
{
    let listener = tokio::net::TcpListener::from_std(listener)?;
    loop {
        let (socket, _) = listener.accept().await?;
        let (serve, tls) = (Arc::clone(&serve), tls.clone());
        tokio::spawn(async move {
            match tls {
                Some(tls) => {
                    if let Ok(socket) = tls.accept(socket).await {
                        answer(socket, serve).await;
                    }
                }
                None => answer(socket, serve).await,
            }
        });
    }
}

/// Answers the requests of a connection.
async fn answer<F>(socket: impl AsyncRead + AsyncWrite + Unpin, serve: Arc<F>)
where
    F: Fn(Request<Vec<u8>>) -> Response<Vec<u8>> + Send + Sync + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| {
        let serve = Arc::clone(&serve);
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.map(|body| body.to_bytes().to_vec());
            let request = Request::from_parts(head, body.unwrap_or_default());
            let is_head = request.method() == Method::HEAD;
            let mut response = serve(request);
            if is_head {
                // `curl -X HEAD` waits for as many octets as are announced, or for the end.
                response.body_mut().clear();
                let headers = response.headers_mut();
                headers.insert(CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, Infallible>(response.map(|body| Full::new(Bytes::from(body))))
        }
    });
    let connection = hyper::server::conn::http1::Builder::new();
    let _ = connection
        .serve_connection(TokioIo::new(socket), service)
        .await;
}
