//! The HEAD that finds out whether a password is wrong, and servers that treat it as they should not.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use countersign::client::{Ask, AuthCache, Policy};
use countersign::server::Authenticator;
use countersign_reqwest::{
    Account, Auth, AuthClientLayer, Credentials, Error, LoginFailure, SendWith,
};
use reqwest::{Body, Method, RequestBuilder};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Server, USER, client, files, guarded, guarded_by, mufasa};

const ASK: &str = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;

/// An account that every server here refuses.
fn wrong() -> Account {
    Account::new(USER.0, "Circle of Lies")
}

/// Sends a request that is refused, and returns why.
async fn refused<C: Credentials>(request: RequestBuilder, auth: &Auth<C>) -> LoginFailure {
    match request.send_with(auth).await {
        Err(Error::Login(refused) | Error::WrongCredentials(refused)) => refused.why,
        outcome => panic!("{outcome:?}"),
    }
}

/// Refuses everything.
async fn refuse() -> Response {
    (StatusCode::UNAUTHORIZED, [("www-authenticate", ASK)]).into_response()
}

/// Refuses each request on a connection, and sends a body after the head of HEAD.
async fn serve_with_late_bodies(stream: TcpStream, heads: Arc<AtomicU32>) {
    let mut stream = BufStream::new(stream);
    let mut seen = Vec::new();
    while let Ok(byte) = stream.read_u8().await {
        seen.push(byte);
        if !seen.ends_with(b"\r\n\r\n") {
            continue;
        }
        let head = std::mem::take(&mut seen);
        heads.fetch_add(u32::from(head.starts_with(b"HEAD")), Ordering::Relaxed);
        let body = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx-forged: 1\r\n\r\n";
        let fields = format!("HTTP/1.1 401 No\r\nwww-authenticate: {ASK}\r\n");
        let fields = format!("{fields}content-length: {}\r\n\r\n", body.len());
        stream.write_all(fields.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        // A client that has closed the connection wants no body.
        let _ = stream.write_all(body.as_bytes()).await;
        let _ = stream.flush().await;
    }
}

/// What comes after the response to HEAD is not taken for the response to another request.
#[tokio::test]
async fn a_body_after_the_response_to_head() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let heads = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&heads);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve_with_late_bodies(stream, Arc::clone(&count)));
        }
    });
    let client = client();
    for number in 1..4 {
        let auth = Auth::new(&url, wrong()).unwrap();
        let why = refused(client.post(&url), &auth).await;
        assert!(matches!(why, LoginFailure::GiveUp(_)), "{why:?}");
        assert_eq!(heads.load(Ordering::Relaxed), 2 * number);
        let response = client.get(&url).send().await.unwrap();
        assert_eq!(response.status(), 401);
    }
}

/// A HEAD may be redirected to another origin, which says nothing about the password.
#[tokio::test]
async fn a_head_that_is_redirected_elsewhere() {
    let other = Server::echo().await;
    let elsewhere = other.url("/manual");
    let manual = get(async move || Redirect::temporary(&elsewhere)).post(refuse);
    let server = Server::start(Router::new().route("/", manual)).await;
    let (client, auth) = (client(), server.auth());
    auth.add_account(&other.url("/"), wrong()).unwrap();
    for _ in 0..3 {
        let why = refused(client.post(server.url("/")), &auth).await;
        assert_eq!(why, LoginFailure::MaybeDone);
    }
    let seen = other.take_seen();
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|seen| seen.authorization.is_none()));
}

/// A nonce may be good for one method alone, as those of libmicrohttpd 0.9.75, or at one of several
/// machines.
#[tokio::test]
async fn a_nonce_that_is_stale_for_the_request() {
    let app = Router::new().fallback(async |request: Request| -> Response {
        let nonce = format!("nonce=\"{}\"", request.method());
        let answer = request.headers().get("authorization");
        match answer.map(|answer| answer.to_str().unwrap().contains(&nonce)) {
            Some(true) => "done".into_response(),
            said => {
                let ask = ASK.replace("nonce=\"n\"", &nonce);
                let stale = said.map_or("", |_| ", stale=true");
                let ask = [("www-authenticate", ask + stale)];
                (StatusCode::UNAUTHORIZED, ask).into_response()
            }
        }
    });
    let server = Server::start(app).await;
    let (client, auth) = (client(), server.auth());
    for method in [Method::POST, Method::PUT, Method::GET, Method::POST] {
        let request = client.request(method, server.url("/")).body("a");
        assert_eq!(request.send_with(&auth).await.unwrap().status(), 200);
    }
}

/// Fields may tell a server to do something, or be for this request alone.
#[tokio::test]
async fn fields_of_the_request_are_not_those_of_the_head() {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&heads);
    let app = Router::new().fallback(async move |request: Request| {
        if request.method() == Method::HEAD {
            record.lock().unwrap().push(request.headers().clone());
        }
        refuse().await
    });
    let server = Server::start(app).await;
    let request = client().post(server.url("/")).body("a");
    let request = request
        .header("x-http-method-override", "DELETE")
        .header("x-api-key", "secret")
        .header("cookie", "a=b");
    refused(request, &server.auth()).await;
    let heads = std::mem::take(&mut *heads.lock().unwrap());
    let names: Vec<Vec<_>> = heads
        .iter()
        .map(|head| head.keys().map(|name| name.as_str()).collect())
        .collect();
    let [mut first, mut second] = names.try_into().unwrap();
    first.sort_unstable();
    assert_eq!(first, ["accept", "connection", "cookie", "host"]);
    second.retain(|name| *name != "authorization");
    second.sort_unstable();
    assert_eq!(first, second);
}

