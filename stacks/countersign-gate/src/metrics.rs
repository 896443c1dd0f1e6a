//! Counts for monitoring, in the text format of Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Many times what a look at the files takes, unless their file system stalls.
const SILENCE: Duration = Duration::from_secs(10);

pub struct Metrics(Mutex<State>);

struct State {
    answers: BTreeMap<&'static str, u64>,
    users: usize,
    /// Why the files of users are not in force.
    wrong: Option<String>,
    /// When the files were looked at.
    looked: Instant,
}

impl State {
    fn wrong(&self, now: Instant) -> Option<String> {
        let silent = now.duration_since(self.looked);
        match silent > SILENCE {
            true => Some(format!("no look at the files for {} s", silent.as_secs())),
            false => self.wrong.clone(),
        }
    }
}

impl Metrics {
    pub fn new(users: usize) -> Self {
        // Present before the first of them, so that a rate can be computed of it.
        let answers = ["granted", "limited", "no-credentials", "wrong-credentials"];
        Self(Mutex::new(State {
            answers: answers.map(|it| (it, 0)).into(),
            users,
            wrong: None,
            looked: Instant::now(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn count(&self, outcome: &'static str) {
        *self.state().answers.entry(outcome).or_default() += 1;
    }

    pub fn set_users(&self, users: usize) {
        let mut state = self.state();
        state.users = users;
        state.wrong = None;
    }

    pub fn set_wrong(&self, why: &str) {
        self.state().wrong = Some(why.to_owned());
    }

    /// A look at the files has ended.
    pub fn set_looked(&self, now: Instant) {
        self.state().looked = now;
    }

    /// Why the files of users are not in force; `None` if they are.
    pub fn wrong(&self, now: Instant) -> Option<String> {
        self.state().wrong(now)
    }

    pub fn text(&self, nonces: usize, remembered: usize) -> String {
        let state = self.state();
        let mut text = String::new();
        let begin = |text: &mut String, name: &str, help: &str, kind: &str| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        let name = "countersign_gate_answers_total";
        begin(
            &mut text,
            name,
            "Answers to questions of the proxy.",
            "counter",
        );
        for (outcome, count) in &state.answers {
            let _ = writeln!(text, "{name}{{outcome=\"{outcome}\"}} {count}");
        }
        let is_in_force = usize::from(state.wrong(Instant::now()).is_none());
        for (name, help, value) in [
            ("users", "Users in force.", state.users),
            (
                "files_in_force",
                "Whether the files of users are in force.",
                is_in_force,
            ),
            ("nonces", "Nonces whose counts are remembered.", nonces),
            (
                "remembered_answers",
                "Answers to questions that may come again.",
                remembered,
            ),
        ] {
            let name = format!("countersign_gate_{name}");
            begin(&mut text, &name, help, "gauge");
            let _ = writeln!(text, "{name} {value}");
        }
        text
    }
}
