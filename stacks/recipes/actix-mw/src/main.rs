//! actix-web: Digest and Basic by countersign-actix, with two realms.
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

use actix_web::{App, HttpServer, web};
use countersign_actix::countersign::Challenger;
use countersign_actix::countersign::client::ServerProof;
use countersign_actix::{AuthLayer, Authenticator, Channel, Identity, Login, Realm, UserMap};
use loopback::{USER, Visitor, send};

async fn hello(user: Identity<UserMap>) -> String {
    format!("hello {}\n", user.account())
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
    // Here and not in the closure, which is called once a worker: all workers share one memory.
    let (files, admin) = (Realm::new("files")?.with_basic(), Realm::new("admin")?);
    let [readers, admins] = [&files, &admin].map(|realm| UserMap::new(realm, [USER]));
    let auth = Authenticator::from_os_rng(files, 10_000)?;
    let files = AuthLayer::new(auth, channel, readers);
    let (admin, files) = (Login::new(files.area(admin, admins)), Login::new(files));
    let server = HttpServer::new(move || {
        let scope = |path, login: &Login<_>| {
            web::scope(path)
                .wrap(login.clone())
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
