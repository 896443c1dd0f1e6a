//! Every reason: its status, what a limiter asks, whether the nonce is stale, and in which order the
//! checks come.

use std::collections::BTreeSet;

use countersign::digest::{Algorithm, HashFunction, QopSet, userhash};
use countersign::server::{Realm, Reason};
use countersign::{Channel, Target};

use crate::support::server::{
    Answer, PASSWORD, Refused, Service, USER, digest_challenge, ha1, quoted, realm, texts,
};

/// The name of a reason.
pub(super) fn name(reason: &Reason) -> &'static str {
    match reason {
        Reason::NoCredentials => "NoCredentials",
        Reason::NothingOffered => "NothingOffered",
        Reason::MultipleCredentials => "MultipleCredentials",
        Reason::InvalidMethod => "InvalidMethod",
        Reason::Header(_) => "Header",
        Reason::SchemeNotOffered => "SchemeNotOffered",
        Reason::CleartextBasic => "CleartextBasic",
        Reason::AlgorithmNotOffered => "AlgorithmNotOffered",
        Reason::QopNotOffered => "QopNotOffered",
        Reason::UserhashNotOffered => "UserhashNotOffered",
        Reason::SessionCnonce => "SessionCnonce",
        Reason::RealmMismatch => "RealmMismatch",
        Reason::UriMismatch => "UriMismatch",
        Reason::BodyUnknown => "BodyUnknown",
        Reason::MissingHa1 => "MissingHa1",
        Reason::WrongCredentials => "WrongCredentials",
        Reason::NonceForeign => "NonceForeign",
        Reason::NonceExpired => "NonceExpired",
        Reason::NonceForgotten { .. } => "NonceForgotten",
        Reason::Replayed => "Replayed",
        other => panic!("unknown reason {other:?}"),
    }
}

/// `nonce-forgotten` for `NonceForgotten`. Names are stable, because logs and metrics have them.
fn kebab(variant: &str) -> String {
    let mut name = variant[..1].to_lowercase();
    for c in variant[1..].chars() {
        if c.is_uppercase() {
            name.push('-');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// What is asked about a reason.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Question {
    Guess,
    ServerFault,
}

use Question::{Guess, ServerFault};

/// Every reason with what the table in its documentation says of it. A status of 0 is the
/// challenger's own.
const TABLE: [(&str, u16, bool, &[Question]); 20] = [
    ("NoCredentials", 0, false, &[]),
    ("NothingOffered", 403, false, &[]),
    ("MultipleCredentials", 400, false, &[]),
    ("InvalidMethod", 400, false, &[]),
    ("Header", 0, false, &[]),
    ("SchemeNotOffered", 0, false, &[]),
    ("CleartextBasic", 0, false, &[]),
    ("AlgorithmNotOffered", 0, false, &[]),
    ("QopNotOffered", 0, false, &[]),
    ("UserhashNotOffered", 0, false, &[]),
    ("SessionCnonce", 0, false, &[]),
    ("RealmMismatch", 0, false, &[]),
    ("UriMismatch", 400, false, &[]),
    ("BodyUnknown", 500, false, &[ServerFault]),
    ("MissingHa1", 0, false, &[Guess, ServerFault]),
    ("WrongCredentials", 0, false, &[Guess]),
    ("NonceForeign", 0, true, &[]),
    ("NonceExpired", 0, true, &[]),
    ("NonceForgotten", 0, true, &[]),
    ("Replayed", 0, true, &[]),
];

/// Sends a server of this realm the request that is refused for this reason where Digest is offered.
fn request(reason: &str, realm: Realm, channel: Channel) -> Result<(), Refused> {
    let mut service = Service::new(realm);
    service.channel = channel;
    // From another server of the same key, because this one may not offer Digest.
    let mut answer = Service::new(self::realm()).answer();
    let target = Target::new("GET", "/a?b=c");
    match reason {
        "NoCredentials" | "NothingOffered" => {
            if reason == "NothingOffered" {
                service.realm = service.realm.with_algorithms(&[]);
                service.channel = Channel::Cleartext;
            }
            let outcome = service.begin_at(None::<&str>, &target, service.arrival());
            return Err(Refused::new(&outcome.unwrap_err()));
        }
        "MultipleCredentials" => {
            let outcome = service.auth.begin_as(
                &service.realm,
                ["Basic dTpw", "Basic dTpw"].into_iter(),
                &target,
                service.arrival(),
            );
            return Err(Refused::new(&outcome.unwrap_err()));
        }
        "InvalidMethod" => answer.method = "G T".to_owned(),
        "Header" => return service.respond("Digest realm=", &answer),
        "SchemeNotOffered" => return service.respond("Bearer abc", &answer),
        "CleartextBasic" => {
            let header = crate::support::basic_header(USER, PASSWORD);
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
            return outcome.map_err(|rejected| Refused::new(&rejected));
        }
        "MissingHa1" => {
            let header = answer.header();
            let attempt = match service.begin(&header, &target) {
                Ok(attempt) => attempt,
                Err(rejected) => return Err(Refused::new(&rejected)),
            };
            let outcome = attempt
                .verify(Some(ha1(HashFunction::Sha512_256)))
                .map(|_| ());
            return outcome.map_err(|rejected| Refused::new(&rejected));
        }
        "WrongCredentials" => answer.password = "wrong".to_owned(),
        "WrongBasic" => {
            let header = crate::support::basic_header(USER, "wrong");
            return service.respond(header, &answer);
        }
        "NonceForeign" => answer.nonce = "foreign".to_owned(),
        "NonceExpired" => service.wait(301),
        "NonceForgotten" => service = service.with_capacity(0),
        "Replayed" => service.respond(answer.header(), &answer)?,
        other => panic!("unknown reason {other}"),
    }
    service.respond(answer.header(), &answer)
}

#[test]
fn every_rejection_has_its_status_stale_and_answers() {
    for (reason, status, stale, questions) in TABLE {
        let channel = match reason {
            "CleartextBasic" => Channel::Cleartext,
            _ => Channel::Encrypted,
        };
        let realm = realm()
            .with_algorithms(&[Algorithm::SHA_256, Algorithm::SHA_256_SESS])
            .with_qop(QopSet::BOTH)
            .with_basic();
        for (realm, own) in [(realm.clone(), 401), (realm.for_proxy(), 407)] {
            let refused = request(reason, realm, channel).unwrap_err();
            assert_eq!(name(&refused.why), reason);
            for (question, answer) in [
                (Guess, refused.why.is_guess()),
                (ServerFault, refused.why.is_server_fault()),
            ] {
                assert_eq!(
                    questions.contains(&question),
                    answer,
                    "{reason}: {question:?}"
                );
            }
            assert_eq!(refused.why.is_stale(), stale, "{reason}");
            assert_eq!(refused.refusal.reason, refused.why, "{reason}");
            assert_eq!(refused.why.name(), kebab(reason));
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
                assert_eq!(digest_challenge(value).stale, stale, "{reason}");
                assert_eq!(value.contains("stale=true"), stale, "{reason}");
                assert!(!value.contains("stale=false"));
            }
            let basic = values.last().unwrap().starts_with("Basic ");
            assert_eq!(basic, channel == Channel::Encrypted, "{reason}");
        }
    }
}

/// The table of the page `server::checks`.
#[test]
fn the_page_has_the_status_of_each_reason() {
    let page = include_str!("../../../../src/server/checks.rs");
    let mut rows = BTreeSet::new();
    for row in page.lines().filter_map(|line| line.strip_prefix("//! |")) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        for reason in cells[2]
            .split(", ")
            .filter_map(|it| it.strip_prefix("[`Reason::"))
        {
            let reason = reason.strip_suffix("`]").unwrap();
            rows.insert((reason, cells[3].to_owned()));
        }
    }
    let expected = TABLE.map(|(reason, status, stale, _)| {
        let status = if status == 0 { 401 } else { status };
        let stale = if stale { ", stale" } else { "" };
        (reason, format!("{status}{stale}"))
    });
    assert_eq!(rows, BTreeSet::from(expected));
}

