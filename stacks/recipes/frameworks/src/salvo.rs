use http::Request;
use salvo::http::ReqBody;
use salvo::prelude::*;
use tower::ServiceBuilder;

use crate::{Error, Identity, Login, RequestBody, UserMap};

#[handler]
async fn hello(request: &mut salvo::Request) -> String {
    let user = request.extensions().get::<Identity<UserMap>>();
    format!("hello {}", user.map_or("nobody", |user| user.account()))
}

/// The body in salvo's own type.
fn of_salvo(request: Request<RequestBody<ReqBody>>) -> Request<ReqBody> {
    request.map(|body| body.into_inner().unwrap_or_else(ReqBody::Once))
}

pub async fn serve(login: Login, listener: tokio::net::TcpListener) -> Result<(), Error> {
    let login = ServiceBuilder::new().layer(login).map_request(of_salvo);
    let router = Router::with_path("x")
        .hoop(login.compat::<ReqBody>())
        .goal(hello);
    let acceptor = salvo::conn::tcp::TcpAcceptor::try_from(listener)?;
    Server::new(acceptor).serve(router).await;
    Ok(())
}
