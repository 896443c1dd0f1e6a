//! What all rows have.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Octets;

/// Where a row comes from, and how sure its outcome is.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// A name, unique in its file.
    pub id: String,
    /// The kind of case.
    pub group: String,
    /// Where the input comes from: a section of an RFC, or somebody's test.
    pub source: String,
    /// What there is to know.
    pub note: Option<String>,
    /// Whether an RFC prints the values.
    #[serde(default)]
    pub published_in_rfc: bool,
    /// Whether the specifications or real software leave the outcome open. Then the expected
    /// values are the strict reading, and what begins with `lenient` is a tolerant one.
    #[serde(default)]
    pub ambiguous: bool,
    /// How others read it, by their name.
    #[serde(default)]
    pub readings: BTreeMap<String, String>,
    /// What others were seen to do, by their name.
    #[serde(default)]
    pub observed: BTreeMap<String, Value>,
}

/// Whether a value follows a grammar.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It does.
    Ok,
    /// It does not.
    Error,
}

/// Whether a value has a meaning, besides following the grammar.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Validity {
    /// It does.
    Valid,
    /// It does not.
    Invalid,
}

/// A challenge or credentials, as syntax.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Element {
    /// The scheme as written.
    pub scheme: String,
    /// The parameters in order, names as written, values without quotes and escapes; `None` for a
    /// value that is missing.
    #[serde(default)]
    pub params: Vec<(String, Option<Octets>)>,
    /// The token68 that stands in place of parameters.
    pub token68: Option<String>,
}
