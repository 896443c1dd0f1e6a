//! A line of a server's log.
use countersign::server::Reason;

/// A request that a server had, and what became of it.
#[derive(Clone, Debug)]
pub struct Entry {
    /// With its query.
    pub path: String,
    pub status: u16,
    /// Why it was refused.
    pub reason: Option<Reason>,
    /// Whether it carried credentials, for the server or for a proxy.
    pub has_credentials: bool,
    /// How much of its body was read.
    pub body_bytes: u64,
}
