//! Logins: which, how often, and what is told.

use std::collections::HashMap;
use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::extract::{Json, Query, Request};
use axum::http::HeaderMap;
use axum::routing::{any, get, post};
use axum::{Form, Router};
use countersign::client::{Ask, AuthCache, Policy, ServerProof};
use countersign::wire::basic_credentials;
use countersign_reqwest::{
    Account, AuthClientLayer, Client, Credentials, Error, LoginFailure, RequestBuilder, SetupError,
};
use serde_json::{Value, json};

use crate::support::{
    Server, USER, basic, client_by, client_for, echo, files, guarded, http, mufasa, realm,
};

#[tokio::test]
async fn the_builder_stays() {
    let app = Router::new()
        .route(
            "/json",
            post(async |Json(value): Json<Value>| value.to_string()),
        )
        .route(
            "/form",
            post(async |Form(form): Form<HashMap<String, String>>| form["a"].clone()),
        )
        .route(
            "/query",
            get(async |Query(query): Query<HashMap<String, String>>| query["it's"].clone()),
        )
        .route(
            "/header",
            get(async |headers: HeaderMap| headers["x-a"].to_str().unwrap().to_owned()),
        );
    let server = Server::of(files(), app).await;
    let client = server.client();
    let send = async |request: RequestBuilder| {
        let response = request.send().await.unwrap();
        assert_eq!(response.extensions().get(), Some(&ServerProof::Valid));
        response.text().await.unwrap()
    };
    let json = json!({ "a": "b" });
    let request = client.post(server.url("/json")).json(&json);
    assert_eq!(send(request).await, json.to_string());
    let request = client.post(server.url("/form")).form(&[("a", "b c")]);
    assert_eq!(send(request).await, "b c");
    let request = client.get(server.url("/query")).query(&[("it's", "{1}")]);
    assert_eq!(send(request).await, "{1}");
    let request = client.get(server.url("/header")).header("x-a", "b");
    assert_eq!(send(request).await, "b");
    assert_eq!(server.take_statuses(), [401, 200, 200, 200, 200]);
}

#[tokio::test]
async fn a_wrong_password_is_an_error_of_its_own() {
    let server = Server::echo().await;
    let wrong = Account::new(USER.0, "Circle of Lies");
    let client = client_for(&server.url(""), wrong);
    let error = client.get(server.url("/")).send().await.unwrap_err();
    let shown = error.to_string();
    let address = server.address;
    assert_eq!(
        shown,
        format!("wrong user name or password for http://{address}, realm \"files\"")
    );
    assert!(error.source().is_none());
    let Error::WrongCredentials(refused) = error else {
        panic!("{error:?}")
    };
    assert_eq!(refused.response.status(), 401);
    assert_eq!(server.take_statuses(), [401, 401]);

    // Told is whether this request carried it, which is ever rarer.
    let mut sent = [false; 8];
    for is_sent in &mut sent {
        server.take_seen();
        let error = client.get(server.url("/")).send().await.unwrap_err();
        let seen = server.take_seen();
        *is_sent = seen.iter().any(|seen| seen.authorization.is_some());
        let not_sent = format!("not sent again after an earlier refusal: {shown}");
        let expected = if *is_sent { &shown } else { &not_sent };
        assert_eq!(error.to_string(), *expected);
    }
    assert!(sent.contains(&true) && sent.contains(&false), "{sent:?}");

    // It may have become right.
    let lies = Account::new(USER.0, "Circle of Lies");
    for _ in 0..3 {
        client.logout(&server.url("")).unwrap();
        client.add_account(&server.url(""), lies.clone()).unwrap();
        let error = client.get(server.url("/")).send().await.unwrap_err();
        assert_eq!(error.to_string(), shown);
    }

    // Nobody listens.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", nobody.local_addr().unwrap());
    drop(nobody);
    let client = client_for(&url, mufasa());
    let error = client.get(&url).send().await.unwrap_err();
    let Error::Send(error) = error else {
        panic!("{error:?}")
    };
    assert!(error.is_connect());
}

