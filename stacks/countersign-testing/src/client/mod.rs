//! Runs a client through [scenarios](Scenario) with servers old and new, and attackers.
//!
//! The client is a closure from a request to its final response, or to an error if it gives up. It
//! sends its messages with a [`Network`] instead of a socket. Each scenario gets a new client, so
//! [`ClientCheck::run`] takes a closure that makes one:
//!
//! ```
//! use countersign_testing::client::{ClientCheck, Network, Scenario};
//! use http::{Request, Response};
//!
//! /// Answers no challenge.
//! fn fetch(network: &Network, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, String> {
//!     Ok(network.send(request))
//! }
//!
//! let check = ClientCheck::new("Mufasa", "Circle of Life");
//! let report = check.run(|network| move |request| fetch(&network, request));
//! assert!(report.failed().contains(&Scenario::Login));
//! println!("{report}");
//! ```
//!
//! The [guide](crate::guide) has a client that passes.

mod bodies;
mod choice;
mod login;
mod network;
mod nonces;
mod places;
mod refusals;
mod scenario;
mod trial;
mod writing;

use std::fmt;

use countersign::digest::Algorithm;
use countersign::{Challenger, Channel};
use http::{Request, Response};

pub use network::Network;
pub use scenario::Scenario;

use crate::clock::Clock;
use crate::outcome::skip;
use crate::report::Report;
use trial::Trial;

/// The settings for [running](Self::run) a client through the scenarios.
///
/// ```
/// use countersign::Challenger;
/// use countersign_testing::client::{ClientCheck, Scenario};
///
/// let check = ClientCheck::new("Mufasa", "Circle of Life")
///     .with_uri("http://example.org/")
///     .with_challenger(Challenger::Proxy)
///     .without(&[Scenario::NextNonce]);
/// # let _ = check;
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ClientCheck {
    user: String,
    password: String,
    uri: String,
    channel: Channel,
    challenger: Challenger,
    algorithm: Algorithm,
    realm: Option<String>,
    requests: usize,
    without: Vec<Scenario>,
}

impl ClientCheck {
    /// Settings for a client that logs in as this user at
    /// `http://server.example/dir/index.html?a=b`. Only the server is told the password here: the
    /// client must already have it.
    pub fn new(user: &str, password: &str) -> Self {
        Self {
            user: user.to_owned(),
            password: password.to_owned(),
            uri: String::new(),
            channel: Channel::Cleartext,
            challenger: Challenger::Origin,
            algorithm: Algorithm::SHA_256,
            realm: None,
            requests: 1,
            without: Vec::new(),
        }
        .with_uri("http://server.example/dir/index.html?a=b")
    }

    /// Sets the URI that is requested. The channel is encrypted if its scheme is `https`, `rtsps`
    /// or `sips`; then [`Scenario::CleartextBasic`] is skipped.
    pub fn with_uri(mut self, uri: &str) -> Self {
        let scheme = uri.split(':').next().unwrap_or_default();
        self.channel = match scheme {
            "https" | "rtsps" | "sips" => Channel::Encrypted,
            _ => Channel::Cleartext,
        };
        self.uri = uri.to_owned();
        self
    }

    /// Sets whether the server is a proxy: 407, and the `Proxy-` fields.
    pub const fn with_challenger(mut self, challenger: Challenger) -> Self {
        self.challenger = challenger;
        self
    }

    /// Sets the algorithm that the servers offer, in place of SHA-256, for clients that are older
    /// than RFC 7616. The scenarios that offer several are skipped.
    pub const fn with_algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Sets the realm that the servers ask in, for a client whose account is for one realm. Without
    /// it [`Scenario::OtherRealm`] is skipped, and with it [`Scenario::QuotedRealm`].
    pub fn with_realm(mut self, realm: &str) -> Self {
        self.realm = Some(realm.to_owned());
        self
    }

    /// Sets how many requests the client makes when it is called, for a program that can not make one
    /// alone.
    pub const fn with_requests(mut self, requests: usize) -> Self {
        self.requests = requests;
        self
    }

    /// Leaves out scenarios whose expectations the client does not share by intention.
    pub fn without(mut self, scenarios: &[Scenario]) -> Self {
        self.without.extend_from_slice(scenarios);
        self
    }

    /// Makes a client for each scenario and calls it. If it panics, the scenario fails.
    ///
    /// The server's clock is the test's and may jump by minutes within a scenario.
    pub fn run<B, C, E, M>(&self, mut make: M) -> Report<Scenario>
    where
        M: FnMut(Network) -> C,
        C: FnMut(Request<Vec<u8>>) -> Result<Response<B>, E>,
        E: fmt::Display,
    {
        let mut report = Report::new();
        for &scenario in Scenario::ALL {
            let network =
                Network::new(self.challenger, [&self.user, &self.password], self.requests);
            let to = network.clone();
            let mut make = || {
                let mut client = make(to.clone());
                move |request| match client(request) {
                    Ok(response) => Ok(response.status().as_u16()),
                    Err(error) => Err(error.to_string()),
                }
            };
            let mut client = make();
            let mut call = |request: Option<Request<Vec<u8>>>| match request {
                Some(request) => Some(client(request)),
                None => {
                    client = make();
                    None
                }
            };
            let mut trial = Trial {
                check: self,
                call: &mut call,
                network: network.clone(),
                clock: Clock::new(),
                notes: Vec::new(),
            };
            let outcome = match self.without.contains(&scenario) {
                true => skip("left out"),
                false => scenario.run(&mut trial),
            };
            let (notes, messages) = (trial.notes, network.take_messages());
            report.add((scenario, scenario.expected()), outcome, &notes, &messages);
        }
        report
    }
}
