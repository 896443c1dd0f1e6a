//! Test vectors, exchanges recorded from real clients and servers, and a fuzz dictionary.
//!
//! They are those of countersign's own tests. Each function parses its file anew; the files
//! themselves are in [`json`], for other languages.
//!
//! | function | rows |
//! |---|---|
//! | [`challenges`] | field lines of one response, and the challenges in them |
//! | [`credentials`] | one value of `Authorization`, as syntax and as Digest credentials |
//! | [`infos`] | one `Authentication-Info` field |
//! | [`basic`] | one value with Basic credentials |
//! | [`digests`] | the inputs of one Digest computation, and its results |
//! | [`flows`] | several messages, from the point of view of one side |
//! | [`peers`] | what one real client or server sent in its own way |
//! | [`captures`] | exchanges of real clients and servers |
//! | [`requirements`] | numbers for the statements of the RFCs |
//! | [`dictionary`] | words for a fuzzer |
//!
//! "Strict" is the grammar that RFC 9110, sections 5.6 and 11, has for recipients: empty list
//! elements are skipped, whitespace may surround `=`, spaces follow the scheme, quoted strings may
//! have bytes above 0x7F, and a token68 stands alone. The names of errors only inform. Where
//! [`About::ambiguous`] is set, the expected values are one of several right outcomes.
//!
//! ```
//! use countersign_testing::data::{self, Outcome};
//!
//! let mut read = 0;
//! for row in data::challenges() {
//!     // Your parser stands here.
//!     let lines = row.lines();
//!     let parsed: Result<Vec<_>, _> = countersign::raw_challenges(&lines).collect();
//!     match (parsed, row.strict) {
//!         (Ok(parsed), Outcome::Ok) => {
//!             assert_eq!(parsed.len(), row.expected.as_ref().unwrap().len());
//!             read += 1;
//!         }
//!         _ => {} // an error, or a reader more tolerant than the grammar
//!     }
//! }
//! assert!(read > 100);
//! ```

mod about;
mod basic;
mod capture;
mod challenge;
mod credentials;
mod dictionary;
mod digest;
mod flow;
mod info;
mod octets;
mod peer;
mod requirement;

use serde::de::DeserializeOwned;

pub use about::{About, Element, Outcome, Validity};
pub use basic::{BasicVector, Direction};
pub use capture::{Capture, CaptureSet, captures};
pub use challenge::{ChallengeMeaning, ChallengeVector};
pub use credentials::{CredentialsMeaning, CredentialsVector, Known, ResponseMatches};
pub use dictionary::dictionary;
pub use digest::{Alternative, DigestVector, Form, Kind, Published};
pub use flow::{
    Action, CredentialsOrError, Flow, FlowCredentials, FlowStep, ReceiveExpected, RequestExpected,
    ResponseInputs, Role, SendExpected, Setup,
};
pub use info::{InfoContext, InfoMeaning, InfoVector, MutualAuth};
pub use octets::Octets;
pub use peer::{Agreement, Hashed, PeerKind, PeerLogin, PeerMeaning, PeerRequest, PeerVector};
pub use requirement::Requirement;

/// The files as they are, each an array of rows.
pub mod json {
    /// The rows of [`challenges`](super::challenges).
    pub const CHALLENGES: &str = include_str!("../../data/vectors/challenges.json");
    /// The rows of [`credentials`](super::credentials).
    pub const AUTHORIZATION: &str = include_str!("../../data/vectors/authorization.json");
    /// The rows of [`infos`](super::infos).
    pub const AUTHINFO: &str = include_str!("../../data/vectors/authinfo.json");
    /// The rows of [`basic`](super::basic).
    pub const BASIC: &str = include_str!("../../data/vectors/basic.json");
    /// The rows of [`digests`](super::digests).
    pub const DIGEST: &str = include_str!("../../data/vectors/digest.json");
    /// The rows of [`flows`](super::flows).
    pub const FLOWS: &str = include_str!("../../data/vectors/flows.json");
    /// The rows of [`peers`](super::peers).
    pub const PEERS: &str = include_str!("../../data/vectors/peers.json");
    /// The rows of [`requirements`](super::requirements).
    pub const REQUIREMENTS: &str = include_str!("../../data/vectors/requirements.json");
    pub use super::capture::json::*;
}

/// Field lines of one response, and the challenges in them.
pub fn challenges() -> Vec<ChallengeVector> {
    rows(json::CHALLENGES)
}

/// Values of `Authorization`.
pub fn credentials() -> Vec<CredentialsVector> {
    rows(json::AUTHORIZATION)
}

/// Values of `Authentication-Info`.
pub fn infos() -> Vec<InfoVector> {
    rows(json::AUTHINFO)
}

/// Basic credentials.
pub fn basic() -> Vec<BasicVector> {
    rows(json::BASIC)
}

/// Digest computations.
pub fn digests() -> Vec<DigestVector> {
    rows(json::DIGEST)
}

/// Exchanges of several messages.
pub fn flows() -> Vec<Flow> {
    rows(json::FLOWS)
}

/// What real clients and servers do in their own way.
pub fn peers() -> Vec<PeerVector> {
    rows(json::PEERS)
}

/// The statements of the RFCs that countersign's list of requirements numbers.
pub fn requirements() -> Vec<Requirement> {
    rows(json::REQUIREMENTS)
}

/// Panics at none of the files: a test reads each.
fn rows<T: DeserializeOwned>(json: &str) -> Vec<T> {
    serde_json::from_str(json).expect("rows of this type")
}
