//! What a server granted, and why it refused the rest.
use std::collections::{BTreeMap, HashSet};
use std::fs::{File, read_to_string};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use countersign::Authorization;
use countersign::server::Reason;
use loopback::Error;

/// A line for each request that was granted; the refused ones are counted.
pub struct Log {
    file: BufWriter<File>,
    refused: BTreeMap<&'static str, u64>,
}

impl Log {
    pub fn create(path: &str) -> io::Result<Self> {
        Ok(Self {
            file: BufWriter::new(File::create(path)?),
            refused: BTreeMap::new(),
        })
    }

    pub fn granted(&mut self, credentials: &[u8]) -> Result<(), Error> {
        let Ok(Authorization::Digest(digest)) = Authorization::parse(credentials) else {
            return Err("granted without Digest".into());
        };
        let nc = digest.qop_params.map_or(0, |params| params.nc());
        let (user, nonce) = (digest.user(), digest.nonce);
        let (nonce, response) = (nonce.to_str()?, digest.response);
        let response = response.as_str();
        writeln!(self.file, "granted {user} {nonce} {nc} {response}")?;
        Ok(())
    }

    pub fn refused(&mut self, why: Reason) {
        *self.refused.entry(why.name()).or_default() += 1;
    }

    /// Writes how many were refused, and everything to the disk.
    pub fn finish(&mut self) -> io::Result<()> {
        for (why, count) in &self.refused {
            writeln!(self.file, "refused {why} {count}")?;
        }
        self.file.flush()
    }
}

/// All that the logs of several runs of a server say.
#[derive(Default)]
pub struct Read {
    seen: HashSet<Box<str>>,
    /// Granted requests.
    pub granted: u64,
    /// Granted though the user had used this count with this nonce before.
    pub twice: u64,
    /// Why requests were refused, and how often, by the number of the run.
    pub refused: BTreeMap<(usize, Box<str>), u64>,
}

impl Read {
    pub fn add(&mut self, run: usize, path: &Path) -> Result<(), Error> {
        for line in read_to_string(path)?.lines() {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["granted", user, nonce, nc, response] => {
                    self.granted += 1;
                    let count = format!("{user} {nonce} {nc}").into();
                    let response = format!("{nonce} {nc} {response}").into();
                    let new = [self.seen.insert(count), self.seen.insert(response)];
                    self.twice += u64::from(new != [true; 2]);
                }
                ["refused", why, count] => {
                    self.refused.insert((run, why.into()), count.parse()?);
                }
                _ => return Err(format!("not a line of the log: {line}").into()),
            }
        }
        Ok(())
    }
}
