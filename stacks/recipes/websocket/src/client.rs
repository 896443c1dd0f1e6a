use std::error::Error;
use std::sync::Mutex;

use countersign::client::{Client, run};
use http::{Request, Response};
use tokio_tungstenite::tungstenite::{self, handshake::client::generate_key};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;
type Opened = Result<Response<Option<Socket>>, Box<dyn Error + Send + Sync>>;

/// Opens a WebSocket: the body of the response, unless the server refuses.
pub async fn open(client: &Mutex<Client>, request: Request<()>) -> Opened {
    let connect = async |mut request: Request<()>| {
        let key = generate_key().parse()?;
        request.headers_mut().insert("sec-websocket-key", key);
        match connect_async(request).await {
            Ok((socket, response)) => Ok(response.map(|_| Some(socket))),
            Err(tungstenite::Error::Http(response)) => Ok(response.map(|_| None)),
            Err(error) => Err(error.into()),
        }
    };
    run(client, request, connect).await
}
