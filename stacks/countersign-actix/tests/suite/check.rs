//! Nothing is found by the checker of countersign-testing.

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::test::{TestRequest, call_service, init_service, read_body};
use actix_web::{App, HttpResponse, rt, web};
use countersign_actix::countersign::digest::{Algorithm, QopSet};
use countersign_actix::{AuthLayer, Channel, Login, Realm, UserMap};
use countersign_testing::server::ServerCheck;

use crate::support::{USER, authenticator};

#[test]
fn a_server_by_digest() {
    check(Realm::new("files").unwrap());
}

#[test]
fn a_server_with_bodies_hashed_names_and_another_algorithm() {
    let realm = Realm::new("files").unwrap().with_userhash(true);
    let realm = realm.with_algorithms(&[Algorithm::SHA_256]);
    check(realm.with_qop(QopSet::BOTH));
}

fn check(realm: Realm) {
    let users = UserMap::new(&realm, [USER]);
    let layer = AuthLayer::new(authenticator(realm), Channel::Encrypted, users);
    let login = Login::new(layer);
    let runtime = rt::System::new();
    let hello = || async { HttpResponse::Ok().body("hello") };
    let app = App::new().wrap(login).default_service(web::to(hello));
    let server = runtime.block_on(init_service(app));
    let report = ServerCheck::new(USER.0, USER.1).run(|request: http::Request<Vec<u8>>| {
        let (head, body) = request.into_parts();
        let method = head.method.as_str().parse().unwrap();
        let mut sent = TestRequest::with_uri(&head.uri.to_string()).method(method);
        for (name, value) in &head.headers {
            let name = HeaderName::from_bytes(name.as_ref()).unwrap();
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            sent = sent.append_header((name, value));
        }
        runtime.block_on(async {
            let response = call_service(&server, sent.set_payload(body).to_request()).await;
            let mut answer = http::Response::builder().status(response.status().as_u16());
            for (name, value) in response.headers() {
                answer = answer.header(name.as_str(), value.as_bytes());
            }
            answer.body(read_body(response).await.to_vec()).unwrap()
        })
    });
    println!("{report}");
    report.assert_clean();
}
