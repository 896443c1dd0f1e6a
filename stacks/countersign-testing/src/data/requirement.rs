//! Statements of the RFCs.

use serde::Deserialize;

/// A statement of an RFC, as countersign's list of requirements numbers it.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its number.
    pub id: String,
    /// The number of the RFC.
    pub rfc: u32,
    /// The section, or several.
    pub section: String,
    /// `MUST`, `SHOULD` and so on, or `rule`, `advice` or `derived`.
    pub level: String,
}
