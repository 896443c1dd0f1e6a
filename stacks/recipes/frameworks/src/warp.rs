use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tower::Layer;
use warp::Filter;

use crate::{Error, Identity, Login, UserMap};

pub async fn serve(login: Login, listener: tokio::net::TcpListener) -> Result<(), Error> {
    let user = warp::ext::get::<Identity<UserMap>>();
    let hello = warp::path!("x").and(user);
    let hello = hello.map(|user: Identity<UserMap>| format!("hello {}", user.account()));
    let service = TowerToHyperService::new(login.layer(warp::service(hello)));
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
