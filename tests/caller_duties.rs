//! What the security page asks of the caller, as far as code can show it: what goes wrong without,
//! and how it is done.

mod support;

use countersign::client::{Policy, SkipReason};
use countersign::digest::{User, userhash};
use countersign::server::{Arrival, Class, Rejection, ReplayTable, Server};
use countersign::{Channel, Issuer, challenges};
use support::client::{Dialog, Said, challenge, skipped};
use support::server::{
    Answer, REALM, START, Seeded, Service, USER, digest_challenge, look_up, quoted, server,
};

/// RFC 7616, sections 3.3 and 5.5: nonces that are good for one request, for POST and PUT alone. Two
/// servers of one key and realm do it, if they share the table; the caller picks one by method.
mod one_time_nonces_for_some_methods {
    use super::*;

    struct Site {
        timed: Server,
        one_time: Server,
        replays: ReplayTable,
        rng: Seeded,
    }

    impl Site {
        fn new() -> Self {
            Self {
                timed: server(),
                one_time: server().with_one_time_nonces(),
                replays: ReplayTable::with_capacity(10),
                rng: Seeded(0),
            }
        }

        fn nonce(&mut self, method: &str) -> String {
            let arrival = Arrival::new(Channel::Encrypted, START);
            let server = by_method(method, &self.timed, &self.one_time);
            let rejection = Rejection::NoCredentials;
            let mut values = server.challenges(&rejection, &arrival, &mut self.rng);
            let value = values.next().expect("a challenge");
            let nonce = digest_challenge(&value).nonce();
            nonce.to_str().expect("text").into_owned()
        }

        /// The outcome, and whether the response brings another nonce.
        fn take(&mut self, answer: &Answer) -> Result<bool, Rejection> {
            let arrival = Arrival::new(Channel::Encrypted, START);
            let (header, target) = (answer.header(), answer.target());
            let server = by_method(&answer.method, &self.timed, &self.one_time);
            let attempt = server.begin([&header], &target, &arrival)?;
            let ha1 = look_up(&attempt);
            let grant = self.replays.admit(attempt.verify(ha1.as_ref())?)?;
            let next = server.next_nonce(&grant, &arrival, &mut self.rng);
            Ok(next.is_some())
        }
    }

    fn by_method<'a>(method: &str, timed: &'a Server, one_time: &'a Server) -> &'a Server {
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
        let mut site = Site::new();
        let nonce = site.nonce("POST");
        let post = request("POST", &nonce, 1);
        assert_eq!(site.take(&post), Ok(true), "with a nonce for the next");
        assert_eq!(site.take(&post), Err(Rejection::Replayed));
        for method in ["POST", "PUT", "GET"] {
            let again = request(method, &nonce, 2);
            assert_eq!(site.take(&again), Err(Rejection::Replayed), "{method}");
        }
    }

    #[test]
    fn a_get_does_not() {
        let mut site = Site::new();
        let nonce = site.nonce("GET");
        for nc in 1..=3 {
            assert_eq!(site.take(&request("GET", &nonce, nc)), Ok(false));
        }
        assert_eq!(
            site.take(&request("GET", &nonce, 2)),
            Err(Rejection::Replayed)
        );
    }

    /// The price: one round trip, for `stale` is said.
    #[test]
    fn a_post_after_a_get_needs_a_nonce_of_its_own() {
        let mut site = Site::new();
        let nonce = site.nonce("GET");
        assert_eq!(site.take(&request("GET", &nonce, 1)), Ok(false));
        let refused = site.take(&request("POST", &nonce, 2)).unwrap_err();
        assert_eq!(refused, Rejection::Replayed);
        assert!(refused.is_stale());
        let fresh = site.nonce("POST");
        assert_eq!(site.take(&request("POST", &fresh, 1)), Ok(true));
        assert_eq!(site.take(&request("GET", &nonce, 3)), Ok(false));
    }
}

/// RFC 9110, section 15.5.2: a 401 has a challenge. A server that offers nothing on a channel has
/// none to give, and the caller must answer 403 instead.
#[test]
fn where_there_is_no_challenge_the_status_is_403() {
    let digest = server();
    let basic = server().with_algorithms(&[]).with_basic();
    let nothing = server().with_algorithms(&[]);
    for (server, on_cleartext, on_encrypted) in [
        (&digest, 401, 401),
        (&basic, 403, 401),
        (&nothing, 403, 403),
    ] {
        let status = |channel, rejection: &Rejection| {
            let arrival = Arrival::new(channel, START);
            let values = server.challenges(rejection, &arrival, &mut Seeded(0));
            match rejection.status(Issuer::Origin) {
                401 if values.len() == 0 => 403,
                status => status,
            }
        };
        for rejection in [
            Rejection::NoCredentials,
            Rejection::SchemeNotOffered,
            Rejection::Cleartext,
            Rejection::WrongCredentials,
            Rejection::Replayed,
        ] {
            assert_eq!(status(Channel::Cleartext, &rejection), on_cleartext);
            assert_eq!(status(Channel::Encrypted, &rejection), on_encrypted);
        }
        assert_eq!(status(Channel::Encrypted, &Rejection::OtherUri), 400);
    }
}

