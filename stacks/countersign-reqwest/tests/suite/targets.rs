//! The request-target that is signed is the one that is sent.

use countersign_reqwest::{Client, Error};
use reqwest::{Method, Request, Url};

use crate::support::{Server, http, mufasa};

/// What programs write behind `http://host`.
const TARGETS: [&str; 62] = [
    "",
    "/",
    "?x=1",
    "?",
    "#f",
    "/plain?x=1",
    "/it's",
    "/x?q='y'",
    "/x?$filter=Name eq 'Milk'",
    "/x?q=\"y\"",
    "/q?a=\"b,c\"",
    "/{id}",
    "/x?f={a}",
    "/a|b",
    "/x?a|b",
    "/a`b",
    "/x?a`b",
    "/a^b",
    "/x?x=^`",
    "/a\\b",
    "/x?a\\b",
    "/a\"b",
    "/é",
    "/x?é",
    "/日本?語=語",
    "/x?a[1]=2",
    "/q?a[0].b=c",
    "/[1]",
    "/a;b=c",
    "/p1;p2?x=1",
    "/a,b",
    "/a:b@c",
    "/a//b",
    "//d/x",
    "///",
    "/a/../b",
    "/a/./b",
    "/a/%2e%2e/b",
    "/%2e%2e/x",
    "/../x",
    "/a%2e",
    "/a%2fb",
    "/a%2Fb",
    "/a%c3%a9",
    "/%7e",
    "/%7Eu",
    "/~u",
    "/%zz",
    "/%",
    "/x?",
    "/x??a?b",
    "/x?a=b&c=d+e",
    "/x?<y>",
    "/<y>",
    "/x#f",
    "/x?a#b?c",
    "/x?a b",
    "/a b",
    "/a\tb",
    "/x?a\tb",
    "/x\u{7f}y",
    "/x ",
];

#[tokio::test]
async fn odd_targets_get_in() {
    let server = Server::echo().await;
    for target in TARGETS {
        for method in [Method::GET, Method::POST] {
            // One that is asked, and one that volunteers its answer.
            let client = server.client();
            for steps in [&[401, 200][..], &[200]] {
                let request = client.request(method.clone(), server.url(target));
                let response = request.send().await;
                let response = response.unwrap_or_else(|error| panic!("{target:?}: {error}"));
                assert_eq!(response.status(), 200, "{target:?}");
                let seen = server.take_seen();
                let statuses: Vec<_> = seen.iter().map(|seen| seen.status).collect();
                assert_eq!(statuses, steps, "{target:?}");
                // What the server echoes is what it was sent.
                assert_eq!(response.text().await.unwrap(), seen[0].target);
            }
        }
    }
}

#[tokio::test]
async fn names_beyond_ascii() {
    let server = Server::echo().await;
    let port = server.address.port();
    let url = format!("http://BÜCHER.example:{port}/x");
    for account_url in [&url, &format!("http://xn--bcher-kva.example:{port}")] {
        let http = http().resolve("xn--bcher-kva.example", server.address);
        let client = Client::builder(http).build().unwrap();
        client.add_account(account_url, mufasa()).unwrap();
        let response = client.get(&url).send().await.unwrap();
        assert_eq!(response.status(), 200);
    }
}

/// reqwest would send it unasked, by Basic, also in clear.
#[tokio::test]
async fn a_user_in_the_url() {
    let server = Server::echo().await;
    let client = server.client();
    for user in ["Zazu:Hornbill", "Zazu", ":Hornbill"] {
        let url = format!("http://{user}@{}/x?y", server.address);
        let request = Request::new(Method::GET, Url::parse(&url).unwrap());
        for got in [
            client.execute(request).await,
            client.get(&url).send().await,
            client.log_in(&url).await.map(|_| unreachable!()),
        ] {
            assert!(matches!(got, Err(Error::Userinfo)), "{got:?}");
        }
    }
    assert_eq!(server.take_seen(), []);
}

#[tokio::test]
async fn a_url_that_cannot_be_sent_is_an_error() {
    let server = Server::echo().await;
    let client = server.client();
    for url in ["data:x", "ftp://127.0.0.1/", "foo://127.0.0.1/"] {
        let request = Request::new(Method::GET, Url::parse(url).unwrap());
        client.execute(request).await.unwrap_err();
    }
    client.get("no url").send().await.unwrap_err();
}
