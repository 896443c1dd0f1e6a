//! A server on loopback.
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use countersign::digest::{BodyHasher, HashFunction, HexDigest};
use countersign::server::{Attempt, Realm, Receipt, Refusal};
use countersign::{EntityBody, Target};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION, PROXY_AUTHORIZATION};
use hyper::{Method, Request, Response, StatusCode};
use tokio::runtime::Builder;

use crate::USER;
use crate::answers::{received_body, refused};
use crate::area::Area;
use crate::entry::Entry;
use crate::site::{Limits, Site, accept};

type Answer = Response<Full<Bytes>>;

const TEXT: &str = "hello\n";

/// A server on loopback, which runs until the program ends.
pub struct Server {
    address: SocketAddr,
    areas: Vec<Area>,
    away: String,
    log: Mutex<Vec<Entry>>,
}

impl Server {
    /// Starts a server with these areas; a request is judged by each that it is in, in this order.
    /// It redirects to `away`.
    pub fn start(areas: Vec<Area>, away: &str) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let server = Arc::new(Self {
            address: listener.local_addr().unwrap(),
            areas,
            away: away.to_owned(),
            log: Mutex::default(),
        });
        let served = Arc::clone(&server);
        // A thread of its own, so that programs without a runtime can have it.
        std::thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                accept(served, listener, Limits::DEFAULT).await
            })
        });
        server
    }

    /// Starts one that two users share. The realm of [`USER`] is `files`, below `/d/`, and asks by
    /// Digest. Below `/~mallory/` somebody else asks for the password, in a realm that they made up,
    /// and below `/~mallory/same/` in one of the same name, by Basic.
    pub fn shared() -> Arc<Self> {
        let files = Realm::new("files").unwrap().with_domain("/d/").unwrap();
        let other = Realm::new("x").unwrap().with_cleartext_basic();
        let same = Realm::new("files").unwrap().with_algorithms(&[]);
        let same = same.with_cleartext_basic();
        let areas = vec![
            Area::new("/d/", files),
            // The first that refuses a request answers it.
            Area::new("/~mallory/same/", same),
            Area::new("/~mallory/", other),
        ];
        Self::start(areas, "")
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What it was asked since this was last called.
    pub fn take_log(&self) -> Vec<Entry> {
        std::mem::take(&mut self.log.lock().unwrap())
    }

    async fn respond(&self, request: Request<Incoming>) -> Answer {
        let (head, mut body) = request.into_parts();
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
        let (method, uri) = (head.method.as_str(), head.uri.to_string());
        let mut body_bytes = 0;

        let targets: Vec<(&Area, Target<'_>)> = self
            .areas
            .iter()
            .filter_map(|area| Some((area, area.target(method, &uri, path)?)))
            .collect();
        let mut wanted = None;
        let mut refusal = None;
        for (area, target) in &targets {
            match area.begin(&head.headers, target).and_then(worth_reading) {
                Ok(attempt) => wanted = wanted.or(attempt.required_body_hash_function()),
                Err(why) => {
                    refusal = Some(why);
                    break;
                }
            }
        }
        let mut receipts = Vec::new();
        if refusal.is_none() {
            let digest;
            (body_bytes, digest) = receive(&mut body, wanted).await;
            let body = digest.map_or(EntityBody::Unknown, EntityBody::Hashed);
            for (area, target) in targets {
                match admit(area, &head.headers, target.with_body(body)) {
                    Ok(receipt) => receipts.push(receipt),
                    Err(why) => {
                        refusal = Some(why);
                        break;
                    }
                }
            }
        }

        let reason = refusal.as_ref().map(|refusal: &Refusal| refusal.reason);
        let response = match refusal {
            Some(refusal) => refused(&refusal),
            None => self.grant(&head.method, path, &receipts),
        };
        self.log.lock().unwrap().push(Entry {
            path: path.to_owned(),
            status: response.status().as_u16(),
            reason,
            has_credentials: [AUTHORIZATION, PROXY_AUTHORIZATION]
                .iter()
                .any(|name| head.headers.contains_key(name)),
            body_bytes,
        });
        response
    }

    fn grant(&self, method: &Method, path: &str, receipts: &[Receipt]) -> Answer {
        let mut response = Response::new(Full::from(TEXT));
        let location = match path.rsplit_once('/') {
            Some((folder, "near")) => Some(format!("{folder}/dir/")),
            Some((_, "away")) => Some(self.away.clone()),
            _ => None,
        };
        if let Some(location) = location {
            *response.status_mut() = StatusCode::FOUND;
            let location = HeaderValue::from_str(&location).unwrap();
            response.headers_mut().insert(LOCATION, location);
        }
        let body = received_body(method, response.status(), TEXT);
        for receipt in receipts {
            if let Some(info) = receipt.authentication_info(body) {
                let info = HeaderValue::from_bytes(info.as_bytes()).unwrap();
                response.headers_mut().append(receipt.info_field(), info);
            }
        }
        response
    }
}

impl Site for Server {
    type Body = Full<Bytes>;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        Ok(self.respond(request).await)
    }
}

/// A body is worth reading only if the response that covers it may be right.
fn worth_reading(attempt: Attempt<'_>) -> Result<Attempt<'_>, Refusal> {
    match attempt.nonce_is_fresh() {
        true => Ok(attempt),
        false => Err(attempt.reject_unread()),
    }
}

/// Reads a body to its end, and hashes it if asked to.
async fn receive(body: &mut Incoming, hash: Option<HashFunction>) -> (u64, Option<HexDigest>) {
    let mut hasher = hash.map(BodyHasher::new);
    let mut bytes = 0;
    while let Some(Ok(frame)) = body.frame().await {
        let Some(data) = frame.data_ref() else {
            continue;
        };
        bytes += data.len() as u64;
        if let Some(hasher) = &mut hasher {
            hasher.update(data);
        }
    }
    (bytes, hasher.map(BodyHasher::finish))
}

/// Begins anew, because the body may have taken longer than the nonce lives.
fn admit<'a>(
    area: &'a Area,
    headers: &'a HeaderMap,
    target: Target<'a>,
) -> Result<Receipt, Refusal> {
    let attempt = area.begin(headers, &target)?;
    let account = (attempt.claimed_user().name() == Some(USER.0)).then_some(USER);
    let verified = attempt.verify_password(account, |user| *user)?;
    Ok(area.auth.admit(verified)?.into_parts().1)
}
