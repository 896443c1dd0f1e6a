//! Challenges.

use serde::Deserialize;

use super::octets::{Hex, either_lines};
use super::{About, Element, Octets, Outcome};

/// Field lines of one response, and the challenges in them.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct ChallengeVector {
    /// About the row.
    #[serde(flatten)]
    pub about: About,
    header_lines: Option<Vec<String>>,
    header_lines_hex: Option<Vec<Hex>>,
    /// Whether the lines follow the grammar.
    pub strict: Outcome,
    /// The challenges in them, if they do.
    pub expected: Option<Vec<Element>>,
    /// What tolerant clients read where the grammar refuses.
    pub lenient_expected: Option<Vec<Element>>,
    /// Whether no challenge and an error are both right.
    #[serde(default)]
    pub empty_or_error: bool,
    /// What each Basic and Digest challenge means.
    #[serde(default)]
    pub semantic: Vec<ChallengeMeaning>,
    /// `lenient_expected`, if `semantic` is about that.
    pub semantic_of: Option<String>,
    /// The name of the error.
    pub error: Option<String>,
}

impl ChallengeVector {
    /// The values of `WWW-Authenticate`, to be joined by `", "` for a reader of one.
    pub fn lines(&self) -> Vec<Vec<u8>> {
        either_lines(
            self.header_lines.as_deref(),
            self.header_lines_hex.as_deref(),
        )
    }
}

/// What a Basic or Digest challenge means. A parameter that the scheme does not have is `None`.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct ChallengeMeaning {
    /// The position among the challenges.
    pub index: usize,
    /// The scheme in lower case.
    pub scheme: String,
    /// Whether a client can answer it; if not, only [`reason`](Self::reason) is set.
    pub usable: bool,
    /// Why a client can not answer it.
    pub reason: Option<String>,
    /// `realm`.
    pub realm: Option<Octets>,
    /// `charset`, if it is the one that is defined.
    pub charset: Option<String>,
    /// `nonce`.
    pub nonce: Option<Octets>,
    /// `algorithm` in canonical spelling, or its default.
    pub algorithm: Option<String>,
    /// The values of `qop` that are defined; `None` if there is no `qop`.
    pub qop: Option<Vec<String>>,
    /// `stale`.
    pub stale: Option<bool>,
    /// `opaque`.
    pub opaque: Option<Octets>,
    /// The URIs of `domain`.
    #[serde(default)]
    pub domain: Vec<String>,
    /// `userhash`.
    pub userhash: Option<bool>,
}
