//! WebSockets of axum behind a login, and a client that logs in by the handshake.
//!
//! ```text
//! websocket
//! ```
//!
//! A browser sends its login with the handshake, too, also for a page of another origin: check
//! `Origin` before the upgrade. It checks itself.
mod client;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::{Router, routing::any};
use countersign::Channel;
use countersign::client::{Account, Client, Policy};
use countersign::server::{Authenticator, Realm};
use countersign_tower::server::{AuthLayer, Identity, UserMap};
use futures_util::{SinkExt, StreamExt};
use loopback::{Error, USER};
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use client::{Socket, open};

async fn upgrade(user: Identity<UserMap>, socket: WebSocketUpgrade) -> Response {
    let name = user.account().to_string();
    socket.on_upgrade(|socket| echo(socket, name))
}

async fn echo(mut socket: WebSocket, name: String) {
    while let Some(Ok(message)) = socket.recv().await {
        let Ok(text) = message.into_text() else {
            continue;
        };
        if socket.send(format!("{name}: {text}").into()).await.is_err() {
            return;
        }
    }
}

/// The page that shows this client.
const PAGE: &str = include_str!("../../../countersign-tower/docs/websocket.md");

type Told = Arc<Mutex<Vec<&'static str>>>;

/// Listens, and keeps the names of what the layer tells.
async fn serve() -> Result<(SocketAddr, Told), Error> {
    let told = Told::default();
    let log = Arc::clone(&told);
    let realm = Realm::new("sockets")?;
    let users = UserMap::new(&realm, [USER]);
    let auth = Authenticator::from_os_rng(realm, 1000)?;
    let login = AuthLayer::builder(auth, Channel::Cleartext, users)
        .on_event(move |event| log.lock().unwrap().push(event.outcome.name()))
        .build();
    let app = Router::new()
        .route("/echo", any(upgrade))
        .route_layer(login);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok((address, told))
}

async fn say(socket: &mut Socket, text: &str) -> Result<String, Error> {
    socket.send(Message::text(text)).await?;
    let answer = socket.next().await.ok_or("closed")??;
    Ok(answer.into_text()?.to_string())
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    assert!(PAGE.contains(include_str!("client.rs")));
    let (address, told) = serve().await?;
    let url = |n| format!("ws://{address}/echo?n={n}");
    for (password, statuses) in [
        (USER.1, &["no-credentials", "granted", "granted"][..]),
        ("wrong", &["no-credentials", "wrong-credentials"]),
    ] {
        let request = url(0).into_client_request()?;
        let origin = request.uri().try_into()?;
        let client = Client::new(origin, Policy::new(), &mut getrandom::SysRng)?;
        let client = Mutex::new(client.with_account(Account::new(USER.0, password))?);
        for n in 0..statuses.len() - 1 {
            match open(&client, url(n).into_client_request()?).await {
                Ok(response) => {
                    let mut socket = response.into_body().ok_or("no socket")?;
                    let answer = say(&mut socket, "hello").await?;
                    println!("{answer}");
                    assert_eq!(answer, "Mufasa: hello");
                    // The login was that of the handshake.
                    assert_eq!(say(&mut socket, "again").await?, "Mufasa: again");
                }
                Err(error) => {
                    println!("{error}");
                    assert_eq!(error.to_string(), "wrong user name or password");
                }
            }
        }
        assert_eq!(std::mem::take(&mut *told.lock().unwrap()), statuses);
    }
    let error = tokio_tungstenite::connect_async(url(0)).await;
    println!("without credentials: {}", error.map(drop).unwrap_err());
    assert_eq!(
        std::mem::take(&mut *told.lock().unwrap()),
        ["no-credentials"]
    );
    Ok(())
}
