use std::io;
use std::sync::Arc;

use bytes::Bytes;
use countersign::EntityBody;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use poem::web::Data;
use poem::{Body, Endpoint, EndpointExt, IntoResponse, Request, Response, Result};

use crate::{Error, Identity, Login, UserMap};

/// For `around`: poem has requests of its own.
async fn log_in<E: Endpoint>(next: Arc<E>, mut request: Request, login: Login) -> Result<Response> {
    let (mut head, ()) = http::Request::new(()).into_parts();
    (head.method, head.uri) = (request.method().clone(), request.original_uri().clone());
    head.headers = request.headers().clone();
    let body: BoxBody<Bytes, io::Error> = request.take_body().into();
    let checked = match login.check(&mut head, body).await {
        Ok(checked) => checked,
        Err(refused) => {
            let mut response = refused.status().into_response();
            *response.headers_mut() = refused.into_parts().0.headers;
            return Ok(response);
        }
    };
    request.set_body(Body::from(checked.body.boxed()));
    request.extensions_mut().extend(head.extensions);
    let mut response = next.call(request).await?.into_response();
    if let Some((name, value)) = checked.info.field(EntityBody::Unknown) {
        response.headers_mut().insert(name, value);
    }
    Ok(response)
}

#[poem::handler]
fn hello(user: Data<&Identity<UserMap>>) -> String {
    format!("hello {}", user.account())
}

pub async fn serve(login: Login, listener: tokio::net::TcpListener) -> Result<(), Error> {
    let checked = hello.around(move |next, request| log_in(next, request, login.clone()));
    let app = poem::Route::new().at("/x", checked);
    let acceptor = poem::listener::TcpAcceptor::from_tokio(listener)?;
    Ok(poem::Server::new_with_acceptor(acceptor).run(app).await?)
}
