//! What a peer without the secret can send.

use super::world::World;
use crate::support::server::Params;

/// Messages that a peer makes from captured messages of the honest server.
pub(super) struct Forged {
    pub(super) status: u16,
    /// The honest challenge with another nonce, which is sent unless `challenges` is set.
    pub(super) params: Params,
    /// The values of each 401; the first is for the request under way, and each later one for a new
    /// request.
    pub(super) challenges: Vec<Vec<String>>,
    pub(super) info: Vec<String>,
    pub(super) body: Vec<u8>,
    /// Request-targets that links or redirects lead to.
    pub(super) uris: Vec<&'static str>,
    /// The nonce of the honest server, quoted.
    pub(super) nonce: String,
}

impl Forged {
    pub(super) fn of(world: &World, change: fn(&mut Self)) -> Self {
        let mut params = Params::default();
        let (_, list) = world.digest.split_once(' ').expect("a scheme");
        for param in list.split(", ") {
            let (name, value) = param.split_once('=').expect("a value");
            params = params.with(name, value);
        }
        let nonce = params.0.iter().find(|(name, _)| name == "nonce");
        let nonce = nonce.expect("a nonce").1.clone();
        let mut forged = Self {
            status: 401,
            nonce,
            params: params.with("nonce", "\"forged\""),
            challenges: Vec::new(),
            info: vec![world.info.clone()],
            body: crate::support::pair::PAGE.to_vec(),
            uris: Vec::new(),
        };
        change(&mut forged);
        if forged.challenges.is_empty() {
            forged.challenges = vec![vec![forged.params.to_string()]];
        }
        forged
    }

    pub(super) fn set(&mut self, name: &str, raw: &str) {
        self.params = self.params.clone().with(name, raw);
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.params = self.params.clone().without(name);
    }

    /// One 401 with these values.
    pub(super) fn challenge<V: Into<String>>(&mut self, values: impl IntoIterator<Item = V>) {
        self.challenges = vec![values.into_iter().map(Into::into).collect()];
    }

    /// A response that accepts the request, with these values of `Authentication-Info`.
    pub(super) fn inform<V: Into<String>>(&mut self, values: impl IntoIterator<Item = V>) {
        self.status = 200;
        self.info = values.into_iter().map(Into::into).collect();
    }
}
