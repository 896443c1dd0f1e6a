//! axum: Digest and Basic by a middleware, with three realms and users in SQLite.
//!
//! ```text
//! axum-layer [LISTEN [encrypted]]
//! curl --digest --user 'Mufasa:Circle of Life' http://LISTEN/files/x
//! ```
//!
//! Say `encrypted` where a proxy in front ends TLS, and passes on nothing that came in clear:
//! only then is Basic offered and taken, so without it nobody gets into `/slow/`.
//!
//! Without arguments it checks all three, and what becomes of users who change while they are logged
//! in.
mod check;
mod guard;
mod users;

use std::sync::Arc;

use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use axum::{Extension, Router};
use countersign::Channel;
use countersign::digest::Algorithm;
use countersign::server::{Authenticator, Realm};
use tokio::net::TcpListener;

use guard::{Guard, protect};
use users::{CurrentUser, StoreError, Users};

async fn hello(Extension(user): Extension<CurrentUser>) -> String {
    format!("hello {} ({})\n", user.name, user.how)
}

async fn echo(Extension(user): Extension<CurrentUser>, body: String) -> String {
    format!("{} said {body}\n", user.name)
}

fn app(users: &Arc<Users>, channel: Channel) -> Result<Router, StoreError> {
    let guard = |realm| -> Result<_, StoreError> {
        let auth = Authenticator::new(realm, 10_000, &mut getrandom::SysRng)?;
        let users = Arc::clone(users);
        let guard = Arc::new(Guard {
            auth,
            channel,
            users,
        });
        Ok(from_fn_with_state(guard, protect))
    };
    let files = Realm::new("files")?.with_basic().with_userhash(true);
    let admin = Realm::new("admin")?.with_algorithms(&[Algorithm::SHA_256]);
    let slow = Realm::new("slow")?.with_algorithms(&[]).with_basic();

    let x = || Router::new().route("/x", get(hello));
    Ok(Router::new()
        .route("/open", get(|| async { "anyone\n" }))
        .nest(
            "/files",
            x().route("/echo", post(echo)).layer(guard(files)?),
        )
        .nest("/admin", x().layer(guard(admin)?))
        .nest("/slow", x().layer(guard(slow)?)))
}

#[tokio::main]
async fn main() -> Result<(), StoreError> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (listen, channel) = match &args[..] {
        // Its own requests do not leave the machine.
        [] => ("127.0.0.1:0", Channel::Encrypted),
        [listen, words @ ..] => (&**listen, loopback::channel(words)?),
    };
    let listener = TcpListener::bind(listen).await?;
    let address = listener.local_addr()?;
    println!("listening on {address}");
    let users = Arc::new(Users::demo(&["files", "admin", "slow"])?);
    let app = app(&users, channel)?;
    let server = tokio::spawn(async move { axum::serve(listener, app).await });
    if args.is_empty() {
        return check::check(address, &users).await;
    }
    Ok(server.await??)
}
