//! What a request by reqwest costs the thread of the client, over loopback, with a login and without.
//!
//! The rows take turns, and each shows its batch with the least CPU time: other work on the machine
//! empties the caches, so most batches take more. A server in another thread is not counted.
//! `reqwest ROW TIMES` sends one row alone, to be run under callgrind with `--separate-threads=yes`.
use std::convert::Infallible;
use std::fs;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread;

use countersign::Channel;
use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Realm};
use countersign_reqwest::{Account, Client};
use countersign_tower::server::{AuthLayer, UserMap};
use getrandom::SysRng;
use http::{Request, Response};
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tower::{Layer, ServiceExt};

const BATCH: u64 = 200;
const ROUNDS: usize = 60;
const USER: (&str, &str) = ("Mufasa", "Circle of Life");

/// By the first part of the path.
const ROWS: [(&str, &str); 4] = [
    ("open", "no login"),
    ("basic", "`basic_auth` of reqwest"),
    ("md5", "countersign-reqwest, MD5"),
    ("sha256", "countersign-reqwest, SHA-256"),
];

async fn hello<B>(_: Request<B>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::from("hello")))
}

fn layer(algorithm: Algorithm) -> AuthLayer<UserMap> {
    let realm = Realm::new("files").unwrap().with_algorithms(&[algorithm]);
    let realm = realm.with_nonce_lifetime(1_000_000);
    let users = UserMap::new(&realm, [USER]);
    let auth = Authenticator::new(realm, 10_000, &mut SysRng).unwrap();
    AuthLayer::new(auth, Channel::Cleartext, users)
}

/// Without a login, unless the path names an algorithm.
async fn serve(started: mpsc::Sender<SocketAddr>) {
    let inner = tower::service_fn(hello);
    let md5 = layer(Algorithm::MD5).layer(inner);
    let sha256 = layer(Algorithm::SHA_256).layer(inner);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    started.send(listener.local_addr().unwrap()).unwrap();
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (md5, sha256) = (md5.clone(), sha256.clone());
        let service = service_fn(move |request: Request<Incoming>| {
            let service = match request.uri().path() {
                "/md5/" => Some(md5.clone()),
                "/sha256/" => Some(sha256.clone()),
                _ => None,
            };
            async move {
                match service {
                    Some(service) => service
                        .oneshot(request)
                        .await
                        .map(|it| it.map(Either::Left)),
                    None => hello(request).await.map(|it| it.map(Either::Right)),
                }
            }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

fn run(future: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().build().unwrap().block_on(future);
}

/// The nanoseconds of CPU time of this thread, up to the last time that it waited.
fn cpu_time() -> u64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

struct Clients {
    server: SocketAddr,
    plain: reqwest::Client,
    /// One for each algorithm, because a client that knows a strong one takes no weaker one.
    md5: Client,
    sha256: Client,
}

impl Clients {
    async fn send(&self, row: &str, times: u64) {
        let url = format!("http://{}/{row}/", self.server);
        for _ in 0..times {
            let response = match row {
                "open" => self.plain.get(&url).send().await.unwrap(),
                "basic" => {
                    let request = self.plain.get(&url).basic_auth(USER.0, Some(USER.1));
                    request.send().await.unwrap()
                }
                "md5" => self.md5.get(&url).send().await.unwrap(),
                _ => self.sha256.get(&url).send().await.unwrap(),
            };
            assert_eq!(response.bytes().await.unwrap(), "hello");
        }
    }
}

fn main() {
    let (started, address) = mpsc::channel();
    thread::spawn(|| run(serve(started)));
    let server = address.recv().unwrap();
    let ours = || {
        let account = Account::new(USER.0, USER.1).for_realm("files");
        Client::new(&format!("http://{server}"), account).unwrap()
    };
    let clients = Clients {
        server,
        plain: reqwest::Client::new(),
        md5: ours(),
        sha256: ours(),
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run(async {
        if let [row, times] = &arguments[..] {
            return clients.send(row, times.parse().unwrap()).await;
        }
        let mut best = [u64::MAX; ROWS.len()];
        for _ in 0..ROUNDS {
            for ((row, _), best) in ROWS.iter().zip(&mut best) {
                let before = cpu_time();
                clients.send(row, BATCH).await;
                *best = (*best).min((cpu_time() - before) / BATCH);
            }
        }
        println!("| client on loopback | CPU a request, ns |\n|---|--:|");
        for ((_, name), ns) in ROWS.iter().zip(best) {
            println!("| {name} | {ns} |");
        }
    });
}
