//! What a server answers: every rejection, in which order the checks come, and what the challenges
//! say.

mod support;

use std::collections::BTreeSet;

use countersign::digest::{Algorithm, HashFunction, QopParams, QopSet, ha2, response, userhash};
use countersign::server::{BasicOffer, Realm, Rejection, RejectionClass, UriCheck};
use countersign::{Channel, HeaderError, Target, Timestamp};
use support::server::{
    Answer, PASSWORD, Refused, START, Service, USER, Why, digest_challenge, ha1, nonce_key,
    nonce_of, quoted, realm, texts,
};

/// The name of a rejection.
fn name(rejection: &Rejection) -> &'static str {
    match rejection {
        Rejection::NoCredentials => "NoCredentials",
        Rejection::MultipleCredentials => "MultipleCredentials",
        Rejection::InvalidMethod => "InvalidMethod",
        Rejection::Header(_) => "Header",
        Rejection::SchemeNotOffered => "SchemeNotOffered",
        Rejection::CleartextBasic => "CleartextBasic",
        Rejection::AlgorithmNotOffered => "AlgorithmNotOffered",
        Rejection::QopNotOffered => "QopNotOffered",
        Rejection::UserhashNotOffered => "UserhashNotOffered",
        Rejection::SessionCnonce => "SessionCnonce",
        Rejection::RealmMismatch => "RealmMismatch",
        Rejection::UriMismatch => "UriMismatch",
        Rejection::BodyUnknown => "BodyUnknown",
        Rejection::MissingHa1 => "MissingHa1",
        Rejection::WrongCredentials => "WrongCredentials",
        Rejection::NonceForeign => "NonceForeign",
        Rejection::NonceExpired => "NonceExpired",
        Rejection::NonceForgotten { .. } => "NonceForgotten",
        Rejection::Replayed => "Replayed",
        other => panic!("unknown rejection {other:?}"),
    }
}

/// Every rejection with what the table in its documentation says of it. A status of 0 is the
/// challenger's own.
const TABLE: [(&str, u16, bool, RejectionClass); 19] = [
    ("NoCredentials", 0, false, RejectionClass::NoCredentials),
    (
        "MultipleCredentials",
        400,
        false,
        RejectionClass::ClientFault,
    ),
    ("InvalidMethod", 400, false, RejectionClass::ClientFault),
    ("Header", 400, false, RejectionClass::ClientFault),
    ("SchemeNotOffered", 0, false, RejectionClass::ClientFault),
    ("CleartextBasic", 0, false, RejectionClass::ClientFault),
    ("AlgorithmNotOffered", 0, false, RejectionClass::ClientFault),
    ("QopNotOffered", 0, false, RejectionClass::ClientFault),
    ("UserhashNotOffered", 0, false, RejectionClass::ClientFault),
    ("SessionCnonce", 0, false, RejectionClass::ClientFault),
    ("RealmMismatch", 0, false, RejectionClass::ClientFault),
    ("UriMismatch", 400, false, RejectionClass::Suspicious),
    ("BodyUnknown", 500, false, RejectionClass::ServerFault),
    ("MissingHa1", 0, false, RejectionClass::ServerFault),
    ("WrongCredentials", 0, false, RejectionClass::Suspicious),
    ("NonceForeign", 0, true, RejectionClass::Stale),
    ("NonceExpired", 0, true, RejectionClass::Stale),
    ("NonceForgotten", 0, true, RejectionClass::Stale),
    ("Replayed", 0, true, RejectionClass::Suspicious),
];

