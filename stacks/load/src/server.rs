//! A server on hyper, as the README has it.
use std::collections::HashMap;
use std::net::SocketAddr;
use std::process::exit;
use std::sync::{Arc, Mutex};

use countersign::digest::{Algorithm, Ha1, HashFunction};
use countersign::server::{Arrival, Authenticator, Realm, Refusal};
use countersign::{Channel, Target};
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::{Request, Response};
use loopback::{Error, Site, granted, refused};
use tokio::signal::unix::{SignalKind, signal};

use crate::PASSWORD;
use crate::log::Log;

const REALM: &str = "test realm";
/// Several times what the users take.
const CAPACITY: usize = 10_000;

type Answer = Response<String>;

struct Server {
    /// For paths that begin with `/md5`.
    md5: Authenticator,
    /// For all others.
    sha256: Authenticator,
    users: HashMap<String, [Ha1; 2]>,
    log: Option<Mutex<Log>>,
}

/// Serves `Mufasa`, `mallory` and `user-0` up to `user-N`.
pub async fn serve(
    listen: &str,
    users: usize,
    lifetime: u32,
    log: Option<&str>,
) -> Result<(), Error> {
    let auth = |algorithm| {
        let realm = Realm::new(REALM)?.with_algorithms(&[algorithm]);
        let realm = realm.with_nonce_lifetime(lifetime);
        Ok::<_, Error>(Authenticator::new(realm, CAPACITY, &mut getrandom::SysRng)?)
    };
    let names = (0..users).map(|number| format!("user-{number}"));
    let names = names.chain(["Mufasa", "mallory"].map(str::to_owned));
    let user = |name: String| {
        let hashes = [HashFunction::Md5, HashFunction::Sha256];
        let ha1s = hashes.map(|hash| Ha1::new(hash, &*name, REALM, PASSWORD));
        (name, ha1s)
    };
    let server = Arc::new(Server {
        md5: auth(Algorithm::MD5)?,
        sha256: auth(Algorithm::SHA_256)?,
        users: names.map(user).collect(),
        log: log.map(Log::create).transpose()?.map(Mutex::new),
    });
    tokio::spawn(handle_signals(Arc::clone(&server)));
    loopback::serve(server, listen).await
}

/// SIGHUP rotates the keys, SIGTERM writes the log and ends the program.
async fn handle_signals(server: Arc<Server>) -> Result<(), Error> {
    let mut hangup = signal(SignalKind::hangup())?;
    let mut terminate = signal(SignalKind::terminate())?;
    loop {
        tokio::select! {
            _ = hangup.recv() => {
                for auth in [&server.md5, &server.sha256] {
                    auth.rotate(&mut getrandom::SysRng)?;
                }
            }
            _ = terminate.recv() => {
                // The lock is held to the end, so nothing is granted that the log does not have.
                let mut log = server.log.as_ref().map(|log| log.lock().unwrap());
                let finished = log.as_mut().map_or(Ok(()), |log| log.finish());
                exit(i32::from(finished.is_err()));
            }
        }
    }
}

impl Site for Server {
    type Body = String;

    async fn answer(&self, _: SocketAddr, request: Request<Incoming>) -> Result<Answer, Answer> {
        let uri = request.uri().to_string();
        let auth = match request.uri().path().starts_with("/md5") {
            true => &self.md5,
            false => &self.sha256,
        };
        let target = Target::new(request.method().as_str(), &uri);
        let arrival = Arrival::now(Channel::Cleartext);
        let refuse = |refusal: Refusal| {
            if let Some(log) = &self.log {
                log.lock().unwrap().refused(refusal.reason);
            }
            refused(&refusal)
        };
        let credentials = request.headers().get_all(AUTHORIZATION);
        let attempt = auth
            .begin(credentials.iter(), &target, arrival)
            .map_err(refuse)?;
        let name = attempt.claimed_user();
        let account = name.name().and_then(|name| self.users.get(name));
        let verified = attempt
            .verify_by(account, |[md5, sha256], hash| match hash {
                HashFunction::Md5 => Some(md5),
                _ => Some(sha256),
            })
            .map_err(refuse)?;
        let grant = auth.admit(verified).map_err(refuse)?;
        if let (Some(log), Some(value)) = (&self.log, request.headers().get(AUTHORIZATION)) {
            let logged = log.lock().unwrap().granted(value.as_bytes());
            logged.expect("the log can be written");
        }
        let response = Response::new("ok\n".to_owned());
        Ok(granted(&grant, request.method(), response))
    }
}
