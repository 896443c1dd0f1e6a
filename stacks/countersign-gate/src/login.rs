//! Logs in to one origin for programs that cannot.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use countersign::Channel;
use countersign::client::{Account, AuthCache, Endpoint, Policy};
use countersign_tower::client::{AuthClient, AuthClientLayer, LoginFailure};
use http::header::{AUTHORIZATION, EXPECT, HOST, HeaderName, WWW_AUTHENTICATE};
use http::request::Parts;
use http::uri::Authority;
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;
use tower_layer::Layer;
use tower_service::Service;
use tracing::{error, info};

use crate::convention::{Convention, Question};
use crate::gate::Gate;
use crate::hop::{Allowed, make_relative, remove_hop_by_hop};
use crate::lock::lock;
use crate::upload::Upload;

/// How long the origin may take to begin its response to a request with a short body.
const PATIENCE: Duration = Duration::from_secs(60);

pub type Body = UnsyncBoxBody<Bytes, hyper::Error>;

/// A proxy to one origin, with a login.
pub struct Login {
    client: AuthClient<Client<HttpConnector, Upload>, ()>,
    origin: Authority,
    /// Asks programs for a login of their own.
    gate: Option<Arc<Gate>>,
    allowed: Allowed,
    /// Why the origin refused the last request, so that the log tells it once.
    refused: Mutex<Option<String>>,
}

/// The origin of `--to`.
///
/// # Errors
///
/// It is no origin by `http`.
pub fn parse_origin(text: &str) -> Result<Authority, &'static str> {
    let authority = text.strip_prefix("http://").and_then(|rest| {
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        authority.parse::<Authority>().ok()
    });
    let authority = authority.filter(|it| !it.as_str().contains('@'));
    authority.ok_or("not http://HOST or http://HOST:PORT; https is not supported")
}

