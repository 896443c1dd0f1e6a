//! Requests over TCP and TLS.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::header::{CONTENT_LENGTH, HOST, RETRY_AFTER};
use http::{HeaderValue, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::client::danger::{
    HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier,
};
use tokio_rustls::rustls::crypto::{CryptoProvider, ring};
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use tokio_rustls::rustls::{
    ClientConfig, DigitallySignedStruct, Error as TlsError, RootCertStore, SignatureScheme,
};

/// How long a response may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often a request is sent again that a limit refused.
const MOST_TRIES: usize = 5;

/// Where requests go.
pub(crate) struct Connection {
    /// Host and port to connect to.
    address: String,
    /// What stands in `Host`.
    host: HeaderValue,
    tls: Option<(TlsConnector, ServerName<'static>)>,
}

impl Connection {
    /// To the server of a URI, or to a proxy for it.
    pub(crate) fn new(
        uri: &Uri,
        proxy: Option<&Uri>,
        verify: bool,
    ) -> Result<Self, Box<dyn Error>> {
        let host = uri.authority().ok_or("the URL has no host")?;
        let server = proxy.unwrap_or(uri);
        let name = server.host().ok_or("the URL has no host")?;
        let (is_tls, usual) = match server.scheme_str() {
            Some("https") => (true, 443),
            Some("http") => (false, 80),
            _ => return Err("a URL begins with http:// or https://".into()),
        };
        let tls = match is_tls {
            true => {
                let bare = name.trim_matches(['[', ']']).to_owned();
                Some((
                    TlsConnector::from(Arc::new(config(verify)?)),
                    bare.try_into()?,
                ))
            }
            false => None,
        };
        Ok(Self {
            address: format!("{name}:{}", server.port_u16().unwrap_or(usual)),
            host: HeaderValue::from_str(host.as_str())?,
            tls,
        })
    }

    /// Sends a request on a new connection. If a limit refuses it and says for how long, waits.
    pub(crate) async fn send(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<Response<Vec<u8>>, Box<dyn Error>> {
        let mut tries = 1;
        loop {
            let sent = tokio::time::timeout(PATIENCE, self.send_once(request.clone()));
            let response = sent.await.map_err(|_| "no response in time")??;
            let is_limited = matches!(
                response.status(),
                StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
            );
            let after = response.headers().get(RETRY_AFTER);
            let after = after.and_then(|it| it.to_str().ok()?.parse().ok());
            match after {
                Some(secs) if is_limited && tries < MOST_TRIES => {
                    eprintln!("{}: waiting {secs} s", response.status());
                    tokio::time::sleep(Duration::from_secs(secs)).await;
                    tries += 1;
                }
                _ => return Ok(response),
            }
        }
    }

    async fn send_once(
        &self,
        request: Request<Vec<u8>>,
    ) -> Result<Response<Vec<u8>>, Box<dyn Error>> {
        let socket = TcpStream::connect(&self.address).await?;
        match &self.tls {
            Some((connector, name)) => {
                self.exchange(connector.connect(name.clone(), socket).await?, request)
                    .await
            }
            None => self.exchange(socket, request).await,
        }
    }

    async fn exchange(
        &self,
        socket: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        mut request: Request<Vec<u8>>,
    ) -> Result<Response<Vec<u8>>, Box<dyn Error>> {
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(socket)).await?;
        tokio::spawn(connection);
        let length = request.body().len();
        let is_expected = matches!(request.method().as_str(), "POST" | "PUT" | "PATCH");
        let headers = request.headers_mut();
        headers.insert(HOST, self.host.clone());
        if length > 0 || is_expected {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        let request = request.map(|body| Full::new(Bytes::from(body)));
        let (head, body) = sender.send_request(request).await?.into_parts();
        let body = body.collect().await?.to_bytes().to_vec();
        Ok(Response::from_parts(head, body))
    }
}

fn config(verify: bool) -> Result<ClientConfig, Box<dyn Error>> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let config = config.with_safe_default_protocol_versions()?;
    if !verify {
        let any = Arc::new(AnyCertificate(provider));
        let config = config.dangerous().with_custom_certificate_verifier(any);
        return Ok(config.with_no_client_auth());
    }
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Believes each certificate, for servers under test that signed their own.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, TlsError> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, TlsError> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
