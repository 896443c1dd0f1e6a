//! Starts a server that is among the examples of the library.
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::Error;

/// Where `cargo build --examples` puts them.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/debug/examples");

/// Runs until it is dropped.
pub struct Example {
    process: Child,
    pub address: String,
    /// It writes a line for each request, so this must stay open.
    _lines: BufReader<ChildStdout>,
}

impl Example {
    /// Starts it on a free port. The first argument of this program may name another folder.
    pub fn start(name: &str, options: &[&str]) -> Result<Self, Error> {
        let folder = std::env::args().nth(1).unwrap_or(FOLDER.into());
        let program = Path::new(&folder).join(name);
        let mut process = Command::new(&program)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let mut lines = BufReader::new(process.stdout.take().ok_or("no standard output")?);
        let mut line = String::new();
        lines.read_line(&mut line)?;
        let address = line.trim_end().strip_prefix("listening on ");
        Ok(Self {
            address: address.ok_or("no address")?.to_owned(),
            process,
            _lines: lines,
        })
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