impl Login {
    /// `login` is `name:password`.
    ///
    /// # Errors
    ///
    /// The login has no colon, or bytes that no login can have.
    pub fn new(
        origin: Authority,
        login: &str,
        gate: Option<Arc<Gate>>,
        allowed: Allowed,
    ) -> Result<Self, String> {
        let login = login.trim_end_matches(['\n', '\r']);
        let (name, password) = login
            .split_once(':')
            .ok_or("the login is not name:password")?;
        let of_login = |error| format!("the login: {error}");
        let endpoint = Endpoint::origin("http", origin.host(), origin.port_u16());
        let endpoint = endpoint.map_err(|error| error.to_string())?;
        let cache = AuthCache::new(1, Policy::new(), &mut getrandom::SysRng);
        let mut cache = cache.map_err(|error| format!("no random bytes: {error}"))?;
        let added = cache.add_account(&endpoint, Account::new(name, password));
        added.map_err(|error| of_login(error.to_string()))?;
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(Duration::from_secs(10)));
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self {
            client: AuthClientLayer::new(cache).layer(client),
            origin,
            gate,
            allowed,
            refused: Mutex::default(),
        })
    }

    /// The response of the origin to a request of a program.
    pub async fn respond(&self, request: Request<Incoming>) -> Response<Body> {
        self.forward(request)
            .await
            .unwrap_or_else(|refused| refused)
    }

    async fn forward(&self, request: Request<Incoming>) -> Result<Response<Body>, Response<Body>> {
        let (mut head, body) = request.into_parts();
        self.check(&head).await?;
        let uri = format!("http://{}{}", self.origin, head.uri).parse::<Uri>();
        let uri = uri.map_err(|_| said(StatusCode::BAD_REQUEST, "not a target"))?;
        remove_hop_by_hop(&mut head.headers);
        for name in [HOST, AUTHORIZATION, EXPECT] {
            head.headers.remove(name);
        }
        head.version = http::Version::HTTP_11;
        head.uri = uri.clone();
        let body = Upload::of(body).await;
        let body = body.map_err(|_| said(StatusCode::BAD_REQUEST, "the body did not come"))?;
        // A stream cannot be sent again after a challenge, so the nonce comes before it.
        if body.is_stream() {
            let mut first = Request::new(Upload::empty());
            (*first.method_mut(), *first.uri_mut()) = (Method::HEAD, uri);
            self.send(first).await?;
        }
        let mut response = self.send(Request::from_parts(head, body)).await?;
        let fields = response.headers_mut();
        remove_hop_by_hop(fields);
        fields.remove(HeaderName::from_static("authentication-info"));
        make_relative(fields, &self.origin);
        Ok(response.map(BodyExt::boxed_unsync))
    }

    /// Checks that a request is one that this proxy forwards, of a program that may ask.
    async fn check(&self, head: &Parts) -> Result<(), Response<Body>> {
        // Also `CONNECT`, whose target is no path.
        if head.uri.authority().is_some() || !head.uri.path().starts_with('/') {
            let why = "this is no proxy for other origins: ask for a path";
            return Err(said(StatusCode::BAD_REQUEST, why));
        }
        // Before what may be asked for is told.
        if let Some(gate) = &self.gate {
            let client = head.extensions.get();
            let question = Question {
                method: head.method.as_str().as_bytes(),
                target: head.uri.path().as_bytes(),
                // On loopback nobody reads the password.
                channel: Channel::Encrypted,
                address: *client.unwrap_or(&Ipv4Addr::LOCALHOST.into()),
                id: None,
                credentials: head.headers.get_all(AUTHORIZATION).iter().collect(),
            };
            let answer = gate.check(&question).await;
            if answer.user().is_none() {
                let response = answer.into_response(Convention::Forwarded);
                let boxed =
                    |body: Empty<Bytes>| body.map_err(|never| match never {}).boxed_unsync();
                return Err(response.map(boxed));
            }
        }
        match self.allowed.refuses(head.method.as_str(), head.uri.path()) {
            Some(status) => Err(said(status, "not among --methods and --paths")),
            None => Ok(()),
        }
    }

    /// Sends a request with the login. The error is the response for the program.
    async fn send(&self, request: Request<Upload>) -> Result<Response<Incoming>, Response<Body>> {
        // A stream may take as long as it comes.
        let patience = match request.body().is_stream() {
            false => PATIENCE,
            true => Duration::MAX,
        };
        let sent = timeout(patience, self.client.clone().call(request)).await;
        let sent = sent.map_err(|_| {
            let why = "the origin takes too long".into();
            self.refuse(StatusCode::GATEWAY_TIMEOUT, why)
        })?;
        let mut response = sent.map_err(|error| {
            let why = format!("the origin does not answer: {error}");
            self.refuse(StatusCode::BAD_GATEWAY, why)
        })?;
        // Never passed on: the program would ask its user for a password that is none of theirs.
        let status = response.status();
        let is_challenge = matches!(
            status,
            StatusCode::UNAUTHORIZED
                | StatusCode::PROXY_AUTHENTICATION_REQUIRED
                | StatusCode::SWITCHING_PROTOCOLS
        );
        response.headers_mut().remove(WWW_AUTHENTICATE);
        if is_challenge {
            let why = match response.extensions().get::<LoginFailure>() {
                Some(why) => format!("the origin refused the login: {why}"),
                None => format!("the origin answered {status}"),
            };
            return Err(self.refuse(StatusCode::BAD_GATEWAY, why));
        }
        if lock(&self.refused).take().is_some() {
            info!("the origin answers again");
        }
        Ok(response)
    }

    /// A response with a reason, which the log tells if it is another than the last.
    fn refuse(&self, status: StatusCode, why: String) -> Response<Body> {
        let response = said(status, &why);
        let mut refused = lock(&self.refused);
        if refused.as_ref() != Some(&why) {
            error!("{why}");
            *refused = Some(why);
        }
        response
    }
}

fn said(status: StatusCode, why: &str) -> Response<Body> {
    let body = Full::from(format!("countersign-gate: {why}\n"));
    let mut response = Response::new(body.map_err(|never| match never {}).boxed_unsync());
    *response.status_mut() = status;
    response
}
