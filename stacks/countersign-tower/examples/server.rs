// Two areas with a realm and users each, a limit for guesses, and a log.
//
// ```sh
// cargo run --example server --features axum
// curl --digest --user 'Mufasa:Circle of Life' http://127.0.0.1:3000/reports/7
// ```
use axum::Router;
use axum::routing::get;
use countersign::Channel;
use countersign::server::{Authenticator, Realm};
use countersign_tower::server::{AuthLayer, Identity, Limiter, UserMap};

async fn hello(user: Identity<UserMap>) -> String {
    format!("hello {}\n", user.account())
}

fn app() -> Result<Router, Box<dyn std::error::Error>> {
    let reports = Realm::new("reports")?.with_domain("/reports/")?;
    let admin = Realm::new("admin")?.with_domain("/admin/")?;
    let readers = UserMap::new(&reports, [("Mufasa", "Circle of Life")]);
    let admins = UserMap::new(&admin, [("Rafiki", "Asante sana")]);
    // It remembers the nonces of 10,000 logins. Make one for the whole program.
    let auth = Authenticator::from_os_rng(reports, 10_000)?;
    // `Encrypted` where clients reach the server by TLS, also if a proxy in your network decrypts.
    // In clear a realm with Basic alone answers 403.
    let reports = AuthLayer::builder(auth, Channel::Cleartext, readers)
        // After twenty wrong passwords, that user must wait for five minutes at that address.
        .with_limiter(Limiter::new())
        .build();
    let admin = reports.area(admin, admins);

    let of_reports = Router::new()
        .route("/{id}", get(hello))
        .route_layer(reports);
    let of_admin = Router::new().route("/log", get(hello)).route_layer(admin);
    Ok(Router::new()
        .nest("/reports", of_reports)
        .nest("/admin", of_admin)
        .route("/open", get(|| async { "hello\n" })))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
    // `app()?` alone would tell the limiter no addresses.
    let app = app()?.into_make_service_with_connect_info::<std::net::SocketAddr>();
    Ok(axum::serve(listener, app).await?)
}
