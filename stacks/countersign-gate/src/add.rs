//! Adds a user to a file of `htdigest`, by SHA-256, which `htdigest` itself cannot.

use std::fs::{self, File};
use std::io::{ErrorKind, IsTerminal, Read, Write, stdin, stdout};
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use countersign::digest::{Ha1, HashFunction};
use rustix::fs::{FlockOperation, flock};

use crate::users::check_name;

/// Adds or replaces the line of a user in a realm, and says which. Asks for the password, twice, or
/// reads it from standard input if that is not a terminal.
///
/// # Errors
///
/// What is wrong.
pub fn add_user(path: &Path, realm: &str, name: &str) -> Result<(), String> {
    check_name(name.as_bytes())?;
    let ha1 = Ha1::new(HashFunction::Sha256, name, realm, &*password()?);
    let shown = path.display();
    let in_file = |error| format!("{shown}: {error}");
    // The file itself, so that a symbolic link stays one, to another file system, too.
    let target = fs::canonicalize(path).unwrap_or(path.into());
    let folder = target.parent().filter(|it| !it.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // Until the end, because the later of two at once would undo the other's change.
    let locked = File::open(folder).map_err(in_file)?;
    flock(&locked, FlockOperation::LockExclusive).map_err(|error| in_file(error.into()))?;
    // Its owner is asked of the open file: the gate, if the folder is its own, could put a link here
    // meanwhile, and be given the content of a file of root.
    let mut before = Vec::new();
    let about = match File::open(&target) {
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        opened => {
            let mut file = opened.map_err(in_file)?;
            file.read_to_end(&mut before).map_err(in_file)?;
            Some(file.metadata().map_err(in_file)?)
        }
    };
    let prefix = format!("{name}:{realm}:");
    let (mut text, mut is_known) = (Vec::new(), false);
    // Also without the line of MD5, which is of the old password.
    for line in before.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(prefix.as_bytes()) {
            is_known = true;
        } else {
            text.extend_from_slice(line);
        }
    }
    if text.last().is_some_and(|byte| *byte != b'\n') {
        text.push(b'\n');
    }
    text.extend_from_slice(format!("{prefix}{}\n", ha1.as_hex()).as_bytes());
    // Written beside it and renamed, so that nobody reads half of it. A new file is for its owner.
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(in_file)?;
    file.write_all(&text).map_err(in_file)?;
    if let Some(about) = about {
        let mode = fs::Permissions::from_mode(about.mode() & 0o7777);
        file.as_file().set_permissions(mode).map_err(in_file)?;
        // Root adds a user to a file that the gate has to read. Not by its path, either.
        fchown(file.as_file(), Some(about.uid()), Some(about.gid())).map_err(in_file)?;
    }
    file.as_file().sync_all().map_err(in_file)?;
    file.persist(&target)
        .map_err(|error| in_file(error.error))?;
    // The file is written, also if nobody reads this.
    let _ = match is_known {
        true => writeln!(stdout(), "changed the password of {name:?}"),
        false => writeln!(stdout(), "added {name:?}"),
    };
    Ok(())
}

fn password() -> Result<String, String> {
    let failed = |error| format!("no password: {error}");
    if !stdin().is_terminal() {
        let mut line = String::new();
        stdin().read_line(&mut line).map_err(failed)?;
        let password = line.trim_end_matches(['\n', '\r']);
        return match password {
            "" => Err("no password on standard input".into()),
            password => Ok(password.into()),
        };
    }
    let password = rpassword::prompt_password("Password: ").map_err(failed)?;
    match rpassword::prompt_password("Again: ").map_err(failed)? == password {
        _ if password.is_empty() => Err("the password is empty".into()),
        true => Ok(password),
        false => Err("the two passwords differ".into()),
    }
}
