//! A Redis for the checks.
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::Error;

/// A Redis on a free port, which keeps nothing. It runs until it is dropped.
pub struct Store {
    process: Child,
    address: SocketAddr,
}

impl Store {
    /// Starts it; `None` if it is not installed.
    pub fn start() -> Result<Option<Self>, Error> {
        // It does not say which port it took, so one is picked that was free just now, and that nobody
        // listens at when it starts.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        Self::start_at(address)
    }

    fn start_at(address: SocketAddr) -> Result<Option<Self>, Error> {
        let port = address.port().to_string();
        let started = Command::new("redis-server")
            .args(["--port", &port, "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no"])
            .stdout(Stdio::null())
            .spawn();
        let process = match started {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            started => started?,
        };
        for _ in 0..200 {
            if TcpStream::connect(address).is_ok() {
                return Ok(Some(Self { process, address }));
            }
            sleep(Duration::from_millis(25));
        }
        Err("redis-server does not listen".into())
    }

    /// Kills it, and starts an empty one in its place.
    pub fn restart(self) -> Result<Self, Error> {
        let address = self.address;
        drop(self);
        println!("(the store restarts empty)");
        Self::start_at(address)?.ok_or_else(|| "no redis-server".into())
    }

    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
