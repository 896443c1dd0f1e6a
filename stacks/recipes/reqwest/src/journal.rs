//! What was sent.
use std::collections::BTreeMap;
use std::fmt;

use reqwest::Url;

/// A request that was sent, and what came back.
pub struct Sent {
    pub url: Url,
    pub has_answer: bool,
    pub status: u16,
}

/// What was sent.
#[derive(Default)]
pub struct Journal(pub Vec<Sent>);

impl Journal {
    /// How many requests had this status.
    pub fn count(&self, has_answer: bool, status: u16) -> usize {
        let is_one = |sent: &&Sent| sent.has_answer == has_answer && sent.status == status;
        self.0.iter().filter(is_one).count()
    }
}

impl fmt::Display for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts = BTreeMap::new();
        for sent in &self.0 {
            *counts.entry((sent.has_answer, sent.status)).or_insert(0) += 1;
        }
        write!(f, "{} requests:", self.0.len())?;
        for ((has_answer, status), count) in counts {
            let how = if has_answer { "answered" } else { "bare" };
            write!(f, " {count} {how} {status}")?;
        }
        Ok(())
    }
}
