//! One server, one user, any number of tasks.
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use countersign::client::{Account, Client, Endpoint, Exchange, Field, Next, Policy, ServerProof};
use countersign::{EntityBody, Target};
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderValue};
use hyper::{Request, Response, Uri};
use hyper_util::client::legacy::Client as Http;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::time::timeout;

pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// How many requests were sent with an answer or without, and had which status.
pub type Counts = BTreeMap<(&'static str, u16), usize>;

/// How much of the body of a 401 is read to keep its connection: a new one then costs less.
const MAX_DROPPED: usize = 1 << 16;

/// How long that may take. A body that stalls is dropped, and its connection closed.
const MAX_DROP_TIME: Duration = Duration::from_secs(2);

/// The longest body of another response.
const MAX_BODY: usize = 1 << 20;

/// One server and one user, for any number of tasks.
pub struct Auth {
    http: Http<HttpConnector, Full<Bytes>>,
    client: Mutex<Client>,
    counts: Mutex<Counts>,
}

impl Auth {
    pub fn new(origin: &Uri, account: Account) -> Result<Self, Error> {
        let client = Client::new(endpoint(origin)?, Policy::new(), &mut getrandom::SysRng)?;
        Ok(Self {
            http: Http::builder(TokioExecutor::new()).build_http(),
            client: Mutex::new(client.with_account(account)?),
            counts: Mutex::default(),
        })
    }

    /// What was sent since this was last asked.
    pub fn take_counts(&self) -> Counts {
        std::mem::take(&mut self.counts.lock().unwrap())
    }

    /// Sends a request to that server.
    pub async fn send(
        &self,
        request: Request<Bytes>,
    ) -> Result<(Response<Bytes>, ServerProof), Error> {
        // The client sees the path alone, and would answer for any server.
        if endpoint(request.uri())? != *self.client.lock().unwrap().endpoint() {
            return Err("another server".into());
        }
        let path = request.uri().path_and_query();
        // `to_string` adds the `/` that `http://host?query` lacks.
        let path = path.map_or("/".to_owned(), ToString::to_string);
        let body = EntityBody::Bytes(request.body());
        let target = Target::new(request.method().as_str(), &path).with_body(body);
        let mut exchange = Exchange::new();
        loop {
            let mut attempt = request.clone().map(Full::new);
            let answer = self
                .client
                .lock()
                .unwrap()
                .authorize(&mut exchange, &target)?;
            let kind = match answer {
                Field::Set(answer) => {
                    let mut value = HeaderValue::from_bytes(answer.as_bytes())?;
                    value.set_sensitive(true);
                    attempt.headers_mut().insert(AUTHORIZATION, value);
                    "answered"
                }
                Field::Remove => "bare",
            };
            let (head, body) = self.http.request(attempt).await?.into_parts();
            let status = head.status.as_u16();
            let body = match status {
                // Nobody reads it, so the rest of a long or a slow one is not awaited.
                401 => match timeout(MAX_DROP_TIME, read(body, MAX_DROPPED)).await {
                    Ok(body) => body?.unwrap_or_default(),
                    Err(_) => Bytes::new(),
                },
                _ => read(body, MAX_BODY).await?.ok_or("body too long")?,
            };
            let response = Response::from_parts(head, body);
            *self
                .counts
                .lock()
                .unwrap()
                .entry((kind, status))
                .or_default() += 1;

            let field = |name| response.headers().get_all(name).iter();
            let body = EntityBody::Bytes(response.body());
            let mut client = self.client.lock().unwrap();
            match client.received(&mut exchange, status, field, body)? {
                Next::Done(proof) => return Ok((response, proof)),
                Next::GiveUp(why) => return Err(why.into()),
                // Send it again.
                _ => {}
            }
        }
    }
}

/// Reads a body; `None` if it is longer. Dropped before its end, it closes its connection.
async fn read(body: Incoming, limit: usize) -> Result<Option<Bytes>, Error> {
    match Limited::new(body, limit).collect().await {
        Ok(body) => Ok(Some(body.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Ok(None),
        Err(error) => Err(error),
    }
}

fn endpoint(uri: &Uri) -> Result<Endpoint, Error> {
    let (scheme, host) = (uri.scheme_str(), uri.host());
    let (scheme, host) = scheme.zip(host).ok_or("not an absolute URI")?;
    Ok(Endpoint::origin(scheme, host, uri.port_u16())?)
}
