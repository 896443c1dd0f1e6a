//! TLS by rustls for both sides, with a self-signed certificate.
use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use countersign::FieldValue;
use http_body_util::BodyExt;
use hyper::body::Bytes;
use hyper::header::HOST;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use loopback::{Error, Limits, Site};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tempfile::NamedTempFile;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

pub struct Tls {
    acceptor: TlsAcceptor,
    connector: TlsConnector,
    /// The certificate, for clients that read it from a file.
    file: NamedTempFile,
}

impl Tls {
    pub fn new() -> Result<Self, Error> {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()])?;
        let mut file = NamedTempFile::new()?;
        file.write_all(cert.pem().as_bytes())?;
        let key = PrivateKeyDer::try_from(signing_key.serialize_der())?;
        let server = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)?;
        let mut roots = RootCertStore::empty();
        roots.add(cert.der().clone())?;
        let client = ClientConfig::builder()
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            acceptor: Arc::new(server).into(),
            connector: Arc::new(client).into(),
            file,
        })
    }

    pub fn certificate_file(&self) -> String {
        self.file.path().display().to_string()
    }

    /// Serves on a free port while the program does something else.
    pub async fn start(
        &self,
        site: Arc<impl Site<Body = String>>,
        limits: Limits,
    ) -> Result<SocketAddr, Error> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let acceptor = self.acceptor.clone();
        tokio::spawn(async move {
            loop {
                let (stream, peer) = loopback::next(&listener, limits).await;
                let (site, acceptor) = (Arc::clone(&site), acceptor.clone());
                tokio::spawn(async move {
                    // A client that breaks off harms nobody, nor does one that says nothing: the
                    // handshake comes before all that hyper limits.
                    let handshake = timeout(limits.head, acceptor.accept(stream)).await;
                    if let Ok(Ok(stream)) = handshake {
                        loopback::connection(&*site, peer, stream, limits).await;
                    }
                });
            }
        });
        Ok(address)
    }

    /// Sends one request as it is, on a connection that the certificate proves.
    pub async fn send(
        &self,
        address: SocketAddr,
        path: &str,
        field: Option<(&str, &FieldValue)>,
    ) -> Result<Response<Bytes>, Error> {
        let stream = TcpStream::connect(address).await?;
        let name = ServerName::try_from("localhost")?;
        let stream = TokioIo::new(self.connector.connect(name, stream).await?);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
        tokio::spawn(connection);
        let host = format!("localhost:{}", address.port());
        let mut request = Request::builder().uri(path).header(HOST, host);
        if let Some((name, value)) = field {
            request = request.header(name, value.as_bytes());
        }
        let response = sender.send_request(request.body(String::new())?).await?;
        let (head, body) = response.into_parts();
        Ok(Response::from_parts(head, body.collect().await?.to_bytes()))
    }
}
