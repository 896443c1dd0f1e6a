use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use http::{Request, Response};
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tower::Service;

use crate::{Error, Identity, Login, UserMap};

/// Stands for a service that tonic-build makes.
#[derive(Clone)]
struct Hello;

impl NamedService for Hello {
    const NAME: &'static str = "hello.Hello";
}

impl Service<Request<Body>> for Hello {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let user = request.extensions().get::<Identity<UserMap>>();
        let mut response = Response::new(Body::empty());
        let fields = response.headers_mut();
        fields.insert("grpc-status", 0.into());
        let name = user.map_or("nobody", |user| user.account());
        fields.insert("name", name.parse().unwrap());
        ready(Ok(response))
    }
}

pub async fn serve(login: Login, listener: tokio::net::TcpListener) -> Result<(), Error> {
    // HTTP/1 for the client of this test.
    let mut server = Server::builder().accept_http1(true).layer(login);
    let server = server.add_service(Hello);
    Ok(server
        .serve_with_incoming(TcpIncoming::from(listener))
        .await?)
}
