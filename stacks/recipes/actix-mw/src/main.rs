//! actix-web: Digest and Basic by a middleware function, with two realms.
//!
//! ```text
//! actix-mw [LISTEN [encrypted]]
//! curl --digest --user 'Mufasa:Circle of Life' http://LISTEN/files/x
//! ```
//!
//! Say `encrypted` where a proxy in front ends TLS, and passes on nothing that came in clear:
//! only then is Basic offered and taken.
//!
//! Without arguments it checks both.
use std::net::SocketAddr;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::error::InternalError;
use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, HeaderName, HeaderValue};
use actix_web::middleware::{Next, from_fn};
use actix_web::web::{self, Data, ReqData};
use actix_web::{App, Error, HttpMessage, HttpResponseBuilder, HttpServer};
use countersign::client::ServerProof;
use countersign::digest::User;
use countersign::server::{Arrival, Authenticator, Realm, Refusal};
use countersign::{Challenger, Channel, EntityBody, Target};
use loopback::{Account, USER, Users, Visitor, send};

/// A part of the site that asks for credentials.
struct Part {
    auth: Authenticator,
    users: Users,
    channel: Channel,
}

/// The name of who was let in. The account has secrets, which no handler needs.
#[derive(Clone)]
struct CurrentUser(String);

/// The middleware, for `from_fn`. It hands on who was let in: take it by `ReqData<CurrentUser>`.
async fn protect(
    part: Data<Part>,
    request: ServiceRequest,
    next: Next<impl MessageBody>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let path = request.uri().path_and_query();
    let uri = path.map_or("", |path| path.as_str());
    let target = Target::new(request.method().as_str(), uri);
    let arrival = Arrival::now(part.channel);
    let credentials = request.headers().get_all(AUTHORIZATION);
    let auth = &part.auth;
    let attempt = auth.begin(credentials, &target, arrival).map_err(refuse)?;
    let account = look_up(&part.users, &attempt.claimed_user()).await;
    let verified = attempt
        .verify_by(account, |account, hash| account.ha1(hash))
        .map_err(refuse)?;
    let (account, receipt) = auth.admit(verified).map_err(refuse)?.into_parts();
    request.extensions_mut().insert(CurrentUser(account.name));
    let mut response = next.call(request).await?;
    if let Some(info) = receipt.authentication_info(EntityBody::Unknown) {
        let field = HeaderName::from_static(receipt.info_field());
        let value = HeaderValue::from_bytes(info.as_bytes())?;
        response.headers_mut().insert(field, value);
    }
    Ok(response)
}

fn refuse(refusal: Refusal) -> Error {
    let status = StatusCode::from_u16(refusal.status).unwrap();
    let mut response = HttpResponseBuilder::new(status);
    for challenge in &refusal.challenges {
        response.append_header((refusal.field, challenge.as_bytes()));
    }
    InternalError::from_response(refusal.reason, response.finish()).into()
}

/// Stands for a database that is asked asynchronously.
async fn look_up(users: &Users, user: &User<'_>) -> Option<Account> {
    actix_web::rt::task::yield_now().await;
    users.find(user).cloned()
}

async fn hello(user: ReqData<CurrentUser>) -> String {
    format!("hello {}\n", user.0)
}

/// Two realms, and a part where nobody asks.
async fn check(address: SocketAddr) -> Result<(), loopback::Error> {
    let open = send(address, "GET", "/open", None, "").await?;
    println!("/open: {}", open.status());
    assert_eq!(open.status(), 200);
    for path in ["/files/x", "/admin/x"] {
        loopback::check(Challenger::Origin, address, path, USER).await?;
    }
    let basic = |user| Visitor::new(Challenger::Origin, address, user)?.with_basic();
    let visit = basic(USER)?.get("/files/x").await?;
    visit.expect("Basic", &[200], Some(ServerProof::Absent));
    // Then it is asked for Digest, and sends the same password by that.
    let visit = basic((USER.0, "Circle of Lies"))?.get("/files/x").await?;
    visit.expect("Basic, wrong", &[401, 401], None);
    loopback::check_channel(&["127.0.0.1:0"], "/files/x", USER).await
}

#[actix_web::main]
async fn main() -> Result<(), loopback::Error> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (listen, channel) = match &args[..] {
        // Its own requests do not leave the machine.
        [] => ("127.0.0.1:0", Channel::Encrypted),
        [listen, words @ ..] => (&**listen, loopback::channel(words)?),
    };
    let part = |name| -> Result<_, loopback::Error> {
        let realm = Realm::new(name)?.with_basic();
        let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
        let users = Users::one(name, USER);
        Ok(Data::new(Part {
            auth,
            users,
            channel,
        }))
    };
    // Here and not in the closure, which is called once a worker: all workers share one memory.
    let (files, admin) = (part("files")?, part("admin")?);
    let server = HttpServer::new(move || {
        let scope = |path, part: &Data<Part>| {
            web::scope(path)
                .app_data(part.clone())
                .wrap(from_fn(protect))
                .route("/x", web::get().to(hello))
                .route("/x", web::delete().to(hello))
        };
        App::new()
            .route("/open", web::get().to(|| async { "anyone\n" }))
            .service(scope("/files", &files))
            .service(scope("/admin", &admin))
    })
    .workers(2)
    .bind(listen)?;
    let address = server.addrs()[0];
    println!("listening on {address}");
    let server = actix_web::rt::spawn(server.run());
    if args.is_empty() {
        return check(address).await;
    }
    Ok(server.await??)
}
