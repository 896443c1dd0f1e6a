//! curl, as a client that somebody else wrote.
use std::process::Command;

use tokio::task::block_in_place;

use crate::Error;

/// What came of a run of curl.
pub struct Curl {
    /// Of each response.
    pub statuses: Vec<u16>,
    /// All responses with their header fields.
    pub text: String,
}

impl Curl {
    /// Runs curl on a runtime of several threads; `None` if it is not installed, which it says.
    pub fn run(args: &[&str]) -> Result<Option<Self>, Error> {
        let mut curl = Command::new("curl");
        for variable in [
            "http_proxy",
            "https_proxy",
            "HTTPS_PROXY",
            "all_proxy",
            "ALL_PROXY",
        ] {
            curl.env_remove(variable);
        }
        curl.args(["-q", "-sS", "-i", "--max-time", "20"]);
        let output = match block_in_place(|| curl.args(args).output()) {
            Ok(output) => output,
            Err(_) => {
                println!("skipped: no curl");
                return Ok(None);
            }
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.is_empty() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let status = |line: &str| line.strip_prefix("HTTP/")?.split(' ').nth(1)?.parse().ok();
        let statuses = text.lines().filter_map(status).collect();
        Ok(Some(Self { statuses, text }))
    }

    /// Runs it, shows the statuses, and panics if they are not as expected.
    pub fn expect(what: &str, args: &[&str], statuses: &[u16]) -> Result<Option<Self>, Error> {
        let Some(run) = Self::run(args)? else {
            return Ok(None);
        };
        println!("curl, {what}: {:?}", run.statuses);
        assert_eq!(run.statuses, statuses, "{what}: {}", run.text);
        Ok(Some(run))
    }

    /// Whether a response had a field that begins so.
    pub fn has(&self, line: &str) -> bool {
        let lines = &mut self.text.lines();
        lines.any(|found| found.to_lowercase().starts_with(&line.to_lowercase()))
    }
}
