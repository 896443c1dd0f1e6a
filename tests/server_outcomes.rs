//! What a server answers: every rejection, in which order the checks come, and what the challenges
//! say.

mod support;

use std::collections::HashSet;

use countersign::digest::{Algorithm, Protection, QopSet, ha2, response};
use countersign::server::{Arrival, Claim, Class, Grant, Rejection, ReplayTable, Server, UriCheck};
use countersign::{Channel, HeaderError, Issuer, Target, Timestamp, basic};
use support::server::{
    Answer, PASSWORD, START, Seeded, Service, USER, digest_challenge, ha1, nonce_key, quoted,
    server,
};

/// The name of a rejection.
fn name(rejection: &Rejection) -> &'static str {
    match rejection {
        Rejection::NoCredentials => "NoCredentials",
        Rejection::Header(_) => "Header",
        Rejection::SchemeNotOffered => "SchemeNotOffered",
        Rejection::Cleartext => "Cleartext",
        Rejection::AlgorithmNotOffered => "AlgorithmNotOffered",
        Rejection::QopNotOffered => "QopNotOffered",
        Rejection::OtherRealm => "OtherRealm",
        Rejection::OtherUri => "OtherUri",
        Rejection::BodyUnknown => "BodyUnknown",
        Rejection::WrongCredentials => "WrongCredentials",
        Rejection::ForeignNonce => "ForeignNonce",
        Rejection::Expired => "Expired",
        Rejection::Forgotten { .. } => "Forgotten",
        Rejection::Replayed => "Replayed",
        other => panic!("what is {other:?}?"),
    }
}

/// Makes a server refuse a request for one reason.
fn refused(reason: &str) -> Rejection {
    let mut service = Service::new(server().with_qop(QopSet::BOTH).with_basic());
    let mut answer = service.answer();
    let outcome = match reason {
        "NoCredentials" => service
            .server
            .begin(None::<&str>, &answer.target(), &service.arrival())
            .map(|_| ()),
        "Header" => service.take_header("Digest realm=", &answer),
        "SchemeNotOffered" => service.take_header("Bearer abc", &answer),
        "Cleartext" => {
            let arrival = Arrival::new(Channel::Cleartext, START);
            let header = basic::credentials(USER, PASSWORD).unwrap();
            let attempt = service
                .server
                .begin(Some(&header), &answer.target(), &arrival);
            attempt.map(|_| ())
        }
        "AlgorithmNotOffered" => {
            answer.algorithm = Algorithm::SHA_512_256;
            service.take(&answer)
        }
        "QopNotOffered" => {
            answer.qop = None;
            service.take(&answer)
        }
        "OtherRealm" => {
            answer.realm = "other".to_owned();
            service.take(&answer)
        }
        "OtherUri" => {
            let header = answer.header();
            answer.uri = "/other".to_owned();
            service.take_header(header, &answer)
        }
        "BodyUnknown" => {
            answer.qop = Some("auth-int");
            let target = Target::new(&answer.method, &answer.uri);
            service.grant(&answer.header(), &target).map(|_| ())
        }
        "WrongCredentials" => {
            answer.password = "wrong".to_owned();
            service.take(&answer)
        }
        "ForeignNonce" => {
            answer.nonce = "foreign".to_owned();
            service.take(&answer)
        }
        "Expired" => {
            service.wait(301);
            service.take(&answer)
        }
        "Forgotten" => {
            service.replays = ReplayTable::with_capacity(1).restarted_at(START);
            service.take(&answer)
        }
        "Replayed" => {
            service.take(&answer).unwrap();
            service.take(&answer)
        }
        other => panic!("what is {other}?"),
    };
    outcome.unwrap_err()
}