#[tokio::test]
async fn a_changed_password_is_told_from_an_expired_nonce() {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let auth = Arc::new(auth);
    let is_changed = Arc::new(AtomicBool::new(false));
    let changed = Arc::clone(&is_changed);
    let app = guarded_by(Router::new().fallback(async || "done"), &auth);
    let app = app.layer(from_fn(move |request, next: Next| {
        let is_changed = changed.load(Ordering::Relaxed);
        async move {
            match is_changed {
                true => (StatusCode::UNAUTHORIZED, [("www-authenticate", ASK)]).into_response(),
                false => next.run(request).await,
            }
        }
    }));
    let server = Server::start(app).await;
    let (client, login) = (client(), server.auth());
    let send = async || client.post(server.url("/")).send_with(&login).await;
    send().await.unwrap();
    is_changed.store(true, Ordering::Relaxed);
    match send().await {
        // It may have been an old nonce.
        Err(Error::Login(refused)) => assert_eq!(refused.why, LoginFailure::MaybeDone),
        outcome => panic!("{outcome:?}"),
    }
    for _ in 0..3 {
        let error = send().await.unwrap_err();
        assert!(matches!(error, Error::WrongCredentials(_)), "{error:?}");
    }
}

/// A form that leads back to its own URL says nothing of streams, nor of other paths.
#[tokio::test]
async fn streams_and_guests_after_a_doubt() {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let auth = Arc::new(auth);
    let form = get(async || "form").post(async || Redirect::to("/form"));
    let text = post(async |text: String| text);
    let app = Router::new().route("/form", form).route("/text", text);
    let app = guarded_by(app, &auth);
    let server = Server::start(app).await;
    let (client, login) = (client(), server.auth());
    for is_at_hand in [false, true] {
        let form = client.post(server.url("/form")).send_with(&login).await;
        assert!(matches!(form, Err(Error::Login(_))), "{form:?}");
        let stream = || {
            let body = futures_util::stream::iter([Ok::<_, Error>("Hakuna Matata")]);
            client
                .post(server.url("/text"))
                .body(Body::wrap_stream(body))
        };
        // Otherwise a HEAD has got a nonce meanwhile.
        if is_at_hand {
            assert_eq!(refused(stream(), &login).await, LoginFailure::NotRepeatable);
        }
        for _ in 0..3 {
            stream().send_with(&login).await.unwrap();
        }
        server.take_seen();
        let request = client.post(server.url("/text")).body("a");
        request.send_with(&login).await.unwrap();
        assert_eq!(server.take_statuses(), [200]);
    }
}

/// Somebody who mistypes the first time.
struct Person(Arc<AtomicU32>);

impl Credentials for Person {
    async fn credentials(&self, ask: &Ask) -> Option<Account> {
        let asked = self.0.fetch_add(1, Ordering::Relaxed);
        assert_eq!(ask.is_again(), asked > 0);
        Some(if asked > 0 { mufasa() } else { wrong() })
    }
}

/// The request that was refused is not sent again, even so.
#[tokio::test]
async fn a_person_is_asked_again_by_the_next_request() {
    let server = Server::echo().await;
    let prompts = Arc::new(AtomicU32::new(0));
    let cache = AuthCache::new(9, Policy::new(), &mut getrandom::SysRng).unwrap();
    let person = Person(Arc::clone(&prompts));
    let login = Auth::from(AuthClientLayer::with_credentials(cache, person));
    let client = client();
    let why = refused(client.post(server.url("/")), &login).await;
    assert!(matches!(why, LoginFailure::GiveUp(_)), "{why:?}");
    let step = |method: &str, status| (method.to_owned(), status);
    let steps = [("POST", 401), ("POST", 401), ("HEAD", 401), ("HEAD", 401)];
    assert_eq!(server.take_steps(), steps.map(|(it, code)| step(it, code)));
    let request = client.post(server.url("/"));
    request.send_with(&login).await.unwrap();
    assert_eq!(prompts.load(Ordering::Relaxed), 2);
}

/// PROPFIND changes nothing: it is sent as often as GET, and where a redirect leads to.
#[tokio::test]
async fn methods_that_change_nothing() {
    let propfind = Method::from_bytes(b"PROPFIND").unwrap();
    let app = Router::new().fallback(async |request: Request| match request.uri().path() {
        "/dav" => Redirect::permanent("/dav/").into_response(),
        _ => request.method().to_string().into_response(),
    });
    let server = Server::start(guarded(app, files())).await;
    let (client, auth) = (client(), server.auth());
    for statuses in [&[401, 308, 400, 200][..], &[308, 400, 200]] {
        let request = client.request(propfind.clone(), server.url("/dav"));
        let response = request.send_with(&auth).await.unwrap();
        assert_eq!(response.text().await.unwrap(), "PROPFIND");
        assert_eq!(server.take_statuses(), statuses);
    }
}
