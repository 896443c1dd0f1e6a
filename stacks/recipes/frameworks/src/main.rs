//! The layer of countersign-tower in hyper, warp, tonic, salvo and poem. It checks itself.
mod hyper;
mod poem;
mod salvo;
mod tonic;
mod warp;

use std::future::Future;
use std::net::SocketAddr;

use countersign::server::{Authenticator, Realm};
use countersign::{Challenger, Channel};
use countersign_tower::server::{AuthLayer, Identity, RequestBody, UserMap};
use loopback::USER;
use tokio::net::TcpListener;

type Error = Box<dyn std::error::Error + Send + Sync>;
type Login = AuthLayer<UserMap>;

/// The page that shows these programs.
const PAGE: &str = include_str!("../../../countersign-tower/docs/frameworks.md");

const PROGRAMS: [&str; 5] = [
    include_str!("hyper.rs"),
    include_str!("poem.rs"),
    include_str!("salvo.rs"),
    include_str!("tonic.rs"),
    include_str!("warp.rs"),
];

/// Without white space, which rustfmt places.
fn bare(text: &str) -> String {
    text.split_whitespace().collect()
}

fn login() -> Result<Login, Error> {
    let realm = Realm::new("files")?;
    let users = UserMap::new(&realm, [USER]);
    let auth = Authenticator::from_os_rng(realm, 10_000)?;
    Ok(AuthLayer::new(auth, Channel::Cleartext, users))
}

async fn check<F>(
    name: &str,
    path: &str,
    serve: impl FnOnce(Login, TcpListener) -> F,
) -> Result<(), Error>
where
    F: Future<Output = Result<(), Error>> + Send + 'static,
{
    println!("{name}:");
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address: SocketAddr = listener.local_addr()?;
    tokio::spawn(serve(login()?, listener));
    loopback::check(Challenger::Origin, address, path, USER).await
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    let mut lines = 0;
    for line in PAGE
        .split("```")
        .skip(1)
        .step_by(2)
        .flat_map(|block| block.lines().skip(1))
    {
        let is_there = PROGRAMS
            .iter()
            .any(|program| bare(program).contains(&bare(line)));
        assert!(is_there, "no program has {line}");
        lines += 1;
    }
    println!("the page has {lines} lines of these programs");
    assert!(lines > 20);
    check("hyper", "/x", hyper::serve).await?;
    check("warp", "/x", warp::serve).await?;
    check("tonic", "/hello.Hello/x", tonic::serve).await?;
    check("salvo", "/x", salvo::serve).await?;
    check("poem", "/x", poem::serve).await
}
