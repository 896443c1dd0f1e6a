//! The other device: it opens for whoever may tell it to.
use countersign::digest::User;
use countersign::server::{Arrival, Authenticator, Realm, Refusal};
use countersign::{Channel, EntityBody, FieldValue, Target, Timestamp};

use crate::fetch::{Response, Wire};

/// The time that the valve takes for its start, whenever that is.
const START: u64 = 1_700_000_000;

pub struct Valve {
    auth: Authenticator,
    /// The seconds since the device was started, which its timer counts. Here the checks set it.
    pub uptime_secs: u64,
    pub requests: u32,
}

impl Valve {
    /// The key is new at each start, because the uptime begins at zero again.
    pub fn new(realm: Realm, key: [u8; 32]) -> Self {
        Self {
            auth: Authenticator::from_fresh_seed(realm, 64, key),
            uptime_secs: 0,
            requests: 0,
        }
    }

    fn admit<'a>(
        &'a self,
        target: &Target<'a>,
        authorization: Option<&'a FieldValue>,
    ) -> Result<Response, Response> {
        // There is no wall clock, but the time since the start is enough: with a new key, all
        // nonces are of this start. A counter of requests would not do. Somebody who holds a
        // request back can make the client repeat it with another nonce, and then deliver it as
        // long as its own nonce lives.
        let now = Timestamp::from_unix_millis((START + self.uptime_secs) * 1000);
        let arrival = Arrival::new(Channel::Cleartext, now);
        let realm = self.auth.realm();
        let find = |_: &User<'_>, hash| Some(realm.ha1(hash, "Mufasa", "Circle of Life"));
        let granted = self
            .auth
            .check(authorization.into_iter(), target, arrival, find);
        match granted {
            Ok(grant) => {
                let body = b"open";
                let info = grant.authentication_info(EntityBody::Bytes(body));
                let fields = info
                    .map(|info| (grant.info_field(), info))
                    .into_iter()
                    .collect();
                Ok(Response {
                    status: 200,
                    fields,
                    body,
                })
            }
            Err(refusal) => Err(refused(refusal)),
        }
    }
}

fn refused(refusal: Refusal) -> Response {
    let challenges = refusal.challenges.into_iter();
    let fields = challenges.map(|value| (refusal.field, value)).collect();
    Response {
        status: refusal.status,
        fields,
        body: b"",
    }
}

impl Wire for Valve {
    fn send(&mut self, target: &Target<'_>, authorization: Option<&FieldValue>) -> Response {
        self.requests += 1;
        self.admit(target, authorization)
            .unwrap_or_else(|refused| refused)
    }
}
