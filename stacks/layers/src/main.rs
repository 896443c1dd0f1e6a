//! What a request costs with the layers and without, in one process: time and allocations.
//!
//! Each row is a client and a server. One of the two is exchanged, so the difference to "core to
//! core" is what a layer costs above the functions of countersign. The rows take turns, and each
//! shows its shortest batch: other work on the machine disturbs the differences little.
//!
//! `layers instructions` counts the instructions of each row under callgrind, which other work does not
//! disturb at all. Valgrind has no SHA instructions, so only differences of rows say something.
use std::alloc::{GlobalAlloc, Layout, System};
use std::collections::HashMap;
use std::convert::Infallible;
use std::future::{Future, ready};
use std::pin::pin;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;
use countersign::client::{Account, AuthCache, Client, Endpoint, Exchange, Field, Next, Policy};
use countersign::digest::{Algorithm, Ha1, User};
use countersign::server::{Arrival, Authenticator, Realm};
use countersign::{Channel, EntityBody, Target};
use countersign_tower::client::AuthClientLayer;
use countersign_tower::server::{AuthLayer, UserMap};
use getrandom::SysRng;
use http::header::{AUTHORIZATION, HeaderName, WWW_AUTHENTICATE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use tower::{Layer, Service, service_fn};

#[global_allocator]
static COUNTING: Counting = Counting(AtomicUsize::new(0));

struct Counting(AtomicUsize);

// SAFETY: every call is handed on as it came; counting touches no memory but the counter.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.0.fetch_add(1, Relaxed);
        // SAFETY: as the caller promised us.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promised us.
        unsafe { System.dealloc(block, layout) }
    }
}

const BATCH: usize = 64;
const USER: (&str, &str) = ("Mufasa", "Circle of Life");

type Body = Full<Bytes>;
type Answered = Result<Response<Body>, Infallible>;
type Call = Box<dyn FnMut(Request<Body>) -> Response<()>>;
type Row = (String, Call, fn() -> Request<Body>, usize, usize);

async fn hello<B>(_: Request<B>) -> Answered {
    Ok(Response::new(Full::from("hello")))
}

fn get() -> Request<Body> {
    let request = Request::get("http://example.com/dir/").header("accept", "*/*");
    request
        .header("user-agent", "a")
        .body(Body::default())
        .unwrap()
}

fn with_basic() -> Request<Body> {
    let mut request = get();
    let basic = HeaderValue::from_static("Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl");
    request.headers_mut().insert(AUTHORIZATION, basic);
    request
}

/// Nothing waits in it, so one poll is one request.
fn calling<S, B>(mut service: S) -> Call
where
    S: Service<Request<Body>, Response = Response<B>, Error: std::fmt::Debug> + 'static,
{
    Box::new(move |request| {
        let mut cx = Context::from_waker(Waker::noop());
        match pin!(service.call(request)).poll(&mut cx) {
            Poll::Ready(response) => response.unwrap().map(drop),
            Poll::Pending => panic!("waits"),
        }
    })
}

/// The client in the README of countersign.
fn by_the_core(mut send: Call) -> Call {
    let (endpoint, account) = login();
    let client = Client::new(endpoint, Policy::new(), &mut SysRng).unwrap();
    let mut client = client.with_account(account).unwrap();
    Box::new(move |mut request| {
        let mut exchange = Exchange::new();
        loop {
            let target = Target::new(request.method().as_str(), request.uri().path());
            if let Field::Set(answer) = client.authorize(&mut exchange, &target).unwrap() {
                let answer = HeaderValue::from_bytes(answer.as_bytes()).unwrap();
                request.headers_mut().insert(AUTHORIZATION, answer);
            }
            let response = send(request);
            let status = response.status().as_u16();
            let fields = |field| response.headers().get_all(field).iter();
            let body = EntityBody::Unknown;
            match client
                .received(&mut exchange, status, fields, body)
                .unwrap()
            {
                Next::Done(_) => return response,
                _ => request = get(),
            }
        }
    })
}

/// The server in the README of countersign.
fn core(realm: Realm, ha1: Ha1) -> impl Fn(Request<Body>) -> Answered {
    let users = HashMap::from([(USER.0.to_owned(), ha1)]);
    let auth = Authenticator::new(realm, 10_000, &mut SysRng).unwrap();
    move |request| {
        let target = Target::new(request.method().as_str(), request.uri().path());
        let credentials = request.headers().get_all(AUTHORIZATION).iter();
        let arrival = Arrival::now(Channel::Encrypted);
        let find = |user: &User<'_>, _| users.get(user.name()?);
        let mut response = Response::new(Full::from("hello"));
        let (field, value) = match auth.check(credentials, &target, arrival, find) {
            Ok(grant) => {
                const INFO: HeaderName = HeaderName::from_static("authentication-info");
                (INFO, grant.authentication_info(EntityBody::Unknown))
            }
            Err(refusal) => {
                *response.status_mut() = StatusCode::UNAUTHORIZED;
                (WWW_AUTHENTICATE, refusal.challenges.into_iter().next())
            }
        };
        if let Some(value) = value {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            response.headers_mut().insert(field, value);
        }
        Ok(response)
    }
}

