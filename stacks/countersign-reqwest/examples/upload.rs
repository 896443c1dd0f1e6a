//! Uploads a stream by each of twenty tasks, with one login.
//!
//! ```text
//! upload [FOLDER NAME PASSWORD]
//! ```
//!
//! Without arguments, to a server of its own. Otherwise to a WebDAV server, as `http://host/folder/`.

#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../tests/suite/support.rs"]
mod support;

use axum::Router;
use axum::body::Bytes;
use axum::routing::any;
use countersign_reqwest::{Account, Client, Error};
use reqwest::{Body, StatusCode};
use tokio::task::JoinSet;

use crate::support::{Server, USER, files};

/// A film of 1 MB, in pieces, which can be sent only once.
fn film() -> Body {
    let pieces = (0..16).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 1 << 16]));
    Body::wrap_stream(futures_util::stream::iter(pieces))
}

async fn upload(client: Client, url: String) -> Result<StatusCode, Error> {
    Ok(client.put(url).body(film()).send().await?.status())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let take = any(async |body: Bytes| format!("{} bytes", body.len()));
    let server = Server::of(files(), Router::new().fallback(take)).await;
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (folder, name, password) = match &args[..] {
        [folder, name, password] => (folder.clone(), name.as_str(), password.as_str()),
        _ => (server.url("/films/"), USER.0, USER.1),
    };
    let client = Client::new(&folder, Account::new(name, password))?;
    // Tells a wrong password, and saves each task a challenge that comes too late for a stream.
    let is_in = client.log_in(&folder).await?;
    println!("{folder}: logged in: {is_in}");
    let mut tasks = JoinSet::new();
    for n in 0..20 {
        tasks.spawn(upload(client.clone(), format!("{folder}film-{n}")));
    }
    for outcome in tasks.join_all().await {
        match outcome {
            Ok(status) => println!("{status}"),
            Err(Error::WrongCredentials(refused)) => return Err(refused.why.into()),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}
