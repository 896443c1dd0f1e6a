//! Test vectors, exchanges recorded from real clients and servers, and a fuzz dictionary.
//!
//! They are those of countersign's own tests. Each function parses its file anew; the files
//! themselves are in [`json()`], for other languages.
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

/// Each file by its name.
macro_rules! files {
    ($($folder:literal: $($name:literal)*;)*) => {
        &[$($(($name, include_str!(concat!("../../data/", $folder, "/", $name, ".json"))),)*)*]
    };
}

// Not a constant of the module's interface: documentation would print it.
static FILES: &[(&str, &str)] = files! {
    "vectors": "challenges" "authorization" "authinfo" "basic" "digest" "flows" "peers" "requirements";
    "captures": "clients" "proxy_clients" "rtsp_clients" "sip_clients" "real_pairs" "servers_probed" "nonconforming";
};

/// The names and the texts of the files as they are, each an array of rows in JSON.
///
/// ```
/// let files = countersign_testing::data::json();
/// assert!(files.iter().any(|(name, text)| *name == "challenges" && text.starts_with('[')));
/// ```
pub fn json() -> &'static [(&'static str, &'static str)] {
    FILES
}

/// Field lines of one response, and the challenges in them.
pub fn challenges() -> Vec<ChallengeVector> {
    rows("challenges")
}

/// Values of `Authorization`.
pub fn credentials() -> Vec<CredentialsVector> {
    rows("authorization")
}

/// Values of `Authentication-Info`.
pub fn infos() -> Vec<InfoVector> {
    rows("authinfo")
}

/// Basic credentials.
pub fn basic() -> Vec<BasicVector> {
    rows("basic")
}

/// Digest computations.
pub fn digests() -> Vec<DigestVector> {
    rows("digest")
}

/// Exchanges of several messages.
pub fn flows() -> Vec<Flow> {
    rows("flows")
}

/// What real clients and servers do in their own way.
pub fn peers() -> Vec<PeerVector> {
    rows("peers")
}

/// The statements of the RFCs that countersign's list of requirements numbers.
pub fn requirements() -> Vec<Requirement> {
    rows("requirements")
}

/// Panics at none of the files: a test reads each.
fn rows<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let found = FILES.iter().find(|(name, _)| *name == file);
    let (_, json) = found.expect("a file of this name");
    serde_json::from_str(json).expect("rows of this type")
}
