//! Recorded exchanges.

use serde::{Deserialize, Deserializer};

use super::octets::Latin1;
use super::{Octets, rows};

/// Who was recorded.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum CaptureSet {
    /// Real clients of HTTP, and a test server that challenges in many ways.
    Clients,
    /// The same with a proxy.
    ProxyClients,
    /// The same with RTSP/1.0.
    RtspClients,
    /// The same with SIP/2.0.
    SipClients,
    /// A real client and a real server.
    RealPairs,
    /// Real servers, and a test client that writes its answers in many ways; all were accepted.
    ServersProbed,
    /// Answers of real clients that are not right.
    Nonconforming,
}

impl CaptureSet {
    /// All sets.
    pub const ALL: [Self; 7] = [
        Self::Clients,
        Self::ProxyClients,
        Self::RtspClients,
        Self::SipClients,
        Self::RealPairs,
        Self::ServersProbed,
        Self::Nonconforming,
    ];
}

/// The recorded exchanges of a set.
///
/// ```
/// use countersign_testing::data::{CaptureSet, captures};
///
/// let curl = captures(CaptureSet::RealPairs).into_iter().find(|it| it.peer == "curl").unwrap();
/// assert!(curl.authorization.starts_with(b"Digest username=\"Mufasa\""));
/// assert_eq!((curl.request_target(), curl.server_status), ("/digest/", Some(200)));
/// ```
pub fn captures(set: CaptureSet) -> Vec<Capture> {
    rows(match set {
        CaptureSet::Clients => "clients",
        CaptureSet::ProxyClients => "proxy_clients",
        CaptureSet::RtspClients => "rtsp_clients",
        CaptureSet::SipClients => "sip_clients",
        CaptureSet::RealPairs => "real_pairs",
        CaptureSet::ServersProbed => "servers_probed",
        CaptureSet::Nonconforming => "nonconforming",
    })
}

/// A recorded exchange: a challenge, an answer, and sometimes the response.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
#[serde(deny_unknown_fields)]
pub struct Capture {
    /// The software that was recorded: the client, or the server that was probed.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// The server, of a real pair.
    pub server: Option<String>,
    /// Which sides are real.
    pub role: String,
    /// How the test server challenged.
    pub scenario: Option<String>,
    /// How the test client wrote its answer.
    pub shape: Option<String>,
    /// The request line.
    pub request_line: String,
    /// Its method.
    pub method: String,
    /// The body of the request.
    pub body: String,
    /// The name of the field with the challenges, in lower case.
    pub challenge_header: String,
    /// Its values, in order; empty if no challenge with the answer's nonce was seen.
    #[serde(deserialize_with = "values")]
    pub challenge: Vec<Octets>,
    /// The value of `Authorization` or `Proxy-Authorization`.
    #[serde(deserialize_with = "value")]
    pub authorization: Octets,
    /// The values of `Authentication-Info` in the response.
    #[serde(default, deserialize_with = "values")]
    pub authentication_info: Vec<Octets>,
    /// The user's name, as text. `notes` say if it was encoded in ISO-8859-1.
    pub username: String,
    /// The user's password, as text.
    pub password: String,
    /// Whether the answer is right for the challenge and the password.
    pub expected_valid: bool,
    /// Whether it is right by what it says itself. Some leave out the realm or the algorithm.
    pub recomputed_ok: Option<bool>,
    /// The status of the response. Some servers refused right answers.
    pub server_status: Option<u16>,
    /// Where the answer leaves the grammar of RFC 7616.
    #[serde(default)]
    pub lenient_because: Vec<String>,
    /// What there is to know.
    pub notes: Option<String>,
    /// How the test server went on.
    pub then: Option<String>,
}

impl Capture {
    /// The request-target of the request line.
    pub fn request_target(&self) -> &str {
        self.request_line.split(' ').nth(1).unwrap_or_default()
    }
}

fn value<'de, D: Deserializer<'de>>(from: D) -> Result<Octets, D::Error> {
    Latin1::deserialize(from).map(|value| Octets(value.0))
}

fn values<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Octets>, D::Error> {
    let values = Option::<Vec<Latin1>>::deserialize(from)?.unwrap_or_default();
    Ok(values.into_iter().map(|value| Octets(value.0)).collect())
}
