//! Files that Apache's own tools made.
use std::fs::write;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use loopback::{Error, USER};

/// Makes `htdigest` and `htpasswd` in a folder, with the users of this recipe's own files. Returns
/// whether the tools are installed.
pub fn make(folder: &Path, realm: &str) -> Result<bool, Error> {
    let (htdigest, htpasswd) = (folder.join("htdigest"), folder.join("htpasswd"));
    // It asks a terminal if there is one: `setsid` takes it away.
    let tool = Command::new("setsid")
        .args(["-w", "htdigest", "-c"])
        .arg(&htdigest)
        .args([realm, USER.0])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut tool) = tool else { return Ok(false) };
    let twice = format!("{0}\n{0}\n", USER.1);
    // One that is not there reads nothing.
    let _ = tool
        .stdin
        .take()
        .ok_or("no standard input")?
        .write_all(twice.as_bytes());
    let is_made = tool.wait()?.success();
    let output = Command::new("htpasswd")
        .args(["-nbB", "Zazu", "Morning report"])
        .output();
    match output {
        Ok(output) if is_made && output.status.success() => {
            write(htpasswd, output.stdout)?;
            Ok(true)
        }
        _ => Ok(false),
    }
}
