//! Listens, and serves connections until the process is told to stop.

use std::convert::Infallible;
use std::fmt;
use std::fs::{metadata, remove_file};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use rustix::fs::Mode;
use rustix::process::umask;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

/// How long connections may go on after the signal to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Where to listen.
#[derive(Clone, Debug)]
pub enum Place {
    Tcp(SocketAddr),
    /// `unix:PATH`
    Socket(PathBuf),
}

impl FromStr for Place {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text.strip_prefix("unix:") {
            Some(path) => Ok(Self::Socket(path.into())),
            None => text
                .parse()
                .map(Self::Tcp)
                .map_err(|_| "neither ADDRESS:PORT nor unix:PATH"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(f, "{address}"),
            Self::Socket(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// SIGTERM, which from now on no longer kills the process. The future ends with it.
///
/// # Errors
///
/// The operating system refuses.
pub fn signal_to_stop() -> Result<impl Future<Output = ()>, String> {
    let term = signal(SignalKind::terminate());
    let mut term = term.map_err(|error| format!("no signals: {error}"))?;
    Ok(async move {
        term.recv().await;
    })
}

pub struct Listener {
    kind: Kind,
    /// With the port that the operating system chose if it was 0.
    pub place: Place,
}

enum Kind {
    Tcp(TcpListener),
    Socket(UnixListener),
}

impl Listener {
    /// # Errors
    ///
    /// The address is in use or not loopback, or there is a file of that name.
    pub async fn bind(place: &Place, any_network: bool) -> Result<Self, String> {
        let bound = match place {
            Place::Tcp(address) if !address.ip().is_loopback() && !any_network => {
                return Err(format!(
                    "{address} is not a loopback address: whoever can reach it can guess passwords; \
                     use 127.0.0.1, [::1] or unix:PATH"
                ));
            }
            Place::Tcp(address) => match TcpListener::bind(address).await {
                Ok(listener) => listener.local_addr().map(|address| Self {
                    kind: Kind::Tcp(listener),
                    place: Place::Tcp(address),
                }),
                Err(error) => Err(error),
            },
            Place::Socket(path) => bind_socket(path).map(|listener| Self {
                kind: Kind::Socket(listener),
                place: place.clone(),
            }),
        };
        bound.map_err(|error| format!("cannot listen on {place}: {error}"))
    }

    /// Serves connections until `stop`, and then finishes the requests under way. A connection may be
    /// idle for so long. Requests have the [`IpAddr`] of the client among their extensions, unless
    /// they came by a socket.
    pub async fn serve<F, A, B>(self, stop: impl Future<Output = ()>, idle: Duration, respond: F)
    where
        F: Fn(Request<Incoming>) -> A + Clone + Send + 'static,
        A: Future<Output = Response<B>> + Send,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: std::error::Error + Send + Sync,
    {
        let graceful = GracefulShutdown::new();
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = tokio::select! {
                accepted = self.accept() => accepted,
                () = &mut stop => break,
            };
            let (stream, client) = match accepted {
                Ok(accepted) => accepted,
                // Such as no file descriptors: without a rest, the loop would take a whole core.
                Err(error) => {
                    warn!("cannot accept a connection: {error}");
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let respond = respond.clone();
            let service = service_fn(move |mut request: Request<Incoming>| {
                client.map(|client| request.extensions_mut().insert(client));
                let response = respond(request);
                async { Ok::<_, Infallible>(response.await) }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(idle)
                // For each connection. A proxy passes on less: nginx 32 KiB.
                .max_buf_size(64 << 10)
                .serve_connection(TokioIo::new(stream), service);
            let connection = graceful.watch(connection);
            tokio::spawn(async { drop(connection.await) });
        }
        info!("stopping");
        drop(self);
        if timeout(GRACE, graceful.shutdown()).await.is_err() {
            warn!("connections are cut off");
        }
    }

    async fn accept(&self) -> io::Result<(Box<dyn Stream>, Option<IpAddr>)> {
        match &self.kind {
            Kind::Tcp(listener) => {
                let (stream, client) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok((Box::new(stream), Some(client.ip())))
            }
            Kind::Socket(listener) => Ok((Box::new(listener.accept().await?.0), None)),
        }
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Makes a socket for its owner and group. Removes one that nobody listens on, and no other file.
fn bind_socket(path: &Path) -> io::Result<UnixListener> {
    if let Ok(about) = metadata(path) {
        if !about.file_type().is_socket() {
            return Err(io::Error::other("there is a file that is not a socket"));
        }
        match std::os::unix::net::UnixStream::connect(path) {
            Ok(_) => return Err(io::Error::other("a program listens there")),
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => remove_file(path)?,
            Err(error) => return Err(error),
        }
    }
    // Set around `bind`: with a mode that is set afterwards, anybody could connect in between.
    let before = umask(Mode::XUSR | Mode::XGRP | Mode::RWXO);
    let listener = UnixListener::bind(path);
    umask(before);
    listener
}
