//! By reqwest's blocking client.

use countersign_blocking::countersign::client::ServerProof;
use countersign_blocking::{Account, Auth, Error, LoginFailure, SetupError};
use http::{Request, StatusCode};
use reqwest::blocking::{Client, Response};
use reqwest::{Url, redirect};

use crate::support::{Server, USER, echo, guard, mufasa, status, to};

fn client() -> Client {
    let client = Client::builder().no_proxy();
    client.redirect(redirect::Policy::none()).build().unwrap()
}

fn send(auth: &Auth, method: &str, url: &str) -> Result<Response, Error<reqwest::Error, Response>> {
    let (client, url) = (client(), Url::parse(url).unwrap());
    auth.send_by(
        Request::builder()
            .method(method)
            .uri(url.as_str())
            .body(b"Hakuna".to_vec())
            .unwrap(),
        |request| client.execute(request.map(<[u8]>::to_vec).try_into()?),
        |response: &Response| (response.status(), response.headers()),
    )
}

#[test]
fn odd_targets_get_in() {
    let server = Server::guarded(echo);
    let auth = Auth::new(&server.url(""), mufasa()).unwrap();
    for target in [
        "",
        "?",
        "/it's",
        "/x?q='y'",
        "/{id}",
        "/a|b",
        "/日本?語=語",
        "/a/../b",
        "/a b#c",
    ] {
        for _ in 0..2 {
            let response = send(&auth, "POST", &server.url(target)).unwrap();
            assert_eq!(response.status(), 200, "{target:?}");
        }
        // Also where a redirect leads.
        let location = target.to_owned();
        let inner = guard("files");
        let start = Server::start(move |asked| match asked.uri().path() {
            "/start" => to(302, &format!("/deep{location}")),
            _ => inner(asked).unwrap_or_else(|| echo(asked)),
        });
        let auth = Auth::new(&start.url(""), mufasa()).unwrap();
        let response = send(&auth, "GET", &start.url("/start")).unwrap();
        assert_eq!(response.status(), 200, "{target:?}");
    }
}

#[test]
fn a_limit_of_redirects() {
    let server = Server::guarded(|_| to(302, "/round"));
    let auth = Auth::new(&server.url(""), mufasa()).unwrap();
    let error = send(&auth, "GET", &server.url("/")).unwrap_err();
    assert!(matches!(error, Error::TooManyRedirects(_)), "{error:?}");
    assert_eq!(server.take_statuses().len(), 12);
    let response = send(&auth.with_redirects(0), "GET", &server.url("/")).unwrap();
    assert_eq!(response.status(), 302);
}

#[test]
fn a_login_ahead_and_a_wrong_password() {
    let server = Server::guarded(echo);
    let uri = server.url("/x").parse().unwrap();
    let log_in = |auth: &Auth| {
        let client = client();
        auth.log_in_by(
            &uri,
            |request| client.execute(request.map(<[u8]>::to_vec).try_into()?),
            |response: &Response| (response.status(), response.headers()),
        )
    };
    assert!(log_in(&Auth::new(&server.url(""), mufasa()).unwrap()).unwrap());
    let busy = Server::guarded(|_| status(503));
    let auth = Auth::new(&busy.url(""), mufasa()).unwrap();
    let response = send(&auth, "GET", &busy.url("/")).unwrap();
    assert_eq!(response.status(), 503);
    let wrong = Auth::new(&server.url(""), Account::new(USER.0, "Circle of Lies")).unwrap();
    let error = log_in(&wrong).unwrap_err();
    let Error::WrongCredentials(refused) = error else {
        panic!("{error:?}")
    };
    assert_eq!(refused.response.status(), 401);
    wrong.logout(&server.url("")).unwrap();
    let error = log_in(&wrong).unwrap_err();
    assert!(
        matches!(&error, Error::Login(it) if matches!(it.why, LoginFailure::Declined(_))),
        "{error:?}"
    );
    for url in ["", "example.com", "/x", "mailto:a@b"] {
        let auth = Auth::new(url, mufasa());
        assert!(matches!(auth, Err(SetupError::Url)), "{url}");
    }
    for user in ["Zazu:Hornbill", "Zazu", ":Hornbill"] {
        let auth = Auth::new(&format!("http://{user}@localhost"), mufasa());
        let error = auth.map(|_| ()).unwrap_err().to_string();
        assert!(
            error.starts_with("a user name or password in the URL"),
            "{error}"
        );
    }
}

/// Whatever a library has as its response.
#[test]
fn a_library_without_types_of_http() {
    let auth = Auth::new("http://a.example", mufasa()).unwrap();
    let guard = guard("files");
    let (_, headers) = auth
        .send_by(
            Request::get("http://a.example/x").body(vec![]).unwrap(),
            |request| {
                let response = guard(&request.map(<[u8]>::to_vec));
                let response = response.unwrap_or_default();
                Ok::<_, ServerProof>((response.status(), response.headers().clone()))
            },
            |(status, headers): &(StatusCode, _)| (*status, headers),
        )
        .unwrap();
    assert!(headers.is_empty());
}
