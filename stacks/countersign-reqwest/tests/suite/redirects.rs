//! Redirects that reqwest follows.

use axum::Router;
use axum::http::StatusCode;
use axum::response::Redirect;
use axum::routing::{any, get, post};
use countersign::client::{Ask, AuthCache, GiveUp, Policy, ServerProof};
use countersign_reqwest::{
    Account, Auth, AuthClientLayer, Credentials, Error, LoginFailure, SendWith,
};
use reqwest::redirect;

use crate::support::{Server, basic, client, echo, files, mufasa, realm};

/// Redirects within the origin, and to another.
async fn redirecting(other: &Server) -> Server {
    let away = other.url("/landing?x='y'");
    let target = away.clone();
    let app = echo()
        .route("/near", any(async || Redirect::temporary("/landing?x='y'")))
        .route("/form", post(async || Redirect::to("/landing")))
        .route("/away", get(async move || Redirect::temporary(&away)))
        .route(
            "/there-and-back",
            get(async move || Redirect::temporary(&format!("{target}/back"))),
        )
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

#[tokio::test]
async fn to_an_origin_without_an_account() {
    for realm in [files(), basic("files"), realm("other")] {
        let other = Server::of(realm, echo()).await;
        let server = redirecting(&other).await;
        let (client, auth) = (client(), server.auth());
        for _ in 0..2 {
            let request = client.get(server.url("/away")).header("cookie", "a=b");
            let error = request.send_with(&auth).await.unwrap_err();
            // It is the other origin that has no login, and no password was refused.
            let Error::Login(refused) = error else {
                panic!("{error:?}")
            };
            match &refused.why {
                LoginFailure::Declined(ask) => {
                    assert_eq!(ask.endpoint().port(), other.address.port());
                }
                // Basic, in clear.
                LoginFailure::GiveUp(GiveUp::NoUsableChallenge(_)) => {}
                why => panic!("{why:?}"),
            }
            assert_eq!(refused.response.url().port(), Some(other.address.port()));
        }
        let seen = other.take_seen();
        assert!(!seen.is_empty());
        for seen in seen {
            assert_eq!((seen.authorization, seen.cookie), (None, None));
        }
        // The login at home is as it was.
        server.take_seen();
        client.get(server.url("/x")).send_with(&auth).await.unwrap();
        assert_eq!(server.take_statuses(), [200]);
    }
}

#[tokio::test]
async fn to_an_origin_with_an_account() {
    let other = Server::echo().await;
    let server = redirecting(&other).await;
    let auth = server.auth();
    auth.add_account(&other.url("/"), mufasa()).unwrap();
    let response = client()
        .get(server.url("/away"))
        .send_with(&auth)
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    let seen = other.take_seen();
    let answered: Vec<_> = seen
        .iter()
        .map(|seen| seen.authorization.is_some())
        .collect();
    assert_eq!(answered, [false, false, true]);
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

/// A user who would give the password to anybody is asked by the name of the one who asks.
#[tokio::test]
async fn the_endpoint_that_asks_is_told() {
    struct Never;
    impl Credentials for Never {
        async fn credentials(&self, ask: &Ask) -> Option<Account> {
            assert_eq!(ask.realm_text(), "other");
            None
        }
    }
    let other = Server::of(realm("other"), echo()).await;
    let server = redirecting(&other).await;
    let cache = AuthCache::new(10, Policy::new(), &mut getrandom::SysRng).unwrap();
    let auth = Auth::from(AuthClientLayer::with_credentials(cache, Never));
    auth.add_account(&server.url("/"), mufasa()).unwrap();
    let error = client()
        .get(server.url("/away"))
        .send_with(&auth)
        .await
        .unwrap_err();
    let Error::Login(refused) = error else {
        panic!("{error:?}")
    };
    let LoginFailure::Declined(ask) = &refused.why else {
        panic!("{refused:?}")
    };
    assert_eq!(ask.endpoint().port(), other.address.port());
}
