//! The results of scenarios.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, Instant};

use crate::message::Messages;
use crate::outcome::{Outcome, Stop};

/// How many messages `Display` shows: the last ones.
const SHOWN: usize = 4;

/// The outcome of one scenario.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Verdict {
    /// The program did what was expected.
    Passed,
    /// The program did what the specification permits although another choice is better.
    Noted,
    /// The scenario was left out, or does not apply, for example because the server does not offer
    /// the algorithm.
    Skipped,
    /// The program broke a rule of the specification, let in who must not be let in, or kept out who
    /// was right.
    Failed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Passed => "passed",
            Self::Noted => "noted",
            Self::Skipped => "skipped",
            Self::Failed => "FAILED",
        })
    }
}

/// One scenario: what was expected and what happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding<S> {
    /// The scenario.
    pub scenario: S,
    /// Its outcome.
    pub verdict: Verdict,
    /// What the scenario expects, and the section of the specification that asks for it.
    pub expected: &'static str,
    /// What happened. For [`Verdict::Noted`] what is permitted and why another choice is better, for
    /// [`Verdict::Skipped`] why the scenario does not apply.
    pub actual: String,
    /// How long the scenario took.
    pub took: Duration,
    /// The messages of a scenario that failed or passed with a note: a request and its response on
    /// each line. They contain credentials.
    pub messages: Vec<String>,
}

/// The findings of a run, one for each scenario, in the order they ran.
///
/// `Display` has a line for each scenario, and for a failed one also what was expected, what
/// happened and the last messages.
#[derive(Clone, Debug)]
#[must_use]
pub struct Report<S> {
    findings: Vec<Finding<S>>,
    /// When the scenario that comes next began.
    begun: Instant,
    /// How many scenarios are about a scheme that the program does not have.
    not_offered: BTreeMap<&'static str, usize>,
}

impl<S> Report<S> {
    pub(crate) fn new() -> Self {
        Self {
            findings: Vec::new(),
            begun: Instant::now(),
            not_offered: BTreeMap::new(),
        }
    }

    /// Adds what came of a scenario.
    pub(crate) fn add(
        &mut self,
        (scenario, expected): (S, &'static str),
        outcome: Outcome,
        notes: &[String],
        messages: &Messages,
    ) {
        let took = self.begun.elapsed();
        self.begun += took;
        let (verdict, actual) = match outcome {
            Ok(()) if notes.is_empty() => (Verdict::Passed, "as expected".to_owned()),
            Ok(()) => (Verdict::Noted, notes.join("; ")),
            Err(Stop::Skipped(why)) => (Verdict::Skipped, why),
            Err(Stop::Failed(actual)) => (Verdict::Failed, actual),
            Err(Stop::NotOffered(scheme)) => {
                *self.not_offered.entry(scheme).or_default() += 1;
                return;
            }
        };
        self.findings.push(Finding {
            scenario,
            verdict,
            expected,
            actual,
            took,
            messages: match verdict {
                Verdict::Failed | Verdict::Noted => messages.lines(),
                Verdict::Passed | Verdict::Skipped => Vec::new(),
            },
        });
    }

    /// All findings. Scenarios about a scheme that a server does not offer are not among them.
    pub fn findings(&self) -> &[Finding<S>] {
        &self.findings
    }

    /// The findings of scenarios that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Finding<S>> {
        self.of(Verdict::Failed)
    }

    /// The findings of scenarios that passed with a note.
    pub fn notes(&self) -> impl Iterator<Item = &Finding<S>> {
        self.of(Verdict::Noted)
    }

    fn of(&self, verdict: Verdict) -> impl Iterator<Item = &Finding<S>> {
        let findings = self.findings.iter();
        findings.filter(move |finding| finding.verdict == verdict)
    }

    /// Returns whether no scenario failed.
    pub fn is_clean(&self) -> bool {
        self.failures().next().is_none()
    }
}

impl<S: Copy + PartialEq> Report<S> {
    /// The outcome of a scenario.
    pub fn verdict(&self, scenario: S) -> Verdict {
        let of = |finding: &&Finding<S>| finding.scenario == scenario;
        let found = self.findings.iter().find(of);
        found.map_or(Verdict::Skipped, |finding| finding.verdict)
    }

    /// The scenarios that failed.
    pub fn failed(&self) -> Vec<S> {
        self.failures().map(|finding| finding.scenario).collect()
    }

    /// The scenarios that passed with a note.
    pub fn noted(&self) -> Vec<S> {
        self.notes().map(|finding| finding.scenario).collect()
    }
}

impl<S: fmt::Display> Report<S> {
    /// Asserts that no scenario failed.
    ///
    /// # Panics
    ///
    /// With the whole report, if one did.
    #[track_caller]
    pub fn assert_clean(&self) {
        assert!(self.is_clean(), "{self}");
    }
}

impl<S: fmt::Display> fmt::Display for Finding<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<8} {}", self.verdict, self.scenario)?;
        match self.verdict {
            Verdict::Passed => Ok(()),
            Verdict::Skipped => write!(f, ": {}", self.actual),
            Verdict::Noted => {
                write!(f, "\n         better:   {}", self.expected)?;
                write!(f, "\n         actual:   {}", self.actual)
            }
            Verdict::Failed => {
                write!(f, "\n         expected: {}", self.expected)?;
                write!(f, "\n         actual:   {}", self.actual)?;
                let last = self.messages.len().saturating_sub(SHOWN);
                for message in &self.messages[last..] {
                    write!(f, "\n         | {message}")?;
                }
                Ok(())
            }
        }
    }
}

impl<S: fmt::Display> fmt::Display for Report<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        for (scheme, count) in &self.not_offered {
            writeln!(f, "{scheme} is not offered: {count} scenarios do not apply")?;
        }
        let count = |verdict| self.of(verdict).count();
        let (passed, noted) = (count(Verdict::Passed), count(Verdict::Noted));
        let (failed, skipped) = (count(Verdict::Failed), count(Verdict::Skipped));
        write!(
            f,
            "{passed} passed, {noted} with a note, {failed} failed, {skipped} skipped"
        )
    }
}
