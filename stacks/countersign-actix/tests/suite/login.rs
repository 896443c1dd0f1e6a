//! Realms, users, addresses and the extractor.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use actix_web::dev::Service;
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, HttpMessage, web};
use countersign_actix::countersign::client::ServerProof;
use countersign_actix::countersign::wire::basic_credentials;
use countersign_actix::{
    AuthLayer, Channel, ClientUri, ForwardedLayer, Identity, Limiter, Login, Realm, UserMap,
};

use crate::support::{Answer, USER, authenticator, client, send};

#[test]
fn the_readme_has_the_example() {
    let readme = include_str!("../../README.md");
    let example = include_str!("../../examples/server.rs");
    let program = &example[example.find("use actix_web").unwrap()..];
    assert!(readme.contains(program));
}

async fn hello(user: Identity<UserMap>) -> String {
    format!("hello {}", user.account())
}

async fn maybe(user: Option<Identity<UserMap>>) -> String {
    user.map_or_else(|| "nobody".into(), |user| user.account().to_string())
}

fn realm(name: &str) -> Realm {
    Realm::new(name).unwrap().with_basic()
}

fn users(realm: &Realm) -> UserMap {
    UserMap::new(realm, [USER])
}

fn layer() -> AuthLayer<UserMap> {
    let realm = realm("files");
    let users = users(&realm);
    AuthLayer::new(authenticator(realm), Channel::Encrypted, users)
}

fn basic(path: &str, password: &str) -> TestRequest {
    let value = basic_credentials(USER.0, password).unwrap();
    TestRequest::with_uri(path).insert_header(("authorization", value.as_bytes()))
}

#[actix_web::test]
async fn each_area_has_its_realm_and_its_users() {
    let files = layer();
    let admin = realm("admin");
    let admins = UserMap::new(&admin, [("Rafiki", "Asante sana")]);
    let admin = Login::new(files.area(admin, admins));
    let optional = Login::new(files.with_realm(realm("files")).with_optional_login());
    let files = Login::new(files);
    let scope = |path| web::scope(path).route("/x", web::to(hello));
    let app = App::new()
        .service(scope("/files").wrap(files))
        .service(scope("/admin").wrap(admin))
        .service(web::resource("/maybe").wrap(optional).to(maybe))
        .route("/open", web::to(hello));
    let server = init_service(app).await;
    let mut by_digest = client();
    let get = |path: &'static str| move || TestRequest::with_uri(path);
    let answer = send(&server, &mut by_digest, get("/files/x?y=%7B|"), "", |it| it).await;
    let expected = Answer {
        statuses: vec![401, 200],
        proof: Some(ServerProof::Valid),
        body: "hello Mufasa".into(),
    };
    assert_eq!(answer, expected);
    let answer = send(&server, &mut client(), get("/admin/x"), "", |it| it).await;
    assert_eq!(answer.statuses.last(), Some(&401));
    for (request, status, body) in [
        (basic("/files/x", USER.1), 200, "hello Mufasa"),
        (basic("/files/x", "wrong"), 401, ""),
        (basic("/admin/x", USER.1), 401, ""),
        (basic("/maybe", USER.1), 200, "Mufasa"),
        (basic("/maybe", "wrong"), 401, ""),
        (TestRequest::with_uri("/maybe"), 200, "nobody"),
        (
            basic("/open", USER.1),
            500,
            "no login by the user store that the handler names",
        ),
    ] {
        let response = call_service(&server, request.to_request()).await;
        assert_eq!(response.status().as_u16(), status);
        let challenges = response.headers().get_all("www-authenticate").count();
        // Basic and an algorithm or two.
        let offered = 2 + usize::from(cfg!(feature = "md5"));
        assert_eq!(challenges, if status == 401 { offered } else { 0 });
        assert_eq!(read_body(response).await, body);
    }
}

/// Behind a proxy the address of each connection is the proxy's, and so is the channel.
#[actix_web::test]
async fn the_limiter_counts_by_the_address_of_the_client() {
    for is_proxied in [false, true] {
        let told = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&told);
        let realm = realm("files");
        let store = users(&realm);
        let channel = match is_proxied {
            true => Channel::Cleartext,
            false => Channel::Encrypted,
        };
        let layer = AuthLayer::builder(authenticator(realm), channel, store)
            .with_limiter(Limiter::new().with_limit(2, Duration::from_secs(3600)))
            .on_event(move |event| log.lock().unwrap().push(event.to_string()))
            .build();
        let login = match is_proxied {
            true => Login::new(layer).behind_proxy(ForwardedLayer::new()),
            false => Login::new(layer),
        };
        let app = App::new().wrap(login).route("/x", web::to(hello));
        let server = init_service(app).await;
        for (address, password, status) in [
            ("192.0.2.1", "a", 401),
            ("192.0.2.1", "b", 401),
            ("192.0.2.1", USER.1, 429),
            ("192.0.2.2", USER.1, 200),
        ] {
            let request = basic("/x", password);
            let request = match is_proxied {
                true => request
                    .insert_header(("x-forwarded-proto", "https"))
                    .insert_header(("x-forwarded-for", format!("198.51.100.9, {address}")))
                    .peer_addr("127.0.0.1:80".parse().unwrap()),
                false => request
                    .insert_header(("x-forwarded-for", "198.51.100.9"))
                    .peer_addr(format!("{address}:80").parse().unwrap()),
            };
            let response = call_service(&server, request.to_request()).await;
            assert_eq!(response.status().as_u16(), status, "{address} {password}");
        }
        let expected = r#"wrong-credentials from 192.0.2.1 in "files", user "Mufasa""#;
        assert_eq!(told.lock().unwrap()[0], expected);
        // Neither of the two is known.
        let request = basic("/x", USER.1).insert_header(("x-forwarded-proto", "https"));
        let response = call_service(&server, request.to_request()).await;
        assert_eq!(response.status().as_u16(), 500);
    }
}

/// The channel and the request-target of a middleware around the login count.
#[actix_web::test]
async fn what_a_middleware_around_says_counts() {
    let app = App::new()
        .wrap(Login::new(layer()))
        .wrap_fn(|request, service| {
            request.extensions_mut().insert(Channel::Cleartext);
            let signed = ClientUri::from_target("/signed?by={client}");
            request.extensions_mut().insert(signed);
            service.call(request)
        })
        .default_service(web::to(hello));
    let server = init_service(app).await;
    let response = call_service(&server, basic("/x", USER.1).to_request()).await;
    assert_eq!(response.status().as_u16(), 401);
    let signed = || TestRequest::with_uri("/signed?by=%7Bclient%7D");
    let answer = send(&server, &mut client(), signed, "", |it| it).await;
    assert_eq!(answer.statuses, [401, 400], "another target");
}

/// Somebody in one realm is nobody in another, even if both have one store.
#[actix_web::test]
async fn an_identity_of_another_login_is_none_of_this() {
    let app = App::new()
        .wrap(Login::new(layer().with_optional_login()))
        .wrap_fn(|mut request, service| {
            request.headers_mut().remove("authorization");
            service.call(request)
        })
        .wrap(Login::new(layer()))
        .default_service(web::to(maybe));
    let server = init_service(app).await;
    let response = call_service(&server, basic("/x", USER.1).to_request()).await;
    assert_eq!(read_body(response).await, "nobody");
}