/// Sends a server of this realm the request that is refused for this reason where Digest is offered.
fn request(reason: &str, realm: Realm, channel: Channel) -> Result<(), Refused> {
    let mut service = Service::new(realm);
    service.channel = channel;
    // From another server of the same key, because this one may not offer Digest.
    let mut answer = Service::new(self::realm()).answer();
    let target = Target::new("GET", "/a?b=c");
    match reason {
        "NoCredentials" => {
            let outcome = service.begin_at(None::<&str>, &target, &service.arrival());
            return Err(Refused::new(&service, &outcome.unwrap_err()));
        }
        "MultipleCredentials" => {
            let outcome = service.nonces.borrow_mut().begin(
                &service.realm,
                ["Basic dTpw", "Basic dTpw"],
                &target,
                &service.arrival(),
            );
            return Err(Refused::new(&service, &outcome.unwrap_err()));
        }
        "InvalidMethod" => answer.method = "G T".to_owned(),
        "Header" => return service.respond("Digest realm=", &answer),
        "SchemeNotOffered" => return service.respond("Bearer abc", &answer),
        "CleartextBasic" => {
            let header = support::basic_header(USER, PASSWORD);
            return service.respond(header, &answer);
        }
        "AlgorithmNotOffered" => answer.algorithm = Algorithm::SHA_512_256,
        "QopNotOffered" => answer.qop = None,
        "UserhashNotOffered" => {
            let hashed = userhash(HashFunction::Sha256, USER, "files");
            let params = answer.params().with("username", quoted(hashed.as_str()));
            return service.respond(params.with("userhash", "true").to_string(), &answer);
        }
        "SessionCnonce" => {
            answer.algorithm = Algorithm::SHA_256_SESS;
            answer.cnonce = "a:b".to_owned();
        }
        "RealmMismatch" => answer.realm = "other".to_owned(),
        "UriMismatch" => {
            let header = answer.header();
            answer.uri = "/other".to_owned();
            return service.respond(header, &answer);
        }
        "BodyUnknown" => {
            answer.qop = Some("auth-int");
            let header = answer.header();
            let outcome = service.grant(&header, &target).map(|_| ());
            return outcome.map_err(|rejected| Refused::new(&service, &rejected));
        }
        "MissingHa1" => {
            let header = answer.header();
            let attempt = match service.begin(&header, &target) {
                Ok(attempt) => attempt,
                Err(rejected) => return Err(Refused::new(&service, &rejected)),
            };
            let outcome = attempt
                .verify(Some(ha1(HashFunction::Sha512_256)))
                .map(|_| ());
            return outcome.map_err(|rejected| Refused::new(&service, &rejected));
        }
        "WrongCredentials" => answer.password = "wrong".to_owned(),
        "WrongBasic" => {
            let header = support::basic_header(USER, "wrong");
            return service.respond(header, &answer);
        }
        "NonceForeign" => answer.nonce = "foreign".to_owned(),
        "NonceExpired" => service.wait(301),
        "NonceForgotten" => service.restart(START, 1),
        "Replayed" => service.respond(answer.header(), &answer)?,
        other => panic!("unknown reason {other}"),
    }
    service.respond(answer.header(), &answer)
}

#[test]
fn every_rejection_has_its_status_class_and_stale() {
    for (reason, status, stale, class) in TABLE {
        let channel = match reason {
            "CleartextBasic" => Channel::Cleartext,
            _ => Channel::Encrypted,
        };
        let realm = realm()
            .with_algorithms(&[Algorithm::SHA_256, Algorithm::SHA_256_SESS])
            .with_qop(QopSet::BOTH)
            .with_basic(BasicOffer::Encrypted);
        for (realm, own) in [(realm.clone(), 401), (realm.for_proxy(), 407)] {
            let refused = request(reason, realm, channel).unwrap_err();
            assert_eq!(name(&refused.why), reason);
            assert_eq!(refused.why.class(), class, "{reason}");
            assert!(!refused.why.to_string().is_empty());
            let expected = if status == 0 { own } else { status };
            assert_eq!(refused.refusal.status, expected, "{reason}");

            let values = texts(&refused.refusal);
            if status != 0 {
                assert!(values.is_empty(), "{reason} asks for nothing");
                continue;
            }
            let digest = values.iter().filter(|value| value.starts_with("Digest "));
            assert_eq!(digest.clone().count(), 2, "{reason} asks for credentials");
            for value in digest {
                assert_eq!(digest_challenge(value).is_stale(), stale, "{reason}");
                assert_eq!(value.contains("stale=true"), stale, "{reason}");
                assert!(!value.contains("stale=false"));
            }
            let basic = values.last().unwrap().starts_with("Basic ");
            assert_eq!(basic, channel == Channel::Encrypted, "{reason}");
        }
    }
}

