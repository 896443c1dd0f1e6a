//! Redirects that reqwest follows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Redirect};
use axum::routing::{any, get, post};
use countersign::client::ServerProof;
use countersign::server::Authenticator;
use countersign_reqwest::{Error, LoginFailure, SendWith};
use reqwest::redirect;

use crate::support::{Server, basic, client, echo, files, guarded, guarded_by, mufasa, realm};

/// Redirects within the origin, and to another.
async fn redirecting(other: &Server) -> Server {
    let away = other.url("/landing?x='y'");
    let app = echo()
        .route("/near", any(async || Redirect::temporary("/landing?x='y'")))
        .route("/form", post(async || Redirect::to("/landing")))
        .route("/away", get(async move || Redirect::temporary(&away)))
        .route("/gone", get(async || StatusCode::BAD_REQUEST))
        .route("/to-gone", get(async || Redirect::temporary("/gone")));
    Server::of(files(), app).await
}

#[tokio::test]
async fn within_the_origin() {
    let other = Server::echo().await;
    let server = redirecting(&other).await;
    let (client, auth) = (client(), server.auth());
    for statuses in [&[401, 307, 400, 200][..], &[307, 400, 200]] {
        let response = client
            .get(server.url("/near"))
            .send_with(&auth)
            .await
            .unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.extensions().get(), Some(&ServerProof::Valid));
        assert_eq!(response.text().await.unwrap(), "/landing?x=%27y%27");
        let seen = server.take_seen();
        let got: Vec<_> = seen.iter().map(|seen| seen.status).collect();
        assert_eq!(got, statuses);
        // The redirect had the quotes as they are, but reqwest tells the URL so.
        let last = seen.last().unwrap().authorization.as_ref().unwrap();
        assert!(last.contains(r#"uri="/landing?x=%27y%27""#), "{last}");
    }
    // An error of the application comes through.
    let response = client
        .get(server.url("/to-gone"))
        .send_with(&auth)
        .await
        .unwrap();
    assert_eq!(response.status(), 400);
}

/// Somebody else's server must not choose where this program logs in.
#[tokio::test]
async fn to_another_origin() {
    for realm in [files(), basic("files"), realm("other")] {
        let other = Server::of(realm, echo()).await;
        let server = redirecting(&other).await;
        let (client, auth) = (client(), server.auth());
        auth.add_account(&other.url("/"), mufasa()).unwrap();
        for _ in 0..2 {
            let request = client.get(server.url("/away")).header("cookie", "a=b");
            let error = request.send_with(&auth).await.unwrap_err();
            // No password was refused.
            let Error::Login(refused) = error else {
                panic!("{error:?}")
            };
            assert_eq!(refused.why, LoginFailure::Redirected);
            assert_eq!(refused.response.url().port(), Some(other.address.port()));
        }
        let seen = other.take_seen();
        assert_eq!(seen.len(), 2);
        for seen in seen {
            assert_eq!((seen.authorization, seen.cookie), (None, None));
        }
        // The login at home is as it was.
        server.take_seen();
        client.get(server.url("/x")).send_with(&auth).await.unwrap();
        assert_eq!(server.take_statuses(), [200]);
    }
}

/// Redirects to where the request came from, for ever.
#[tokio::test]
async fn round_in_circles() {
    let app = Router::new()
        .route("/a", get(async || Redirect::temporary("/b")))
        .route("/b", get(async || Redirect::temporary("/a")));
    let server = Server::of(files(), app).await;
    let auth = server.auth();
    let result = client().get(server.url("/a")).send_with(&auth).await;
    // Each redirected request is refused for its old answer, and sent anew for where it led to.
    let Err(Error::Login(refused)) = result else {
        panic!("{result:?}")
    };
    assert_eq!(refused.why, LoginFailure::Redirected);
    assert!(server.take_seen().len() < 100);
}

/// Whether it has become a GET is not known.
#[tokio::test]
async fn other_methods_are_not_sent_again() {
    let other = Server::echo().await;
    let server = redirecting(&other).await;
    let auth = server.auth();
    for path in ["/form", "/near"] {
        let error = client()
            .post(server.url(path))
            .send_with(&auth)
            .await
            .unwrap_err();
        let Error::Login(refused) = error else {
            panic!("{error:?}")
        };
        assert_eq!(refused.why, LoginFailure::Redirected);
        assert_eq!(refused.response.url().path(), "/landing");
    }
    // As documented.
    let client = reqwest::Client::builder()
        .no_proxy()
        .redirect(redirect::Policy::none());
    let client = client.build().unwrap();
    let response = client
        .post(server.url("/form"))
        .send_with(&auth)
        .await
        .unwrap();
    assert_eq!(response.status(), 303);
    let response = client
        .get(server.url("/landing"))
        .send_with(&auth)
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
}

/// Where nothing asks for a login, redirects are as without.
#[tokio::test]
async fn without_a_login() {
    let open = Server::start(echo().route("/form", post(async || Redirect::to("/landing")))).await;
    let server = redirecting(&open).await;
    let (client, auth) = (client(), server.auth());
    let response = client
        .post(open.url("/form"))
        .send_with(&auth)
        .await
        .unwrap();
    assert_eq!(response.text().await.unwrap(), "/landing");
    let response = client
        .get(server.url("/away"))
        .send_with(&auth)
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    for seen in open.take_seen() {
        assert_eq!(seen.authorization, None);
    }
}

/// A form that leads back to its own URL: reqwest gets the list with the answer for the order, and
/// does not tell that it has.
#[tokio::test]
async fn nothing_is_done_twice() {
    for code in [StatusCode::SEE_OTHER, StatusCode::FOUND] {
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let order = async move || {
            count.fetch_add(1, Ordering::Relaxed);
            (code, [("location", "/orders")])
        };
        let app = Router::new().route("/orders", get(async || "list").post(order));
        let server = Server::of(files(), app).await;
        let (client, url) = (client(), server.url("/orders"));
        let auth = server.auth();
        for orders in 1..9 {
            let error = client.post(&url).send_with(&auth).await.unwrap_err();
            let Error::Login(refused) = error else {
                panic!("{error:?}")
            };
            assert_eq!(refused.why, LoginFailure::MaybeDone);
            assert_eq!(made.load(Ordering::Relaxed), orders);
            if orders % 3 == 0 {
                let list = client.get(&url).send_with(&auth).await.unwrap();
                assert_eq!(list.text().await.unwrap(), "list");
            }
        }
    }
}

/// As documented.
#[tokio::test]
async fn nothing_is_done_twice_without_redirects() {
    let made = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&made);
    let order = async move || {
        count.fetch_add(1, Ordering::Relaxed);
        Redirect::to("/orders")
    };
    let app = Router::new().route("/orders", get(async || "list").post(order));
    let server = Server::of(files(), app).await;
    let client = reqwest::Client::builder().no_proxy();
    let client = client.redirect(redirect::Policy::none()).build().unwrap();
    let auth = server.auth().without_redirects();
    for orders in 1..4 {
        let request = client.post(server.url("/orders"));
        assert_eq!(request.send_with(&auth).await.unwrap().status(), 303);
        assert_eq!(made.load(Ordering::Relaxed), orders);
    }
}

/// What the server calls stale was not redirected, and not done.
#[tokio::test]
async fn a_stale_answer_is_sent_again() {
    let auth = Authenticator::new(files(), 100, &mut getrandom::SysRng).unwrap();
    let auth = Arc::new(auth);
    let server = Server::start(guarded_by(echo(), &auth)).await;
    let (client, login) = (client(), server.auth());
    for statuses in [[401, 200], [401, 200]] {
        let request = client.post(server.url("/x")).body("Hakuna Matata");
        request.send_with(&login).await.unwrap();
        assert_eq!(server.take_statuses(), statuses);
        for _ in 0..2 {
            auth.rotate(&mut getrandom::SysRng).unwrap();
        }
    }
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
