use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tower::{Layer, service_fn};

use crate::{Error, Identity, Login, RequestBody, UserMap};

type Sent = RequestBody<hyper::body::Incoming>;

async fn hello(request: Request<Sent>) -> Result<Response<Full<bytes::Bytes>>, Error> {
    let name = request
        .extensions()
        .get::<Identity<UserMap>>()
        .map(|user| user.account().clone());
    let sent = request.into_body().collect().await?.to_bytes();
    let text = format!(
        "hello {}, of {} bytes",
        name.unwrap_or_default(),
        sent.len()
    );
    Ok(Response::new(text.into()))
}

pub async fn serve(login: Login, listener: tokio::net::TcpListener) -> Result<(), Error> {
    let service = TowerToHyperService::new(login.layer(service_fn(hello)));
    loop {
        let (stream, _) = listener.accept().await?;
        let service = service.clone();
        tokio::spawn(async move {
            let builder = Builder::new(TokioExecutor::new());
            builder
                .serve_connection(TokioIo::new(stream), service)
                .await
        });
    }
}
