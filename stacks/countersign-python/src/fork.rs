//! Which process an object was made in.

use std::process;
use std::sync::{Mutex, PoisonError};

/// The process that an object's keys and seeds were drawn in.
pub(crate) struct Birthplace(Mutex<u32>);

impl Birthplace {
    pub(crate) fn here() -> Self {
        Self(Mutex::new(process::id()))
    }

    /// Calls `renew` in a process that was forked since the last call. Others wait for it: two
    /// processes with one nonce key would each grant the same request.
    pub(crate) fn renewed<E>(&self, renew: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let mut born = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let here = process::id();
        if *born != here {
            renew()?;
            *born = here;
        }
        Ok(())
    }
}
