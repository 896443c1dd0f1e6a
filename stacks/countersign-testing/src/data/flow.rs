//! Exchanges of several messages.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::About;
use super::octets::{Hex, either};

/// An exchange of several messages, from the point of view of one side.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Flow {
    /// About the row.
    #[serde(flatten)]
    pub about: About,
    /// The side.
    pub role: Role,
    /// What it is about.
    pub title: String,
    /// How the side is set up.
    pub setup: Setup,
    /// The messages.
    pub steps: Vec<FlowStep>,
}

/// A side of an exchange.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The client's.
    Client,
    /// The server's.
    Server,
}

/// How a client or a server is set up. What the other side has is `None` or empty.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The client's user name.
    pub username: Option<String>,
    /// The client's password.
    pub password: Option<String>,
    /// Whether the client may use Basic, if that is not its default.
    pub allow_basic: Option<bool>,
    /// Whether the client requires the server's proof.
    #[serde(default)]
    pub require_mutual_auth: bool,
    /// Whether a form without qop is accepted, if that is not the default.
    pub allow_rfc2069: Option<bool>,
    /// The algorithms that the server offers, in order.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// The server's scheme, if it is not Digest.
    pub scheme: Option<String>,
    /// The server's realm.
    pub realm: Option<String>,
    /// The values of qop that the server offers.
    #[serde(default)]
    pub qop: Vec<String>,
    /// The server's opaque; `$O` for any.
    pub opaque: Option<String>,
    /// The passwords of the server's users, by name.
    #[serde(default)]
    pub users: BTreeMap<String, String>,
    /// HA1s by name and algorithm, if the server has those in place of passwords.
    #[serde(default)]
    pub ha1_store: BTreeMap<String, BTreeMap<String, String>>,
    /// How long a nonce is valid, in seconds.
    pub nonce_lifetime_s: Option<u64>,
    /// How many counts the server remembers of a nonce.
    pub nc_window: Option<u32>,
    /// Whether the server accepts hashed names.
    #[serde(default)]
    pub userhash: bool,
}

/// A message, and what the side does or must do.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum FlowStep {
    /// The client sends a request.
    Send {
        /// The method.
        method: String,
        /// The request-target.
        uri: String,
        /// The field for credentials, if it is not `Authorization`.
        header: Option<String>,
        /// The body.
        #[serde(default, rename = "body_hex", deserialize_with = "hex")]
        body: Vec<u8>,
        /// The cnonce to use.
        cnonce: Option<String>,
        /// The count to use.
        nc_override: Option<u32>,
        /// What it must send.
        expect: SendExpected,
    },
    /// The client receives a response.
    Receive {
        /// The status.
        status: u16,
        /// Names and values of fields.
        headers: Vec<(String, String)>,
        /// What it must do.
        expect: ReceiveExpected,
    },
    /// The server makes a nonce.
    Challenge {
        /// When, in seconds.
        at: u64,
        /// What the nonce is called from here on, such as `$N1`.
        nonce_as: String,
        /// The status and nothing else.
        #[serde(default)]
        expect: BTreeMap<String, serde_json::Value>,
    },
    /// The server receives a request.
    Request {
        /// When, in seconds.
        at: u64,
        /// The method.
        method: String,
        /// The request-target.
        uri: String,
        /// The body.
        #[serde(default, rename = "body_hex", deserialize_with = "hex")]
        body: Vec<u8>,
        /// The credentials. `$computed` stands for the response, `$N1` for a nonce.
        authorization: Option<FlowCredentials>,
        /// The value of `Authorization`, in place of credentials.
        authorization_raw: Option<String>,
        /// What `$computed` is computed of.
        response_inputs: Option<Box<ResponseInputs>>,
        /// What `$computed` is if `$N1` is `test-nonce-N1`.
        response_with_test_nonces: Option<String>,
        /// What is done to `$computed`.
        response_transform: Option<String>,
        /// What the server must do.
        expect: RequestExpected,
    },
}

fn hex<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    Hex::deserialize(from).map(|hex| hex.0)
}

/// What a client must send. Anything else is `null` there.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct SendExpected {
    /// The credentials, whatever their order and quoting; `None` for none.
    pub authorization: Option<CredentialsOrError>,
    /// Parameters that must not be sent.
    #[serde(default)]
    pub absent: Vec<String>,
}

/// Credentials, or a client that can not send any.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum CredentialsOrError {
    /// These.
    Credentials(FlowCredentials),
    /// An error, as the word says.
    Error(String),
}

/// Credentials with parameters by name.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct FlowCredentials {
    /// The scheme.
    pub scheme: String,
    /// The parameters.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// The token68 in place of parameters.
    pub token68: Option<String>,
}

/// What a client must do after a response.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct ReceiveExpected {
    /// What it does.
    pub action: Action,
    /// The algorithm of the challenge that it takes, or `Basic`.
    pub chosen: Option<String>,
    /// The nonce for the next request.
    pub next_nonce: Option<String>,
    /// Whether the server proved itself: `ok` or `absent`.
    pub mutual_auth: Option<String>,
    /// Whether paths are in the protection space; `None` if that is open.
    #[serde(default)]
    pub protection_space: BTreeMap<String, Option<bool>>,
}

/// What a client does after a response.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Action {
    /// It returns the response.
    Done,
    /// It fails.
    Error,
    /// It returns the refusal.
    GiveUp,
    /// It can answer no challenge.
    NoUsableChallenge,
    /// It sends the request again.
    Retry,
}

/// What a server must do with a request.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct RequestExpected {
    /// `accept`, `reject` or `reject-or-accept`.
    pub verdict: Option<String>,
    /// The status, where it is fixed.
    pub status: Option<u16>,
    /// The name of the reason.
    pub reason: Option<String>,
    /// `stale` in the challenge; false is absent or false.
    pub stale: Option<bool>,
}

/// What a response is computed of.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of the parameters")]
#[serde(deny_unknown_fields)]
pub struct ResponseInputs {
    pub username: String,
    pub password: String,
    pub realm: String,
    pub nonce: String,
    pub method: String,
    pub uri: String,
    pub nc: Option<String>,
    pub cnonce: String,
    pub qop: Option<String>,
    pub algorithm: Option<String>,
    body_hex: Hex,
}

impl ResponseInputs {
    /// The body.
    pub fn body(&self) -> Vec<u8> {
        either(None, Some(&self.body_hex))
    }
}