#[test]
fn every_rejection_has_its_status_class_and_stale() {
    for (reason, status, stale, class) in [
        ("NoCredentials", 0, false, Class::NoCredentials),
        ("Header", 400, false, Class::ClientFault),
        ("SchemeNotOffered", 0, false, Class::ClientFault),
        ("Cleartext", 0, false, Class::ClientFault),
        ("AlgorithmNotOffered", 0, false, Class::ClientFault),
        ("QopNotOffered", 0, false, Class::ClientFault),
        ("OtherRealm", 0, false, Class::ClientFault),
        ("OtherUri", 400, false, Class::Suspicious),
        ("BodyUnknown", 500, false, Class::OwnFault),
        ("WrongCredentials", 0, false, Class::Suspicious),
        ("ForeignNonce", 0, true, Class::Age),
        ("Expired", 0, true, Class::Age),
        ("Forgotten", 0, true, Class::Age),
        ("Replayed", 0, true, Class::Suspicious),
    ] {
        let rejection = refused(reason);
        assert_eq!(name(&rejection), reason);
        let [origin, proxy] = if status == 0 { [401, 407] } else { [status; 2] };
        assert_eq!(rejection.status(Issuer::Origin), origin, "{reason}");
        assert_eq!(rejection.status(Issuer::Proxy), proxy, "{reason}");
        assert_eq!(rejection.is_stale(), stale, "{reason}");
        assert_eq!(rejection.class(), class, "{reason}");
        assert!(!rejection.to_string().is_empty());

        let mut service = Service::new(server().with_basic());
        let values = service.challenges(&rejection);
        let Some((basic, digest)) = values.split_last() else {
            assert!(status != 0, "{reason} asks for credentials");
            continue;
        };
        assert_eq!(status, 0, "{reason} asks for nothing");
        assert!(basic.starts_with("Basic "));
        for value in digest {
            assert_eq!(digest_challenge(value).is_stale(), stale, "{reason}");
            assert_eq!(value.contains("stale=true"), stale, "{reason}");
            assert!(!value.contains("stale=false"));
        }
    }
}

/// Something that is wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Scheme,
    Parameter,
    Algorithm,
    Qop,
    Realm,
    Uri,
    Password,
    Nonce,
    Count,
}

/// Of two faults it is the earlier one that is told.
#[test]
fn the_order_of_checks() {
    const ORDER: [(Fault, &str); 9] = [
        (Fault::Scheme, "SchemeNotOffered"),
        (Fault::Parameter, "Header"),
        (Fault::Algorithm, "AlgorithmNotOffered"),
        (Fault::Qop, "QopNotOffered"),
        (Fault::Realm, "OtherRealm"),
        (Fault::Uri, "OtherUri"),
        (Fault::Password, "WrongCredentials"),
        (Fault::Nonce, "Expired"),
        (Fault::Count, "Replayed"),
    ];
    for (first, (fault, expected)) in ORDER.iter().enumerate() {
        for (other, _) in &ORDER[first..] {
            let outcome = with_faults(&[*fault, *other]);
            let rejection = outcome.unwrap_err();
            assert_eq!(name(&rejection), *expected, "{fault:?} and {other:?}");
        }
        let all: Vec<_> = ORDER[first..].iter().map(|(fault, _)| *fault).collect();
        assert_eq!(name(&with_faults(&all).unwrap_err()), *expected);
    }
    assert_eq!(with_faults(&[]), Ok(()));
}

fn with_faults(faults: &[Fault]) -> Result<(), Rejection> {
    let has = |fault| faults.contains(&fault);
    let mut service = Service::new(server());
    let mut answer = service.answer();
    if has(Fault::Count) {
        service.take(&answer).unwrap();
    }
    if has(Fault::Nonce) {
        service.wait(301);
    }
    if has(Fault::Algorithm) {
        answer.algorithm = Algorithm::SHA_512_256;
    }
    if has(Fault::Qop) {
        answer.qop = Some("auth-int");
    }
    if has(Fault::Realm) {
        answer.realm = "other".to_owned();
    }
    if has(Fault::Password) {
        answer.password = "wrong".to_owned();
    }
    let mut header = answer.header();
    if has(Fault::Parameter) {
        header.push_str(", realm=twice");
    }
    if has(Fault::Scheme) {
        header = header.replacen("Digest", "Other", 1);
    }
    if has(Fault::Uri) {
        answer.uri = "/other".to_owned();
    }
    service.take_header(header, &answer)
}

