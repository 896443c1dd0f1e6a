//! A connection that stays open between requests.
use std::net::SocketAddr;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, HOST};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use loopback::Error;
use tokio::net::TcpStream;

pub struct Connection {
    address: SocketAddr,
    sender: Option<SendRequest<Empty<Bytes>>>,
}

impl Connection {
    pub const fn new(address: SocketAddr) -> Self {
        Self {
            address,
            sender: None,
        }
    }

    /// Sends a GET. Opens a connection if there is none, and closes it after an error.
    pub async fn get(
        &mut self,
        uri: &str,
        credentials: Option<&[u8]>,
    ) -> Result<Response<Bytes>, Error> {
        let mut sender = self.take_sender().await?;
        let mut request = Request::get(uri).header(HOST, self.address.to_string());
        if let Some(credentials) = credentials {
            request = request.header(AUTHORIZATION, credentials);
        }
        let response = sender.send_request(request.body(Empty::new())?).await?;
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        self.sender = Some(sender);
        Ok(Response::from_parts(head, body))
    }

    async fn take_sender(&mut self) -> Result<SendRequest<Empty<Bytes>>, Error> {
        // A server may limit the requests of one connection, as Apache does.
        if let Some(mut sender) = self.sender.take()
            && sender.ready().await.is_ok()
        {
            return Ok(sender);
        }
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }
}
