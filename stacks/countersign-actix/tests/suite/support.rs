//! What the tests share: users, and a client by the core.

use actix_http::Request;
use actix_web::body::MessageBody;
use actix_web::dev::{Service, ServiceResponse};
use actix_web::http::header::{AUTHORIZATION, HeaderValue};
use actix_web::test::{TestRequest, call_service, read_body};
use actix_web::{Error, HttpRequest};
use countersign_actix::countersign::client::{
    Account, Client, Endpoint, Exchange, Next, Policy, ServerProof,
};
use countersign_actix::countersign::{EntityBody, Target};
use countersign_actix::{Authenticator, Realm};

pub(crate) const USER: (&str, &str) = ("Mufasa", "Circle of Life");

pub(crate) fn authenticator(realm: Realm) -> Authenticator {
    Authenticator::from_fresh_seed(realm, 1000, [7; 32])
}

/// A client that logs in as `USER`.
pub(crate) fn client() -> Client {
    let origin = Endpoint::origin("http", "localhost", Some(8080)).unwrap();
    let client = Client::from_seed(origin, Policy::new(), [8; 32]);
    client.with_account(Account::new(USER.0, USER.1)).unwrap()
}

/// What a request came to.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Answer {
    pub(crate) statuses: Vec<u16>,
    pub(crate) proof: Option<ServerProof>,
    pub(crate) body: String,
}

/// Sends a request until it is answered for good, with the credentials of this client. `change` is
/// what happens to it on its way.
pub(crate) async fn send<B: MessageBody>(
    server: &impl Service<Request, Response = ServiceResponse<B>, Error = Error>,
    client: &mut Client,
    request: impl Fn() -> TestRequest,
    body: &'static str,
    change: impl Fn(TestRequest) -> TestRequest,
) -> Answer {
    let (mut exchange, mut statuses) = (Exchange::new(), Vec::new());
    loop {
        let sent: HttpRequest = request().to_http_request();
        let (method, uri) = (sent.method().as_str(), sent.uri().to_string());
        let target = Target::new(method, &uri).with_body(EntityBody::Bytes(body.as_bytes()));
        let answer = client.authorize(&mut exchange, &target).unwrap();
        let mut attempt = request().set_payload(body);
        if let Some(value) = answer.for_new_request() {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            attempt = attempt.insert_header((AUTHORIZATION, value));
        }
        let response = call_service(server, change(attempt).to_request()).await;
        let status = response.status().as_u16();
        statuses.push(status);
        let fields = response.headers().clone();
        let text = read_body(response).await;
        let values = |name| fields.get_all(name);
        let next = client.received(&mut exchange, status, values, EntityBody::Bytes(&text));
        let proof = match next.unwrap() {
            Next::Done(proof) => Some(proof),
            Next::GiveUp(_) => None,
            _ => continue,
        };
        let body = String::from_utf8(text.to_vec()).unwrap();
        return Answer {
            statuses,
            proof,
            body,
        };
    }
}
