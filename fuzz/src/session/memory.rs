//! What keeps a use from being granted twice.

use std::collections::BTreeMap;

use countersign::Timestamp;
use countersign::server::{Claim, Grant, Proof, Rejection, ReplayTable, Ticket};

use super::script::Script;

/// Tables, a ledger, or both.
pub(super) struct Memory {
    tables: Vec<ReplayTable>,
    capacity: usize,
    ledger: Option<Ledger>,
}

#[derive(Default)]
struct Ledger {
    /// When each ticket may be forgotten.
    claimed: BTreeMap<String, Timestamp>,
}

impl Ledger {
    fn claim(&mut self, ticket: &Ticket, now: Timestamp) -> Claim {
        self.claimed.retain(|_, expires| *expires >= now);
        match self.claimed.insert(ticket.key(), ticket.expires()) {
            None => Claim::First,
            Some(_) => Claim::Repeated,
        }
    }
}

impl Memory {
    pub(super) fn read(script: &mut Script<'_>) -> Self {
        let capacity = script.below(9);
        let choice = script.byte();
        let tables = match choice & 3 {
            // The ledger alone.
            3 => 0,
            shards => usize::from(shards) + 1,
        };
        Self {
            tables: (0..tables)
                .map(|_| ReplayTable::with_capacity(capacity))
                .collect(),
            capacity,
            ledger: (tables == 0 || choice & 4 != 0).then(Ledger::default),
        }
    }

    /// One table with room for all that a test of one request needs.
    pub(super) fn ample() -> Self {
        let capacity = 64;
        Self {
            tables: vec![ReplayTable::with_capacity(capacity)],
            capacity,
            ledger: None,
        }
    }

    /// How far the clock may be set back at most, in seconds, from the latest it has shown.
    pub(super) const fn clock_margin_secs(&self) -> u64 {
        match self.ledger {
            None => u64::MAX,
            Some(_) => Ticket::LEDGER_MARGIN_SECS,
        }
    }

    pub(super) fn horizon(&self) -> Timestamp {
        let horizons = self.tables.iter().map(ReplayTable::horizon);
        horizons.max().unwrap_or(Timestamp::from_unix_millis(0))
    }

    /// Loses the tables, but not the ledger.
    pub(super) fn restart(&mut self, now: Timestamp) {
        let known = self.horizon().max(now);
        for table in &mut self.tables {
            *table = ReplayTable::with_capacity(self.capacity).restarted_at(known);
        }
    }

    pub(super) fn admit<'a>(
        &mut self,
        proof: Proof<'a>,
        now: Timestamp,
    ) -> Result<Grant<'a>, Rejection> {
        let claim = match (&mut self.ledger, proof.ticket()) {
            (Some(ledger), Some(ticket)) => ledger.claim(&ticket, now),
            _ => Claim::First,
        };
        if self.tables.is_empty() || claim == Claim::Repeated {
            return proof.settle(claim, now);
        }
        let shard = proof.shard(self.tables.len());
        let table = &mut self.tables[shard];
        let outcome = table.admit(proof);
        assert!(table.len() <= table.capacity());
        outcome
    }
}
