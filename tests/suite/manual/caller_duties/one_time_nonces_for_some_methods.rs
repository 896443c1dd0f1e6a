//! RFC 7616, sections 3.3 and 5.5: nonces that are good for one request, for POST and PUT alone.
//! Two realms of one name do it over the same nonces; the caller picks one by method.

use countersign::EntityBody;

use super::*;
use crate::support::server::texts;

/// Whether the response brings another nonce, or why the request is refused and whether `stale` is
/// said.
type Outcome = Result<bool, (Reason, bool)>;

const REPLAYED: Outcome = Err((Reason::Replayed, true));
const FOREIGN: Outcome = Err((Reason::NonceForeign, true));

fn by_method<'s>(service: &'s mut Service, method: &str) -> &'s Service {
    service.realm = realm().with_one_time_nonces(!matches!(method, "GET" | "HEAD"));
    service
}

fn nonce(service: &mut Service, method: &str) -> String {
    by_method(service, method).nonce()
}

fn take(service: &mut Service, method: &str, nonce: &str, nc: u32) -> Outcome {
    let service = by_method(service, method);
    let method = method.to_owned();
    let answer = Answer::to(nonce).counted(nc);
    let answer = Answer { method, ..answer };
    let (header, target) = (answer.header(), answer.target());
    match service.grant(&header, &target) {
        Ok(grant) => {
            let info = grant.authentication_info(EntityBody::Unknown).unwrap();
            Ok(info.to_str().unwrap().contains("nextnonce"))
        }
        Err(rejected) => Err((rejected.reason, is_stale(&texts(&rejected)))),
    }
}

#[test]
fn a_post_uses_its_nonce_up() {
    let site = &mut Service::new(realm());
    let nonce = nonce(site, "POST");
    assert_eq!(
        take(site, "POST", &nonce, 1),
        Ok(true),
        "with a nonce for the next"
    );
    for (method, nc) in [("POST", 1), ("POST", 2), ("PUT", 2)] {
        assert_eq!(take(site, method, &nonce, nc), REPLAYED, "{method}");
    }
    assert_eq!(take(site, "GET", &nonce, 2), FOREIGN);
}

/// An attacker holds a request back, and its client sends it again with the next count. Counts
/// alone let both in; a nonce for one request only the first to arrive.
#[test]
fn what_was_held_back_is_refused_after_its_repetition() {
    let site = &mut Service::new(realm());
    for (method, held_back) in [("GET", Ok(false)), ("POST", REPLAYED)] {
        let nonce = nonce(site, method);
        assert!(take(site, method, &nonce, 2).is_ok(), "{method}");
        assert_eq!(take(site, method, &nonce, 1), held_back, "{method}");
    }
}

/// A POST after it needs a nonce of its own: one round trip, for `stale` is said.
#[test]
fn a_get_does_not_use_its_nonce_up() {
    let site = &mut Service::new(realm());
    let of_get = nonce(site, "GET");
    for nc in 1..=3 {
        assert_eq!(take(site, "GET", &of_get, nc), Ok(false));
    }
    assert_eq!(take(site, "GET", &of_get, 2), REPLAYED);
    assert_eq!(take(site, "POST", &of_get, 4), FOREIGN);
    let of_post = nonce(site, "POST");
    assert_eq!(take(site, "POST", &of_post, 1), Ok(true));
    assert_eq!(take(site, "GET", &of_get, 4), Ok(false));
}
