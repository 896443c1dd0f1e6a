//! The client's half of an exchange, for `fetch` and `exchange`: one logical request with all its
//! retries.

mod trace;

use std::error::Error;
use std::time::Duration;

use countersign::client::{Account, Client, Exchange, Field, Next, ServerProof};
use countersign::{EntityBody, Target};
use http::header::{HOST, HeaderValue};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The longest body of a 401 or 407 that is read, in bytes.
const MAX_DROPPED: usize = 64 << 10;
/// How long such a body is awaited.
const MAX_DROP_TIME: Duration = Duration::from_secs(2);
/// The longest body of another response, in bytes.
const MAX_BODY: usize = 4 << 20;

/// A connection to one server, reopened when the server closes it.
pub(crate) struct Connection {
    address: String,
    sender: Option<SendRequest<Full<Bytes>>>,
    /// Receives a text that shows the messages and how answers were computed.
    trace: fn(&str),
}

impl Connection {
    pub(crate) const fn new(address: String, trace: fn(&str)) -> Self {
        Self {
            address,
            sender: None,
            trace,
        }
    }

    /// Sends a request as it is, and reads the whole response, so that the connection can be
    /// reused. The body of a 401 or 407 is empty if it is too long or too slow.
    pub(crate) async fn send(
        &mut self,
        request: Request<Bytes>,
    ) -> Result<Response<Bytes>, Box<dyn Error>> {
        (self.trace)(&trace::request(&request));
        let response = self.sender().await?.send_request(request.map(Full::from));
        let (head, body) = response.await?.into_parts();
        let body = match head.status {
            // It is mostly dropped, so the rest of a long or a slow one is not awaited.
            StatusCode::UNAUTHORIZED | StatusCode::PROXY_AUTHENTICATION_REQUIRED => {
                let body = timeout(MAX_DROP_TIME, read(body, MAX_DROPPED)).await;
                let body = body.unwrap_or(Ok(None))?;
                if body.is_none() {
                    self.sender = None;
                }
                body.unwrap_or_default()
            }
            _ => read(body, MAX_BODY).await?.ok_or("body too long")?,
        };
        let response = Response::from_parts(head, body);
        (self.trace)(&trace::response(&response));
        Ok(response)
    }

    async fn sender(&mut self) -> Result<&mut SendRequest<Full<Bytes>>, Box<dyn Error>> {
        let is_open = match &mut self.sender {
            Some(sender) => sender.ready().await.is_ok(),
            None => false,
        };
        let open = match self.sender.take().filter(|_| is_open) {
            Some(sender) => sender,
            None => {
                let stream = TcpStream::connect(&self.address).await?;
                let (sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
                tokio::spawn(connection);
                sender
            }
        };
        Ok(self.sender.insert(open))
    }
}

/// Reads a body; `None` if it is longer. Dropped before its end, it closes its connection.
async fn read(body: Incoming, limit: usize) -> Result<Option<Bytes>, Box<dyn Error>> {
    match Limited::new(body, limit).collect().await {
        Ok(body) => Ok(Some(body.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Ok(None),
        Err(error) => Err(error),
    }
}

/// The result of a logical request.
pub(crate) struct Fetched {
    /// The last response.
    pub(crate) response: Response<Bytes>,
    /// The status codes of the responses before it, which asked for credentials.
    pub(crate) challenged: Vec<StatusCode>,
    /// The server's proof, or the reason why the client gave up.
    pub(crate) result: Result<ServerProof, Box<dyn Error>>,
}

/// Sends a request, and repeats it as the server's challenges require. The exchange must be new.
pub(crate) async fn fetch(
    connection: &mut Connection,
    client: &mut Client,
    exchange: &mut Exchange,
    login: Option<(&str, &str)>,
    request: &Request<Bytes>,
) -> Result<Fetched, Box<dyn Error>> {
    // The request-target exactly as it will be on the request line.
    let uri = request.uri().to_string();
    let target =
        Target::new(request.method().as_str(), &uri).with_body(EntityBody::Bytes(request.body()));
    let field_name = client.endpoint().challenger().credentials_field();
    let mut challenged = Vec::new();
    loop {
        let mut request = request.clone();
        if let Some(answer) = client
            .authorize(exchange, &target)
            .map(Field::for_new_request)?
        {
            let mut value = HeaderValue::from_bytes(answer.as_ref())?;
            value.set_sensitive(true);
            request.headers_mut().insert(field_name, value);
            if let Some(explanation) = login.and_then(|l| trace::computation(answer, &target, l)) {
                (connection.trace)(&explanation);
            }
        }

        let response = connection.send(request).await?;
        let field = |name| response.headers().get_all(name).iter();
        let status = response.status();
        let body = EntityBody::Bytes(response.body());
        let result = match (
            client.received(exchange, status.as_u16(), field, body)?,
            login,
        ) {
            (Next::Done(proof), _) => Ok(proof),
            (Next::Retry, _) => {
                challenged.push(status);
                continue;
            }
            (Next::Login(ask), Some((username, password))) => {
                client.login(&ask, &Account::new(username, password).with_basic())?;
                challenged.push(status);
                continue;
            }
            (Next::Login(_), None) => Err("nobody to log in as".into()),
            (Next::GiveUp(why), _) => Err(why.into()),
        };
        return Ok(Fetched {
            response,
            challenged,
            result,
        });
    }
}

/// Makes a request in origin form: its request-target is a path.
pub(crate) fn request(
    method: &str,
    uri: &Uri,
    body: &Bytes,
) -> Result<Request<Bytes>, Box<dyn Error>> {
    let target = match uri.query() {
        Some(query) => format!("{}?{query}", uri.path()),
        None => uri.path().to_owned(),
    };
    let host = uri.authority().ok_or("a URL needs a host")?.as_str();
    // Userinfo must not be sent.
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    Ok(Request::builder()
        .method(method)
        .uri(target)
        .header(HOST, host)
        .body(body.clone())?)
}
