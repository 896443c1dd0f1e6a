//! Reads the files of users again when they change.

use std::fs::metadata;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::{error, info};

use crate::gate::Gate;
use crate::users::Files;

/// A change is read at the second look after it, so within a second.
const INTERVAL: Duration = Duration::from_millis(400);

/// How often the log tells that the files are not in force.
const REMINDER: Duration = Duration::from_secs(60);

/// What changes with a file: inode, length, and the times of its content and its inode.
type Stamp = Option<[i64; 6]>;

/// The files, and what is known of them.
pub struct Watch {
    files: Files,
    /// At the last look.
    seen: [Stamp; 2],
    /// When they were read.
    read: [Stamp; 2],
    /// Why they are not in force, and when the log was told.
    wrong: Option<(String, Instant)>,
}

impl Watch {
    /// Watches files that have just been read.
    pub fn new(files: Files) -> Self {
        // Not the stamps of now: a change since they were read must be seen.
        Self {
            files,
            seen: [None; 2],
            read: [None; 2],
            wrong: None,
        }
    }

    /// Looks at the files for ever, on a thread of its own, because a file system may stall.
    pub fn run(mut self, gate: &Arc<Gate>) -> ! {
        loop {
            std::thread::sleep(INTERVAL);
            self.look(gate, Instant::now());
        }
    }

    /// Reads the files if they have changed, but not since the last look: `htdigest` and `htpasswd`
    /// write in place, and a file that is being written lacks users.
    fn look(&mut self, gate: &Gate, now: Instant) {
        let stamps = self.stamps();
        let is_still = std::mem::replace(&mut self.seen, stamps) == stamps;
        if is_still && self.read != stamps {
            let users = self.files.read();
            if self.stamps() != stamps {
                return;
            }
            self.read = stamps;
            match users {
                Ok(users) => {
                    self.wrong = None;
                    info!("{} users in force", users.len());
                    gate.replace_users(users);
                }
                // Never replaces users: a file may be half copied.
                Err(why) => {
                    gate.set_wrong(&why);
                    self.wrong = Some((why, now - REMINDER));
                }
            }
        }
        if let Some((why, told)) = &mut self.wrong
            && now.duration_since(*told) >= REMINDER
        {
            *told = now;
            error!("the users are as before, because the files are wrong: {why}");
        }
    }

    fn stamps(&self) -> [Stamp; 2] {
        [&self.files.digest, &self.files.basic].map(|path| {
            let about = metadata(path.as_ref()?).ok()?;
            Some([
                about.ino().cast_signed(),
                about.len().cast_signed(),
                about.mtime(),
                about.mtime_nsec(),
                about.ctime(),
                about.ctime_nsec(),
            ])
        })
    }
}
