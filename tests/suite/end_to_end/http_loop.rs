//! The loop of the client against a server, both with the types of the crate `http`.

use std::sync::{Arc, Mutex};

use countersign::client::{Account, Client, Endpoint, Error, GiveUp, Policy, run, run_blocking};
use countersign::digest::{Ha1, HashFunction, User};
use countersign::server::{Arrival, Authenticator, Realm, Refusal};
use countersign::{Channel, Target};
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderValue, Request, Response, StatusCode};

use super::realm;
use crate::support::client::{PASSWORD, USER};

struct Server {
    auth: Authenticator,
    ha1: Ha1,
    /// The status of each response.
    seen: Vec<u16>,
}

impl Server {
    fn of(realm: Realm) -> Self {
        let ha1 = realm.ha1(HashFunction::Sha256, USER, PASSWORD);
        Self {
            auth: Authenticator::from_fresh_seed(realm, 100, [1; 32]),
            ha1,
            seen: Vec::new(),
        }
    }

    fn answer<A>(&mut self, request: &Request<A>) -> Response<String> {
        let fields = request.headers().get_all(AUTHORIZATION).iter();
        let find = |user: &User<'_>, _| (user.name() == Some(USER)).then_some(&self.ha1);
        let arrival = Arrival::now(Channel::Encrypted);
        let response = match self
            .auth
            .check(fields, &Target::from(request), arrival, find)
        {
            Ok(grant) => grant.with_info(Response::new(request.uri().to_string())),
            Err(refusal) => refusal.into(),
        };
        self.seen.push(response.status().as_u16());
        response
    }
}

fn client(password: &str) -> Mutex<Client> {
    let uri = http::Uri::from_static("https://example.com/");
    let endpoint = Endpoint::try_from(&uri).unwrap();
    // The proof is in the field that `with_info` adds.
    let client = Client::from_seed(endpoint, Policy::new().require_server_proof(), [7; 32]);
    Mutex::new(client.with_account(Account::new(USER, password)).unwrap())
}

fn get(uri: &str) -> Request<()> {
    Request::get(format!("https://example.com{uri}"))
        .body(())
        .unwrap()
}

#[test]
fn one_challenge_for_many_requests() {
    let (mut server, client) = (Server::of(realm()), client(PASSWORD));
    for uri in ["/a", "/a?b=c", "/d/e"] {
        let response = run_blocking(&client, get(uri), |request| {
            Ok::<_, Error>(server.answer(&request))
        });
        let response = response.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert!(response.headers().contains_key("authentication-info"));
        assert!(response.body().ends_with(uri));
    }
    assert_eq!(server.seen, [401, 200, 200, 200]);
}

/// The client sees the path alone, and would answer for any server.
#[test]
fn another_origin_gets_nothing() {
    for uri in [
        "http://example.com/",
        "https://example.com:444/",
        "https://example.org/",
        "https://user:password@example.com/",
    ] {
        let request = Request::get(uri).body(()).unwrap();
        let failed = run_blocking(
            &client(PASSWORD),
            request,
            |_| -> Result<Response<()>, Error> { panic!("{uri} was sent") },
        );
        assert!(failed.is_err(), "{uri}");
    }
    // Its sockets, the form of the request line, and a query without a path.
    for uri in ["wss://example.com/", "/", "https://example.com?x=1"] {
        let (mut server, client) = (Server::of(realm()), client(PASSWORD));
        let request = Request::get(uri).body(()).unwrap();
        let response = run_blocking(&client, request, |request| {
            // As a library sends it.
            let path = request.uri().path_and_query().unwrap().to_string();
            let (mut head, ()) = request.into_parts();
            head.uri = path.parse().unwrap();
            Ok::<_, Error>(server.answer(&Request::from_parts(head, ())))
        });
        assert_eq!(response.unwrap().status(), StatusCode::OK, "{uri}");
    }
}

/// What is in the request already is not the client's answer, and does not stay.
#[test]
fn a_field_of_the_program_is_replaced() {
    let (mut server, client) = (Server::of(realm()), client(PASSWORD));
    let mut request = get("/");
    let own = HeaderValue::from_static("Bearer secret");
    request.headers_mut().insert(AUTHORIZATION, own);
    let response = run_blocking(&client, request, |request| {
        Ok::<_, Error>(server.answer(&request))
    });
    assert_eq!(response.unwrap().status(), StatusCode::OK);
}

