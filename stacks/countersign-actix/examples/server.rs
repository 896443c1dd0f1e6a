//! Two areas with a realm and users each, a limit for guesses, and a log.
//!
//! ```sh
//! cargo run --example server
//! curl --digest --user 'Mufasa:Circle of Life' http://127.0.0.1:3000/reports/7
//! ```
use actix_web::{App, HttpServer, web};
use countersign_actix::{
    AuthLayer, Authenticator, Channel, Identity, Limiter, Login, Realm, UserMap,
};

async fn hello(user: Identity<UserMap>) -> String {
    format!("hello {}\n", user.account())
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let reports = Realm::new("reports")?.with_domain("/reports/")?;
    let admin = Realm::new("admin")?.with_domain("/admin/")?;
    let readers = UserMap::new(&reports, [("Mufasa", "Circle of Life")]);
    let admins = UserMap::new(&admin, [("Rafiki", "Asante sana")]);
    // It remembers the nonces of 10,000 logins. Make one for the whole program.
    let auth = Authenticator::from_os_rng(reports, 10_000)?;
    // `Encrypted` where clients reach the server by TLS, also if a proxy in your network decrypts.
    let reports = AuthLayer::builder(auth, Channel::Cleartext, readers)
        // After twenty wrong passwords, that user must wait for five minutes at that address.
        .with_limiter(Limiter::new())
        .on_event(|event| println!("{event}"))
        .build();
    let (admin, reports) = (Login::new(reports.area(admin, admins)), Login::new(reports));
    HttpServer::new(move || {
        let of_reports = web::scope("/reports").wrap(reports.clone());
        let of_admin = web::scope("/admin").wrap(admin.clone());
        App::new()
            .service(of_reports.route("/{id}", web::get().to(hello)))
            .service(of_admin.route("/log", web::get().to(hello)))
            .route("/open", web::get().to(|| async { "hello\n" }))
    })
    .bind("127.0.0.1:3000")?
    .run()
    .await?;
    Ok(())
}
