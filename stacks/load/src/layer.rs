//! A server on hyper, behind the layers of countersign-tower.
use std::convert::Infallible;

use countersign::Channel;
use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Realm};
use countersign_tower::server::{AuthLayer, UserMap};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use loopback::Error;
use tokio::net::TcpListener;
use tower::{Layer, ServiceExt};

use crate::PASSWORD;

async fn hello<B>(_: Request<B>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::from("ok\n")))
}

fn layer(algorithm: Algorithm, has_proof: bool) -> Result<AuthLayer<UserMap>, Error> {
    let realm = Realm::new("test realm")?.with_algorithms(&[algorithm]);
    let users = UserMap::new(&realm, [("Mufasa", PASSWORD)]);
    let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
    let layer = AuthLayer::builder(auth, Channel::Cleartext, users);
    Ok(match has_proof {
        true => layer.build(),
        false => layer.without_server_proof().build(),
    })
}

/// Serves `/sha256`, `/md5`, and both with `-no-proof`.
pub async fn serve(listen: &str) -> Result<(), Error> {
    let inner = tower::service_fn(hello);
    let services = [
        ("/sha256-no-proof", layer(Algorithm::SHA_256, false)?),
        ("/sha256", layer(Algorithm::SHA_256, true)?),
        ("/md5-no-proof", layer(Algorithm::MD5, false)?),
        ("/md5", layer(Algorithm::MD5, true)?),
    ];
    let services = services.map(|(path, layer)| (path, layer.layer(inner)));
    let listener = TcpListener::bind(listen).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let services = services.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let path = request.uri().path();
            let mut found = services
                .iter()
                .filter(|(prefix, _)| path.starts_with(prefix));
            let service = found.next().map(|(_, service)| service.clone());
            async move {
                match service {
                    Some(service) => service.oneshot(request).await,
                    None => Ok(Response::default()),
                }
            }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
