//! The memory of a limiter.

use std::time::Instant;

use lru::LruCache;

/// The counts of wrong passwords, up to a capacity.
///
/// Those below the limit are forgotten first: an attacker must send as many wrong passwords as the
/// limit to push out one that has reached it. Those that have take at most half of the space, so
/// that there is always some to count the others.
pub(super) struct Counts {
    capacity: usize,
    below: LruCache<u64, Count>,
    reached: LruCache<u64, Count>,
}

#[derive(Clone, Copy)]
pub(super) struct Count {
    pub(super) wrong: u32,
    pub(super) last: Instant,
}

impl Counts {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            // `insert` bounds them: bounded ones would allocate all of their memory now.
            below: LruCache::unbounded(),
            reached: LruCache::unbounded(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.below.len() + self.reached.len()
    }

    pub(super) fn get(&self, key: u64) -> Option<Count> {
        let count = self.below.peek(&key).or_else(|| self.reached.peek(&key));
        count.copied()
    }

    pub(super) fn insert(&mut self, key: u64, count: Count, limit: u32) {
        self.remove(key);
        let has_reached = count.wrong >= limit;
        if has_reached && self.reached.len() >= self.capacity / 2 {
            self.reached.pop_lru();
        } else if self.len() >= self.capacity {
            self.below.pop_lru();
        }
        match has_reached {
            true => self.reached.put(key, count),
            false => self.below.put(key, count),
        };
    }

    pub(super) fn remove(&mut self, key: u64) {
        self.below.pop(&key);
        self.reached.pop(&key);
    }
}