/// `stale` says that the password was right, so it is said only where it was.
#[test]
fn a_wrong_password_is_never_stale() {
    for user in [USER, "nobody"] {
        for nonce in ["old", "foreign", "forgotten", "used"] {
            for right in [true, false] {
                let mut service = Service::new(server());
                let mut answer = service.answer();
                match nonce {
                    "old" => service.wait(301),
                    "foreign" => answer.nonce = "foreign".to_owned(),
                    "forgotten" => {
                        service.replays = ReplayTable::with_capacity(1).restarted_at(START);
                    }
                    _ => service.take(&answer).unwrap(),
                }
                answer.user = user.to_owned();
                if !right {
                    answer.password = "wrong".to_owned();
                }
                let rejection = service.take(&answer).unwrap_err();
                let proven = right && user == USER;
                assert_eq!(rejection.is_stale(), proven, "{user}, {nonce}, {right}");
                if !proven {
                    assert_eq!(rejection, Rejection::WrongCredentials);
                }
                // And one with a new nonce after it is let in.
                service.now = service.now.plus_millis(1);
                let answer = Answer::to(&service.nonce_after(&rejection));
                assert_eq!(service.take(&answer), Ok(()), "{nonce}");
            }
        }
    }
}

#[test]
fn basic_is_for_channels_that_nobody_reads() {
    let header = basic::credentials(USER, PASSWORD).unwrap();
    let never = server();
    let encrypted = server().with_basic();
    let anywhere = server().with_cleartext_basic();
    // Whichever is said first.
    let also = server().with_cleartext_basic().with_basic();
    let too = server().with_basic().with_cleartext_basic();
    for (server, channel, outcome, challenges) in [
        (&never, Channel::Encrypted, Some("SchemeNotOffered"), 0),
        (&never, Channel::Cleartext, Some("SchemeNotOffered"), 0),
        (&encrypted, Channel::Encrypted, None, 1),
        (&encrypted, Channel::Cleartext, Some("Cleartext"), 0),
        (&anywhere, Channel::Encrypted, None, 1),
        (&anywhere, Channel::Cleartext, None, 1),
        (&also, Channel::Cleartext, None, 1),
        (&too, Channel::Cleartext, None, 1),
    ] {
        let arrival = Arrival::new(channel, START);
        let target = Target::new("GET", "/");
        // Before it is decoded: what is no base64 is refused for the same reason.
        for value in [
            &*header,
            "Basic !!!!",
            "Basic",
            "basic realm=\"x\"",
            "BASIC =",
        ] {
            let attempt = server.begin(Some(value), &target, &arrival);
            let rejection = attempt.err().map(|rejection| name(&rejection));
            let expected = outcome.or_else(|| (value != header).then_some("Header"));
            assert_eq!(rejection, expected, "{value} {channel:?}");
        }
        let values = server.challenges(&Rejection::NoCredentials, &arrival, &mut Seeded(0));
        let all = values.len();
        let (basic, digest): (Vec<_>, Vec<_>) =
            values.partition(|value| value.starts_with("Basic "));
        assert_eq!(basic.len(), challenges);
        assert_eq!(basic.len() + digest.len(), all);
    }
}

#[test]
fn schemes_that_are_not_offered() {
    let digest = Service::new(server()).answer().header();
    let basic = basic::credentials(USER, PASSWORD).unwrap();
    let no_digest = server().with_algorithms(&[]);
    for (server, header, offered) in [
        (server(), &*digest, true),
        (server(), &basic, false),
        (no_digest.clone(), &digest, false),
        (no_digest.clone(), "Digest =", false),
        (no_digest.with_basic(), &basic, true),
        (server().with_basic(), "Bearer abc", false),
        (server().with_basic(), "Bearer \"", false),
        (server().with_basic(), "Negotiate", false),
    ] {
        let service = Service::new(server);
        let target = Target::new("GET", "/a?b=c");
        let attempt = service.begin(header, &target);
        let refused = attempt.err() == Some(Rejection::SchemeNotOffered);
        assert_eq!(refused, !offered, "{header}");
    }
    // No scheme at all.
    for header in ["", " ", ",", "=", "\"Digest\"", "\0"] {
        let outcome = Service::new(server()).take_header(header, &Answer::to(""));
        let Err(Rejection::Header(HeaderError::Syntax(_))) = outcome else {
            panic!("{header:?}: {outcome:?}");
        };
    }
}

