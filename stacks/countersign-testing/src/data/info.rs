//! `Authentication-Info`.

use serde::Deserialize;

use super::octets::{Hex, either_lines};
use super::{About, Octets, Outcome, Validity};

/// One `Authentication-Info` field.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct InfoVector {
    /// About the row.
    #[serde(flatten)]
    pub about: About,
    header_lines: Option<Vec<String>>,
    header_lines_hex: Option<Vec<Hex>>,
    /// Whether the field follows the grammar.
    pub syntax: Outcome,
    /// Its parameters in order, if it does.
    pub params: Option<Vec<(String, Octets)>>,
    /// Whether the field means something.
    pub verdict: Validity,
    /// What it means, if it does.
    pub expected: Option<InfoMeaning>,
    /// The request that the field answers.
    pub context: Option<InfoContext>,
    /// The `rspauth` that is right for `context`.
    pub expected_rspauth: Option<String>,
    /// What a client concludes.
    pub mutual_auth: Option<MutualAuth>,
    /// What the client does after it.
    pub effect: Option<String>,
    /// The name of the error.
    pub error: Option<String>,
}

impl InfoVector {
    /// The values of the field.
    pub fn lines(&self) -> Vec<Vec<u8>> {
        either_lines(
            self.header_lines.as_deref(),
            self.header_lines_hex.as_deref(),
        )
    }
}

/// What `Authentication-Info` means.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct InfoMeaning {
    /// `nextnonce`.
    pub nextnonce: Option<Octets>,
    /// `qop`.
    pub qop: Option<String>,
    /// `rspauth`.
    pub rspauth: Option<String>,
    /// `cnonce`.
    pub cnonce: Option<String>,
    /// `nc`.
    pub nc: Option<String>,
}

/// The request that `Authentication-Info` answers.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of the parameters")]
#[serde(deny_unknown_fields)]
pub struct InfoContext {
    pub method: String,
    pub uri: String,
    pub username: String,
    pub realm: String,
    pub password: String,
    pub nonce: String,
    pub nc: String,
    pub cnonce: String,
    pub qop: String,
    pub algorithm: String,
    response_body_hex: Hex,
}

impl InfoContext {
    /// The body of the response that had the field.
    pub fn response_body(&self) -> &[u8] {
        &self.response_body_hex.0
    }
}

/// What a client concludes from `Authentication-Info`.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum MutualAuth {
    /// The server knows the password.
    Ok,
    /// The proof is wrong.
    Mismatch,
    /// There is no proof.
    Absent,
}
