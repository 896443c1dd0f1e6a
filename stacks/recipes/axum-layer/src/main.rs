//! axum: Digest and Basic by the layer of countersign-tower, with three realms and users in SQLite.
//!
//! ```text
//! axum-layer [LISTEN [encrypted | proxy]]
//! curl --digest --user 'Mufasa:Circle of Life' http://LISTEN/files/x
//! ```
//!
//! Say `encrypted` where a proxy in front ends TLS, and passes on nothing that came in clear:
//! only then is Basic offered and taken, so without it nobody gets into `/slow/`. Say `proxy` where it sets
//! `X-Forwarded-Proto` and `X-Forwarded-For` itself.
//!
//! Without arguments it checks all three, and what becomes of users who change while they are logged
//! in.
mod check;
mod users;

use std::net::SocketAddr;

use axum::Router;
use axum::routing::{get, post};
use countersign::Channel;
use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Realm};
use countersign_tower::server::{AuthLayer, ForwardedLayer, Identity, Limiter, StoreError};
use tokio::net::TcpListener;

use users::Database;

async fn hello(user: Identity<Database>) -> String {
    let how = user.algorithm().map_or("Basic", |it| it.as_str());
    format!("hello {} ({how})\n", user.account())
}

async fn echo(user: Identity<Database>, body: String) -> String {
    format!("{} said {body}\n", user.account())
}

fn app(users: &Database, channel: Channel) -> Result<Router, StoreError> {
    let files = Realm::new("files")?.with_basic().with_userhash(true);
    let admin = Realm::new("admin")?.with_algorithms(&[Algorithm::SHA_256]);
    let slow = Realm::new("slow")?.with_algorithms(&[]).with_basic();
    let auth = Authenticator::from_os_rng(files, 10_000)?;
    let files = AuthLayer::builder(auth, channel, users.clone())
        .with_limiter(Limiter::new())
        .on_event(|event| eprintln!("{event}"))
        .build();
    let (admin, slow) = (files.with_realm(admin), files.with_realm(slow));
    let x = || Router::new().route("/x", get(hello));
    Ok(Router::new()
        .route("/open", get(|| async { "anyone\n" }))
        .nest("/files", x().route("/echo", post(echo)).layer(files))
        .nest("/admin", x().layer(admin))
        .nest("/slow", x().layer(slow)))
}

/// Serves in the background.
async fn serve(app: Router, listen: &str) -> Result<SocketAddr, StoreError> {
    let listener = TcpListener::bind(listen).await?;
    let address = listener.local_addr()?;
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(address)
}

#[tokio::main]
async fn main() -> Result<(), StoreError> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let users = Database::demo(&["files", "admin", "slow"])?;
    let proxied = || -> Result<_, StoreError> {
        Ok(app(&users, Channel::Cleartext)?.layer(ForwardedLayer::new()))
    };
    let (listen, app) = match &args[..] {
        // Its own requests do not leave the machine.
        [] => ("127.0.0.1:0", app(&users, Channel::Encrypted)?),
        [listen, word] if word == "proxy" => (&**listen, proxied()?),
        [listen, words @ ..] => (&**listen, app(&users, loopback::channel(words)?)?),
    };
    let address = serve(app, listen).await?;
    println!("listening on {address}");
    if args.is_empty() {
        check::proxy(serve(proxied()?, listen).await?)?;
        return check::check(address, &users).await;
    }
    std::future::pending().await
}
