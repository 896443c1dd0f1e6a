//! The results of scenarios.

use std::fmt;

use crate::outcome::PASSED;

/// How many messages `Display` shows: the last ones.
const SHOWN: usize = 4;

/// The outcome of one scenario.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Verdict {
    /// The program did what was expected.
    Passed,
    /// The scenario was left out, or does not apply, for example because the server does not offer
    /// the algorithm.
    Skipped,
    /// The program did something else.
    Failed,
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
    /// What happened; for [`Verdict::Skipped`], why the scenario does not apply. Also what was not
    /// tried of it.
    pub actual: String,
    /// The messages of the scenario: a request and its response on each line. They contain
    /// credentials.
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
}

impl<S> Report<S> {
    pub(crate) const fn new(findings: Vec<Finding<S>>) -> Self {
        Self { findings }
    }

    /// All findings.
    pub fn findings(&self) -> &[Finding<S>] {
        &self.findings
    }

    /// The findings of scenarios that failed.
    pub fn failures(&self) -> impl Iterator<Item = &Finding<S>> {
        let failed = |finding: &&Finding<S>| finding.verdict == Verdict::Failed;
        self.findings.iter().filter(failed)
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
        match self.verdict {
            Verdict::Passed if self.actual == PASSED => write!(f, "passed   {}", self.scenario),
            Verdict::Passed => write!(f, "passed   {}: {}", self.scenario, self.actual),
            Verdict::Skipped => write!(f, "skipped  {}: {}", self.scenario, self.actual),
            Verdict::Failed => {
                writeln!(f, "FAILED   {}", self.scenario)?;
                writeln!(f, "         expected: {}", self.expected)?;
                write!(f, "         actual:   {}", self.actual)?;
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
        let count = |verdict| {
            let all = self.findings.iter();
            all.filter(|finding| finding.verdict == verdict).count()
        };
        let counts = [Verdict::Passed, Verdict::Failed, Verdict::Skipped].map(count);
        let [passed, failed, skipped] = counts;
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}
