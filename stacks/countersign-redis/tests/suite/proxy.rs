//! A way to the server that can be cut, or hang.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct Proxy {
    pub(crate) url: String,
    /// How many connections there were, and below which of them nothing passes any more.
    pub(crate) count: Arc<AtomicUsize>,
    hung: Arc<AtomicUsize>,
}

impl Proxy {
    pub(crate) async fn start(to: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        let (count, hung) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let proxy = Self {
            url,
            count: Arc::clone(&count),
            hung: Arc::clone(&hung),
        };
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let server = TcpStream::connect(to).await.unwrap();
                let at = count.fetch_add(1, Ordering::SeqCst);
                let ((from_client, to_client), (from_server, to_server)) =
                    (client.into_split(), server.into_split());
                for (mut from, mut to) in [(from_client, to_server), (from_server, to_client)] {
                    let hung = Arc::clone(&hung);
                    tokio::spawn(async move {
                        let mut bytes = [0; 4096];
                        while let Ok(length @ 1..) = from.read(&mut bytes).await {
                            // It reads on, and the connection stays open.
                            let passes = at >= hung.load(Ordering::SeqCst);
                            if passes && to.write_all(&bytes[..length]).await.is_err() {
                                break;
                            }
                        }
                    });
                }
            }
        });
        proxy
    }

    /// What is connected now hangs; new connections work.
    pub(crate) fn hang(&self) {
        self.hung.store(self.count(), Ordering::SeqCst);
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::SeqCst)
    }
}
