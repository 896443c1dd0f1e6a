//! The server's half of an exchange, for `serve` and `exchange`: a hyper service that authenticates
//! its users.

mod users;

use std::fmt;
use std::time::Duration;

use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use countersign::server::{Arrival, Attempt, Authenticator, Grant, Reason, Refusal};
use countersign::{Channel, EntityBody, Target};
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper_util::rt::{TokioIo, TokioTimer};

pub(crate) use users::{Account, Users};

/// The longest request body, in bytes.
const BODY_LIMIT: u64 = 1 << 20;
/// The time that a request body may take.
const BODY_TIME: Duration = Duration::from_secs(30);
/// The time that the head of a request may take, and a connection without requests may last.
///
/// This example does not limit how long a client may leave responses unread: one that reads nothing,
/// and sends ever more requests, keeps its connection. `tokio-io-timeout` has a stream whose writes
/// fail then. Nor does it limit the number of connections.
const HEAD_TIME: Duration = Duration::from_secs(30);

/// The state of the server.
pub(crate) struct Service {
    pub(crate) auth: Authenticator,
    pub(crate) users: Users,
    pub(crate) channel: Channel,
}

/// The outcome of a request, for the log and not for the client.
#[derive(Debug)]
pub(crate) enum Outcome {
    Granted(String),
    Refused(Reason),
    Unreadable(Unreadable),
}

/// A request whose body cannot be read: the status for the client, and the reason for the log.
type Unreadable = (StatusCode, &'static str);

const TOO_SLOW: Unreadable = (StatusCode::REQUEST_TIMEOUT, "body too slow");

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

    /// Authenticates a request. It is an error if the body cannot be read.
    async fn judge(
        &self,
        head: &Parts,
        body: Incoming,
    ) -> Result<(Response<Full<Bytes>>, Outcome), Unreadable> {
        let challenger = self.auth.realm().challenger();
        let credentials = || head.headers.get_all(challenger.credentials_field()).iter();

        // Step 1: everything that can be checked without the user. The target must be as the client
        // sent it. What hyper parsed and prints again differs only if an absolute URI had no path,
        // a scheme in capitals, or a fragment; such a request is refused.
        let uri = head.uri.to_string();
        let mut target = Target::new(head.method.as_str(), &uri);
        let arrival = || Arrival::now(self.channel);
        let attempt = self.auth.begin(credentials(), &target, arrival());

        // Hash the body only for `qop=auth-int`, and only if the nonce is ours. Read it in any
        // case, to keep the connection.
        let wanted = attempt
            .as_ref()
            .ok()
            .filter(|attempt| attempt.nonce_is_fresh());
        let hash = read(body, wanted.and_then(Attempt::required_body_hash_function));
        let hash = tokio::time::timeout(BODY_TIME, hash)
            .await
            .unwrap_or(Err(TOO_SLOW))?;
        if let Some(hash) = hash {
            target = target.with_body(EntityBody::Hashed(hash));
        }
        // Begin again, whatever the qop: an attacker who keeps the body open must not finish a
        // captured request after its nonce has expired.
        let attempt = self.auth.begin(credentials(), &target, arrival());

        Ok(match attempt.and_then(|attempt| self.admit(attempt)) {
            Ok(grant) => (
                granted(head, &grant),
                Outcome::Granted(grant.account().name.clone()),
            ),
            Err(refusal) => (refused(&refusal), Outcome::Refused(refusal.reason)),
        })
    }

    fn admit<'a>(&'a self, attempt: Attempt<'a>) -> Result<Grant<'a, &'a Account>, Refusal> {
        if attempt.required_body_hash_function().is_some() {
            return Err(attempt.reject_unread());
        }
        // Step 2: look up the user and check the response.
        let account = self
            .users
            .find(&attempt.claimed_user(), attempt.hash_function());
        let verified = attempt.verify(account)?;
        // Step 3: refuse replays.
        self.auth.admit(verified)
    }
}

fn granted(head: &Parts, grant: &Grant<'_, &Account>) -> Response<Full<Bytes>> {
    let text = match head.method {
        Method::HEAD => String::new(),
        _ => format!("Hello, {}.\n", grant.account().name),
    };
    let mut response = Response::builder();
    if let Some(info) = grant.authentication_info(EntityBody::Bytes(text.as_bytes())) {
        response = response.header(grant.info_field(), info.as_ref());
    }
    if head.method == Method::CONNECT {
        // This server opens no tunnels.
        response = response.status(StatusCode::NOT_IMPLEMENTED);
    }
    response
        .body(Full::from(text))
        .expect("fields that can be sent")
}

fn refused(refusal: &Refusal) -> Response<Full<Bytes>> {
    let mut response = Response::builder().status(refusal.status);
    for challenge in &refusal.challenges {
        response = response.header(refusal.field, challenge.as_ref());
    }
    response
        .body(Full::default())
        .expect("fields that can be sent")
}

/// Reads a body to its end, and hashes it if requested.
async fn read(
    mut body: Incoming,
    hash: Option<HashFunction>,
) -> Result<Option<HexDigest>, Unreadable> {
    const TOO_LARGE: Unreadable = (StatusCode::PAYLOAD_TOO_LARGE, "body too large");
    const BROKEN_OFF: Unreadable = (StatusCode::BAD_REQUEST, "body broken off");
    // Refuse a declared length at once, before the body is sent.
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

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Granted(user) => write!(f, "granted {user}"),
            Self::Refused(reason) => f.write_str(reason.name()),
            Self::Unreadable((_, why)) => f.write_str(why),
        }
    }
}

/// Serves the requests of one connection, and passes each outcome to `log`.
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
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .serve_connection(TokioIo::new(stream), hyper::service::service_fn(answer));
    // Errors of a connection do not stop the server.
    let _ = connection.await;
}
