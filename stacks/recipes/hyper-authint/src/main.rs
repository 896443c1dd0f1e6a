//! `qop=auth-int`: the response of a request covers its body, which is hashed while it streams in, and
//! the response that is sent covers its own.
//!
//! ```text
//! hyper-authint [LISTEN [both]]
//! ```
//!
//! With `both` it offers `auth`, too, for clients that do not know better.
use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use countersign::digest::{BodyHasher, Ha1, HashFunction, HexDigest, Qop, QopSet, User};
use countersign::server::{Arrival, Authenticator, Realm, Rejected};
use countersign::{Channel, EntityBody, Target};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

type Answer = Response<String>;

const LIMIT: usize = 1 << 30;

struct Account {
    ha1: HashMap<HashFunction, Ha1>,
}

struct Server {
    auth: Authenticator,
    accounts: HashMap<String, Account>,
}

/// A body that came in whole.
struct Upload {
    size: usize,
    pieces: usize,
    digest: Option<HexDigest>,
}

impl Server {
    /// The response either way: what is refused comes as an error.
    async fn answer(&self, request: Request<Incoming>) -> Result<Answer, Answer> {
        let (head, body) = request.into_parts();
        let uri = head.uri.to_string();
        let target = Target::new(head.method.as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let credentials = head.headers.get_all(AUTHORIZATION);
        let refuse = |rejected| self.refuse(&rejected);
        let auth = &self.auth;
        let mut attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
        // A body is worth reading only if the response that covers it may be right.
        if !attempt.nonce_is_ours() {
            return Err(self.refuse(&attempt.reject_unread()));
        }
        let upload = receive(body, attempt.required_body_hash()).await.map_err(empty)?;
        if let Some(digest) = upload.digest {
            attempt = attempt.with_body(digest);
        }
        let account = self.find(&attempt.claimed_user());
        let verified = attempt
            .verify_by(account, |account, hash| account.ha1.get(&hash))
            .map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        let text = keep(&upload, grant.qop());
        let mut response = Response::builder();
        if let Some(info) = grant.authentication_info(EntityBody::Bytes(text.as_bytes())) {
            response = response.header(grant.info_field(), info.as_bytes());
        }
        Ok(response.body(text).unwrap())
    }

    fn refuse(&self, rejected: &Rejected<'_>) -> Answer {
        println!("{:?}", rejected.rejection());
        let refusal = self.auth.refuse(rejected);
        let mut response = Response::builder().status(refusal.status);
        for challenge in &refusal.challenges {
            response = response.header(refusal.field, challenge.as_bytes());
        }
        response.body(String::new()).unwrap()
    }

    fn find(&self, user: &User<'_>) -> Option<&Account> {
        self.accounts.get(user.name()?)
    }
}

fn empty(status: StatusCode) -> Answer {
    let response = Response::builder().status(status);
    response.body(String::new()).unwrap()
}

/// Reads a body, to a temporary file if this were a program of use, and hashes it if asked to.
async fn receive(mut body: Incoming, hash: Option<HashFunction>) -> Result<Upload, StatusCode> {
    let mut hasher = hash.map(BodyHasher::new);
    let (mut size, mut pieces) = (0, 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| StatusCode::BAD_REQUEST)?;
        let Some(data) = frame.data_ref() else {
            continue;
        };
        size += data.len();
        pieces += 1;
        if size > LIMIT {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        if let Some(hasher) = &mut hasher {
            hasher.update(data);
        }
    }
    let digest = hasher.map(BodyHasher::finish);
    Ok(Upload {
        size,
        pieces,
        digest,
    })
}

/// Where the temporary file would become the real one.
fn keep(upload: &Upload, qop: Option<Qop>) -> String {
    println!("granted");
    let Upload { size, pieces, .. } = upload;
    let covered = qop == Some(Qop::AuthInt);
    format!("{size} bytes in {pieces} pieces, covered: {covered}\n")
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let listen = args.next().unwrap_or("127.0.0.1:8103".into());
    let qop = match args.next().as_deref() {
        Some("both") => QopSet::BOTH,
        _ => QopSet::AUTH_INT,
    };
    let ha1 = |hash| (hash, Ha1::new(hash, "Mufasa", "upload", "Circle of Life"));
    let mufasa = Account {
        ha1: [HashFunction::Sha256, HashFunction::Md5].map(ha1).into(),
    };
    let realm = Realm::new("upload")?.with_qop(qop);
    let server = Arc::new(Server {
        auth: Authenticator::new(realm, 1000, &mut getrandom::SysRng)?,
        accounts: HashMap::from([("Mufasa".into(), mufasa)]),
    });
    let listener = TcpListener::bind(listen).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            let service = service_fn(async |request| {
                let answer = server.answer(request).await;
                Ok::<_, Infallible>(answer.unwrap_or_else(|refused| refused))
            });
            http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await
        });
    }
}