/// RFC 7616, section 3.4: failed logins are logged. `verify` consumes the attempt, so the name is
/// taken before.
#[test]
fn the_name_of_a_failed_login_is_taken_before_verify() {
    let mut service = Service::new(server());
    let answer = Answer {
        password: "wrong".to_owned(),
        ..service.answer()
    };
    let header = answer.header();
    let target = answer.target();
    let attempt = service.begin(&header, &target).unwrap();
    let claimed = attempt.claimed_user().into_owned();
    let ha1 = look_up(&attempt);
    let rejection = attempt.verify(ha1.as_ref()).unwrap_err();
    assert_eq!(rejection.class(), Class::Suspicious);
    let line = format!("{:?}: {rejection}", claimed.name().unwrap());
    assert_eq!(line, "\"Mufasa\": no such user or wrong password");
}

/// RFC 7616, section 3.4.4: a server that asked for hashed names may refuse clear ones.
#[test]
fn clear_names_are_refused_by_not_looking_them_up() {
    let mut service = Service::new(server().with_userhash());
    let answer = service.answer();
    let hashed = userhash(answer.algorithm.hash(), USER, REALM);
    let by_hash = answer
        .params()
        .with("username", quoted(hashed.as_str()))
        .with("userhash", "true")
        .to_string();
    for (header, granted) in [(answer.header(), false), (by_hash, true)] {
        let target = answer.target();
        let attempt = service.begin(&header, &target).unwrap();
        let ha1 = match attempt.claimed_user() {
            User::Hash(_) => look_up(&attempt),
            // Takes the work of a wrong password.
            _ => None,
        };
        assert_eq!(attempt.verify(ha1.as_ref()).is_ok(), granted, "{header}");
    }
}

/// Any account can fill the table. The others pay a round trip each, and no replay gets in.
#[test]
fn one_account_can_evict_the_nonces_of_all_others() {
    const CAPACITY: usize = 20;
    // Every name is an account, with the password that its answer was made with.
    fn take(service: &mut Service, answer: &Answer) -> Result<(), Rejection> {
        let header = answer.header();
        let arrival = service.arrival();
        let target = answer.target();
        let attempt = service.server.begin([&header], &target, &arrival)?;
        let proof = attempt.verify_password(Some((&answer.user, &answer.password)))?;
        service.replays.admit(proof).map(drop)
    }
    let mut service = Service::new(server()).with_capacity(CAPACITY);
    let captured = service.answer();
    assert_eq!(take(&mut service, &captured), Ok(()));
    let unused = service.answer();
    for _ in 0..CAPACITY {
        service.wait(1);
        let guest = Answer {
            user: "guest".to_owned(),
            password: "guest".to_owned(),
            ..service.answer()
        };
        assert_eq!(take(&mut service, &guest), Ok(()));
    }
    assert_eq!(service.replays.len(), CAPACITY);
    for answer in [captured.clone(), captured.counted(2), unused] {
        let refused = take(&mut service, &answer).unwrap_err();
        assert!(matches!(refused, Rejection::Forgotten { .. }), "{refused}");
        assert!(refused.is_stale());
        let again = Answer::to(&service.nonce_after(&refused));
        assert_eq!(take(&mut service, &again), Ok(()), "one round trip later");
    }
}

/// A Digest challenge that cannot be read is skipped, and Basic beside it is taken: that gives the
/// server, or whoever spoilt the challenge, the password.
#[test]
fn beside_a_challenge_that_cannot_be_read_basic_gives_the_password() {
    let basic = r#"Basic realm="r""#;
    for unreadable in [
        challenge("n1", r#", nonce="n2""#),
        challenge("n1", r#", opaque="not closed"#),
        challenge("n1", ", algorithm=MD5"),
    ] {
        let values = [unreadable.as_str(), basic];
        let mut dialog = Dialog::new(Policy::new());
        assert_eq!(dialog.challenged(values), Said::Login, "{unreadable}");
        dialog.login();
        assert_eq!(dialog.send("/").expect("an answer").scheme, "Basic");

        let mut dialog = Dialog::new(Policy::new().without_basic());
        let next = dialog.challenged(values);
        let reasons = skipped(&next);
        assert!(matches!(reasons[0], SkipReason::Header(_)), "{reasons:?}");
    }
    // A readable one goes first, wherever it stands.
    let mut dialog = Dialog::new(Policy::new());
    let readable = challenge("n1", "");
    assert_eq!(dialog.challenged([basic, &readable]), Said::Login);
    dialog.login();
    assert_eq!(dialog.send("/").expect("an answer").scheme, "Digest");
}

/// RFC 9110, section 4.2.4: no userinfo in a request-target. A client gives nothing for one.
#[test]
fn userinfo_in_a_request_target_is_not_answered() {
    let mut dialog = Dialog::logged_in(Policy::new(), &challenge("n1", ""));
    for _ in 0..2 {
        assert_eq!(dialog.send("https://user:password@example.com/a"), None);
        dialog.next_exchange();
    }
    assert!(dialog.send("https://example.com/a").is_some());
}

/// RFC 7616, section 3.6, and RFC 9110, section 11.6: a proxy forwards these fields untouched.
/// Writing anew what was read changes them.
#[test]
fn what_is_forwarded_is_the_value_that_came() {
    let came = "Digest\trealm=\"a\\b\",nonce=n ,  qop=\"auth\"";
    let read = challenges([came]).next().unwrap().unwrap();
    assert_ne!(read.to_bytes(), came.as_bytes());
}