#[test]
fn the_challenges_word_by_word() {
    let nonce = Service::new(server()).nonce();
    let md5 = |value: &str| {
        let value = value.replace("SHA-256", "MD5");
        cfg!(feature = "md5").then_some(value)
    };
    let challenges = |server: Server, rejection| Service::new(server).challenges(&rejection);

    let value = format!(
        r#"Digest realm="files", qop="auth", algorithm=SHA-256, nonce="{nonce}", charset=UTF-8"#
    );
    let mut expected = vec![value.clone()];
    expected.extend(md5(&value));
    let values = challenges(server(), Rejection::NoCredentials);
    assert_eq!(values, expected);

    let everything = server()
        .with_algorithms(&[Algorithm::SHA_512_256_SESS])
        .with_qop(QopSet::BOTH)
        .with_opaque("o")
        .unwrap()
        .with_domain("/a http://b/")
        .unwrap()
        .with_userhash()
        .with_basic();
    let values = challenges(everything, Rejection::Expired);
    let digest = format!(
        "Digest realm=\"files\", qop=\"auth,auth-int\", algorithm=SHA-512-256-sess, \
         nonce=\"{nonce}\", opaque=\"o\", domain=\"/a http://b/\", stale=true, charset=UTF-8, \
         userhash=true"
    );
    let basic = r#"Basic realm="files", charset="UTF-8""#;
    assert_eq!(values, [&digest, basic]);

    let legacy = server()
        .with_qop(QopSet::LEGACY)
        .with_algorithms(&[Algorithm::SHA_256]);
    let values = challenges(legacy, Rejection::NoCredentials);
    let digest =
        format!(r#"Digest realm="files", algorithm=SHA-256, nonce="{nonce}", charset=UTF-8"#);
    assert_eq!(values, [digest]);

    let nothing = server().with_algorithms(&[]);
    assert!(challenges(nothing, Rejection::NoCredentials).is_empty());
}

#[test]
fn algorithms_are_offered_in_the_order_given_with_one_nonce() {
    let mut reversed = Algorithm::ALL.to_vec();
    reversed.reverse();
    for algorithms in [Algorithm::ALL, &reversed] {
        let mut service = Service::new(server().with_algorithms(algorithms));
        let values = service.challenges(&Rejection::NoCredentials);
        let read: Vec<_> = values.iter().map(|value| digest_challenge(value)).collect();
        assert!(
            read.iter()
                .map(|it| it.algorithm())
                .eq(algorithms.iter().copied())
        );
        assert!(read.iter().all(|it| it.nonce() == read[0].nonce()));
        // Counts are kept for each HA1, and so for each hash function.
        let nonce = read[0].nonce().to_str().unwrap();
        let mut used = Vec::new();
        for (index, &algorithm) in algorithms.iter().enumerate() {
            let mut answer = Answer::to(&nonce);
            answer.algorithm = algorithm;
            let first = if used.contains(&algorithm.hash()) {
                Err(Rejection::Replayed)
            } else {
                Ok(())
            };
            used.push(algorithm.hash());
            assert_eq!(service.take(&answer), first, "{algorithm}");
            let next = u32::try_from(index).unwrap() + 2;
            assert_eq!(service.take(&answer.counted(next)), Ok(()), "{algorithm}");
        }
    }
}

/// Which uses of a nonce are let in, by the forms that are taken and the nonces that are good for
/// more than one use.
#[test]
fn forms_and_how_often_their_nonces_are_good() {
    const COUNTED: &str = "counted";
    const RFC_2069: &str = "RFC 2069";
    const OVERVIEW: &str = "overview";
    let plain = server;
    let rfc2069 = || server().with_rfc2069();
    let legacy = || server().with_qop(QopSet::LEGACY);
    let overview = || server().with_overview_form();
    let refused: &[_] = &[false, false, false];
    let each: &[_] = &[true, false, true];
    let once: &[_] = &[true, false, false];
    let always: &[_] = &[true, true, true];
    // The same twice, then with another count where there is one.
    for (server, form, expected) in [
        (plain(), COUNTED, each),
        (plain(), RFC_2069, refused),
        (plain(), OVERVIEW, refused),
        (plain().with_reusable_nonces(), COUNTED, each),
        (plain().with_one_time_nonces(), COUNTED, once),
        (rfc2069(), COUNTED, each),
        (rfc2069(), RFC_2069, once),
        (rfc2069(), OVERVIEW, refused),
        (rfc2069().with_reusable_nonces(), COUNTED, each),
        (rfc2069().with_reusable_nonces(), RFC_2069, always),
        (
            rfc2069().with_reusable_nonces().with_one_time_nonces(),
            RFC_2069,
            once,
        ),
        (legacy(), COUNTED, refused),
        (legacy(), RFC_2069, once),
        (legacy().with_reusable_nonces(), RFC_2069, always),
        (overview(), COUNTED, each),
        (overview(), RFC_2069, refused),
        (overview(), OVERVIEW, once),
        (overview().with_reusable_nonces(), COUNTED, each),
        (overview().with_reusable_nonces(), OVERVIEW, always),
        (overview().with_one_time_nonces(), OVERVIEW, once),
        (overview().with_one_time_nonces(), COUNTED, once),
    ] {
        let mut service = Service::new(server);
        let mut answer = service.answer();
        answer.overview = form == OVERVIEW;
        if form == RFC_2069 {
            answer.qop = None;
        }
        let mut outcomes = Vec::new();
        for nc in [1, 1, 2] {
            let answer = answer.counted(nc);
            let header = answer.header();
            let grant = service.grant(&header, &answer.target());
            outcomes.push(grant.is_ok());
            if let Ok(grant) = grant {
                assert_eq!(grant.is_counted(), form == COUNTED);
                assert_eq!(grant.qop().is_some(), form != RFC_2069);
            }
        }
        assert_eq!(outcomes, expected, "{form} at {:?}", service.server);
    }
}

/// RFC 7616 does not say how a client tells which request began a session. Here each begins one.
#[test]
fn sessions_are_of_the_nonce_and_cnonce_at_hand() {
    for &algorithm in Algorithm::ALL.iter().filter(|it| it.is_session()) {
        let mut service = Service::new(server().with_algorithms(&[algorithm]));
        let mut answer = service.answer();
        answer.algorithm = algorithm;
        // One cnonce for all requests, as both readings have it.
        for nc in 1..=3 {
            assert_eq!(service.take(&answer.counted(nc)), Ok(()));
        }
        // Another, and a key of its own.
        let first = answer.cnonce.clone();
        answer.cnonce = "another".to_owned();
        assert_eq!(service.take(&answer.counted(4)), Ok(()));
        // Another, and the key of the first request.
        let ha1 = ha1(algorithm.hash());
        let key = ha1.session(&answer.nonce, &first);
        let protection = Protection::new("auth", "00000005", "another");
        let ha2 = ha2(key.hash(), &answer.method, &answer.uri, None);
        let response = response(&key, &answer.nonce, Some(&protection.unwrap()), &ha2);
        let header = answer.counted(5).params();
        let header = header.with("response", quoted(response.as_str()));
        let outcome = service.take_header(header.to_string(), &answer);
        assert_eq!(outcome, Err(Rejection::WrongCredentials));
    }
}

#[test]
fn each_uri_check_lets_pass_what_it_says() {
    use UriCheck::{Exact, Normalized, Path, PathAndQuery, Unchecked};
    const CHECKS: [UriCheck; 5] = [Exact, PathAndQuery, Normalized, Path, Unchecked];
    for (target, uri, strictest) in [
        ("/a?b=c", "/a?b=c", Exact),
        ("*", "*", Exact),
        ("example.com:443", "example.com:443", Exact),
        ("http://h/a", "http://h/a", Exact),
        ("/a?b=c", "http://h/a?b=c", PathAndQuery),
        ("http://h/a?b=c", "/a?b=c", PathAndQuery),
        ("/", "https://h", PathAndQuery),
        ("http://one/a", "http://two/a", Unchecked),
        ("http://one/a", "HTTP://ONE/a", PathAndQuery),
        ("/%61?b=c", "/a?b=c", Normalized),
        ("/a%2fb", "/a%2Fb", Normalized),
        ("/a?b=c", "http://h/%61?b=c", Normalized),
        ("/a?b=c", "/a", Path),
        ("/a?b=c", "http://h/%61", Path),
        ("/a", "/a?b=c", Unchecked),
        ("/a%2Fb", "/a/b", Unchecked),
        ("/a?b=c", "/a?b=d", Unchecked),
        ("/a", "/b", Unchecked),
        ("/a", "", Unchecked),
    ] {
        for check in CHECKS {
            let mut service = Service::new(server().with_uri_check(check));
            let mut answer = service.answer();
            answer.uri = uri.to_owned();
            let header = answer.header();
            let outcome = service
                .grant(&header, &Target::new("GET", target))
                .map(|grant| grant.uri_match());
            let expected = if strictest <= check {
                Ok(strictest)
            } else {
                Err(Rejection::OtherUri)
            };
            assert_eq!(outcome, expected, "{check:?}: {uri} for {target}");
        }
    }
    assert_eq!(UriCheck::default(), Exact);
    // Escapes are none of the uri's.
    let mut service = Service::new(server());
    let mut answer = service.answer();
    answer.uri = r#"/a"b\c"#.to_owned();
    assert_eq!(service.take(&answer), Ok(()));
}

#[test]
fn nonces_are_good_where_they_are_bound_to() {
    let server = server();
    let bindings: [&[u8]; 5] = [b"", b"192.0.2.7", b"192.0.2.70", b"\0", &[0xff; 100]];
    for here in bindings {
        let arrival = Arrival::new(Channel::Encrypted, START).bound_to(here);
        let values = server.challenges(&Rejection::NoCredentials, &arrival, &mut Seeded(1));
        let value = values.last().unwrap();
        let nonce = digest_challenge(&value)
            .nonce()
            .to_str()
            .unwrap()
            .into_owned();
        let minted = server.mint(&arrival, &mut Seeded(1));
        assert_eq!(minted.as_str(), nonce, "the same by both ways");
        for there in bindings {
            let arrival = Arrival::new(Channel::Encrypted, START).bound_to(there);
            let answer = Answer::to(&nonce);
            let header = answer.header();
            let attempt = server.begin(Some(&header), &answer.target(), &arrival);
            let attempt = attempt.unwrap();
            let ha1 = ha1(attempt.hash());
            let outcome = attempt.verify(Some(&ha1)).map(|_| ());
            let expected = if here == there {
                Ok(())
            } else {
                Err(Rejection::ForeignNonce)
            };
            assert_eq!(outcome, expected, "{here:?} {there:?}");
        }
    }
}

#[test]
fn keys_change_without_a_round_trip() {
    let old = server();
    let mut service = Service::new(old);
    let before = service.answer();
    let change = Server::new("files", nonce_key(2)).unwrap();
    service.server = change.clone().with_previous_key(nonce_key(1));
    let after = service.answer();
    assert_eq!(service.take(&before), Ok(()));
    assert_eq!(service.take(&before), Err(Rejection::Replayed));
    assert_eq!(service.take(&after), Ok(()));
    service.server = change;
    let outcome = service.take(&before.counted(2));
    assert_eq!(outcome, Err(Rejection::ForeignNonce));
    assert_eq!(service.take(&after.counted(2)), Ok(()));
}

#[test]
fn a_restart_forgets_what_was_before_it() {
    let mut service = Service::new(server());
    let before = service.answer();
    assert_eq!(service.take(&before), Ok(()));
    service.wait(1);
    let same_time = service.answer();
    service.replays = ReplayTable::with_capacity(10).restarted_at(service.now);
    let until = service.now;
    for answer in [before, same_time] {
        let rejection = service.take(&answer).unwrap_err();
        assert_eq!(rejection, Rejection::Forgotten { until });
        // The nonce that answers it is good, in the same millisecond, and with the clock set back.
        for now in [until, START, Timestamp::from_unix_secs(0)] {
            service.now = now;
            let answer = Answer::to(&service.nonce_after(&rejection));
            assert_eq!(service.take(&answer), Ok(()));
        }
        service.now = until;
    }
    service.now = until.plus_millis(1);
    let after = service.answer();
    assert_eq!(service.take(&after), Ok(()));
}

#[test]
fn the_edges_of_time() {
    let end = Timestamp::from_unix_millis(u64::MAX);
    for lifetime in [0, 1, u32::MAX] {
        for now in [Timestamp::from_unix_millis(0), START] {
            let mut service = Service::new(server().with_nonce_lifetime(lifetime));
            service.now = now;
            let answer = service.answer();
            service.now = now.plus_secs(lifetime.into());
            assert_eq!(service.take(&answer), Ok(()), "{lifetime} {now:?}");
            service.now = service.now.plus_millis(1);
            let outcome = service.take(&answer.counted(2));
            assert_eq!(outcome, Err(Rejection::Expired), "{lifetime} {now:?}");
            // The clock set back to before it was made.
            service.now = Timestamp::from_unix_millis(0);
            assert_eq!(service.take(&answer.counted(3)), Ok(()));
            service.now = end;
            let outcome = service.take(&answer.counted(4));
            assert_eq!(outcome, Err(Rejection::Expired));
            // A nonce of the last time there is, which is later than a nonce can tell.
            let answer = service.answer();
            let rejection = service.take(&answer).unwrap_err();
            assert_eq!(rejection, Rejection::Expired);
        }
    }
}

/// A ledger that several machines share, in the place of the table.
#[test]
fn tickets_for_a_ledger() {
    let mut service = Service::new(server());
    let answer = service.answer();
    let mut keys = HashSet::new();
    for nc in [1, 2, u32::MAX] {
        let header = answer.counted(nc).header();
        let target = answer.target();
        let proof = || {
            let attempt = service.begin(&header, &target);
            let attempt = attempt.unwrap();
            let ha1 = ha1(attempt.hash());
            attempt.verify(Some(&ha1)).unwrap()
        };
        let ticket = proof().ticket().unwrap();
        assert_eq!(Some(ticket), proof().ticket());
        let margin = countersign::server::Ticket::LEDGER_MARGIN_SECS;
        assert_eq!(ticket.expires(), START.plus_secs(300 + margin));
        let late = proof().settle(Claim::First, START.plus_millis(300_001));
        assert_eq!(late.map(|_| ()), Err(Rejection::Expired));
        assert!(ticket.key().is_ascii() && ticket.key().len() <= 38);
        assert!(keys.insert(ticket.key()));
        let granted = proof()
            .settle(Claim::First, START)
            .map(|grant| grant.is_counted());
        assert_eq!(granted, Ok(true));
        let repeated = proof().settle(Claim::Repeated, START).map(|_| ());
        assert_eq!(repeated, Err(Rejection::Replayed));
        assert_eq!(
            proof().dangerous_skip_replay_check().user().name(),
            Some(USER)
        );
    }
}

/// One ticket for a nonce that is good for one use, and none where there is nothing to claim.
#[test]
fn tickets_by_form() {
    let reusable = || server().with_rfc2069().with_reusable_nonces();
    for (server, qop, tickets) in [
        (server(), Some("auth"), 2),
        (server().with_one_time_nonces(), Some("auth"), 1),
        (server().with_rfc2069(), None, 1),
        (reusable(), None, 0),
        (reusable(), Some("auth"), 2),
        (reusable().with_one_time_nonces(), None, 1),
    ] {
        let mut service = Service::new(server);
        let mut answer = service.answer();
        answer.qop = qop;
        let mut keys = HashSet::new();
        for nc in [1, 2] {
            let header = answer.counted(nc).header();
            let attempt = service.begin(&header, &answer.target()).unwrap();
            let ha1 = ha1(attempt.hash());
            let proof = attempt.verify(Some(&ha1)).unwrap();
            keys.extend(proof.ticket().map(|ticket| ticket.key()));
        }
        assert_eq!(keys.len(), tickets, "{qop:?}");
    }
    let header = basic::credentials(USER, PASSWORD).unwrap();
    let service = Service::new(server().with_basic());
    let target = Target::new("GET", "/");
    let attempt = service.begin(&header, &target);
    let proof = attempt
        .unwrap()
        .verify_password(Some((USER, PASSWORD)))
        .unwrap();
    assert_eq!(proof.ticket(), None);
    let granted: Result<Grant<'_>, _> = proof.settle(Claim::First, START);
    assert_eq!(granted.unwrap().uri_match(), UriCheck::Unchecked);
}
