//! What real clients and servers do in their own way.

use serde::Deserialize;

use super::{Element, Octets, Outcome};

/// What one real client or server sent in its own way, or what a server was sent.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct PeerVector {
    /// A name, unique in the file.
    pub id: String,
    /// The software.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// How it was seen.
    pub source: String,
    /// What is of note.
    pub fact: String,
    /// What a server with this row was sent was answered with.
    pub status: Option<u16>,
    /// What was sent.
    #[serde(flatten)]
    pub kind: PeerKind,
}

/// What was sent.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PeerKind {
    /// A server's challenge.
    Challenge {
        /// The values of `WWW-Authenticate`.
        header_lines: Vec<Octets>,
        /// Whether they follow the grammar.
        strict: Outcome,
        /// The challenges in them.
        expected: Vec<Element>,
        /// What a Digest challenge means.
        digest: Option<PeerMeaning>,
    },
    /// A server's proof.
    Info {
        /// The values of `Authentication-Info`.
        header_lines: Vec<Octets>,
        /// The answer before it.
        authorization: Octets,
        /// The user's password.
        password: String,
        /// The `nextnonce` in it.
        nextnonce: Option<String>,
        /// The `nc` in it.
        nc: Option<String>,
        /// The `rspauth` that is right.
        expected_rspauth: String,
        /// Whether the server sent that one.
        proves: bool,
    },
    /// A client's answer.
    Answer {
        /// The challenge before it.
        challenge: Octets,
        /// The value of `Authorization`.
        header: Octets,
        /// Whether it follows the grammar.
        syntax: Outcome,
        /// What the client was to send.
        request: PeerRequest,
        /// What the client was to log in with.
        login: PeerLogin,
        /// What in the answer agrees with these and with the challenge, if it can be read.
        agrees: Option<Agreement>,
        /// Whether the response is right for the login and the realm in the answer.
        right: Option<bool>,
        /// The response.
        response: String,
        /// What it is in fact the hash of.
        hashed: Box<Hashed>,
    },
    /// The answers of one client, in order.
    Session {
        /// The values of `Authorization`.
        headers: Vec<Octets>,
        /// For each the number of the nonce, from 0, and the count.
        uses: Vec<(usize, u32)>,
        /// How many different cnonces there are.
        cnonces: usize,
    },
    /// Credentials of a scheme that nobody knows.
    Other {
        /// The challenge before it.
        challenge: Octets,
        /// The value of `Authorization`.
        header: Octets,
        /// The value as syntax.
        credentials: Element,
    },
}

/// What a Digest challenge means.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of the parameters")]
#[serde(deny_unknown_fields)]
pub struct PeerMeaning {
    pub realm: String,
    pub nonce: String,
    pub algorithm: String,
    pub qop: Vec<String>,
    pub stale: bool,
    pub opaque: Option<String>,
}

/// What a client was to send.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct PeerRequest {
    /// The method.
    pub method: String,
    /// The request-target.
    pub uri: String,
    /// The body.
    pub body: String,
}

/// What a client was to log in with.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct PeerLogin {
    /// The user's name.
    pub username: Octets,
    /// The realm.
    pub realm: String,
    /// The user's password.
    pub password: Octets,
}

/// What in an answer agrees with the request, the login and the challenge.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of the parameters")]
#[serde(deny_unknown_fields)]
pub struct Agreement {
    pub username: bool,
    pub realm: bool,
    pub uri: bool,
    pub algorithm: bool,
    pub qop: bool,
}

/// What a response is the hash of.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names are those of the parameters")]
#[serde(deny_unknown_fields)]
pub struct Hashed {
    pub algorithm: String,
    pub username: Octets,
    pub realm: String,
    pub password: Octets,
    pub method: String,
    pub uri: String,
    pub nonce: String,
    /// `None` for the form of RFC 2069.
    pub qop: Option<String>,
    pub nc: Option<String>,
    pub cnonce: Option<String>,
    /// `None` where it was left out although the qop covers it.
    pub body: Option<String>,
}
