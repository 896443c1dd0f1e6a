//! A Redis of one's own.
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use loopback::Error;

/// A Redis on a free port, which keeps nothing. It runs until it is dropped.
pub struct Store {
    process: Child,
    pub url: String,
}

impl Store {
    pub fn start() -> Result<Self, Error> {
        // It does not say which port it took, so one is picked that was free just now.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let port = address.port().to_string();
        let process = Command::new("redis-server")
            .args(["--port", &port, "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no"])
            .args(["--maxmemory-policy", "noeviction"])
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("redis-server: {error}"))?;
        let store = Self {
            process,
            url: format!("redis://{address}"),
        };
        for _ in 0..100 {
            if TcpStream::connect(address).is_ok() {
                return Ok(store);
            }
            sleep(Duration::from_millis(50));
        }
        Err("redis-server does not listen".into())
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
