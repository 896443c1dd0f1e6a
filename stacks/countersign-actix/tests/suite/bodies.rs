//! Responses that cover the body of a request.

use actix_web::test::{TestRequest, init_service};
use actix_web::{App, HttpRequest, HttpResponse, web};
use countersign_actix::countersign::client::ServerProof;
use countersign_actix::countersign::digest::{Algorithm, QopSet};
use countersign_actix::{AuthLayer, Channel, Login, Realm, UserMap};

use crate::support::{USER, authenticator, client, send};

fn login(qop: QopSet) -> Login<UserMap> {
    let realm = Realm::new("files").unwrap().with_qop(qop);
    let realm = realm.with_algorithms(&[Algorithm::SHA_256]);
    let users = UserMap::new(&realm, [USER]);
    let layer = AuthLayer::builder(authenticator(realm), Channel::Encrypted, users);
    Login::new(layer.with_body_buffer(20, 100).build())
}

/// Answers with the body of the request and with a field about another login.
async fn echo(request: HttpRequest, body: web::Bytes) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.insert_header(("authentication-info", "nextnonce=\"of-another-login\""));
    match request.uri().query() {
        Some("empty") => response.finish(),
        _ => response.body(body),
    }
}

#[actix_web::test]
async fn a_body_is_covered_and_passed_on() {
    let tampered = |request: TestRequest| request.set_payload("Hakuna Pumbaa");
    let same = |request: TestRequest| request;
    for (qop, path, body, is_tampered, statuses, proof, text) in [
        (
            QopSet::AUTH_INT,
            "/x",
            "Hakuna Matata",
            false,
            &[401, 200][..],
            ServerProof::Absent,
            "Hakuna Matata",
        ),
        (
            QopSet::AUTH_INT,
            "/x?empty",
            "Hakuna Matata",
            false,
            &[401, 200],
            ServerProof::Valid,
            "",
        ),
        (
            QopSet::AUTH_INT,
            "/x",
            "",
            false,
            &[401, 200],
            ServerProof::Valid,
            "",
        ),
        (
            QopSet::AUTH,
            "/x",
            "Hakuna Matata",
            false,
            &[401, 200],
            ServerProof::Valid,
            "Hakuna Matata",
        ),
        (
            QopSet::AUTH,
            "/x",
            "Hakuna Matata",
            true,
            &[401, 200],
            ServerProof::Valid,
            "Hakuna Pumbaa",
        ),
        (
            QopSet::AUTH_INT,
            "/x",
            "Hakuna Matata and more",
            false,
            &[401, 413],
            ServerProof::Absent,
            "",
        ),
    ] {
        let app = App::new().wrap(login(qop)).route("/x", web::to(echo));
        let server = init_service(app).await;
        let request = || TestRequest::post().uri(path);
        let answer = match is_tampered {
            true => send(&server, &mut client(), request, body, tampered).await,
            false => send(&server, &mut client(), request, body, same).await,
        };
        assert_eq!(
            (&*answer.statuses, &*answer.body),
            (statuses, text),
            "{path} {body}"
        );
        assert_eq!(answer.proof, Some(proof), "{path} {body}");
    }
    let app = App::new()
        .wrap(login(QopSet::AUTH_INT))
        .route("/x", web::to(echo));
    let server = init_service(app).await;
    let request = || TestRequest::post().uri("/x");
    let answer = send(&server, &mut client(), request, "Hakuna Matata", tampered).await;
    assert_eq!(answer.statuses.last(), Some(&401));
}
