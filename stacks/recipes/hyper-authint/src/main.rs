//! `qop=auth-int`: the response of a request covers its body, which is hashed while it streams in, and
//! the response that is sent covers its own.
//!
//! ```text
//! hyper-authint [LISTEN [both]]
//! ```
//!
//! With `both` it offers `auth`, too, for clients that do not know better. Without arguments it checks
//! that a body cannot be exchanged.
mod upload;

use std::net::SocketAddr;
use std::sync::Arc;

use countersign::client::ServerProof;
use countersign::digest::{Qop, QopSet};
use countersign::server::{Arrival, Authenticator, Realm};
use countersign::{Challenger, Channel, Target};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response, StatusCode};
use loopback::{Error, Site, USER, Users, Visitor, granted, refused};

use upload::Upload;

type Answer = Response<String>;

struct Server {
    auth: Authenticator,
    users: Users,
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let (head, body) = request.into_parts();
        let uri = head.uri.to_string();
        let target = Target::new(head.method.as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = head.headers.get_all(AUTHORIZATION);
        let auth = &self.auth;
        let refuse = |rejected| refused(&auth.refuse(&rejected));
        let mut attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        // A body is worth reading only if the response that covers it may be right.
        if !attempt.nonce_is_fresh() {
            return Err(refuse(attempt.reject_unread()));
        }
        let upload = Upload::receive(body, attempt.required_body_hash());
        let upload = upload.await.map_err(empty)?;
        if let Some(digest) = upload.digest {
            attempt = attempt.with_body(digest);
        }
        let account = self.users.find(&attempt.claimed_user());
        let verified = attempt
            .verify_by(account, |account, hash| account.ha1(hash))
            .map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let text = keep(&upload, grant.qop());
        Ok(granted(&grant, text))
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

/// A body comes in as it was sent, or not at all.
async fn check(address: SocketAddr) -> Result<(), Error> {
    loopback::check(Challenger::Origin, address, "/x", USER).await?;
    let mut visitor = Visitor::new(Challenger::Origin, address, USER)?;
    let proven = Some(ServerProof::Valid);
    let body = "Hakuna Matata\n".repeat(10_000);
    let visit = visitor.send("PUT", "/x", &body).await?;
    visit.expect("an upload", &[401, 200], proven);

    let other = body.replacen("Hakuna", "Matata", 1);
    let exchanged = visitor.send_exchanged("PUT", "/x", &body, &other).await?;
    println!("another body in its place: {}", exchanged.status());
    assert_eq!(exchanged.status(), StatusCode::UNAUTHORIZED);
    Ok(())
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
    let server = Arc::new(Server {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        users: Users::one("upload", USER),
    });
    match listen {
        Some(listen) => loopback::serve(server, &listen).await,
        None => check(loopback::start(server).await?).await,
    }
}
