//! Starts a server that is among the examples of the library.
use std::path::Path;

use crate::Error;
use crate::program::Program;

/// Where `cargo build --examples` puts them.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/debug/examples");

/// Runs until it is dropped.
pub struct Example {
    pub address: String,
    _program: Program,
}

impl Example {
    /// Starts it on a free port. The first argument of this program may name another folder.
    pub fn start(name: &str, options: &[&str]) -> Result<Self, Error> {
        let folder = std::env::args().nth(1).unwrap_or(FOLDER.into());
        let program = Program::start(&Path::new(&folder).join(name), options)?;
        Ok(Self {
            address: program.address.clone(),
            _program: program,
        })
    }
}
