//! Machines that can be killed: this program, as processes.
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use loopback::send;

use crate::{Error, KEYS, MACHINE, STORE};

/// A machine in a separate process. It runs until it is dropped.
pub struct Machine {
    process: Child,
    pub address: SocketAddr,
}

impl Machine {
    /// Starts one with this environment, and waits until it listens.
    pub fn start(listen: &str, environment: &[(&str, &str)]) -> Result<Self, Error> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(listen)
            .env_remove(STORE)
            .env_remove(KEYS)
            .env_remove(MACHINE)
            .envs(environment.iter().copied())
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
    pub fn restart(self, environment: &[(&str, &str)]) -> Result<Self, Error> {
        let address = self.address.to_string();
        drop(self);
        Self::start(&address, environment)
    }
}

impl Machine {
    /// How many requests had this outcome.
    pub async fn count(&self, outcome: &str) -> Result<u32, Error> {
        let counts = send(self.address, "GET", "/counts", None, "").await?;
        let counts = std::str::from_utf8(counts.body())?;
        let count = counts.lines().find_map(|line| {
            let (name, count) = line.split_once(' ')?;
            (name == outcome).then_some(count)
        });
        Ok(count.map_or(Ok(0), str::parse)?)
    }

    /// What other users of the system see of it; `None` where there is no `/proc`.
    pub fn arguments(&self) -> Option<String> {
        let arguments = std::fs::read(format!("/proc/{}/cmdline", self.process.id())).ok()?;
        Some(String::from_utf8_lossy(&arguments).replace('\0', " "))
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
pub fn three(environment: &[(&str, &str)]) -> Result<Vec<Machine>, Error> {
    (0..3)
        .map(|_| Machine::start("127.0.0.1:0", environment))
        .collect()
}
