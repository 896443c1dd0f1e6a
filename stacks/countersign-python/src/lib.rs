//! The extension module of `countersign_http`: the core's objects for Python, without I/O.
//!
//! - Every object of the core lies in a `Box`: Python aligns its objects to 16 bytes, and the core
//!   aligns some of its own to 128.
//! - No Python runs while a lock is held, and no lock is taken without the interpreter's. So a
//!   `fork` by Python code never copies a lock that another thread holds.
//! - A process that was forked draws new keys and seeds with its first call ([`fork`]).

// A module imports from those above it only.
mod boundary; // Text, hashes and origins as Python passes them.
mod fork; // Which process an object was made in.
mod refusal; // Why a client gave up, in words of Python.

mod clients; // The accounts, and what is known of their servers.
mod exchange; // One request and its answers.
mod server; // The check of requests.

use pyo3::prelude::*;

/// The core of `countersign_http`.
// No build of Python without the interpreter's lock was at hand to test with: such a build takes
// the lock when it imports this.
#[pymodule(gil_used = true)]
mod _core {
    #[pymodule_export]
    use super::clients::Clients;
    #[pymodule_export]
    use super::exchange::Exchange;
    #[pymodule_export]
    use super::server::{Server, Verdict};

    use std::sync::OnceLock;

    use pyo3::exceptions::PyImportError;
    use pyo3::prelude::*;

    /// Which interpreter imported this first, by where its `sys` is.
    static FIRST: OnceLock<usize> = OnceLock::new();

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The types belong to one interpreter. CPython refuses a second one only if it has another lock:
        // mod_wsgi's share one.
        let sys = module.py().import("sys")?.as_ptr().addr();
        if *FIRST.get_or_init(|| sys) != sys {
            return Err(PyImportError::new_err(
                "countersign_http works in one interpreter of a process, and another one has imported it \
                 (subinterpreters; with mod_wsgi set WSGIApplicationGroup %{GLOBAL})",
            ));
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
