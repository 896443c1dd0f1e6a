//! Reads the files of users again when they change.

use std::fs::metadata;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::{error, info};

use crate::gate::Gate;
use crate::users::{Files, Users};

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
    /// When they were read; none where that failed.
    read: [Stamp; 2],
    /// Why they are not in force, and when the log was told.
    wrong: Option<(String, Instant)>,
}

impl Watch {
    /// Reads the files for the first time, to watch them from then on.
    ///
    /// # Errors
    ///
    /// Those of [`Files::read`].
    pub fn begin(files: Files) -> Result<(Self, Users), String> {
        let mut watch = Self {
            files,
            seen: [None; 2],
            read: [None; 2],
            wrong: None,
        };
        // Before they are read, so that a change meanwhile is seen.
        watch.read = watch.stamps();
        let users = watch.files.read()?;
        Ok((watch, users))
    }

    /// Looks at the files for ever, on a thread of its own, because a file system may stall.
    pub fn run(mut self, gate: &Arc<Gate>) -> ! {
        loop {
            std::thread::sleep(INTERVAL);
            self.look(gate, Instant::now());
            gate.metrics.set_looked(Instant::now());
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
            match users {
                Ok(users) => {
                    (self.read, self.wrong) = (stamps, None);
                    info!("{} users in force", users.len());
                    gate.replace_users(users);
                }
                // Never replaces users: a file may be half copied. It is read again at each look, because
                // the fault may be no fault of the file.
                Err(why) => {
                    self.read = [None; 2];
                    gate.metrics.set_wrong(Some(why.clone()));
                    if self.wrong.as_ref().is_none_or(|(known, _)| *known != why) {
                        self.wrong = Some((why, now - REMINDER));
                    }
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::convention::Convention;

    const LINE: &str = "a:files:0123456789abcdef0123456789abcdef\n";

    struct Watched {
        file: PathBuf,
        gate: Gate,
        watch: Watch,
        _dir: tempfile::TempDir,
    }

    fn watched() -> Watched {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("htdigest");
        std::fs::write(&file, LINE).unwrap();
        let files = Files {
            realm: "files".into(),
            digest: Some(file.clone()),
            basic: None,
        };
        let (watch, users) = Watch::begin(files).unwrap();
        let gate = Gate::new(Convention::Nginx, users, 20).unwrap();
        Watched {
            file,
            gate,
            watch,
            _dir: dir,
        }
    }

    impl Watched {
        fn write(&self, text: &str) {
            std::fs::write(&self.file, text).unwrap();
        }

        /// Looks, and returns how many users are in force.
        fn look(&mut self) -> usize {
            self.watch.look(&self.gate, Instant::now());
            self.gate.users()
        }
    }

    #[test]
    fn a_file_is_read_once_it_is_still() {
        let mut watched = watched();
        watched.look();
        watched.look();
        let two = LINE.repeat(2).replacen("a:", "b:", 1);
        watched.write(&two);
        assert_eq!(watched.look(), 1);
        // It goes on being written.
        watched.write(LINE);
        assert_eq!(watched.look(), 1);
        watched.write(&two);
        assert_eq!(watched.look(), 1);
        assert_eq!(watched.look(), 2);
    }

    #[test]
    fn a_look_that_does_not_end_is_told() {
        let watched = watched();
        let (metrics, later) = (
            &watched.gate.metrics,
            Instant::now() + Duration::from_secs(12),
        );
        assert_eq!(metrics.wrong(Instant::now()), None);
        assert!(
            metrics
                .wrong(later)
                .unwrap()
                .starts_with("no look at the files for")
        );
        metrics.set_looked(later);
        assert_eq!(metrics.wrong(later), None);
    }

    #[test]
    fn a_change_before_the_first_look_is_seen() {
        let mut watched = watched();
        watched.write(&LINE.repeat(2).replacen("a:", "b:", 1));
        watched.look();
        assert_eq!(watched.look(), 2);
    }

    #[test]
    fn a_wrong_file_never_replaces_users() {
        let mut watched = watched();
        for text in [
            "",
            "a",
            &LINE[..20],
            "\n\n",
            &LINE.replace("files", "other"),
        ] {
            watched.write(text);
            watched.look();
            assert_eq!(watched.look(), 1, "{text:?}");
            assert!(
                watched.gate.metrics.wrong(Instant::now()).is_some(),
                "{text:?}"
            );
            watched.write(LINE);
            watched.look();
            assert_eq!(watched.look(), 1);
            assert_eq!(watched.gate.metrics.wrong(Instant::now()), None);
        }
        std::fs::remove_file(&watched.file).unwrap();
        watched.look();
        assert_eq!(watched.look(), 1);
        assert!(
            watched
                .gate
                .metrics
                .wrong(Instant::now())
                .unwrap()
                .contains("No such file")
        );
    }

    #[test]
    fn the_log_is_told_again_after_a_minute() {
        let mut watched = watched();
        watched.write("");
        let now = Instant::now();
        let mut told = Vec::new();
        for secs in 0..150 {
            watched
                .watch
                .look(&watched.gate, now + Duration::from_secs(secs));
            told.extend(watched.watch.wrong.as_ref().map(|(_, at)| *at));
        }
        told.dedup();
        assert_eq!(told.len(), 3);
    }

    #[test]
    fn a_change_in_place_of_the_same_length_and_time_is_seen() {
        let mut watched = watched();
        watched.look();
        watched.look();
        let modified = metadata(&watched.file).unwrap().modified().unwrap();
        watched.write(&LINE.replace("a:", "b:"));
        let file = std::fs::File::options().write(true).open(&watched.file);
        file.unwrap().set_modified(modified).unwrap();
        watched.look();
        watched.look();
        assert!(watched.gate.has_user(b"b"));
    }

    #[test]
    fn a_file_of_the_same_length_and_time_in_its_place_is_seen() {
        let mut watched = watched();
        watched.look();
        watched.look();
        let about = metadata(&watched.file).unwrap();
        let other = watched.file.with_extension("new");
        std::fs::write(&other, LINE.replace("a:", "b:")).unwrap();
        let file = std::fs::File::options().write(true).open(&other).unwrap();
        file.set_modified(about.modified().unwrap()).unwrap();
        std::fs::rename(&other, &watched.file).unwrap();
        watched.look();
        watched.look();
        assert!(watched.gate.has_user(b"b"));
    }
}
