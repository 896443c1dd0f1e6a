//! Credentials.

use serde::Deserialize;

use super::octets::{Hex, either};
use super::{About, Element, Octets, Outcome, Validity};

/// One value of `Authorization`.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct CredentialsVector {
    /// About the row.
    #[serde(flatten)]
    pub about: About,
    header: Option<String>,
    header_hex: Option<Hex>,
    /// Whether the value follows the grammar.
    pub syntax: Outcome,
    /// The value as syntax, if it does.
    pub credentials: Option<Element>,
    /// Whether the value is one of Digest credentials by RFC 7616.
    pub verdict: Validity,
    /// The same by tolerant servers.
    pub lenient_verdict: Option<Validity>,
    /// What the Digest credentials mean, if they are valid.
    pub digest: Option<CredentialsMeaning>,
    /// What a server knows that judges them.
    pub verify: Option<Known>,
    /// The name of the error.
    pub error: Option<String>,
}

impl CredentialsVector {
    /// The value of `Authorization`.
    pub fn value(&self) -> Vec<u8> {
        either(self.header.as_deref(), self.header_hex.as_ref())
    }
}

/// What Digest credentials mean.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct CredentialsMeaning {
    /// The user name, or its hash.
    pub username: Octets,
    /// How the name was given: `plain`, `ext` or `hash`.
    pub username_source: String,
    /// `realm`.
    pub realm: String,
    /// `nonce`.
    pub nonce: String,
    /// `uri`.
    pub uri: String,
    /// `response`.
    pub response: String,
    /// `algorithm` in canonical spelling, or its default.
    pub algorithm: String,
    /// Whether `algorithm` was there.
    pub algorithm_given: bool,
    /// `qop`.
    pub qop: Option<String>,
    /// `nc`.
    pub nc: Option<u32>,
    /// `cnonce`.
    pub cnonce: Option<String>,
    /// `opaque`.
    pub opaque: Option<String>,
}

/// What a server knows that judges credentials.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The method of the request.
    pub method: String,
    /// The request-target.
    pub request_uri: String,
    /// The user's name.
    pub username: Octets,
    /// The realm.
    pub realm: String,
    /// The user's password.
    pub password: String,
    /// Whether the response is right, whatever a server thinks of nonce, opaque and uri; `None` if
    /// there is none to judge.
    pub response_matches: Option<ResponseMatches>,
}

/// Whether a response is right.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(from = "MatchesJson")]
pub enum ResponseMatches {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// It is for a reader that is more tolerant than the grammar.
    IfParsedLeniently,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum MatchesJson {
    Known(bool),
    Lenient(Lenient),
}

#[derive(Deserialize)]
enum Lenient {
    #[serde(rename = "yes-if-parsed-leniently")]
    Yes,
}

impl From<MatchesJson> for ResponseMatches {
    fn from(json: MatchesJson) -> Self {
        match json {
            MatchesJson::Known(true) => Self::Yes,
            MatchesJson::Known(false) => Self::No,
            MatchesJson::Lenient(Lenient::Yes) => Self::IfParsedLeniently,
        }
    }
}
