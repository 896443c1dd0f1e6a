//! What a run will send.

use countersign::digest::{Algorithm, QopSet};
use countersign::server::Realm;
use http::Response;

use super::ServerCheck;
use crate::clock::Clock;
use crate::core::Core;
use crate::message::Reply;

impl ServerCheck {
    /// How many requests with wrong credentials a run sends to a server without faults that answers
    /// a request without credentials like this: enough to lock an account, or to exhaust a limit.
    pub fn wrong_credentials<B: AsRef<[u8]>>(&self, challenge: &Response<B>) -> usize {
        let reply = Reply::new(challenge, self.challenger);
        let digests = reply.digest_challenges();
        let algorithms: Vec<Algorithm> = digests.iter().map(|it| it.algorithm()).collect();
        let Ok(mut realm) = Realm::new("files") else {
            return 0;
        };
        realm = realm
            .with_algorithms(&algorithms)
            .with_qop(digests.first().map_or(QopSet::AUTH, |it| it.qop))
            .with_userhash(digests.iter().any(|it| it.userhash == Some(true)));
        if reply.offers_basic() {
            realm = realm.with_cleartext_basic();
        } else if algorithms.is_empty() {
            return 0;
        }
        if self.challenger == countersign::Challenger::Proxy {
            realm = realm.for_proxy();
        }
        // No clock of the real run: moving that may be to wait.
        let (clock, mut check) = (Clock::new(), self.clone());
        (check.timing, check.time_limit) = (check.timing.map(|_| clock.clone()), None);
        check.clock = check.clock.map(|_| (clock.clone(), 300));
        let user = [&*self.user, &*self.password];
        let core = Core::new(realm, self.channel, &clock, user);
        drop(check.run(|request| core.serve(&request)));
        core.reasons().len()
    }
}
