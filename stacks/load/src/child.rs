//! The server in a process of its own.
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use loopback::Error;

/// A server that ends when it is dropped.
pub struct Server {
    process: Child,
    pub address: SocketAddr,
}

impl Server {
    pub fn start(listen: &str, users: usize, lifetime: u32, log: &Path) -> Result<Self, Error> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["serve", listen])
            .args([users.to_string(), lifetime.to_string()])
            .arg(log)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().ok_or("no standard output")?).read_line(&mut line)?;
        let address = line.trim_end().strip_prefix("listening on ");
        let address = address.ok_or("the server did not start")?.parse()?;
        Ok(Self { process, address })
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Has it take another key, and keep the present one as the previous one.
    pub fn rotate(&self) -> Result<(), Error> {
        self.signal("HUP")
    }

    /// Has it write its log and end.
    pub fn stop(&mut self) -> Result<(), Error> {
        self.signal("TERM")?;
        match self.process.wait()?.success() {
            true => Ok(()),
            false => Err("the server failed to write its log".into()),
        }
    }

    fn signal(&self, name: &str) -> Result<(), Error> {
        // The shell has a `kill` of its own.
        let kill = format!("kill -{name} {}", self.pid());
        match Command::new("sh").args(["-c", &kill]).status()?.success() {
            true => Ok(()),
            false => Err("the server is gone".into()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
