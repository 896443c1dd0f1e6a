//! actix-web: Digest and Basic by a middleware function, with two realms.
//!
//! ```text
//! actix-mw [LISTEN]
//! curl --digest --user 'Mufasa:Circle of Life' http://127.0.0.1:8102/files/x
//! ```
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use actix_web::middleware::{Next, from_fn};
use actix_web::web::{self, Data, ReqData};
use actix_web::{App, Error, HttpMessage, HttpResponseBuilder, HttpServer};
use countersign::digest::{Ha1, HashFunction, User};
use countersign::server::{Arrival, Authenticator, BasicOffer, Realm, Rejected};
use countersign::{Channel, EntityBody, Target};

/// An account, and who was let in: take it by `ReqData<Account>`.
#[derive(Clone)]
struct Account {
    name: String,
    ha1: Ha1,
}

/// The middleware, for `from_fn`.
async fn protect(
    auth: Data<Authenticator>,
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let path = request.uri().path_and_query();
    let uri = path.map_or("", |path| path.as_str());
    let target = Target::new(request.method().as_str(), uri);
    // A demonstration on loopback: say `Encrypted` behind TLS only.
    let arrival = Arrival::now(Channel::Encrypted);
    let credentials = request.headers().get_all(AUTHORIZATION);
    let refuse = |rejected| refuse(&auth, &rejected);
    let attempt = auth.begin(credentials, &target, &arrival).map_err(refuse)?;
    let realm = attempt.realm().name();
    let account = look_up(&attempt.claimed_user(), realm, attempt.hash_function()).await;
    let verified = attempt
        .verify_by(account, |account, _| Some(&account.ha1))
        .map_err(refuse)?;
    let (account, receipt) = auth.admit(verified).map_err(refuse)?.into_parts();
    request.extensions_mut().insert(account);
    let mut response = next.call(request).await?;
    if let Some(info) = receipt.authentication_info(EntityBody::Unknown) {
        let field = HeaderName::from_static(receipt.info_field());
        let value = HeaderValue::from_bytes(info.as_bytes())?;
        response.headers_mut().insert(field, value);
    }
    Ok(response)
}

fn refuse(auth: &Authenticator, rejected: &Rejected<'_>) -> Error {
    let refusal = auth.refuse(rejected);
    let status = StatusCode::from_u16(refusal.status).unwrap();
    let mut response = HttpResponseBuilder::new(status);
    for challenge in &refusal.challenges {
        response.append_header((refusal.field, challenge.as_bytes()));
    }
    InternalError::from_response(rejected.rejection(), response.finish()).into()
}

/// Stands for a database that is asked asynchronously.
async fn look_up(user: &User<'_>, realm: &str, hash: HashFunction) -> Option<Account> {
    actix_web::rt::task::yield_now().await;
    let name = user.name().filter(|name| *name == "Mufasa")?.to_owned();
    let ha1 = Ha1::new(hash, &name, realm, "Circle of Life");
    Some(Account { name, ha1 })
}

async fn hello(user: ReqData<Account>) -> String {
    format!("hello {}\n", user.name)
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listen = std::env::args().nth(1).unwrap_or("127.0.0.1:8102".into());
    let auth = |realm| -> Result<_, Box<dyn std::error::Error>> {
        let realm = Realm::new(realm)?.with_basic(BasicOffer::Encrypted);
        let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
        Ok(Data::new(auth))
    };
    // Here and not in the closure, which is called once a worker: all workers share one memory.
    let (files, admin) = (auth("files")?, auth("admin")?);
    println!("listening on {listen}");
    HttpServer::new(move || {
        let scope = |path, auth: &Data<Authenticator>| {
            web::scope(path)
                .app_data(auth.clone())
                .wrap(from_fn(protect))
                .route("/x", web::get().to(hello))
        };
        App::new()
            .route("/open", web::get().to(|| async { "anyone\n" }))
            .service(scope("/files", &files))
            .service(scope("/admin", &admin))
    })
    .workers(2)
    .bind(listen)?
    .run()
    .await?;
    Ok(())
}
