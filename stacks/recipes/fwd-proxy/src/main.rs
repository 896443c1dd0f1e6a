//! A forward proxy that asks for credentials: status 407 and the `Proxy-` fields, for requests in
//! absolute form and for `CONNECT` tunnels.
//!
//! ```text
//! fwd-proxy [LISTEN]
//! curl --proxy http://LISTEN --proxy-digest --proxy-user 'Mufasa:Circle of Life' URL
//! ```
//!
//! Whoever has an account gets to every address and port that the proxy can reach, its own loopback
//! interface included: restrict these before you use it.
//!
//! Some clients, such as curl, hash only the path of a plain `http` request, so their response does
//! not cover the host. It listens without TLS, so anybody on the way can hold such a request back
//! and send it to another host: see `Realm::for_proxy`.
//!
//! For the same reason it takes Digest only: by Basic everybody on the way would read the password.
//! Without arguments it checks itself, with an origin that asks for credentials of its own and one
//! that claims to be the proxy.
mod check;

use std::net::SocketAddr;
use std::sync::Arc;

use countersign::server::{Arrival, Authenticator, Realm, Refusal};
use countersign::{Channel, EntityBody, Target};
use http_body_util::combinators::MapFrame;
use http_body_util::{BodyExt, Either, Empty};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::client::conn::http1::handshake;
use hyper::header::{
    CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION,
    TE, UPGRADE,
};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use loopback::{Error, Site, USER, Users, refused};
use tokio::net::TcpStream;

type Answer = Response<Body>;
type Body = Either<Forwarded, Empty<Bytes>>;
type Forwarded = MapFrame<Incoming, Box<dyn FnMut(Frame<Bytes>) -> Frame<Bytes> + Send>>;

/// Fields that are for one connection, and those between a client and a proxy: the credentials are
/// for this proxy alone, and an origin must not speak for it.
const NOT_FORWARDED: [HeaderName; 8] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    HeaderName::from_static("proxy-authentication-info"),
    PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    TE,
    UPGRADE,
];

struct Proxy {
    auth: Authenticator,
    users: Users,
}

impl Site for Proxy {
    type Body = Body;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let method = request.method().clone();
        let target = Target::new(method.as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = request.headers().get_all(PROXY_AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |refusal: Refusal| refused(&refusal).map(Either::Right);
        let attempt = auth
            .begin(credentials.iter(), &target, arrival)
            .map_err(refuse)?;
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt
            .verify_by(account, |account, hash| account.ha1(hash))
            .map_err(refuse)?;
        let receipt = auth.admit(verified).map_err(refuse)?.into_parts().1;
        // This proxy speaks no TLS to origins, so an `https` request would go on in clear.
        let is_forwarded = method == Method::CONNECT || request.uri().scheme_str() == Some("http");
        if !is_forwarded {
            return Err(empty(400));
        }
        let mut response = match forward(request).await {
            // Passed on, it would refuse the credentials for this proxy, and ask for others.
            Ok(response) if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
                empty(502)
            }
            Ok(response) => response,
            Err(_) => empty(502),
        };
        if let Some(info) = receipt.authentication_info(EntityBody::Unknown) {
            let value = HeaderValue::from_bytes(info.as_bytes()).unwrap();
            response.headers_mut().insert(receipt.info_field(), value);
        }
        Ok(response)
    }
}

/// Takes out of a message what is not passed on, in trailers too: clients may take these for header
/// fields, and the `Connection` of the header is about both (RFC 9110, section 7.6.1).
fn forwarded(fields: &mut HeaderMap, body: Incoming) -> Forwarded {
    let values = fields.get_all(CONNECTION).iter();
    let options = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    let named = options.filter_map(|option| HeaderName::from_bytes(option.trim_ascii()).ok());
    let names: Vec<HeaderName> = named.chain(NOT_FORWARDED).collect();
    let remove = move |fields: &mut HeaderMap| {
        for name in &names {
            fields.remove(name);
        }
    };
    remove(fields);
    body.map_frame(Box::new(move |mut frame| {
        frame.trailers_mut().map(&remove);
        frame
    }))
}

fn empty(status: u16) -> Answer {
    let body = Either::Right(Empty::new());
    Response::builder().status(status).body(body).unwrap()
}

async fn forward(request: Request<Incoming>) -> Result<Answer, Error> {
    let authority = request.uri().authority().ok_or("no authority")?.clone();
    let port = authority.port_u16().unwrap_or(80);
    // An IPv6 address stands in brackets, which the resolver does not know.
    let host = authority.host();
    let address = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    let mut stream = TcpStream::connect((address.unwrap_or(host), port)).await?;
    if request.method() == Method::CONNECT {
        tokio::spawn(async move {
            if let Ok(upgraded) = hyper::upgrade::on(request).await {
                let _ =
                    tokio::io::copy_bidirectional(&mut TokioIo::new(upgraded), &mut stream).await;
            }
        });
        return Ok(empty(200));
    }
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let (mut head, body) = request.into_parts();
    let body = forwarded(&mut head.headers, body);
    // RFC 9112, section 3.2.2: the Host that came with an absolute URI is replaced.
    let host = authority.as_str().rsplit('@').next();
    let host = host.unwrap_or_default().parse()?;
    head.headers.insert(HOST, host);
    let path = head.uri.path_and_query().ok_or("no path")?;
    head.uri = path.as_str().parse()?;
    let response = sender.send_request(Request::from_parts(head, body)).await?;
    let (mut head, body) = response.into_parts();
    let body = forwarded(&mut head.headers, body);
    Ok(Response::from_parts(head, Either::Left(body)))
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let realm = Realm::new("proxy")?.for_proxy();
    let proxy = Arc::new(Proxy {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        users: Users::one("proxy", USER),
    });
    match std::env::args().nth(1) {
        Some(listen) => loopback::serve(proxy, &listen).await,
        None => check::check(loopback::start(proxy).await?).await,
    }
}
