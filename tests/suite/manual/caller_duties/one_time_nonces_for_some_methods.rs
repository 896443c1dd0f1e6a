//! RFC 7616, sections 3.3 and 5.5: nonces that are good for one request, for POST and PUT alone.
//! Two realms of one name do it over the same nonces; the caller picks one by method.

use super::*;

struct Site {
    timed: Realm,
    one_time: Realm,
    auth: Authenticator,
}

impl Site {
    fn new() -> Self {
        Self {
            timed: realm(),
            one_time: realm().with_one_time_nonces(true),
            auth: authenticator(realm(), 10),
        }
    }

    fn nonce(&self, method: &str) -> String {
        let arrival = Arrival::new(Channel::Encrypted, START);
        let target = Target::new(method, "/");
        let realm = by_method(method, &self.timed, &self.one_time);
        let refused = self.auth.begin_as(realm, no_field(), &target, arrival);
        nonce_of(&texts(&refused.unwrap_err()))
    }

    /// Whether the response brings another nonce, or why it is refused and whether `stale` is
    /// said.
    fn take(&self, answer: &Answer) -> Result<bool, (Rejection, bool)> {
        let Self {
            timed,
            one_time,
            auth,
        } = self;
        let arrival = Arrival::new(Channel::Encrypted, START);
        let (header, target) = (answer.header(), answer.target());
        let realm = by_method(&answer.method, timed, one_time);
        let granted = auth
            .begin_as(realm, [&header].into_iter(), &target, arrival)
            .and_then(|attempt| {
                let ha1 = look_up(&attempt);
                attempt.verify(ha1)
            })
            .and_then(|verified| auth.admit(verified));
        match granted {
            Ok(grant) => {
                let info = grant.authentication_info(EntityBody::Unknown).unwrap();
                Ok(info.to_str().unwrap().contains("nextnonce"))
            }
            Err(rejected) => {
                let stale = is_stale(&texts(&rejected));
                Err((rejected.reason, stale))
            }
        }
    }
}

const REPLAYED: Result<bool, (Rejection, bool)> = Err((Rejection::Replayed, true));
const FOREIGN: Result<bool, (Rejection, bool)> = Err((Rejection::NonceForeign, true));

fn by_method<'a>(method: &str, timed: &'a Realm, one_time: &'a Realm) -> &'a Realm {
    match method {
        "GET" | "HEAD" => timed,
        _ => one_time,
    }
}

fn request(method: &str, nonce: &str, nc: u32) -> Answer {
    let method = method.to_owned();
    let answer = Answer::to(nonce).counted(nc);
    Answer { method, ..answer }
}

#[test]
fn a_post_uses_its_nonce_up() {
    let site = Site::new();
    let nonce = site.nonce("POST");
    let post = request("POST", &nonce, 1);
    assert_eq!(site.take(&post), Ok(true), "with a nonce for the next");
    assert_eq!(site.take(&post), REPLAYED);
    for method in ["POST", "PUT"] {
        let again = request(method, &nonce, 2);
        assert_eq!(site.take(&again), REPLAYED, "{method}");
    }
    assert_eq!(site.take(&request("GET", &nonce, 2)), FOREIGN);
}

/// An attacker holds a request back, and its client sends it again with the next count. Counts
/// alone let both in; a nonce for one request only the first to arrive.
#[test]
fn what_was_held_back_is_refused_after_its_repetition() {
    let site = Site::new();
    for (method, held_back) in [("GET", Ok(false)), ("POST", REPLAYED)] {
        let nonce = site.nonce(method);
        let [first, repetition] = [1, 2].map(|nc| request(method, &nonce, nc));
        assert!(site.take(&repetition).is_ok(), "{method}");
        assert_eq!(site.take(&first), held_back, "{method}");
    }
}

#[test]
fn a_get_does_not_use_its_nonce_up() {
    let site = Site::new();
    let nonce = site.nonce("GET");
    for nc in 1..=3 {
        assert_eq!(site.take(&request("GET", &nonce, nc)), Ok(false));
    }
    assert_eq!(site.take(&request("GET", &nonce, 2)), REPLAYED);
}

/// The price: one round trip, for `stale` is said.
#[test]
fn a_post_after_a_get_needs_a_nonce_of_its_own() {
    let site = Site::new();
    let nonce = site.nonce("GET");
    assert_eq!(site.take(&request("GET", &nonce, 1)), Ok(false));
    assert_eq!(site.take(&request("POST", &nonce, 2)), FOREIGN);
    let fresh = site.nonce("POST");
    assert_eq!(site.take(&request("POST", &fresh, 1)), Ok(true));
    assert_eq!(site.take(&request("GET", &nonce, 3)), Ok(false));
}
