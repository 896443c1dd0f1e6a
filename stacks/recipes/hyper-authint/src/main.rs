//! `qop=auth-int`: the response of a request covers its body, which is hashed while it streams in, and
//! the response that is sent covers its own.
//!
//! ```text
//! hyper-authint [LISTEN [both]]
//! ```
//!
//! With `both` it offers `auth`, too, for clients that do not know better. In clear, somebody in
//! between can then take `auth-int` out of a challenge, and exchange the body. Without arguments it checks
//! that a body cannot be exchanged, held back, or sent by anybody, nor too many at once.
mod check;
mod upload;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use countersign::digest::{Qop, QopSet};
use countersign::server::{Arrival, Attempt, Authenticator, Grant, Realm, Refusal};
use countersign::{Channel, EntityBody, Target};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response, StatusCode};
use loopback::{Account, Error, Site, USER, Users, granted, refused};
use tokio::sync::Semaphore;

use upload::{MAX_TIME, Upload};

type Answer = Response<String>;

/// The most bodies that are read at once for users not yet known.
const MAX_UPLOADS: usize = 100;

struct Server {
    auth: Authenticator,
    users: Users,
    /// How long a body may take.
    max_time: Duration,
    /// One for each body that is read before its user is known. Who holds them all keeps others
    /// from uploading, for as long as bodies may take, but costs no more than that.
    uploads: Semaphore,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let (head, body) = request.into_parts();
        let uri = head.uri.to_string();
        let target = Target::new(head.method.as_str(), &uri);
        let arrival = || Arrival::now(Channel::Cleartext);
        let credentials = || head.headers.get_all(AUTHORIZATION);
        let auth = &self.auth;
        let verify = |attempt| self.verify(attempt);
        let refuse = |refusal| refused(&refusal);
        let attempt = auth.begin(credentials().iter(), &target, arrival());
        let attempt = attempt.map_err(refuse)?;
        // A body is worth reading only if the response that covers it may be right.
        if !attempt.nonce_is_fresh() {
            return Err(refuse(attempt.reject_unread()));
        }
        // Only a body that the response covers is read before the user is known: up to the limit
        // anybody who has a fresh nonce can send one.
        let (grant, upload) = match attempt.required_body_hash_function() {
            Some(hash) => {
                let permit = self.uploads.try_acquire();
                let permit = permit.map_err(|_| empty(StatusCode::SERVICE_UNAVAILABLE))?;
                let upload = Upload::receive(body, Some(hash), self.max_time);
                let mut upload = upload.await.map_err(empty)?;
                drop(permit);
                let digest = upload.digest.take();
                let target = digest.map_or(target, |digest| {
                    target.with_body(EntityBody::Hashed(digest))
                });
                // The nonce may have expired since: whoever captured a request and keeps its body
                // open must not finish it then.
                let attempt = auth.begin(credentials().iter(), &target, arrival());
                let grant = attempt.and_then(verify).map_err(refuse)?;
                (grant, upload)
            }
            None => {
                let grant = verify(attempt).map_err(refuse)?;
                let upload = Upload::receive(body, None, self.max_time);
                (grant, upload.await.map_err(empty)?)
            }
        };
        let text = keep(&upload, grant.qop());
        Ok(granted(&grant, &head.method, Response::new(text)))
    }
}

impl Server {
    fn verify<'a>(&'a self, attempt: Attempt<'a>) -> Result<Grant<'a, &'a Account>, Refusal> {
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt.verify_by(account, |account, hash| account.ha1(hash))?;
        self.auth.admit(verified)
    }
}

fn empty(status: StatusCode) -> Answer {
    let response = Response::builder().status(status);
    response.body(String::new()).unwrap()
}

/// Where the temporary file would become the real one.
fn keep(upload: &Upload, qop: Option<Qop>) -> String {
    let Upload { size, pieces, .. } = upload;
    let covered = qop == Some(Qop::AuthInt);
    format!("{size} bytes in {pieces} pieces, covered: {covered}\n")
}

fn server(realm: Realm, max_time: Duration) -> Result<Arc<Server>, Error> {
    Ok(Arc::new(Server {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        users: Users::one("upload", USER),
        max_time,
        uploads: Semaphore::new(MAX_UPLOADS),
    }))
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1);
    let listen = args.next();
    let qop = match args.next().as_deref() {
        Some("both") => QopSet::BOTH,
        _ => QopSet::AUTH_INT,
    };
    let realm = Realm::new("upload")?.with_qop(qop);
    match listen {
        Some(listen) => loopback::serve(server(realm, MAX_TIME)?, &listen).await,
        None => check::check().await,
    }
}