/// Where to log in, and who.
fn login() -> (Endpoint, Account) {
    let endpoint = Endpoint::origin("http", "example.com", None).unwrap();
    (endpoint, Account::new(USER.0, USER.1).for_realm("files"))
}

fn rows(algorithm: Algorithm) -> Vec<Row> {
    let realm = Realm::new("files")
        .unwrap()
        .with_algorithms(&[algorithm])
        .with_basic();
    let realm = realm.with_nonce_lifetime(1_000_000);
    let users = UserMap::new(&realm, [USER]);
    let auth = Arc::new(Authenticator::new(realm.clone(), 10_000, &mut SysRng).unwrap());
    let bare = AuthLayer::builder(Arc::clone(&auth), Channel::Encrypted, users.clone());
    let bare = bare.without_server_proof().build();
    let layer = AuthLayer::new(auth, Channel::Encrypted, users);
    let ha1 = realm.ha1(algorithm.hash_function(), USER.0, USER.1);
    let core = Arc::new(core(realm, ha1));
    let core = service_fn(move |request| ready(core(request)));
    let mut server = layer.layer(service_fn(hello));
    let bare = bare.layer(service_fn(hello));
    let mut cache = AuthCache::new(100, Policy::new(), &mut SysRng).unwrap();
    let (endpoint, account) = login();
    cache.add_account(&endpoint, account).unwrap();
    let mut client = AuthClientLayer::new(cache).layer(core.clone());
    let of_client = size_of_val(&*client.call(get()));
    eprintln!(
        "futures: {} and {of_client} bytes",
        size_of_val(&*server.call(get()))
    );
    let row = |name, send, get| (format!("{algorithm}, {name}"), send, get, usize::MAX, 0);
    vec![
        row("core to core", by_the_core(calling(core.clone())), get as _),
        row(
            "core to AuthLayer",
            by_the_core(calling(server.clone())),
            get,
        ),
        row(
            "core to AuthLayer without proof",
            by_the_core(calling(bare)),
            get,
        ),
        row("AuthClientLayer to core", calling(client), get),
        row("Basic to core", calling(core), with_basic),
        row("Basic to AuthLayer", calling(server), with_basic),
    ]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => time(),
        [word] if word == "instructions" => instructions(),
        [row, times] => repeat(row.parse().unwrap(), times.parse().unwrap()),
        _ => panic!("usage: layers [instructions]"),
    }
}

fn all() -> Vec<Row> {
    let mut all = rows(Algorithm::SHA_256);
    all.extend(rows(Algorithm::MD5));
    let name = "no login".to_owned();
    all.push((name, calling(service_fn(hello)), get, usize::MAX, 0));
    all
}

fn repeat(row: usize, times: usize) {
    let (_, send, get, ..) = &mut all()[row];
    for _ in 0..times {
        assert_eq!(send(get()).status(), StatusCode::OK);
    }
}

/// Of twice as many requests, so that the start and the login do not count.
fn instructions() {
    println!("\n| in one process | instructions |\n|---|--:|");
    for (row, (name, ..)) in all().iter().enumerate() {
        let each = (counted(row, 2 * BATCH) - counted(row, BATCH)) / BATCH;
        println!("| {name} | {each} |");
    }
}

fn counted(row: usize, times: usize) -> usize {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().unwrap())
        .args([row, times].map(|it| it.to_string()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let collected = text.split("Collected : ").nth(1).unwrap();
    collected
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap()
}

fn time() {
    let mut all = all();
    for _ in 0..300 {
        for (_, send, get, ns, allocations) in &mut all {
            // The first logs in.
            send(get());
            let requests: Vec<_> = (0..BATCH).map(|_| get()).collect();
            let (start, before) = (Instant::now(), COUNTING.0.load(Relaxed));
            for request in requests {
                assert_eq!(send(request).status(), StatusCode::OK);
            }
            *ns = (*ns).min(start.elapsed().as_nanos() as usize / BATCH);
            *allocations = (COUNTING.0.load(Relaxed) - before) / BATCH;
        }
    }
    println!("\n| in one process | ns | allocations |\n|---|--:|--:|");
    for (name, _, _, ns, allocations) in all {
        println!("| {name} | {ns} | {allocations} |");
    }
}
