//! Two requests with one login, by the client of hyper-util.
//!
//! ```text
//! client [URL NAME PASSWORD]
//! ```
//!
//! Without arguments it starts the server, too.

use axum::Router;
use axum::routing::get;
use countersign::Channel;
use countersign::client::{Account, AuthCache, Endpoint, Policy};
use countersign::server::{Authenticator, Realm};
use countersign_tower::client::{AuthClientLayer, LoginFailure};
use countersign_tower::server::{AuthLayer, UserMap};
use http::{Request, Uri};
use http_body_util::BodyExt;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::net::TcpListener;
use tower::{Layer, ServiceExt};

const USER: (&str, &str) = ("Mufasa", "Circle of Life");

/// Returns its URL.
async fn serve() -> Result<String, Box<dyn std::error::Error>> {
    let realm = Realm::new("reports")?;
    let users = UserMap::new(&realm, [USER]);
    let auth = Authenticator::from_os_rng(realm, 1000)?;
    let app = Router::new()
        .route("/reports/{id}", get(|| async { "the report" }))
        .route_layer(AuthLayer::new(auth, Channel::Cleartext, users));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}/reports/7", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(url)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (url, name, password) = match &args[..] {
        [url, name, password] => (url.clone(), name.as_str(), password.as_str()),
        _ => (serve().await?, USER.0, USER.1),
    };
    let uri: Uri = url.parse()?;
    let mut cache = AuthCache::new(100, Policy::new(), &mut getrandom::SysRng)?;
    // The password goes to this origin, and by Digest only.
    cache.add_account(&Endpoint::try_from(&uri)?, Account::new(name, password))?;
    let http = Client::builder(TokioExecutor::new()).build_http::<String>();
    let client = AuthClientLayer::new(cache).layer(http);
    for _ in 0..2 {
        let request = Request::get(&uri).body(String::new())?;
        let response = client.clone().oneshot(request).await?;
        if let Some(why) = response.extensions().get::<LoginFailure>() {
            return Err(why.clone().into());
        }
        let status = response.status();
        let body = response.into_body().collect().await?.to_bytes();
        println!("{status}: {}", String::from_utf8_lossy(&body));
    }
    Ok(())
}
