//! Another process, which serves.
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::Error;

/// Runs until it is dropped.
pub struct Program {
    process: Child,
    pub address: String,
    /// It writes a line for each request, so this must stay open.
    _lines: BufReader<ChildStdout>,
}

impl Program {
    /// Starts it, and waits until it says where it listens.
    pub fn start(program: &Path, args: &[&str]) -> Result<Self, Error> {
        let mut process = Command::new(program)
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let mut lines = BufReader::new(process.stdout.take().ok_or("no standard output")?);
        let mut line = String::new();
        let address = loop {
            line.clear();
            if lines.read_line(&mut line)? == 0 {
                return Err(format!("{}: no address", program.display()).into());
            }
            if let Some(address) = line.trim_end().strip_prefix("listening on ") {
                break address.to_owned();
            }
        };
        Ok(Self {
            process,
            address,
            _lines: lines,
        })
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
