use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use http_body_util::Empty;
use tokio_tungstenite::tungstenite::{Error, handshake::client::generate_key};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub type Socket = WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>;
pub type Opened = Arc<Mutex<Option<Socket>>>;

/// For `AuthClientLayer`: opens a WebSocket, which is in the extensions of the response.
pub async fn open(mut request: Request<Empty<Bytes>>) -> Result<Response<Empty<Bytes>>, Error> {
    let key = HeaderValue::try_from(generate_key())?;
    request.headers_mut().insert("sec-websocket-key", key);
    match connect_async(request.map(drop)).await {
        Ok((socket, mut response)) => {
            let opened = Opened::new(Mutex::new(Some(socket)));
            response.extensions_mut().insert(opened);
            Ok(response.map(|_| Empty::new()))
        }
        Err(Error::Http(response)) => Ok(response.map(|_| Empty::new())),
        Err(error) => Err(error),
    }
}
