//! Nothing is found in countersign's own server, whatever its settings.

use countersign::digest::{Algorithm, Ha1, QopSet, User, userhash};
use countersign::server::{Arrival, Authenticator, Quirk, Realm};
use countersign::{Challenger, Channel, EntityBody, Target};
use countersign_testing::server::{Scenario, ServerCheck};
use countersign_testing::{Clock, RequestTarget};
use countersign_testing::{Report, Verdict};
use http::{Request, Response};

use crate::toys::{PASSWORD, USER};

/// A server of one user, by the book.
pub(crate) struct Service {
    auth: Authenticator,
    channel: Channel,
    clock: Clock,
}

impl Service {
    pub(crate) fn new(realm: Realm, channel: Channel, clock: &Clock) -> Self {
        let auth = Authenticator::from_fresh_seed(realm, 1000, [1; 32]);
        let clock = clock.clone();
        Self {
            auth,
            channel,
            clock,
        }
    }

    pub(crate) fn serve(&self, request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
        let target = request.extensions().get::<RequestTarget>();
        let uri = target.map_or_else(|| request.uri().to_string(), |target| target.0.clone());
        let method = request.method().as_str();
        let target = Target::new(method, &uri).with_body(EntityBody::Bytes(request.body()));
        let arrival = Arrival::new(self.channel, self.clock.now());
        let realm = self.auth.realm();
        let values = request
            .headers()
            .get_all(realm.challenger().credentials_field());
        let granted = self
            .auth
            .begin(values.iter(), &target, arrival)
            .and_then(|attempt| {
                let hash = attempt.hash_function();
                let known = match attempt.claimed_user() {
                    User::Name(name) => name == USER,
                    User::Hash(hashed) => hashed == userhash(hash, USER, realm.name()),
                    _ => false,
                };
                let ha1 = known.then(|| Ha1::new(hash, USER, realm.name(), PASSWORD));
                self.auth.admit(attempt.verify(ha1)?)
            });
        let mut response = Response::new(b"hello".to_vec());
        match granted {
            Ok(grant) => {
                if let Some(info) = grant.authentication_info(EntityBody::Bytes(b"hello")) {
                    let value = info.as_bytes().try_into().unwrap();
                    response.headers_mut().insert(grant.info_field(), value);
                }
            }
            Err(refusal) => {
                *response.status_mut() = refusal.status.try_into().unwrap();
                for challenge in &refusal.challenges {
                    let value = challenge.as_bytes().try_into().unwrap();
                    response.headers_mut().append(refusal.field, value);
                }
            }
        }
        response
    }
}

fn check(realm: Realm, channel: Channel, uri: &str) -> Report<Scenario> {
    let clock = Clock::new();
    let challenger = realm.challenger();
    let service = Service::new(realm, channel, &clock);
    ServerCheck::new(USER, PASSWORD)
        .with_uri(uri)
        .with_channel(channel)
        .with_challenger(challenger)
        .with_clock(&clock, 300)
        .run(|request| service.serve(&request))
}

fn realm() -> Realm {
    Realm::new("files").unwrap()
}

#[test]
fn nothing_is_found_with_any_settings() {
    let every = realm()
        .with_algorithms(&[
            Algorithm::SHA_512_256,
            Algorithm::SHA_256,
            Algorithm::SHA_256_SESS,
            #[cfg(feature = "md5")]
            Algorithm::MD5,
        ])
        .with_qop(QopSet::BOTH)
        .with_userhash(true)
        .with_opaque("a \"b\"")
        .unwrap()
        .with_basic();
    let odd = Realm::new("a, \"b\" \\ ä").unwrap();
    let odd = odd.with_opaque(", opaque=\"\"").unwrap();
    let uri = "/dir/index.html?a=b";
    for (realm, channel, uri) in [
        (realm(), Channel::Encrypted, uri),
        (odd, Channel::Encrypted, uri),
        (every.clone(), Channel::Encrypted, uri),
        (every.clone(), Channel::Cleartext, uri),
        (realm().with_one_time_nonces(true), Channel::Cleartext, uri),
        (realm().with_one_time_nonces(true), Channel::Cleartext, uri),
        (every.with_qop(QopSet::AUTH_INT), Channel::Encrypted, uri),
        (realm(), Channel::Cleartext, "rtsp://camera.example/stream"),
        (realm(), Channel::Cleartext, "sip:example.org"),
        (
            realm().with_algorithms(&[]).with_basic(),
            Channel::Encrypted,
            uri,
        ),
    ] {
        let shown = format!("{realm:?} {uri}");
        let report = check(realm, channel, uri);
        let offers_basic_in_clear = report.noted() == [Scenario::CleartextBasic];
        let is_right = report.noted().is_empty() || offers_basic_in_clear;
        assert!(report.is_clean() && is_right, "{shown}\n{report}");
    }
}

#[test]
fn a_proxy_is_asked_with_its_own_fields() {
    let realm = realm().for_proxy();
    assert_eq!(realm.challenger(), Challenger::Proxy);
    let report = check(realm, Channel::Cleartext, "http://example.org/a");
    report.assert_clean();
    assert_eq!(report.verdict(Scenario::Replay), Verdict::Passed);
}

/// What a setting permits is found, so that the scenarios above are known to reach it.
#[test]
fn what_is_permitted_is_found() {
    let lax = realm()
        .with_quirks(&[Quirk::Rfc2069])
        .with_cleartext_basic();
    let report = check(lax, Channel::Cleartext, "/a");
    report.assert_clean();
    assert_eq!(
        report.noted(),
        [Scenario::CleartextBasic, Scenario::QopDropped]
    );
}