/// RFC 9110, sections 15.5.2 and 15.5.8: a 401 or 407 has a challenge. Where nothing is offered on
/// the channel there is none to send, and the status is 403.
#[test]
fn no_401_and_no_407_without_a_challenge() {
    let offered_algorithms: [&[Algorithm]; 3] = [
        &[],
        &[Algorithm::SHA_256],
        &[Algorithm::SHA_256, Algorithm::SHA_256_SESS],
    ];
    let reasons = TABLE.iter().map(|row| row.0).chain(["WrongBasic"]);
    let mut seen = BTreeSet::new();
    let mut forbidden = BTreeSet::new();
    for algorithms in offered_algorithms {
        for basic in [
            BasicOffer::Never,
            BasicOffer::Encrypted,
            BasicOffer::Anywhere,
        ] {
            for channel in [Channel::Encrypted, Channel::Cleartext] {
                let offers_basic = match basic {
                    BasicOffer::Encrypted => channel == Channel::Encrypted,
                    offer => offer == BasicOffer::Anywhere,
                };
                let challenges = algorithms.len() + usize::from(offers_basic);
                for proxy in [false, true] {
                    for reason in reasons.clone() {
                        let realm = realm()
                            .with_algorithms(algorithms)
                            .with_qop(QopSet::BOTH)
                            .with_basic(basic);
                        let realm = if proxy { realm.for_proxy() } else { realm };
                        let Err(Refused { why, refusal }) = request(reason, realm, channel) else {
                            // Basic where it is offered.
                            assert!(reason == "CleartextBasic" && offers_basic, "{reason}");
                            continue;
                        };
                        let why = name(&why);
                        seen.insert(why);
                        let status = TABLE.iter().find(|row| row.0 == why).unwrap().1;
                        let expected = match (status, proxy) {
                            (0, _) if challenges == 0 => 403,
                            (0, false) => 401,
                            (0, true) => 407,
                            (status, _) => status,
                        };
                        let what =
                            format!("{why}, {basic:?}, {channel:?}, {algorithms:?}, {proxy}");
                        assert_eq!(refusal.status, expected, "{what}");
                        let has_some = matches!(expected, 401 | 407);
                        let sent = refusal.challenges.len();
                        assert_eq!(sent, if has_some { challenges } else { 0 }, "{what}");
                        assert_eq!(sent > 0, has_some, "{what}");
                        let field = match proxy {
                            false => "www-authenticate",
                            true => "proxy-authenticate",
                        };
                        assert_eq!(refusal.field, field, "{what}");
                        if expected == 403 {
                            forbidden.insert(why);
                        }
                    }
                }
            }
        }
    }
    let all: BTreeSet<_> = TABLE.iter().map(|row| row.0).collect();
    assert_eq!(seen, all);
    let nothing_to_offer = ["CleartextBasic", "NoCredentials", "SchemeNotOffered"];
    assert_eq!(forbidden, BTreeSet::from(nothing_to_offer));
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
        (Fault::Realm, "RealmMismatch"),
        (Fault::Uri, "UriMismatch"),
        (Fault::Password, "WrongCredentials"),
        (Fault::Nonce, "NonceExpired"),
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
    let mut service = Service::new(realm());
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
                let mut service = Service::new(realm());
                let mut answer = service.answer();
                match nonce {
                    "old" => service.wait(301),
                    "foreign" => answer.nonce = "foreign".to_owned(),
                    "forgotten" => service.restart(START, 1),
                    _ => service.take(&answer).unwrap(),
                }
                answer.user = user.to_owned();
                if !right {
                    answer.password = "wrong".to_owned();
                }
                let refused = service.respond(answer.header(), &answer).unwrap_err();
                let proven = right && user == USER;
                assert_eq!(refused.is_stale(), proven, "{user}, {nonce}, {right}");
                if !proven {
                    assert_eq!(refused.why, Rejection::WrongCredentials);
                }
                // And one with the nonce that comes with it is let in.
                let answer = Answer::to(&refused.nonce());
                assert_eq!(service.take(&answer), Ok(()), "{nonce}");
            }
        }
    }
}

