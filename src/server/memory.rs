//! The used counts of a server, in tables with a lock each.

use alloc::boxed::Box;

use crate::server::issuer::Issuer;
use crate::server::reason::Reason;
use crate::server::replay::{ReplayKey, ReplayTable};
use crate::server::sync::{Mutex, lock};

/// The used counts, in the memory of one [`Authenticator`](super::Authenticator).
#[derive(Debug)]
pub struct Memory {
    /// 1 or 16. Each pair of a nonce and an HA1 belongs to one.
    tables: Box<[Mutex<ReplayTable>]>,
}

impl Memory {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        let tables = (0..table_count(capacity))
            .map(|_| Mutex::new(ReplayTable::with_capacity(table_capacity(capacity))))
            .collect();
        Self { tables }
    }

    /// Records one use of a nonce.
    pub(super) fn record(&self, key: &ReplayKey, issuer: &Issuer) -> Result<(), Reason> {
        let until = key.nonce.issued;
        let table = self.table(key);
        let mut table = lock(table.ok_or(Reason::NonceForgotten { until })?);
        let recorded = table.record(key);
        issuer.raise_floor(table.issue_floor());
        recorded
    }

    pub(super) fn len(&self) -> usize {
        self.tables.iter().map(|table| lock(table).len()).sum()
    }

    /// The table of this key, chosen by the upper half of the tag; the lower half chooses the slot.
    fn table(&self, key: &ReplayKey) -> Option<&Mutex<ReplayTable>> {
        let tables = u64::try_from(self.tables.len()).ok()?;
        // Multiply-shift maps these 32 bits evenly to 0..tables.
        let at = usize::try_from(((key.nonce.tag >> 32) * tables) >> 32).ok()?;
        self.tables.get(at)
    }
}

/// A small capacity gets one table, which holds exactly as many nonces as requested.
const fn table_count(capacity: usize) -> usize {
    if capacity < 1024 { 1 } else { 16 }
}

/// The share of each table, plus four standard deviations, because nonces spread at random.
fn table_capacity(capacity: usize) -> usize {
    let tables = table_count(capacity);
    let share = capacity.min(1 << 30).div_ceil(tables);
    match tables {
        1 => share,
        _ => share + 4 * share.isqrt(),
    }
}
