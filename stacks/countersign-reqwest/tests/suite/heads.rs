//! Servers that treat HEAD as they should not, and what goes ahead.

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
use countersign::server::{Authenticator, NonceKey};
use countersign_reqwest::{
    Account, Auth, AuthClientLayer, Credentials, Error, LoginFailure, SendWith,
};
use reqwest::{Body, Method};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Server, client, files, guarded, guarded_by, mufasa};

const ASK: &str = r#"Digest realm="files", nonce="n", qop="auth", algorithm=SHA-256"#;

/// A body that waits for the challenge.
fn large() -> String {
    "a".repeat((1 << 20) + 1)
}

/// Answers each request on a connection, and sends a body after the head of HEAD.
async fn serve_with_late_bodies(stream: TcpStream, done: Arc<AtomicU32>) {
    let mut stream = BufStream::new(stream);
    let mut seen = Vec::new();
    while let Ok(byte) = stream.read_u8().await {
        seen.push(byte);
        if !seen.ends_with(b"\r\n\r\n") {
            continue;
        }
        let head = std::mem::take(&mut seen);
        let is_answered = head.windows(10).any(|it| it == b"username=\"");
        let body = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx-forged: 1\r\n\r\n";
        let fields = match is_answered {
            true => "HTTP/1.1 200 OK\r\n".to_owned(),
            false => format!("HTTP/1.1 401 No\r\nwww-authenticate: {ASK}\r\n"),
        };
        done.fetch_add(u32::from(is_answered), Ordering::Relaxed);
        let fields = format!("{fields}content-length: {}\r\n\r\n", body.len());
        stream.write_all(fields.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        // A client that has closed the connection wants no body.
        let _ = stream.write_all(body.as_bytes()).await;
        let _ = stream.flush().await;
    }
}

/// What comes after the response to HEAD is not taken for the response to the request.
#[tokio::test]
async fn a_body_after_the_response_to_head() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let done = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&done);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve_with_late_bodies(stream, Arc::clone(&count)));
        }
    });
    for number in 1..4 {
        let auth = Auth::new(&url, mufasa()).unwrap();
        let request = client().post(&url).body(large());
        let response = request.send_with(&auth).await.unwrap();
        assert!(!response.headers().contains_key("x-forged"));
        assert_eq!(done.load(Ordering::Relaxed), number);
    }
}

/// A HEAD may be answered for another origin, whose challenge is none of this one.
#[tokio::test]
async fn a_head_that_is_redirected_elsewhere() {
    let other = Server::echo().await;
    let elsewhere = other.url("/manual");
    let manual = get(async move || Redirect::temporary(&elsewhere));
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let guarded = guarded_by(Router::new().route("/", post("done")), &Arc::new(auth));
    let server = Server::start(manual_or(manual, guarded)).await;
    let (client, auth) = (client(), server.auth());
    for _ in 0..3 {
        let request = client.post(server.url("/")).body(large());
        let request = request.header("x-api-key", "secret");
        let response = request.send_with(&auth).await.unwrap();
        assert_eq!(response.text().await.unwrap(), "done");
    }
    let seen = other.take_seen();
    assert!(seen.iter().all(|seen| seen.authorization.is_none()));
}

fn manual_or(manual: axum::routing::MethodRouter, guarded: Router) -> Router {
    Router::new().route("/", manual.post_service(guarded))
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
    for (body, statuses) in [
        ("a".to_owned(), &[401, 200][..]),
        (large(), &[401, 401, 200]),
    ] {
        let request = client.post(server.url("/")).body(body);
        request.send_with(&server.auth()).await.unwrap();
        assert_eq!(server.take_statuses(), statuses);
    }
    for method in [Method::POST, Method::PUT, Method::GET, Method::POST] {
        let request = client.request(method, server.url("/")).body("a");
        assert_eq!(request.send_with(&auth).await.unwrap().status(), 200);
    }
}

/// Fields may tell a server to do something, or be for this request alone.
#[tokio::test]
async fn fields_of_the_request_do_not_go_ahead() {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let record = Arc::clone(&heads);
    let app = Router::new().fallback(async move |request: Request| -> Response {
        if request.method() == Method::HEAD {
            record.lock().unwrap().push(request.headers().clone());
        }
        match request.headers().get("authorization") {
            None => (StatusCode::UNAUTHORIZED, [("www-authenticate", ASK)]).into_response(),
            Some(_) => "done".into_response(),
        }
    });
    let server = Server::start(app).await;
    let request = client().post(server.url("/")).body(large());
    let request = request
        .header("x-http-method-override", "DELETE")
        .header("x-api-key", "secret")
        .header("cookie", "a=b");
    request.send_with(&server.auth()).await.unwrap();
    let heads = std::mem::take(&mut *heads.lock().unwrap());
    let names: Vec<Vec<_>> = heads
        .iter()
        .map(|head| head.keys().map(|name| name.as_str()).collect())
        .collect();
    let [names] = &names[..] else {
        panic!("{names:?}")
    };
    let mut names = names.clone();
    names.sort_unstable();
    assert_eq!(names, ["accept", "connection", "cookie", "host"]);
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
    for _ in 0..2 {
        let form = client.post(server.url("/form")).send_with(&login).await;
        assert!(matches!(form, Err(Error::Login(_))), "{form:?}");
        for _ in 0..3 {
            let body = futures_util::stream::iter([Ok::<_, Error>("Hakuna Matata")]);
            let request = client.post(server.url("/text"));
            let request = request.body(Body::wrap_stream(body));
            request.send_with(&login).await.unwrap();
        }
        server.take_seen();
        let request = client.post(server.url("/text")).body("a");
        request.send_with(&login).await.unwrap();
        assert_eq!(server.take_statuses(), [200]);
    }
}

/// Somebody who answers each prompt.
struct Person(Arc<AtomicU32>);

impl Credentials for Person {
    async fn credentials(&self, _: &Ask) -> Option<Account> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(mufasa())
    }
}

/// A person is asked before the stream, and not again where a nonce has expired.
#[tokio::test]
async fn streams_of_a_person() {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let auth = Arc::new(auth);
    let server = guarded_by(
        Router::new().route("/", post(async |text: String| text)),
        &auth,
    );
    let server = Server::start(server).await;
    let prompts = Arc::new(AtomicU32::new(0));
    let cache = AuthCache::new(9, Policy::new(), &mut getrandom::SysRng).unwrap();
    let person = Person(Arc::clone(&prompts));
    let login = Auth::from(AuthClientLayer::with_credentials(cache, person));
    let client = client();
    let send = async || {
        let body = futures_util::stream::iter([Ok::<_, Error>("Hakuna Matata")]);
        let request = client.post(server.url("/")).body(Body::wrap_stream(body));
        request.send_with(&login).await
    };
    send().await.unwrap();
    for _ in 0..2 {
        auth.rotate(NonceKey::random(&mut getrandom::SysRng).unwrap());
    }
    send().await.unwrap();
    login.logout(&server.url("/")).unwrap();
    send().await.unwrap();
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
