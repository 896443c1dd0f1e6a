//! A Redis for the checks.
use std::io::ErrorKind;
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
    /// Starts it; `None` if it is not installed.
    pub fn start() -> Result<Option<Self>, Error> {
        // It does not say which port it took, so one is picked that was free just now.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let port = address.port().to_string();
        let started = Command::new("redis-server")
            .args(["--port", &port, "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no"])
            .args(["--maxmemory-policy", "noeviction"])
            .stdout(Stdio::null())
            .spawn();
        let process = match started {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            started => started?,
        };
        let store = Self {
            process,
            url: format!("redis://{address}"),
        };
        for _ in 0..100 {
            if TcpStream::connect(address).is_ok() {
                return Ok(Some(store));
            }
            sleep(Duration::from_millis(50));
        }
        Err("redis-server does not listen".into())
    }

    /// Makes it forget everything.
    pub async fn flush(&self) -> Result<(), Error> {
        let client = redis::Client::open(&*self.url)?;
        let mut connection = client.get_multiplexed_async_connection().await?;
        redis::cmd("FLUSHALL").exec_async(&mut connection).await?;
        println!("(store flushed)");
        Ok(())
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
