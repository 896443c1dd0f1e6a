//! The client that servers check themselves with.
use std::net::SocketAddr;

use countersign::client::{Account, Client, Endpoint, Exchange, Next, Policy};
use countersign::{Challenger, EntityBody, FieldValue, Target};
use http_body_util::BodyExt;
use hyper::body::Bytes;
use hyper::client::conn::http1::handshake;
use hyper::header::{CONNECTION, HOST, TE};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::Error;
use crate::visit::Visit;

/// A user of one server.
pub struct Visitor {
    /// Where its requests go: another machine of the same server, perhaps.
    pub address: SocketAddr,
    client: Client,
    account: Account,
    unknown: &'static [&'static str],
}

impl Visitor {
    /// A user who takes whatever the server offers.
    pub fn new(
        challenger: Challenger,
        address: SocketAddr,
        (name, password): (&str, &str),
    ) -> Result<Self, Error> {
        let (host, port) = (address.ip().to_string(), address.port());
        let endpoint = match challenger {
            Challenger::Origin => Endpoint::origin("http", &host, Some(port))?,
            Challenger::Proxy => Endpoint::proxy("http", &host, port),
        };
        let policy = Policy::new().with_cleartext_basic();
        Ok(Self {
            address,
            client: Client::new(endpoint, policy, &mut getrandom::SysRng)?,
            account: Account::new(name, password).with_basic(),
            unknown: &[],
        })
    }

    /// One that is particular, and has sent nothing yet.
    pub fn with_policy(mut self, policy: Policy) -> Result<Self, Error> {
        let endpoint = self.client.endpoint().clone();
        self.client = Client::new(endpoint, policy, &mut getrandom::SysRng)?;
        Ok(self)
    }

    /// One who is so old that these parameters of a challenge mean nothing to it.
    #[must_use]
    pub const fn ignoring(mut self, params: &'static [&'static str]) -> Self {
        self.unknown = params;
        self
    }

    /// One that knows nothing but Basic, and does not wait to be asked for it.
    pub fn with_basic(mut self) -> Result<Self, Error> {
        self.account = self.account.with_preemptive_basic();
        self.client = self.client.with_account(self.account.clone())?;
        Ok(self)
    }

    pub async fn get(&mut self, uri: &str) -> Result<Visit, Error> {
        self.send("GET", uri, "").await
    }

    /// The credentials for a request that is not sent.
    pub fn answer(&mut self, method: &str, uri: &str) -> Result<Option<FieldValue>, Error> {
        let target = Target::new(method, uri).with_body(EntityBody::Empty);
        let mut exchange = Exchange::new();
        let answer = self.client.authorize(&mut exchange, &target)?;
        Ok(answer.for_new_request().cloned())
    }

    /// Sends a request, and has its body exchanged on the way.
    pub async fn send_exchanged(
        &mut self,
        method: &str,
        uri: &str,
        body: &str,
        exchanged: &str,
    ) -> Result<Response<Bytes>, Error> {
        let target = Target::new(method, uri).with_body(EntityBody::Bytes(body.as_bytes()));
        let mut exchange = Exchange::new();
        let answer = self.client.authorize(&mut exchange, &target)?;
        let name = self.client.endpoint().challenger().credentials_field();
        let field = answer.for_new_request().map(|value| (name, value));
        send(self.address, method, uri, field, exchanged).await
    }

    /// Sends a request, again as often as the challenges call for it.
    pub async fn send(&mut self, method: &str, uri: &str, body: &str) -> Result<Visit, Error> {
        let target = Target::new(method, uri).with_body(EntityBody::Bytes(body.as_bytes()));
        let mut exchange = Exchange::new();
        let (mut statuses, mut logins) = (Vec::new(), 0);
        loop {
            let answer = self.client.authorize(&mut exchange, &target)?;
            let name = self.client.endpoint().challenger().credentials_field();
            let field = answer.for_new_request().map(|value| (name, value));
            let mut response = send(self.address, method, uri, field, body).await?;
            self.ignore(&mut response)?;
            let status = response.status().as_u16();
            statuses.push(status);
            let field = |name| response.headers().get_all(name).iter();
            let body = EntityBody::Bytes(response.body());
            let proof = match self.client.received(&mut exchange, status, field, body)? {
                Next::Done(proof) => Some(proof),
                Next::Retry => continue,
                Next::Login(ask) => {
                    logins += 1;
                    self.client.login(&ask, &self.account)?;
                    continue;
                }
                Next::GiveUp(_) => None,
            };
            return Ok(Visit {
                statuses,
                logins,
                proof,
                answer: exchange.answer().cloned(),
                response,
            });
        }
    }
}

impl Visitor {
    /// Takes out of the challenges what the client does not know.
    fn ignore(&self, response: &mut Response<Bytes>) -> Result<(), Error> {
        let challenges = self.client.endpoint().challenger().challenge_field();
        for (name, value) in response.headers_mut() {
            if name != challenges || self.unknown.is_empty() {
                continue;
            }
            let params = value.to_str()?.split(", ");
            let known = params.filter(|param| !self.unknown.contains(param));
            *value = known.collect::<Vec<_>>().join(", ").parse()?;
        }
        Ok(())
    }
}

/// Sends one request as it is, on a connection of its own. Trailers count as fields of the response's
/// head, as they do for some clients.
pub async fn send(
    address: SocketAddr,
    method: &str,
    uri: &str,
    field: Option<(&str, &FieldValue)>,
    body: &str,
) -> Result<Response<Bytes>, Error> {
    let mut request = Request::builder()
        .method(method)
        .uri(uri)
        .header(HOST, address.to_string())
        .header(TE, "trailers")
        .header(CONNECTION, "te");
    if let Some((name, value)) = field {
        request = request.header(name, value.as_bytes());
    }
    let stream = TokioIo::new(TcpStream::connect(address).await?);
    let (mut sender, connection) = handshake(stream).await?;
    tokio::spawn(connection.with_upgrades());
    let response = sender.send_request(request.body(body.to_owned())?).await?;
    let (mut head, body) = response.into_parts();
    let body = body.collect().await?;
    for (name, value) in body.trailers().into_iter().flatten() {
        head.headers.append(name, value.clone());
    }
    Ok(Response::from_parts(head, body.to_bytes()))
}