#[test]
fn basic_is_for_channels_that_nobody_reads() {
    let header = support::basic_header(USER, PASSWORD);
    for (basic, channel, outcome, challenges) in [
        (
            BasicOffer::Never,
            Channel::Encrypted,
            Some("SchemeNotOffered"),
            0,
        ),
        (
            BasicOffer::Never,
            Channel::Cleartext,
            Some("SchemeNotOffered"),
            0,
        ),
        (BasicOffer::Encrypted, Channel::Encrypted, None, 1),
        (
            BasicOffer::Encrypted,
            Channel::Cleartext,
            Some("CleartextBasic"),
            0,
        ),
        (BasicOffer::Anywhere, Channel::Encrypted, None, 1),
        (BasicOffer::Anywhere, Channel::Cleartext, None, 1),
    ] {
        let mut service = Service::new(realm().with_basic(basic));
        service.channel = channel;
        let target = Target::new("GET", "/");
        // Before it is decoded: what is no base64 is refused for the same reason.
        for value in [
            &*header,
            "Basic !!!!",
            "Basic",
            "basic realm=\"x\"",
            "BASIC =",
        ] {
            let attempt = service.begin(value, &target).why();
            let rejection = attempt.err().map(|rejection| name(&rejection));
            let expected = outcome.or_else(|| (value != header).then_some("Header"));
            assert_eq!(rejection, expected, "{value} {channel:?}");
        }
        let values = service.challenges();
        let (basic, digest): (Vec<_>, Vec<_>) =
            values.iter().partition(|value| value.starts_with("Basic "));
        assert_eq!(basic.len(), challenges);
        assert_eq!(digest.len(), realm_algorithms());
    }
    // The last word counts.
    let anywhere = realm().with_basic(BasicOffer::Anywhere);
    let never = Service::new(anywhere.with_basic(BasicOffer::Never));
    let outcome = never.take_header(&header, &Answer::to(""));
    assert_eq!(outcome, Err(Rejection::SchemeNotOffered));
    assert_eq!(BasicOffer::default(), BasicOffer::Never);
}

/// How many algorithms are offered by default.
const fn realm_algorithms() -> usize {
    if cfg!(feature = "md5") { 2 } else { 1 }
}

#[test]
fn schemes_that_are_not_offered() {
    let digest = Service::new(realm()).answer().header();
    let basic = support::basic_header(USER, PASSWORD);
    let no_digest = realm().with_algorithms(&[]);
    for (server, header, offered) in [
        (realm(), &*digest, true),
        (realm(), &basic, false),
        (no_digest.clone(), &digest, false),
        (no_digest.clone(), "Digest =", false),
        (no_digest.with_basic(BasicOffer::Encrypted), &basic, true),
        (
            realm().with_basic(BasicOffer::Encrypted),
            "Bearer abc",
            false,
        ),
        (
            realm().with_basic(BasicOffer::Encrypted),
            "Bearer \"",
            false,
        ),
        (
            realm().with_basic(BasicOffer::Encrypted),
            "Negotiate",
            false,
        ),
    ] {
        let service = Service::new(server);
        let target = Target::new("GET", "/a?b=c");
        let attempt = service.begin(header, &target).why();
        let refused = attempt.err() == Some(Rejection::SchemeNotOffered);
        assert_eq!(refused, !offered, "{header}");
    }
    // No scheme at all.
    for header in ["", " ", ",", "=", "\"Digest\"", "\0"] {
        let outcome = Service::new(realm()).take_header(header, &Answer::to(""));
        let Err(Rejection::Header(HeaderError::Syntax(_))) = outcome else {
            panic!("{header:?}: {outcome:?}");
        };
    }
}

