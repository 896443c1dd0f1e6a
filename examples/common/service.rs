//! The server's half of an exchange, as `serve` and `exchange` use it: a hyper service that
//! answers whoever can say who he is.

mod users;

use std::fmt;
use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use countersign::digest::{BodyHasher, Hash, HexDigest};
use countersign::rand_core::UnwrapErr;
use countersign::server::{Arrival, Attempt, Grant, Rejection, ReplayTable, Server};
use countersign::{Body, Channel, Issuer, Target, Timestamp};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as _, Bytes, Incoming};

pub(crate) use users::Users;

/// The longest request body, in bytes.
const BODY_LIMIT: u64 = 1 << 20;

/// What a server needs to know and to remember.
pub(crate) struct Service {
    pub(crate) server: Server,
    pub(crate) users: Users,
    pub(crate) replays: Mutex<ReplayTable>,
    pub(crate) issuer: Issuer,
    pub(crate) channel: Channel,
}

/// What became of a request, for the log and not for the client.
#[derive(Debug)]
pub(crate) enum Outcome {
    Granted(String),
    Refused(Rejection),
    Unreadable(Unreadable),
}

/// Why a request cannot be judged: the status for the client, and a reason for the log.
type Unreadable = (StatusCode, &'static str);

impl Service {
    /// Answers one request.
    async fn answer(&self, head: &Parts, body: Incoming) -> (Response<Full<Bytes>>, Outcome) {
        match self.judge(head, body).await {
            Ok(answer) => answer,
            Err(error) => {
                let mut response = Response::new(Full::default());
                *response.status_mut() = error.0;
                (response, Outcome::Unreadable(error))
            }
        }
    }

    /// Lets a request in, or not. An error is of a request that cannot be judged at all.
    async fn judge(
        &self,
        head: &Parts,
        body: Incoming,
    ) -> Result<(Response<Full<Bytes>>, Outcome), Unreadable> {
        let credentials = head.headers.get_all(self.issuer.credentials_field());

        // Step 1: what can be said without knowing the user. The target must be as the client
        // sent it, and hyper has parsed it: what is printed here differs only where an absolute
        // URI had no path, a scheme in capitals, or a fragment. Such a request is refused.
        let uri = head.uri.to_string();
        let target = Target::new(head.method.as_str(), &uri);
        let horizon = self.replays.lock().unwrap().horizon();
        let arrival = Arrival::new(self.channel, now()).not_before(horizon);
        let attempt = self.server.begin(credentials, &target, &arrival);

        // Only `qop=auth-int` covers the body. It is read in any case, to keep the connection.
        let wanted = attempt.as_ref().ok().and_then(Attempt::wants_body);
        let body = read(body, wanted).await?;

        let admitted = attempt.and_then(|attempt| {
            let attempt = match &body {
                Some(hash) => attempt.with_body(*hash),
                None => attempt,
            };
            // Step 2: the user's secret, from wherever users are kept.
            let account = self.users.find(&attempt.claimed_user(), attempt.hash());
            let proof = attempt.verify(account.map(|account| &account.ha1))?;
            // Step 3: not a replay.
            let grant = self.replays.lock().unwrap().admit(proof)?;
            Ok((grant, account))
        });
        Ok(match admitted {
            Ok((grant, account)) => {
                let user = account.map_or("", |account| &account.name);
                let response = self.granted(head, &grant, user, &arrival);
                (response, Outcome::Granted(user.to_owned()))
            }
            Err(rejection) => {
                let response = self.refused(&rejection, &arrival);
                (response, Outcome::Refused(rejection))
            }
        })
    }

    fn granted(
        &self,
        head: &Parts,
        grant: &Grant<'_>,
        user: &str,
        arrival: &Arrival<'_>,
    ) -> Response<Full<Bytes>> {
        let body = match head.method {
            Method::HEAD => String::new(),
            _ => format!("Hello, {user}.\n"),
        };
        let rng = &mut UnwrapErr(getrandom::SysRng);
        let next = self.server.next_nonce(grant, arrival, rng);
        let info = grant.info(next.as_ref(), Body::Bytes(body.as_bytes()));
        let mut response = Response::new(Full::from(body));
        if let Some(value) = info.and_then(|value| HeaderValue::try_from(value).ok()) {
            response
                .headers_mut()
                .insert(self.issuer.info_field(), value);
        }
        if head.method == Method::CONNECT {
            // There is nowhere to connect to.
            *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
        }
        response
    }

    fn refused(&self, rejection: &Rejection, arrival: &Arrival<'_>) -> Response<Full<Bytes>> {
        let status = rejection.status(self.issuer);
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::from_u16(status).unwrap();
        if status == self.issuer.status() {
            let rng = &mut UnwrapErr(getrandom::SysRng);
            for value in self.server.challenges(rejection, arrival, rng) {
                if let Ok(value) = HeaderValue::try_from(value) {
                    let name = self.issuer.challenge_field();
                    response.headers_mut().append(name, value);
                }
            }
        }
        response
    }
}

/// Reads a body to its end, and hashes it if asked to.
async fn read(mut body: Incoming, hash: Option<Hash>) -> Result<Option<HexDigest>, Unreadable> {
    const TOO_LARGE: Unreadable = (StatusCode::PAYLOAD_TOO_LARGE, "body too large");
    const BROKEN_OFF: Unreadable = (StatusCode::BAD_REQUEST, "body broken off");
    // Who says beforehand how much there is can be spared the sending.
    if body.size_hint().lower() > BODY_LIMIT {
        return Err(TOO_LARGE);
    }
    let mut hasher = hash.map(BodyHasher::new);
    let mut rest = BODY_LIMIT;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| BROKEN_OFF)?;
        let Some(data) = frame.data_ref() else {
            continue;
        };
        rest = rest.checked_sub(data.len() as u64).ok_or(TOO_LARGE)?;
        if let Some(hasher) = &mut hasher {
            hasher.update(data);
        }
    }
    Ok(hasher.map(BodyHasher::finish))
}

/// The time. With the crate's feature `std` it is just `SystemTime::now().into()`.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_default();
    Timestamp::from_unix_secs(since.as_secs()).plus_millis(since.subsec_millis().into())
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Granted(user) => write!(f, "granted {user}"),
            Self::Refused(rejection) => write!(f, "{rejection:?}"),
            Self::Unreadable((_, why)) => f.write_str(why),
        }
    }
}

/// Serves the requests of one connection, and shows `log` what became of each.
pub(crate) async fn serve<L>(service: &Service, stream: tokio::net::TcpStream, log: L)
where
    L: Fn(&Parts, StatusCode, &Outcome),
{
    let answer = |request: Request<Incoming>| async {
        let (head, body) = request.into_parts();
        let (response, outcome) = service.answer(&head, body).await;
        log(&head, response.status(), &outcome);
        Ok::<_, std::convert::Infallible>(response)
    };
    let connection = hyper::server::conn::http1::Builder::new().serve_connection(
        hyper_util::rt::TokioIo::new(stream),
        hyper::service::service_fn(answer),
    );
    // A connection that breaks is the client's affair.
    let _ = connection.await;
}
