//! Counts for monitoring, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::lock::lock;

/// Many times what a look at the files takes, unless their file system stalls.
const SILENCE: Duration = Duration::from_secs(10);

pub struct Metrics {
    answers: Mutex<BTreeMap<&'static str, u64>>,
    files: Mutex<Files>,
}

struct Files {
    /// Why they are not in force.
    wrong: Option<String>,
    /// When they were looked at.
    looked: Instant,
}

impl Metrics {
    pub fn new() -> Self {
        // Present before the first of them, so that a rate can be computed of it.
        let answers = ["granted", "limited", "no-credentials", "wrong-credentials"];
        Self {
            answers: Mutex::new(answers.map(|it| (it, 0)).into()),
            files: Mutex::new(Files {
                wrong: None,
                looked: Instant::now(),
            }),
        }
    }

    pub fn count(&self, outcome: &'static str) {
        *lock(&self.answers).entry(outcome).or_default() += 1;
    }

    /// Why the files of users are not in force; `None` if they are.
    pub fn set_wrong(&self, why: Option<String>) {
        lock(&self.files).wrong = why;
    }

    /// A look at the files has ended.
    pub fn set_looked(&self, now: Instant) {
        lock(&self.files).looked = now;
    }

    /// Why the files of users are not in force; `None` if they are.
    pub fn wrong(&self, now: Instant) -> Option<String> {
        let files = lock(&self.files);
        let silent = now.duration_since(files.looked);
        match silent > SILENCE {
            true => Some(format!("no look at the files for {} s", silent.as_secs())),
            false => files.wrong.clone(),
        }
    }

    pub fn text(&self, users: usize) -> String {
        let name = "countersign_gate_answers_total";
        let mut text =
            format!("# HELP {name} Answers to questions of the proxy.\n# TYPE {name} counter\n");
        for (outcome, count) in lock(&self.answers).iter() {
            let _ = writeln!(text, "{name}{{outcome=\"{outcome}\"}} {count}");
        }
        let in_force = usize::from(self.wrong(Instant::now()).is_none());
        for (name, help, value) in [
            ("users", "Users in force.", users),
            (
                "files_in_force",
                "Whether the files of users are.",
                in_force,
            ),
        ] {
            let name = format!("countersign_gate_{name}");
            let _ = writeln!(
                text,
                "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}"
            );
        }
        text
    }
}