#[test]
fn a_wrong_password_is_an_error_after_one_answer() {
    let (mut server, client) = (Server::of(realm()), client("wrong"));
    let failed = run_blocking(&client, get("/"), |request| {
        Ok::<_, Error>(server.answer(&request))
    });
    let Err(Error::GaveUp(why)) = failed else {
        panic!("{failed:?}")
    };
    assert!(matches!(*why, GiveUp::WrongCredentials(_)));
    assert_eq!(server.seen, [401, 401]);
}

#[test]
fn a_client_without_an_account_returns_the_401() {
    let mut server = Server::of(realm());
    let endpoint = Endpoint::origin("https", "example.com", None).unwrap();
    let client = Mutex::new(Client::from_seed(endpoint, Policy::new(), [7; 32]));
    let response = run_blocking(&client, get("/"), |request| {
        Ok::<_, Error>(server.answer(&request))
    });
    let response = response.unwrap();
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert!(response.headers().contains_key(WWW_AUTHENTICATE));
}

#[test]
fn errors_of_the_library_come_through() {
    #[derive(Debug)]
    enum Failure {
        Network,
        Login,
    }
    impl From<Error> for Failure {
        fn from(_: Error) -> Self {
            Self::Login
        }
    }
    let failed = run_blocking(&client(PASSWORD), get("/"), |_| {
        Err::<Response<()>, _>(Failure::Network)
    });
    assert!(matches!(failed, Err(Failure::Network)));
    // No proof, although one is required.
    let failed = run_blocking(&client(PASSWORD), get("/"), |_| {
        Ok::<_, Failure>(Response::new(()))
    });
    assert!(matches!(failed, Err(Failure::Login)));
}

async fn status(client: &Mutex<Client>, server: &Mutex<Server>, uri: &str) -> StatusCode {
    let send = async |request| {
        tokio::task::yield_now().await;
        Ok::<_, Error>(server.lock().unwrap().answer(&request))
    };
    run(client, get(uri), send).await.unwrap().status()
}

/// Many tasks share a client, with a library that waits in each `send`; the futures can be spawned.
#[tokio::test]
async fn many_tasks_share_a_client() {
    let shared = Arc::new((client(PASSWORD), Mutex::new(Server::of(realm()))));
    let tasks: Vec<_> = (0..20)
        .map(|number| {
            let shared = shared.clone();
            let uri = format!("/{number}");
            tokio::spawn(async move { status(&shared.0, &shared.1, &uri).await })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), StatusCode::OK);
    }
}

/// With the challenges of the refusal, readable in a log, and the reason as its text.
#[test]
fn a_refusal_is_a_response_and_an_error() {
    for realm in [
        realm().with_basic(),
        realm().for_proxy(),
        realm().with_algorithms(&[]),
    ] {
        let server = Server::of(realm);
        let refusal = server.auth.challenge(Arrival::now(Channel::Encrypted));
        let text = refusal.to_string();
        assert_eq!(text, refusal.reason.to_string());
        let boxed: Box<dyn std::error::Error> = refusal.clone().into();
        assert_eq!(boxed.to_string(), text);

        let response = Response::<()>::from(refusal.clone());
        assert_eq!(response.status().as_u16(), refusal.status);
        let sent: Vec<_> = response.headers().get_all(refusal.field).iter().collect();
        assert_eq!(sent.len(), response.headers().len());
        assert_eq!(sent.len(), refusal.challenges.len());
        for (sent, challenge) in sent.into_iter().zip(&refusal.challenges) {
            assert_eq!(sent.as_bytes(), challenge.as_bytes());
            assert!(!sent.is_sensitive());
        }
    }
    let mut odd: Refusal = Server::of(realm())
        .auth
        .challenge(Arrival::now(Channel::Cleartext));
    odd.status = 0;
    assert_eq!(
        Response::<()>::from(odd).status(),
        StatusCode::INTERNAL_SERVER_ERROR
    );
}