#[tokio::test]
async fn each_account_goes_to_its_own_origin_and_realm() {
    let first = Server::echo().await;
    let second = Server::of(basic("files"), echo()).await;
    let third = Server::of(realm("other"), echo()).await;
    let stranger = Server::of(basic("files"), echo()).await;
    let policy = Policy::new().with_cleartext_basic();
    let cache = AuthCache::new(2, policy, &mut getrandom::SysRng).unwrap();
    let client = client_by(AuthClientLayer::new(cache));
    client
        .add_account(&first.url("/any/path"), mufasa())
        .unwrap();
    client
        .add_account(&second.url(""), mufasa().with_basic())
        .unwrap();
    // For another realm than it has.
    client
        .add_account(&third.url(""), mufasa().for_realm("files"))
        .unwrap();
    let get = async |server: &Server| client.get(server.url("/x")).send().await;
    for _ in 0..2 {
        assert_eq!(get(&first).await.unwrap().status(), 200);
        assert_eq!(get(&second).await.unwrap().status(), 200);
        let error = get(&third).await.unwrap_err();
        assert!(matches!(&error, Error::Login(_)), "{error:?}");
        let error = get(&stranger).await.unwrap_err();
        let Error::Login(refused) = &error else {
            panic!("{error:?}")
        };
        assert!(matches!(refused.why, LoginFailure::Declined(_)));
        let expected = format!("no account for {}, realm", stranger.url(""));
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
    for server in [third, stranger] {
        let seen = server.take_seen();
        assert!(
            seen.iter().all(|seen| seen.authorization.is_none()),
            "{seen:?}"
        );
    }
    // Nor is an account for Digest sent by Basic.
    let client = client_for(&second.url(""), mufasa());
    second.take_seen();
    client.get(second.url("/x")).send().await.unwrap_err();
    assert!(
        second
            .take_seen()
            .iter()
            .all(|seen| seen.authorization.is_none())
    );
}

const TASKS: usize = 40;

/// Sends as many requests as there are tasks, and returns how many got in.
async fn crowd<C: Credentials>(server: &Server, client: &Client<C>) -> usize {
    let tasks: Vec<_> = (0..TASKS)
        .map(|n| {
            let request = client.get(server.url(&format!("/?{n}")));
            tokio::spawn(request.send())
        })
        .collect();
    let mut count = 0;
    for task in tasks {
        count += usize::from(task.await.unwrap().is_ok());
    }
    count
}

/// A user who types.
struct Typist {
    password: &'static str,
    asked: AtomicUsize,
}

impl Credentials for Typist {
    async fn credentials(&self, ask: &Ask) -> Option<Account> {
        tokio::task::yield_now().await;
        self.asked.fetch_add(1, Ordering::Relaxed);
        (!ask.is_again()).then(|| Account::new(USER.0, self.password))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_account_or_one_prompt_for_all_tasks() {
    let server = Server::echo().await;
    let client = server.client();
    for most in [2 * TASKS, TASKS] {
        assert_eq!(crowd(&server, &client).await, TASKS);
        assert!(server.take_seen().len() <= most);
    }
    for (password, right, asked) in [(USER.1, TASKS, 1), ("Circle of Lies", 0, 2)] {
        let cache = AuthCache::new(10, Policy::new(), &mut getrandom::SysRng).unwrap();
        let asked_so_far = AtomicUsize::new(0);
        let user = Arc::new(Typist {
            password,
            asked: asked_so_far,
        });
        let client = client_by(AuthClientLayer::with_credentials(cache, Arc::clone(&user)));
        assert_eq!(crowd(&server, &client).await, right);
        assert_eq!(user.asked.load(Ordering::Relaxed), asked);
    }
}

#[tokio::test]
async fn logged_out_and_in_again() {
    let server = Server::echo().await;
    let client = server.client();
    let get = async || client.get(server.url("/")).send().await;
    get().await.unwrap();
    client.logout(&server.url("/")).unwrap();
    assert!(matches!(get().await, Err(Error::Login(_))));
    client.add_account(&server.url("/"), mufasa()).unwrap();
    get().await.unwrap();
}

#[tokio::test]
async fn basic_for_a_server_that_never_challenges() {
    let app = Router::new().fallback(any(async |request: Request| {
        let basic = basic_credentials(USER.0, USER.1).unwrap();
        match request.headers().get("authorization") {
            Some(value) if value.as_bytes() == basic.as_bytes() => "yours",
            _ => "guest",
        }
    }));
    let server = Server::start(app).await;
    let policy = Policy::new().with_cleartext_basic();
    let cache = AuthCache::new(10, policy, &mut getrandom::SysRng).unwrap();
    let client = client_by(AuthClientLayer::new(cache));
    client
        .add_account(&server.url(""), mufasa().with_preemptive_basic())
        .unwrap();
    let response = client.get(server.url("/")).send().await.unwrap();
    assert_eq!(response.text().await.unwrap(), "yours");
    // In clear, that has to be allowed.
    let client = Client::new(&server.url(""), mufasa().with_preemptive_basic());
    assert!(matches!(client, Err(SetupError::Account(_))));
}

#[test]
fn urls_without_an_origin() {
    for url in ["", "example.com", "/x", "mailto:a@b", "foo://example.com/"] {
        let client = Client::new(url, mufasa());
        assert!(matches!(client, Err(SetupError::Url)), "{url}");
    }
}

/// The password would go nowhere, while the program seems to have passed it.
#[test]
fn a_user_in_the_url_of_an_account() {
    for user in ["Zazu:Hornbill", "Zazu", ":Hornbill"] {
        let client = Client::new(&format!("http://{user}@localhost"), mufasa());
        let error = client.map(|_| ()).unwrap_err().to_string();
        assert!(
            error.starts_with("a user name or password in the URL"),
            "{error}"
        );
    }
}

/// The store of reqwest keeps what comes with a challenge.
#[tokio::test]
async fn a_cookie_of_the_challenge_goes_with_the_answer() {
    let app = guarded(echo(), files()).layer(axum::middleware::from_fn(
        async |request: Request, next: axum::middleware::Next| {
            let mut response = next.run(request).await;
            if response.status() == 401 {
                let node = "node=3".parse().unwrap();
                response.headers_mut().insert("set-cookie", node);
            }
            response
        },
    ));
    let server = Server::start(app).await;
    let client = Client::builder(http().cookie_store(true));
    let client = client.build().unwrap();
    client.add_account(&server.url("/"), mufasa()).unwrap();
    client.get(server.url("/")).send().await.unwrap();
    let seen = server.take_seen();
    let cookies: Vec<_> = seen.iter().map(|seen| seen.cookie.as_deref()).collect();
    assert_eq!(cookies, [None, Some("node=3")]);
}

/// For `?` in functions with such errors, and for tasks.
#[test]
fn errors_are_for_all_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Error>();
    check::<SetupError>();
    check::<Client>();
}

/// Its text has what the server asks for.
#[tokio::test]
async fn an_account_for_another_realm() {
    let server = Server::echo().await;
    let client = client_for(&server.url("/"), mufasa().for_realm("file"));
    let error = client.get(server.url("/")).send().await;
    let text = error.unwrap_err().to_string();
    assert!(text.contains("the account is for another realm"), "{text}");
    assert!(text.contains("Digest realm=\"files\""), "{text}");
}
