//! Machines that can be killed: this program, as processes.
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use loopback::Error;

/// A machine in a separate process. It runs until it is dropped.
pub struct Machine {
    process: Child,
    pub address: SocketAddr,
}

impl Machine {
    /// Starts one with these arguments, and waits until it listens.
    pub fn start(listen: &str, more: &[&str]) -> Result<Self, Error> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(listen)
            .args(more)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        let output = process.stdout.take().ok_or("no standard output")?;
        BufReader::new(output).read_line(&mut line)?;
        let address = line.trim_end().strip_prefix("listening on ");
        Ok(Self {
            process,
            address: address.ok_or("it does not listen")?.parse()?,
        })
    }

    /// Kills it, and starts another in its place.
    pub fn restart(self, more: &[&str]) -> Result<Self, Error> {
        let address = self.address.to_string();
        drop(self);
        Self::start(&address, more)
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Three machines, on free ports.
pub fn three(more: &[&str]) -> Result<Vec<Machine>, Error> {
    (0..3)
        .map(|_| Machine::start("127.0.0.1:0", more))
        .collect()
}