#[test]
fn the_challenges_word_by_word() {
    let nonce = Service::new(realm()).nonce();
    let md5 = |value: &str| {
        let value = value.replace("SHA-256", "MD5");
        cfg!(feature = "md5").then_some(value)
    };
    // Those of a nonce that has expired and of the 401 after it differ in the time they carry.
    let expired = |realm: Realm| {
        let mut service = Service::new(realm.with_nonce_lifetime(1));
        let mut answer = service.answer();
        answer.algorithm = Algorithm::SHA_512_256_SESS;
        service.wait(2);
        let refused = service.respond(answer.header(), &answer).unwrap_err();
        assert_eq!(refused.why, Rejection::NonceExpired);
        (texts(&refused.refusal), refused.nonce())
    };
    let challenges = |realm: Realm| Service::new(realm).challenges();

    let value = format!(
        r#"Digest realm="files", qop="auth", algorithm=SHA-256, nonce="{nonce}", charset=UTF-8"#
    );
    let mut expected = vec![value.clone()];
    expected.extend(md5(&value));
    let values = challenges(realm());
    assert_eq!(values, expected);

    let everything = realm()
        .with_algorithms(&[Algorithm::SHA_512_256_SESS])
        .with_qop(QopSet::BOTH)
        .with_opaque("o")
        .unwrap()
        .with_domain("/a http://b/")
        .unwrap()
        .with_userhash(true)
        .with_basic(BasicOffer::Encrypted);
    let (values, nonce_after) = expired(everything);
    let digest = format!(
        "Digest realm=\"files\", qop=\"auth,auth-int\", algorithm=SHA-512-256-sess, \
         nonce=\"{nonce_after}\", opaque=\"o\", domain=\"/a http://b/\", stale=true, charset=UTF-8, \
         userhash=true"
    );
    let basic = r#"Basic realm="files", charset="UTF-8""#;
    assert_eq!(values, [&digest, basic]);

    let legacy = realm()
        .with_qop(QopSet::LEGACY)
        .with_algorithms(&[Algorithm::SHA_256]);
    let values = challenges(legacy);
    let digest =
        format!(r#"Digest realm="files", algorithm=SHA-256, nonce="{nonce}", charset=UTF-8"#);
    assert_eq!(values, [digest]);

    let nothing = realm().with_algorithms(&[]);
    assert!(challenges(nothing).is_empty());
}

#[test]
fn algorithms_are_offered_in_the_order_given_with_one_nonce() {
    let mut reversed = Algorithm::ALL.to_vec();
    reversed.reverse();
    for algorithms in [Algorithm::ALL, &reversed] {
        let service = Service::new(realm().with_algorithms(algorithms));
        let values = service.challenges();
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
            let first = if used.contains(&algorithm.hash_function()) {
                Err(Rejection::Replayed)
            } else {
                Ok(())
            };
            used.push(algorithm.hash_function());
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
    const UNCOUNTED: &str = "uncounted";
    let plain = realm;
    let rfc2069 = || realm().with_rfc2069(true);
    let legacy = || realm().with_qop(QopSet::LEGACY);
    let uncounted = || realm().with_uncounted_form(true);
    let refused: &[_] = &[false, false, false];
    let each: &[_] = &[true, false, true];
    let once: &[_] = &[true, false, false];
    let always: &[_] = &[true, true, true];
    // The same twice, then with another count where there is one.
    for (server, form, expected) in [
        (plain(), COUNTED, each),
        (plain(), RFC_2069, refused),
        (plain(), UNCOUNTED, refused),
        (plain().with_reusable_nonces(true), COUNTED, each),
        (plain().with_one_time_nonces(true), COUNTED, once),
        (rfc2069(), COUNTED, each),
        (rfc2069(), RFC_2069, once),
        (rfc2069(), UNCOUNTED, refused),
        (rfc2069().with_reusable_nonces(true), COUNTED, each),
        (rfc2069().with_reusable_nonces(true), RFC_2069, always),
        (
            rfc2069()
                .with_reusable_nonces(true)
                .with_one_time_nonces(true),
            RFC_2069,
            once,
        ),
        (legacy(), COUNTED, refused),
        (legacy(), RFC_2069, once),
        (legacy().with_reusable_nonces(true), RFC_2069, always),
        (uncounted(), COUNTED, each),
        (uncounted(), RFC_2069, refused),
        (uncounted(), UNCOUNTED, once),
        (uncounted().with_reusable_nonces(true), COUNTED, each),
        (uncounted().with_reusable_nonces(true), UNCOUNTED, always),
        (uncounted().with_one_time_nonces(true), UNCOUNTED, once),
        (uncounted().with_one_time_nonces(true), COUNTED, once),
    ] {
        let service = Service::new(server);
        let mut answer = service.answer();
        answer.uncounted = form == UNCOUNTED;
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
        assert_eq!(outcomes, expected, "{form} at {:?}", service.realm);
    }
}

/// RFC 7616 does not say how a client tells which request began a session. Here each begins one.
#[test]
fn sessions_are_of_the_nonce_and_cnonce_at_hand() {
    for &algorithm in Algorithm::ALL.iter().filter(|it| it.is_session()) {
        let service = Service::new(realm().with_algorithms(&[algorithm]));
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
        let ha1 = ha1(algorithm.hash_function());
        let key = ha1.session(&answer.nonce, &first);
        let protection = QopParams::new("auth", "00000005", "another");
        let ha2 = ha2(key.hash_function(), &answer.method, &answer.uri, None);
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
            let service = Service::new(realm().with_uri_check(check));
            let mut answer = service.answer();
            answer.uri = uri.to_owned();
            let header = answer.header();
            let outcome = service
                .grant(&header, &Target::new("GET", target))
                .map(|grant| grant.uri_match())
                .why();
            let expected = if strictest <= check {
                Ok(strictest)
            } else {
                Err(Rejection::UriMismatch)
            };
            assert_eq!(outcome, expected, "{check:?}: {uri} for {target}");
        }
    }
    assert_eq!(UriCheck::default(), Exact);
    // Escapes are none of the uri's.
    let service = Service::new(realm());
    let mut answer = service.answer();
    answer.uri = r#"/a"b\c"#.to_owned();
    assert_eq!(service.take(&answer), Ok(()));
}

#[test]
fn nonces_are_good_where_they_are_bound_to() {
    let service = Service::new(realm());
    let bindings: [&[u8]; 5] = [b"", b"192.0.2.7", b"192.0.2.70", b"\0", &[0xff; 100]];
    for here in bindings {
        let arrival = service.arrival().bound_to(here);
        let nonce = nonce_of(&service.challenges_at(&arrival));
        for there in bindings {
            let arrival = service.arrival().bound_to(there);
            let answer = Answer::to(&nonce);
            let header = answer.header();
            let attempt = service.begin_at(Some(&header), &answer.target(), &arrival);
            let attempt = attempt.unwrap();
            let ha1 = ha1(attempt.hash_function());
            let outcome = attempt.verify(Some(&ha1)).map(|_| ()).why();
            let expected = if here == there {
                Ok(())
            } else {
                Err(Rejection::NonceForeign)
            };
            assert_eq!(outcome, expected, "{here:?} {there:?}");
        }
    }
}

#[test]
fn keys_change_without_a_round_trip() {
    let service = Service::new(realm());
    let before = service.answer();
    let rotate = |number| {
        let mut nonces = service.nonces.borrow_mut();
        nonces.rotate(&service.realm, nonce_key(number));
    };
    rotate(2);
    let after = service.answer();
    assert_eq!(service.take(&before), Ok(()));
    assert_eq!(service.take(&before), Err(Rejection::Replayed));
    assert_eq!(service.take(&after), Ok(()));
    rotate(3);
    let outcome = service.take(&before.counted(2));
    assert_eq!(outcome, Err(Rejection::NonceForeign));
    assert_eq!(service.take(&after.counted(2)), Ok(()));
    assert_eq!(service.take(&after), Err(Rejection::Replayed));
}

#[test]
fn a_restart_forgets_what_was_before_it() {
    let mut service = Service::new(realm());
    let before = service.answer();
    assert_eq!(service.take(&before), Ok(()));
    service.wait(1);
    let same_time = service.answer();
    service.restart(service.now, 10);
    let until = service.now;
    for answer in [before, same_time] {
        // The nonce that answers it is good, in the same millisecond, and with the clock set back.
        for now in [until, START, Timestamp::from_unix_secs(0)] {
            service.now = now;
            let refused = service.respond(answer.header(), &answer).unwrap_err();
            assert_eq!(refused.why, Rejection::NonceForgotten { until });
            let answer = Answer::to(&refused.nonce());
            assert_eq!(service.take(&answer), Ok(()));
        }
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
            let mut service = Service::new(realm().with_nonce_lifetime(lifetime));
            service.now = now;
            let answer = service.answer();
            service.now = now.plus_secs(lifetime.into());
            assert_eq!(service.take(&answer), Ok(()), "{lifetime} {now:?}");
            service.now = service.now.plus_millis(1);
            let outcome = service.take(&answer.counted(2));
            assert_eq!(outcome, Err(Rejection::NonceExpired), "{lifetime} {now:?}");
            // The clock set back to before it was made.
            service.now = Timestamp::from_unix_millis(0);
            assert_eq!(service.take(&answer.counted(3)), Ok(()));
            service.now = end;
            let outcome = service.take(&answer.counted(4));
            assert_eq!(outcome, Err(Rejection::NonceExpired));
            // A nonce of the last time there is, which is later than a nonce can tell.
            let answer = service.answer();
            let rejection = service.take(&answer).unwrap_err();
            assert_eq!(rejection, Rejection::NonceExpired);
        }
    }
}
