//! Listens, and serves connections until the process is told to stop.

use std::convert::Infallible;
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
use tokio::signal::unix::{Signal, SignalKind, signal};
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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("unix:") {
            Some(path) => Ok(Self::Socket(path.into())),
            None => text
                .parse()
                .map(Self::Tcp)
                .map_err(|_| "neither ADDRESS:PORT nor unix:PATH".into()),
        }
    }
}

/// SIGTERM and SIGINT, which no longer kill the process.
pub struct Signals([Signal; 2]);

impl Signals {
    /// # Errors
    ///
    /// The operating system refuses.
    pub fn catch() -> Result<Self, String> {
        let catch = |kind| signal(kind).map_err(|error| format!("no signals: {error}"));
        Ok(Self([
            catch(SignalKind::terminate())?,
            catch(SignalKind::interrupt())?,
        ]))
    }

    async fn received(&mut self) {
        let [term, int] = &mut self.0;
        tokio::select! {
            _ = term.recv() => (),
            _ = int.recv() => (),
        }
    }
}

pub enum Listener {
    Tcp(TcpListener),
    Socket(UnixListener, PathBuf),
}

impl Listener {
    /// # Errors
    ///
    /// The address is in use or not loopback, or there is a file of that name.
    pub async fn bind(place: &Place, any_network: bool) -> Result<Self, String> {
        match place {
            Place::Tcp(address) if !address.ip().is_loopback() && !any_network => Err(format!(
                "{address} is not a loopback address; whoever can reach it can guess passwords"
            )),
            Place::Tcp(address) => {
                let listener = TcpListener::bind(address).await;
                listener
                    .map(Self::Tcp)
                    .map_err(|error| format!("cannot listen on {address}: {error}"))
            }
            Place::Socket(path) => {
                let listener = bind_socket(path);
                let listener = listener
                    .map_err(|why| format!("cannot listen on {}: {why}", path.display()))?;
                Ok(Self::Socket(listener, path.clone()))
            }
        }
    }

    /// The place, with the port that the operating system chose if it was 0.
    pub fn place(&self) -> String {
        match self {
            Self::Tcp(listener) => match listener.local_addr() {
                Ok(address) => address.to_string(),
                Err(error) => error.to_string(),
            },
            Self::Socket(_, path) => format!("unix:{}", path.display()),
        }
    }

    /// The port; `None` of a socket.
    pub fn port(&self) -> Option<u16> {
        match self {
            Self::Tcp(listener) => Some(listener.local_addr().ok()?.port()),
            Self::Socket(..) => None,
        }
    }

    /// Serves connections until SIGTERM or SIGINT, and then finishes the requests under way. A
    /// connection may be idle for so long. Requests have the [`IpAddr`] of the client among their
    /// extensions, unless they came by a socket.
    pub async fn serve<F, A, B>(self, mut signals: Signals, idle: Duration, respond: F)
    where
        F: Fn(Request<Incoming>) -> A + Clone + Send + 'static,
        A: Future<Output = Response<B>> + Send,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: std::error::Error + Send + Sync,
    {
        let graceful = GracefulShutdown::new();
        loop {
            let accepted = tokio::select! {
                accepted = self.accept() => accepted,
                () = signals.received() => break,
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
                .serve_connection(TokioIo::new(stream), service);
            let connection = graceful.watch(connection);
            tokio::spawn(async { drop(connection.await) });
        }
        info!("stopping");
        if let Self::Socket(_, path) = &self {
            let _ = remove_file(path);
        }
        drop(self);
        if timeout(GRACE, graceful.shutdown()).await.is_err() {
            warn!("connections are cut off");
        }
    }

    async fn accept(&self) -> io::Result<(Stream, Option<IpAddr>)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, client) = listener.accept().await?;
                stream.set_nodelay(true)?;
                Ok((Box::new(stream), Some(client.ip())))
            }
            Self::Socket(listener, _) => Ok((Box::new(listener.accept().await?.0), None)),
        }
    }
}

type Stream = Box<dyn Connection>;

trait Connection: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Connection for T {}

/// Makes a socket for its owner and group. Removes one that nobody listens on, and no other file.
fn bind_socket(path: &Path) -> Result<UnixListener, String> {
    match metadata(path) {
        Ok(about) if about.file_type().is_socket() => {
            match std::os::unix::net::UnixStream::connect(path) {
                Ok(_) => return Err("a program listens there".into()),
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    remove_file(path).map_err(|error| error.to_string())?;
                }
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(_) => return Err("there is a file that is not a socket".into()),
        Err(_) => {}
    }
    // Set around `bind`: with a mode that is set afterwards, anybody could connect in between.
    let before = umask(Mode::XUSR | Mode::XGRP | Mode::RWXO);
    let listener = UnixListener::bind(path);
    umask(before);
    listener.map_err(|error| error.to_string())
}