/// Offers Basic over what is at least this channel.
pub(super) fn with_basic(realm: Realm, least: Option<Channel>) -> Realm {
    match least {
        None => realm,
        Some(Channel::Encrypted) => realm.with_basic(),
        Some(Channel::Cleartext) => realm.with_cleartext_basic(),
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
        for basic in [None, Some(Channel::Encrypted), Some(Channel::Cleartext)] {
            for channel in [Channel::Encrypted, Channel::Cleartext] {
                let offers_basic = basic.is_some_and(|least| channel <= least);
                let challenges = algorithms.len() + usize::from(offers_basic);
                for proxy in [false, true] {
                    for reason in reasons.clone() {
                        let realm = realm().with_algorithms(algorithms).with_qop(QopSet::BOTH);
                        let realm = with_basic(realm, basic);
                        let realm = if proxy { realm.for_proxy() } else { realm };
                        let Err(Refused { why, refusal }) = request(reason, realm, channel) else {
                            // Basic where it is offered.
                            assert!(reason == "CleartextBasic" && offers_basic, "{reason}");
                            continue;
                        };
                        if reason == "NothingOffered" && refusal.status != 403 {
                            // Basic in clear.
                            assert_eq!(why, Reason::NoCredentials);
                            continue;
                        }
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
                        if (status, expected) == (0, 403) {
                            forbidden.insert(why);
                        }
                    }
                }
            }
        }
    }
    let all: BTreeSet<_> = TABLE.iter().map(|row| row.0).collect();
    assert_eq!(seen, all);
    let nothing_to_offer = ["CleartextBasic", "SchemeNotOffered"];
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
fn checks_run_in_the_documented_order() {
    const ORDER: [(Fault, &str); 9] = [
        (Fault::Scheme, "SchemeNotOffered"),
        (Fault::Parameter, "Header"),
        // Another realm may offer another algorithm and qop, so what is wrong is the realm.
        (Fault::Realm, "RealmMismatch"),
        (Fault::Algorithm, "AlgorithmNotOffered"),
        (Fault::Qop, "QopNotOffered"),
        (Fault::Uri, "UriMismatch"),
        (Fault::Password, "WrongCredentials"),
        (Fault::Nonce, "NonceExpired"),
        (Fault::Count, "Replayed"),
    ];
    for (first, (fault, expected)) in ORDER.iter().enumerate() {
        for (other, _) in &ORDER[first..] {
            let outcome = with_faults(&[*fault, *other]);
            let reason = outcome.unwrap_err();
            assert_eq!(name(&reason), *expected, "{fault:?} and {other:?}");
        }
        let all: Vec<_> = ORDER[first..].iter().map(|(fault, _)| *fault).collect();
        assert_eq!(name(&with_faults(&all).unwrap_err()), *expected);
    }
    assert_eq!(with_faults(&[]), Ok(()));
}

fn with_faults(faults: &[Fault]) -> Result<(), Reason> {
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
                    "forgotten" => {
                        service = service.with_capacity(1);
                        for _ in 0..2 {
                            service.take(&service.answer()).unwrap();
                        }
                    }
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
                    assert_eq!(refused.why, Reason::WrongCredentials);
                }
                // And one with the nonce that comes with it is let in.
                let answer = Answer::to(&refused.nonce());
                assert_eq!(service.take(&answer), Ok(()), "{nonce}");
            }
        }
    }
}
